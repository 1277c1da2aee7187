// The planner `optimise`: with known durations it looks for the order in which the waiting tasks are over soonest.
// Tasks of unknown duration, or too many of them, are left to the queues.
#pragma once

#include <map>

#include "coordinator/core/planner.hpp"

namespace strata::coordinator {

class OptimisePlanner final : public Planner {
 public:
  /// `limit` is wall time per plan; the coordinator decides nothing else meanwhile.
  explicit OptimisePlanner(Duration limit) : limit_(limit) {}
  [[nodiscard]] std::optional<std::vector<TaskId>> choose(Time now, const Scheduler& scheduler) override;
  [[nodiscard]] std::string name() const override { return "optimise"; }

 private:
  void plan(Time now, const Scheduler& scheduler, const std::vector<TaskId>& waiting);

  Duration limit_;
  std::map<TaskId, std::size_t> rank_;  ///< place in the last plan
};

}  // namespace strata::coordinator
