#include "app/data_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace strata::app {

namespace fs = std::filesystem;

namespace {

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "examples", ignored);
}

fs::path examples_folder() {
  const fs::path data = data_folder();
  return data.empty() ? fs::path{} : data / "examples";
}

}  // namespace

fs::path program_path() {
  std::error_code problem;
  fs::path path = fs::read_symlink("/proc/self/exe", problem);
  return problem ? fs::path{} : path;
}

fs::path data_folder() {
  const char* named = std::getenv("STRATA_DATA");  // NOLINT(concurrency-mt-unsafe): no other thread yet
  if (named != nullptr && *named != '\0') return named;
  const fs::path bin = program_path().parent_path();
  for (const fs::path& folder :
       {bin.parent_path() / "share/strata", bin.parent_path().parent_path(), fs::path(STRATA_SOURCE_DIR)}) {
    if (holds_data(folder)) return folder;
  }
  return {};
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(examples_folder(), problem)) {
    std::error_code ignored;
    if (fs::is_regular_file(entry.path() / "scenario.yaml", ignored)) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<fs::path> find_example(const std::string& name) {
  const std::vector<std::string> names = example_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
  return examples_folder() / name;
}

std::string shown_path(const fs::path& path) {
  std::error_code problem;
  const fs::path here = fs::current_path(problem);
  if (problem) return path.string();
  const fs::path whole = path.is_absolute() ? path.lexically_normal() : (here / path).lexically_normal();
  const fs::path relative = whole.lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return whole.string();
  return relative.string();
}

}  // namespace strata::app
