// Brings together what a scenario is made of before it is checked: the file, the files it includes, and what the
// command line sets. Every value keeps the place where it was written, be it a file or an option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value.hpp"

namespace strata {

/// The scenario file that `path` means: the file itself, or scenario.yaml in a folder.
[[nodiscard]] Result<std::string> find_scenario(const std::string& path);

/// Reads a file and everything it includes, as one tree without `include`.
[[nodiscard]] Result<Value> read_with_includes(const std::string& file);

/// Lays `over` on `base`: maps merge member by member, anything else replaces. Kinds are respected: a map laid on a
/// bare name gives that kind parameters, and a map that names another kind replaces the whole.
[[nodiscard]] Value merged(Value base, const Value& over);

/// Applies "robots.walker.count=20". Errors and the new value have `option` (default "--set ...") as their file.
[[nodiscard]] Result<void> apply_set(Value& root, const std::string& assignment, std::string option = "");

/// Writes each value's logical path ("robots.walker.count") into its place.
void label_paths(Value& root);

}  // namespace strata
