// Programs as children: tests run each scenario in one, so that a crash stays its own; benchmarks measure them from
// outside, where everything the operating system charges for them counts.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::app {

/// What a program used until it ended.
struct ChildUse {
  int exit_code = -1;  ///< 128 + signal if it was killed
  double cpu_s = 0;    ///< user and system, of all its threads
  double wall_s = 0;
};

class Child {
 public:
  /// Starts a program. Its stdout and stderr go to `output`, which is made or emptied. Throws if it cannot be started.
  Child(const std::vector<std::string>& command, const std::filesystem::path& output);
  /// Kills it if nobody waited for its end.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] ChildUse wait();
  /// Nothing if it still runs after that time.
  [[nodiscard]] std::optional<ChildUse> wait_for(std::chrono::milliseconds time);
  /// Sends it a signal.
  void signal(int number) const;

 private:
  [[nodiscard]] std::optional<ChildUse> reap(bool block);
  pid_t pid_ = 0;
  std::chrono::steady_clock::time_point start_;
};

/// A fresh folder for temporary files, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole text of a file of ours; empty if it is not there.
[[nodiscard]] std::string text_of(const std::filesystem::path& file);

}  // namespace strata::app
