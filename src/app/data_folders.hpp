// Where the files that come with Strata are: examples and models. Works installed (../share/strata from the program),
// from a build folder inside the source tree, and from a build folder elsewhere.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata::app {

/// Path of this very program.
[[nodiscard]] std::filesystem::path program_path();
/// The folder that holds examples/ and models/; empty if there is none. STRATA_DATA, if set, names it.
[[nodiscard]] std::filesystem::path data_folder();

/// Names of the examples: folders below examples/ that hold a scenario.yaml.
[[nodiscard]] std::vector<std::string> example_names();
/// Folder of an example by its name.
[[nodiscard]] std::optional<std::filesystem::path> find_example(const std::string& name);

/// "./a/b" instead of an absolute path where that is shorter: for showing and for copying.
[[nodiscard]] std::string shown_path(const std::filesystem::path& path);

}  // namespace strata::app
