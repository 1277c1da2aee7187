// Processes that a dead guardian left behind, found by the mark in their environment.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::coordinator {

/// Every process of ours whose environment says it belongs to a task of that coordinator.
[[nodiscard]] std::vector<pid_t> marked_processes(const std::string& mark);

/// Kills them all and waits until they are gone. False if some would not go.
[[nodiscard]] bool end_orphans(const std::string& mark);

}  // namespace strata::coordinator
