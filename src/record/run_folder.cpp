#include "record/run_folder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <system_error>

#include "record/output_file.hpp"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMarkerText = "This folder was made by a run of strata. Its further files:\n";

// What every run may have left. Files that no run made are the user's and stay.
constexpr std::array<const char*, 7> kOwnFiles{RunFolder::kScenario, RunFolder::kSummary,   RunFolder::kInputs,
                                               RunFolder::kMetrics,  RunFolder::kRecording, RunFolder::kReport,
                                               RunFolder::kMarker};

Error place_error(const fs::path& path, const std::string& problem, const std::string& remedy) {
  return Error{{path.string(), 0, 0, ""}, problem, remedy};
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name == safe_file_name(name) && name != ".." && name != ".";
}

void remove_leavings(const fs::path& path) {
  std::error_code error;
  if (const auto marker = read_whole(path / RunFolder::kMarker, 1U << 20U)) {
    std::istringstream lines(*marker);
    std::string name;
    std::getline(lines, name);
    while (std::getline(lines, name))
      if (is_plain_name(name)) fs::remove(path / name, error);
  }
  for (const char* name : kOwnFiles) fs::remove(path / name, error);
}

// One more than the largest n for which `base`/<stem>-<n> exists.
int next_number(const fs::path& base, const std::string& stem) {
  int largest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(base, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(stem + "-")) continue;
    const char* from = name.data() + stem.size() + 1;
    const char* to = name.data() + name.size();
    int number = 0;
    if (const auto [end, failure] = std::from_chars(from, to, number); failure == std::errc() && end == to)
      largest = std::max(largest, number);
  }
  return largest + 1;
}

}  // namespace

std::string safe_file_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 100)) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    out += fine ? c : '_';
  }
  if (out.empty() || out.front() == '.') out.insert(0, "run");
  return out;
}

Result<RunFolder> RunFolder::create(const fs::path& out, const std::string& scenario, const fs::path& base) {
  std::error_code error;
  fs::path path = out;
  if (path.empty()) {
    fs::create_directories(base, error);
    if (error) return file_error(base, "cannot make the folder", error.value());
    // Two runs started at once must not share a folder: making it is what claims the number.
    const std::string stem = safe_file_name(scenario);
    for (int n = next_number(base, stem);; ++n) {
      path = base / (stem + "-" + std::to_string(n));
      if (fs::create_directory(path, error)) break;
      if (error) return file_error(path, "cannot make the folder", error.value());
    }
  } else {
    if (fs::exists(path, error) && !fs::is_directory(path, error))
      return place_error(path, "exists and is not a folder", "choose another place with --out");
    const bool filled = fs::is_directory(path, error) && !fs::is_empty(path, error);
    if (filled && !fs::exists(path / kMarker, error))
      return place_error(path, "the folder is not empty and no earlier run made it",
                         "choose an empty or new folder with --out, so that nothing of yours is overwritten");
    fs::create_directories(path, error);
    if (error) return file_error(path, "cannot make the folder", error.value());
    remove_leavings(path);
  }
  RunFolder folder(path);
  if (Result<void> marked = folder.write(kMarker, kMarkerText); !marked) return marked.errors();
  return folder;
}

Result<RunFolder> RunFolder::open(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return place_error(path, "there is no such folder", "give the folder of a run, such as runs/crossing-1");
  if (!fs::exists(path / kMarker, error) && !fs::exists(path / kSummary, error) && !fs::exists(path / kScenario, error))
    return place_error(path, "is not the folder of a run", "give the folder of a run, such as runs/crossing-1");
  return RunFolder(path);
}

bool RunFolder::has(std::string_view name) const {
  std::error_code error;
  return fs::exists(file(name), error);
}

Result<fs::path> RunFolder::claim(const std::string& name) const {
  STRATA_ASSERT(is_plain_name(name), "a file of a run has a plain name: " + name);
  std::string marker(kMarkerText);
  if (const auto known = read(kMarker)) marker = *known;
  if (("\n" + marker).find("\n" + name + "\n") == std::string::npos) marker += name + "\n";
  if (Result<void> written = write(kMarker, marker); !written) return written.errors();
  return file(name);
}

Result<void> RunFolder::write(std::string_view name, std::string_view text) const {
  return write_whole(file(name), text);
}

Result<std::string> RunFolder::read(std::string_view name, std::uint64_t limit) const {
  if (!has(name))
    return place_error(file(name), "the run left no such file", "it may have been stopped early; run it again");
  return read_whole(file(name), limit);
}

}  // namespace strata
