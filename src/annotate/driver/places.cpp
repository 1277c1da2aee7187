#include "annotate/driver/places.hpp"

#include <cstdlib>
#include <unistd.h>

namespace strata::annotate {

namespace fs = std::filesystem;

namespace {

fs::path if_there(const fs::path& path) { return ::access(path.c_str(), R_OK) == 0 ? path : fs::path{}; }

fs::path library_folder() { return program_folder().parent_path() / "lib/strata"; }

}  // namespace

fs::path program_folder() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  return program.parent_path();
}

fs::path find_clang(bool cpp) {
  const std::string name = cpp ? "clang++" : "clang";
  for (const fs::path& path : {fs::path("/usr/bin") / (name + "-14"), fs::path("/usr/lib/llvm-14/bin") / name}) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

fs::path find_tool() { return if_there(program_folder() / "strata-annotate"); }

fs::path find_runtime(int bits) {
  const fs::path folder = library_folder() / std::to_string(bits);
  return if_there(folder / "libstrata_perf.so").empty() ? fs::path{} : folder;
}

fs::path find_costs(const std::string& target) {
  const char* named = std::getenv("STRATA_DATA");  // NOLINT(concurrency-mt-unsafe): no other thread yet
  const fs::path bin = program_folder();
  for (const fs::path& folder : {fs::path(named == nullptr ? "" : named), bin.parent_path() / "share/strata",
                                 bin.parent_path().parent_path(), fs::path(STRATA_SOURCE_DIR)}) {
    const fs::path file = if_there(folder / "models/costs" / (target + ".txt"));
    if (!folder.empty() && !file.empty()) return file;
  }
  return {};
}

fs::path find_counter() { return if_there(library_folder() / "qemu/count.so"); }

}  // namespace strata::annotate
