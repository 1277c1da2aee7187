#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/start/templates.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWhat = "scenario, system or sensor";

// Plugin names become C++ and CMake names; scenario names only name files.
Result<void> check_name(const std::string& what, const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  bool good = !name.empty() && letter(name.front());
  for (const char c : name) good = good && (letter(c) || digit(c) || (c == '-' && what == "scenario"));
  if (good) return {};
  return Error{{},
               fmt::format("'{}' cannot be the name of a {}", name, what),
               "use letters, digits and '_', starting with a letter"};
}

Result<void> write_files(const std::vector<StartFile>& files) {
  Errors errors;
  for (const StartFile& file : files) {
    std::error_code ignored;
    if (fs::exists(file.path, ignored))
      errors.push_back({in_file(file.path.string()), "exists already", "choose another name, or remove it first"});
  }
  if (!errors.empty()) return errors;
  for (const StartFile& file : files) {
    std::error_code problem;
    if (file.path.has_parent_path()) fs::create_directories(file.path.parent_path(), problem);
    std::ofstream out(file.path, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) return Error{in_file(file.path.string()), "cannot be written", "change to a folder where you may write"};
  }
  return {};
}

}  // namespace

int new_verb(const Arguments& arguments) {
  CLI::App app("Writes a working start: a scenario to run, or a plugin with a system or a sensor of your own.",
               "strata new");
  std::string what;
  std::string name;
  app.add_option("WHAT", what, kWhat)->required();
  app.add_option("NAME", name, "Its name; a folder before it is allowed")->required();
  app.footer(
      "example:\n  strata new scenario warehouse     writes warehouse.yaml\n  strata new system heater          writes "
      "the folder heater/\n"
      "  strata new sensor thermometer     writes the folder thermometer/");
  if (const auto done = parse(app, arguments)) return *done;

  const fs::path place(name);
  const bool has_ending = place.extension() == ".yaml" && what == "scenario";
  const std::string stem = has_ending ? place.stem().string() : place.filename().string();
  Errors errors;
  if (what != "scenario" && what != "system" && what != "sensor") {
    errors.push_back(
        {{}, fmt::format("cannot start a '{}'", what), suggestion(what, {"scenario", "system", "sensor"})});
  }
  collect(check_name(what, stem), errors);
  if (!errors.empty()) return wrong_input(errors);

  const std::vector<StartFile> files = start_files(what, place.parent_path(), stem);
  if (const auto written = write_files(files); !written.ok()) return wrong_input(written.errors());
  for (const StartFile& file : files) fmt::print("wrote {}\n", file.path.string());
  fmt::print("\nnext:\n{}", next_steps(what, place.parent_path(), stem));
  return ExitCode::kFine;
}

}  // namespace strata::app
