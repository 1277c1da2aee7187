// What `strata new` writes: small, complete starts that run as they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::app {

struct StartFile {
  std::filesystem::path path;
  std::string text;
};

/// Files of a new `what` (scenario, system, sensor) called `name` below `folder`.
[[nodiscard]] std::vector<StartFile> start_files(const std::string& what, const std::filesystem::path& folder,
                                                 const std::string& name);
/// Commands to try next, one per line.
[[nodiscard]] std::string next_steps(const std::string& what, const std::filesystem::path& folder,
                                     const std::string& name);

}  // namespace strata::app
