#include "app/exec_library.hpp"

#include "app/data_folders.hpp"

namespace strata::app {

namespace fs = std::filesystem;

fs::path shim_library() {
  const fs::path folder = program_path().parent_path().parent_path();
  for (const char* candidate :
       {"lib/libstrata-shim.so", "lib/strata/libstrata-shim.so", "lib/x86_64-linux-gnu/strata/libstrata-shim.so"}) {
    if (std::error_code ignored; fs::exists(folder / candidate, ignored)) return folder / candidate;
  }
  return {};
}

}  // namespace strata::app
