#include "app/scenario_files.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "app/data_folders.hpp"
#include "app/terminal.hpp"
#include "record/run_folder.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kScenarioName = "scenario.yaml";

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

// Parts of scenarios that others include have no version of the language; neither has other YAML.
bool has_version_key(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  constexpr std::streamsize kLook = 1 << 16;
  std::string start(static_cast<std::size_t>(kLook), '\0');
  in.read(start.data(), kLook);
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start.starts_with("strata:") || start.find("\nstrata:") != std::string::npos;
}

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code ignored;
  return (name.size() > 1 && name.front() == '.') || fs::exists(folder / RunFolder::kMarker, ignored);
}

std::vector<fs::path> search(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (is_left_out(it->path())) it.disable_recursion_pending();
    } else if (it->is_regular_file(ignored) && is_yaml(it->path()) && has_version_key(it->path())) {
      found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Where a path breaks off says more than that it is missing.
std::string remedy_for(const std::string& text) {
  std::error_code ignored;
  for (const char* extension : {".yaml", ".yml"}) {
    if (fs::exists(text + extension, ignored)) return fmt::format("did you mean '{}{}'?", text, extension);
  }
  const std::vector<std::string> examples = example_names();
  const std::string name = fs::path(text).stem().string();
  if (const std::string near = nearest(name, examples); !near.empty()) {
    return fmt::format("did you mean the example '{0}'? Then: strata run {0}", near);
  }
  if (examples.empty()) return "give a scenario file, or a folder that holds scenario.yaml";
  return fmt::format("give a scenario file, a folder that holds scenario.yaml, or an example: {}",
                     fmt::join(examples, ", "));
}

}  // namespace

Result<ScenarioFile> locate_scenario(const std::string& text) {
  const fs::path path(text);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (fs::exists(path / kScenarioName, ignored)) return ScenarioFile{path / kScenarioName, false};
    if (fs::exists(path / RunFolder::kMarker, ignored)) {
      return Error{in_file(text), "is a run folder", fmt::format("to run it again: strata replay {}", text)};
    }
    if (const auto example = find_example(text)) return ScenarioFile{*example / kScenarioName, true};
    return Error{in_file(text), fmt::format("this folder holds no {}", kScenarioName), "name the scenario file itself"};
  }
  if (fs::exists(path, ignored)) return ScenarioFile{path, false};
  if (const auto example = find_example(text)) return ScenarioFile{*example / kScenarioName, true};
  return Error{in_file(text), "there is no such scenario", remedy_for(text)};
}

Result<std::vector<fs::path>> find_scenarios(const std::vector<std::string>& paths) {
  std::vector<fs::path> all;
  std::set<fs::path> seen;
  Errors errors;
  for (const std::string& text : paths) {
    std::error_code ignored;
    std::vector<fs::path> found;
    if (fs::is_directory(text, ignored)) {
      found = search(text);
      if (found.empty())
        errors.push_back({in_file(text), "holds no scenario", "a scenario is a .yaml file with a line `strata: 1`"});
    } else if (const auto scenario = locate_scenario(text); collect(scenario, errors)) {
      found.push_back(scenario->path);
    }
    for (fs::path& path : found) {
      if (seen.insert(fs::weakly_canonical(path, ignored)).second) all.push_back(std::move(path));
    }
  }
  if (!errors.empty()) return errors;
  return all;
}

}  // namespace strata::app
