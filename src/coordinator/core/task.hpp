// What a task is: a command, the resources it uses and how, and the rules it runs by. Plain data, as it comes from
// files, messages and the store. Times are spans; the clock belongs to the scheduler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace strata::coordinator {

/// Counts accepted tasks from 0.
using TaskId = std::uint64_t;

constexpr int kLowestPriority = 99;  ///< and the default; 0 is the highest

enum class Use : std::uint8_t { kRead, kWrite };

/// One resource of a task. Readers share; writers are alone, or as many as the capacity allows.
struct ResourceUse {
  int resource = 0;  ///< id as in the resource file
  Use use = Use::kWrite;
  int amount = 1;  ///< units of the capacity a writer takes
  bool operator==(const ResourceUse&) const = default;
};

/// What becomes of a task that was running when the coordinator or its guardian died, or its resource failed.
enum class Policy : std::uint8_t { kFail, kRequeue };

/// What the operating system holds a task to. Zero or empty: no limit.
struct Limits {
  Duration cpu{};
  std::uint64_t memory_bytes = 0;
  int nice = 0;
  std::string cores{};  ///< "0-2,5"
  std::string user{};
  bool operator==(const Limits&) const = default;
};

struct TaskSpec {
  std::string command{};
  std::vector<std::string> arguments{};
  std::vector<std::string> environment{};  ///< "NAME=value", in addition to the coordinator's own
  std::string folder{};                    ///< where it runs; empty: where the dispatcher runs
  std::vector<ResourceUse> uses{};
  int priority = kLowestPriority;
  std::string group{};
  std::vector<TaskId> after{};          ///< waits until these have ended, however
  std::vector<TaskId> after_success{};  ///< waits until these are done; discarded if one fails
  Duration timeout{};                   ///< of running; zero: none
  Duration deadline{};                  ///< from submission to the end; zero: none
  Duration duration{};                  ///< expected; zero: unknown
  int retries = 0;
  Duration retry_delay{};
  Policy on_interrupt = Policy::kRequeue;
  Policy on_preempt = Policy::kFail;
  Limits limits{};
  bool operator==(const TaskSpec&) const = default;
};

enum class TaskState : std::uint8_t {
  kHeld,       ///< waits for other tasks, for its retry, or for `resume`
  kWaiting,    ///< in a queue
  kClaiming,   ///< has pushed others aside and waits until they are gone
  kStarting,   ///< given to the dispatcher
  kRunning,    ///< its process exists
  kStopping,   ///< being suspended
  kSuspended,  ///< stopped by the operator; keeps its resources
  kParked,     ///< stopped by a task of higher priority; in a queue to go on
  kResuming,   ///< being continued
  kEnding,     ///< being terminated
  // Final from here on.
  kDone,
  kFailed,
  kKilled,
  kPreempted,
  kTimedOut,
  kExpired,
  kDiscarded,
  kInterrupted,
};

[[nodiscard]] constexpr bool is_final(TaskState state) { return state >= TaskState::kDone; }
[[nodiscard]] std::string_view to_text(TaskState state);
[[nodiscard]] std::string_view to_text(Use use);

/// "xterm -A -e ping -c 15 127.0.0.1 -R 3 4 5 -P 4", as the original prints a task, without the id.
[[nodiscard]] std::string to_text(const TaskSpec& spec);

/// What the system allows a task to be, whatever the resources are: commands, priorities, sizes.
struct TaskLimits {
  std::size_t argument_bytes = 1U << 20U;  ///< command, arguments and environment together
  std::size_t uses = 1024;
  std::size_t dependencies = 4096;
};
[[nodiscard]] Result<void> check(const TaskSpec& spec, const TaskLimits& limits = {});

}  // namespace strata::coordinator
