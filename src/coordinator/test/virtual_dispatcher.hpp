// Runs a scheduler in virtual time: tasks "run" for a given time, and every safety property is checked after each
// event.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "coordinator/core/scheduler.hpp"

namespace strata::coordinator::testing {

/// What became of a task.
struct Fate {
  std::vector<Time> started{};
  Time ended = Time::never();
  std::vector<TaskState> finals{};  ///< exactly one if all is well
};

class VirtualDispatcher {
 public:
  VirtualDispatcher(SchedulerSpec spec, std::vector<ResourceSpec> resources);

  /// How long an attempt runs and how it ends; 50 s and well by default.
  std::function<std::pair<Duration, Ending>(const LiveTask&)> plan;
  /// From the signal to the end of a process.
  Duration reaction;

  Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] Time now() const { return now_; }
  TaskId submit(TaskSpec spec);
  void at(Time time, std::function<void()> action) { actions_.emplace(time, std::move(action)); }
  /// Runs everything that happens until `end`.
  void run_until(Time end);
  void run() { run_until(Time::never()); }

  [[nodiscard]] const std::map<TaskId, Fate>& fates() const { return fates_; }
  /// All decisions so far, with their time.
  [[nodiscard]] const std::vector<std::pair<Time, Decision>>& log() const { return log_; }
  /// Ids by the time of their first start, in order.
  [[nodiscard]] std::map<double, std::vector<TaskId>> starts() const;
  /// The first property found broken; "" if none.
  [[nodiscard]] const std::string& broken() const { return broken_; }

 private:
  struct Running {
    Time ends;
    Ending ending;
    bool stopped = false;
    Duration left;
  };
  [[nodiscard]] Time next() const;
  void step(Time time);
  void obey();
  void check();
  void check_resources();
  void check_heads();

  Scheduler scheduler_;
  Time now_;
  std::map<TaskId, Running> running_;
  std::multimap<Time, std::function<void()>> actions_;
  std::map<TaskId, Fate> fates_;
  std::vector<std::pair<Time, Decision>> log_;
  std::string broken_;
};

[[nodiscard]] std::vector<ResourceSpec> plain_resources(int count);
[[nodiscard]] TaskSpec task(std::vector<int> resources, int priority, std::string command = "true");

}  // namespace strata::coordinator::testing
