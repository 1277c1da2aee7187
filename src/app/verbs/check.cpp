#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/scenario_files.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "scenario/run.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

struct Checked {
  std::string path;
  std::string content;  ///< "crossing: 200 robots for 1 min"; empty if wrong
  Errors errors;
  std::vector<std::string> notes;  ///< what a map held that was not understood
};

// Everything up to the first step: reading, checking, placing.
Checked check_one(const std::string& path, const LoadOptions& options) {
  Checked out{path, "", {}, {}};
  const auto file = locate_scenario(path);
  if (!collect(file, out.errors)) return out;
  out.path = shown_path(file->path);
  Registry registry;
  register_all_kinds(registry);
  const auto scenario = load_scenario(file->path.string(), options, registry);
  if (!collect(scenario, out.errors)) return out;
  out.notes = scenario->spec.notes;
  const auto built = build(*scenario, registry);
  if (!collect(built, out.errors)) return out;
  out.content = fmt::format("{}: {} robots for {}", scenario->spec.name, (*built)->robots.size(),
                            to_text(scenario->spec.duration));
  return out;
}

Json to_array(const Errors& errors) {
  Json out = Json::array();
  for (const Error& error : errors) {
    out.push_back({{"file", error.where.file},
                   {"line", error.where.line},
                   {"column", error.where.column},
                   {"path", error.where.path},
                   {"problem", error.problem},
                   {"remedy", error.remedy}});
  }
  return out;
}

std::string to_json(const std::vector<Checked>& all, bool good) {
  Json list = Json::array();
  for (const Checked& one : all) {
    list.push_back(
        {{"scenario", one.path}, {"ok", one.errors.empty()}, {"errors", to_array(one.errors)}, {"notes", one.notes}});
  }
  return Json{{"ok", good}, {"scenarios", list}}.dump(2, ' ', false, Json::error_handler_t::replace);
}

void print_checked(const Checked& one) {
  if (one.errors.empty()) fmt::print("{}  {} ({})\n", toned(stdout, Tone::kGood, "ok"), one.path, one.content);
}

}  // namespace

int check_verb(const Arguments& arguments) {
  CLI::App app("Validates scenarios without running them: everything a run would refuse, all at once.", "strata check");
  std::vector<std::string> paths;
  LoadOptions options;
  JsonOutput json;
  app.add_option("SCENARIO", paths, "Files, folders that hold scenario.yaml, or names of examples")->required();
  add_repeatable(app, "--set", options.sets, "PATH=VALUE",
                 "Override a value by its path: robots.walker.count=20 (repeatable)");
  json.add_to(app);
  app.footer(
      "example:\n  strata check my.yaml\n  strata check one.yaml two.yaml --json\n\nExit code 2 if any of them is "
      "wrong.");
  if (const auto done = parse(app, arguments)) return *done;
  if (const auto writable = json.check(); !writable.ok()) return wrong_input(writable.errors());

  std::vector<Checked> all;
  bool good = true;
  for (const std::string& path : paths) {
    all.push_back(check_one(path, options));
    good = good && all.back().errors.empty();
    if (!json.on_stdout()) print_checked(all.back());
    for (const std::string& note : all.back().notes)
      fmt::print(stderr, "{} {}\n", toned(stderr, Tone::kCaution, "note:"), note);
    print_errors(all.back().errors);
  }
  return json.write(to_json(all, good), good ? ExitCode::kFine : ExitCode::kWrongInput);
}

}  // namespace strata::app
