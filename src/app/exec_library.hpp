// Where the preload library lies: beside a build's bin/, or installed.
#pragma once

#include <filesystem>

namespace strata::app {

/// Empty if it is not there.
[[nodiscard]] std::filesystem::path shim_library();

}  // namespace strata::app
