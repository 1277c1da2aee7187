// Somebody else's idea of what should start next. The scheduler offers every moment at which something may start; the
// planner answers with tasks in the order in which it wants them tried. The scheduler alone reserves resources, so no
// planner can start what must not run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "coordinator/core/task.hpp"

namespace strata::coordinator {

class Scheduler;

class Planner {
 public:
  virtual ~Planner() = default;
  /// Waiting tasks to try now, first choice first; nothing: "as the queues say".
  [[nodiscard]] virtual std::optional<std::vector<TaskId>> choose(Time now, const Scheduler& scheduler) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace strata::coordinator
