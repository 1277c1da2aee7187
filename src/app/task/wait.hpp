// Waiting for tasks to end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coordinator/client/client.hpp"

namespace strata::app {

/// Final states by task.
using TaskEnds = std::map<coordinator::TaskId, std::string>;

/// Waits until all have ended. The client must have subscribed before they were asked for.
[[nodiscard]] Result<TaskEnds> wait_for(coordinator::Client& client, const std::vector<coordinator::TaskId>& ids);
/// One line per task that is not done, one for the rest.
void print_ends(const TaskEnds& ends);

}  // namespace strata::app
