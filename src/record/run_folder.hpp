// The folder a run leaves: everything needed to understand it, show it and run it again. Files that are read as a whole
// appear complete or not at all. No wall clock: runs are numbered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace strata {

class RunFolder {
 public:
  // Names within the folder.
  static constexpr const char* kScenario = "scenario.resolved.yaml";
  static constexpr const char* kSummary = "summary.json";
  static constexpr const char* kInputs = "inputs.jsonl";
  static constexpr const char* kMetrics = "metrics.csv";
  static constexpr const char* kRecording = "recording.mcap";
  static constexpr const char* kReport = "report.html";
  /// Tells a run folder from a folder of the user's; lists what further files the run made.
  static constexpr const char* kMarker = ".strata-run";

  /// Makes the folder `out`, or, if that is empty, `base`/<scenario>-<n> with the first n never used there. A folder of
  /// an earlier run is emptied of what that run left; any other folder that is not empty is refused.
  [[nodiscard]] static Result<RunFolder> create(const std::filesystem::path& out, const std::string& scenario,
                                                const std::filesystem::path& base = "runs");
  /// An existing run folder, for replay and report.
  [[nodiscard]] static Result<RunFolder> open(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  [[nodiscard]] bool has(std::string_view name) const;

  /// Path of a further file that somebody is about to write: known as ours from now on, so that the next run into this
  /// folder removes it. `name` has no folder in it.
  [[nodiscard]] Result<std::filesystem::path> claim(const std::string& name) const;
  /// Writes a file whole.
  [[nodiscard]] Result<void> write(std::string_view name, std::string_view text) const;
  /// Reads a file whole; an error says what its absence means.
  [[nodiscard]] Result<std::string> read(std::string_view name, std::uint64_t limit = kReadLimit) const;

  static constexpr std::uint64_t kReadLimit = 1U << 30U;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// `name` made safe as part of a file name: letters, digits, '-', '_' and '.', never empty, never hidden.
[[nodiscard]] std::string safe_file_name(std::string_view name);

}  // namespace strata
