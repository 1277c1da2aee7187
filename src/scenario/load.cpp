#include <filesystem>

#include <fmt/format.h>

#include "scenario/maps/hmr_config.hpp"
#include "scenario/maps/map.hpp"
#include "scenario/plugin.hpp"
#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "scenario/source.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostErrorsShown = 50;

Result<void> apply_options(Value& root, const LoadOptions& options) {
  Errors errors;
  for (const std::string& set : options.sets) collect(apply_set(root, set), errors);
  if (options.seed) {
    const std::string seed = std::to_string(*options.seed);
    collect(apply_set(root, "seed=" + seed, "--seed " + seed), errors);
  }
  if (options.duration) {
    const std::string duration = format_quantity(options.duration->seconds(), "s");
    collect(apply_set(root, "duration=" + duration, "--duration " + duration), errors);
  }
  return errors;
}

/// Of the folder if the file is a scenario.yaml, else of the file.
std::string default_name(const std::string& file) {
  std::error_code code;
  const fs::path whole = fs::absolute(file, code).lexically_normal();
  const std::string folder = whole.parent_path().filename().string();
  return whole.filename() == "scenario.yaml" && !folder.empty() ? folder : whole.stem().string();
}

Value scenario_of_drawing(const std::string& file) {
  const Where where{file, 0, 0, ""};
  const std::string name = fs::path(file).filename().string();
  return Value::map({{"strata", Value::scalar("1", where)}, {"map", Value::scalar(name, where, true)}}, where);
}

Errors shortened(Errors errors) {
  if (errors.size() <= kMostErrorsShown) return errors;
  const std::size_t more = errors.size() - kMostErrorsShown;
  errors.resize(kMostErrorsShown);
  errors.push_back({errors.back().where, fmt::format("and {} more errors", more), "mend those above first"});
  return errors;
}

}  // namespace

Result<Scenario> load_scenario(const std::string& path, const LoadOptions& options, Registry& registry) {
  Result<std::string> file = find_scenario(path);
  if (!file.ok()) return file.errors();
  // A drawing alone is a scenario, too.
  const bool is_drawing = fs::path(*file).extension() == ".drawio";
  Result<Value> root = is_drawing ? Result<Value>(scenario_of_drawing(*file)) : read_with_includes(*file);
  if (!root.ok()) return shortened(root.errors());

  std::vector<std::string> notes;
  if (maps::is_hmr_config(*root)) {
    label_paths(*root);
    Result<maps::HmrScenario> converted = maps::from_hmr_config(*root, registry);
    if (!converted.ok()) return shortened(converted.errors());
    *root = std::move(converted->root);
    notes = std::move(converted->notes);
  }

  // From here on all errors are shown together.
  Errors errors;
  collect(apply_options(*root, options), errors);
  label_paths(*root);
  const Value* plugins = root->find("plugins");
  if (plugins != nullptr && !collect(load_plugins(*plugins, registry), errors)) return shortened(std::move(errors));
  if (root->is_map() && root->find("name") == nullptr)
    root->set("name", Value::scalar(default_name(*file), root->where(), true));
  const Result<std::vector<std::string>> map_notes = maps::expand_map(*root, registry);
  if (collect(map_notes, errors)) {
    notes.insert(notes.end(), map_notes->begin(), map_notes->end());
  } else {
    root->erase("map");
  }
  Result<ScenarioSpec> spec = read_scenario(*root, registry);
  collect(spec, errors);
  if (!errors.empty()) return shortened(std::move(errors));
  spec->notes = std::move(notes);
  // As text it has gone through a double, which is not exact for years.
  if (options.duration) spec->duration = *options.duration;
  return Scenario{std::move(file).value(), std::move(spec).value()};
}

}  // namespace strata
