// Starts a task's program without a shell: in its own process group, with its limits, tied to the life of its guardian.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

/// The environment variable that marks every process of a task: "<coordinator>:<task>". Orphans are found by it.
constexpr const char* kTaskMark = "STRATA_TASK";

struct SpawnSpec {
  const TaskSpec& task;
  std::string mark;  ///< value of kTaskMark
  int out_fd = -1;
  int err_fd = -1;
};

/// The process id, or why the program could not be started.
[[nodiscard]] Result<pid_t> spawn(const SpawnSpec& spec);

/// "0-2,5" as a list of cores; an error if it is not one.
[[nodiscard]] Result<std::vector<int>> parse_cores(const std::string& text);

}  // namespace strata::coordinator
