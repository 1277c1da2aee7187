// The guardian: a small process of its own that starts tasks, watches them, keeps their output and remembers how they
// ended until the dispatcher has it on disk. It outlives the coordinator, so that a crash there loses nothing; when it
// dies itself its tasks die with it, so that nothing runs unwatched. Reads the wall clock for the time between asking a
// process to end and killing it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace strata::coordinator {

struct GuardianSpec {
  std::filesystem::path folder;         ///< of the coordinator's state
  std::string mark;                     ///< of the coordinator, see kTaskMark
  std::uint64_t log_bytes = 1U << 20U;  ///< kept of each stream of a task
  Duration grace = std::chrono::seconds(5);
};

/// The mark of the coordinator that keeps its state in that folder.
[[nodiscard]] Result<std::string> read_mark(const std::filesystem::path& folder);
/// The same; makes a random one if there is none.
[[nodiscard]] Result<std::string> ensure_mark(const std::filesystem::path& folder);

[[nodiscard]] std::filesystem::path guardian_socket(const std::filesystem::path& folder);
/// Where the output of a task is; `stream` is "out" or "err".
[[nodiscard]] std::filesystem::path log_file(const std::filesystem::path& folder, std::uint64_t task,
                                             const char* stream);

/// Runs until it is told to go, or has nothing to do and nobody to do it for. Returns the exit code.
[[nodiscard]] int run_guardian(const GuardianSpec& spec);

}  // namespace strata::coordinator
