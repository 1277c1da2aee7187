// Which scenario a user means: a file, a folder that holds scenario.yaml, or the name of an example that comes with
// Strata.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace strata::app {

struct ScenarioFile {
  std::filesystem::path path;
  bool is_example = false;  ///< found by its name among the examples, not where the user is
};

/// The error suggests examples of a similar name.
[[nodiscard]] Result<ScenarioFile> locate_scenario(const std::string& text);

/// All scenarios under the paths: files as they are; folders are searched for *.yaml with a `strata:` key, leaving out
/// run folders and hidden ones. Sorted within each path, each once. An error for a path without any.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_scenarios(const std::vector<std::string>& paths);

}  // namespace strata::app
