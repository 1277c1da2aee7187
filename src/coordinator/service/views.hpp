// What the coordinator shows of itself, as JSON text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coordinator/core/scheduler.hpp"
#include "coordinator/store/store.hpp"

namespace strata::coordinator {

[[nodiscard]] std::string queues_json(const Scheduler& scheduler);
/// `pid` tells a task's process; 0 if it has none.
[[nodiscard]] std::string running_json(const Scheduler& scheduler, const std::function<int(TaskId)>& pid);
[[nodiscard]] std::string resources_json(const Scheduler& scheduler);
[[nodiscard]] std::string statistics_json(const Scheduler& scheduler, Time now, const std::string& planner);
/// The scoreboard's three tables: of instructions (tasks), functional units (tasks at work) and registers (resources).
[[nodiscard]] std::string tables_json(const Scheduler& scheduler);
/// States of live tasks come from the scheduler, which is ahead of the store.
[[nodiscard]] std::string history_json(const std::vector<Record>& records, const Scheduler& scheduler);

}  // namespace strata::coordinator
