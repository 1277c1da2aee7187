#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/kinds.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "scenario/maps/hmr_config.hpp"
#include "scenario/maps/map.hpp"
#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "scenario/source.hpp"
#include "scenario/yaml.hpp"

namespace strata::app {

namespace {

struct ImportWords {
  std::string file;
  std::string out;
  std::string scale;
  std::string page;
  std::string unknown_shapes;
  std::vector<std::string> plugins;
  JsonOutput json;
};

struct Imported {
  Value root;
  std::vector<std::string> notes;
};

// What the command line says about the map, as `map:` would.
Value map_options(const ImportWords& words) {
  Value section = Value::map();
  const auto set = [&](const char* key, const char* option, const std::string& text, bool quoted) {
    if (!text.empty()) section.set(key, Value::scalar(text, {option, 0, 0, ""}, quoted));
  };
  set("scale", "--scale", words.scale, false);
  set("page", "--page", words.page, true);
  set("unknown_shapes", "--unknown-shapes", words.unknown_shapes, false);
  return section;
}

// HMR Sim's configuration, or a map alone.
Result<Imported> read_source(const ImportWords& words, Registry& registry) {
  Imported out;
  if (words.file.ends_with(".json")) {
    Result<Value> config = read_yaml(words.file);
    if (!config.ok()) return config.errors();
    if (!maps::is_hmr_config(*config))
      return Error{in_file(words.file), "this is not a configuration of HMR Sim",
                   "it has keys like \"map\", \"FPS\" and \"duration\""};
    label_paths(*config);
    Result<maps::HmrScenario> converted = maps::from_hmr_config(*config, registry);
    if (!converted.ok()) return converted.errors();
    out.root = std::move(converted->root);
    out.notes = std::move(converted->notes);
    if (Value* map = out.root.find("map")) *map = merged(*map, map_options(words));
  } else {
    Value map = map_options(words);
    map.set("file", Value::scalar(words.file, {"--file", 0, 0, ""}, true));
    out.root = Value::map({{"strata", Value::scalar("1")}, {"map", std::move(map)}});
  }
  const Result<std::vector<std::string>> notes = maps::expand_map(out.root, registry);
  if (!notes.ok()) return notes.errors();
  out.notes.insert(out.notes.end(), notes->begin(), notes->end());
  // What is written has to be a scenario: its mistakes are those of the drawing.
  const Result<ScenarioSpec> spec = read_scenario(out.root, registry);
  if (!spec.ok()) return spec.errors();
  return out;
}

int write_scenario(const std::string& text, const ImportWords& words) {
  if (words.out.empty()) {
    if (!words.json.on_stdout()) fmt::print("{}", text);
    return ExitCode::kFine;
  }
  std::ofstream out(words.out, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return ExitCode::kFine;
  print_errors({Error{in_file(words.out), "cannot be written", "choose another file for --out"}});
  return ExitCode::kFailed;
}

}  // namespace

int import_verb(const Arguments& arguments) {
  CLI::App app("Writes a drawing, a ROS map file or a configuration of HMR Sim as a scenario.", "strata import");
  ImportWords words;
  app.add_option("FILE", words.file, "A .drawio file, a ROS map .yaml, or HMR Sim's configuration .json")->required();
  app.add_option("--out", words.out, "Scenario file to write [stdout]")->type_name("FILE");
  app.add_option("--scale", words.scale, "Length of one drawing unit [0.02 m]")->type_name("LENGTH");
  app.add_option("--page", words.page, "Name or number of the page [the first]")->type_name("PAGE");
  app.add_option("--unknown-shapes", words.unknown_shapes, "What they become: error, box or ignore [error]");
  add_repeatable(app, "--plugin", words.plugins, "FILE", "A plugin that adds shapes or types (repeatable)");
  words.json.add_to(app);
  app.footer(
      "example:\n  strata import ward.drawio --scale '0.02 m' --out ward.yaml\n  strata import lab/map.yaml\n\n"
      "What was not understood is listed on stderr. Exit codes: 0 fine, 2 wrong input.");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  collect(words.json.check(), errors);
  Result<Registry> registry = make_registry(words.plugins);
  if (!collect(registry, errors)) return wrong_input(errors);
  const Result<Imported> imported = read_source(words, *registry);
  if (!collect(imported, errors)) return wrong_input(errors);
  for (const std::string& note : imported->notes)
    fmt::print(stderr, "{} {}\n", toned(stderr, Tone::kCaution, "note:"), note);

  const std::string text = to_yaml(imported->root);
  if (const int code = write_scenario(text, words); code != ExitCode::kFine) return code;
  const nlohmann::ordered_json result = {{"file", words.file}, {"scenario", text}, {"notes", imported->notes}};
  return words.json.write(result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                          ExitCode::kFine);
}

}  // namespace strata::app
