// A task between acceptance and its final state, as the scheduler sees it. Owned by the scheduler.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

/// Place in a queue: smaller goes first.
struct Order {
  int rank = 0;  ///< priority where the queue sorts by it
  Time deadline = Time::never();
  std::uint64_t sequence = 0;
  auto operator<=>(const Order&) const = default;
};

/// A use with the resource's index in the table instead of its id.
struct Claim {
  std::size_t resource = 0;
  Use use = Use::kWrite;
  int amount = 1;
};

struct LiveTask {
  TaskId id = 0;
  TaskSpec spec;
  std::vector<Claim> claims;
  TaskState state = TaskState::kHeld;

  // Where it waits.
  Order order;
  int queue = -1;  ///< -1: in none
  bool in_window = false;
  int aged_by = 0;
  std::size_t unmet = 0;  ///< dependencies that have not ended
  bool held_by_operator = false;
  bool parked = false;       ///< has a stopped process, and no resources
  bool by_operator = false;  ///< who stops it: the operator, else a task of higher priority
  bool holding = false;      ///< has its resources

  // Its life.
  Time submitted;
  Time issued = Time::never();
  Time started = Time::never();
  Time deadline_at = Time::never();
  Time timeout_at = Time::never();
  Time age_at = Time::never();
  Time retry_at = Time::never();
  Duration timeout_left;
  int attempts = 0;
  TaskState end_as = TaskState::kDone;  ///< final state if it is being terminated
};

}  // namespace strata::coordinator
