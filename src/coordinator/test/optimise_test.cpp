#include "coordinator/planners/optimise.hpp"

#include <gtest/gtest.h>

#include "virtual_dispatcher.hpp"

namespace strata::coordinator {
namespace {

using testing::VirtualDispatcher;

TaskSpec timed(std::vector<int> resources, int seconds) {
  TaskSpec spec = testing::task(std::move(resources), 5);
  spec.duration = std::chrono::seconds(seconds);
  return spec;
}

// Runs the same tasks, which are all there before the first may start.
Time makespan(Planner* planner, const std::vector<TaskSpec>& tasks) {
  VirtualDispatcher dispatcher({.window = 0, .mode = Mode::kManual}, testing::plain_resources(3));
  dispatcher.scheduler().set_planner(planner);
  dispatcher.plan = [](const LiveTask& live) { return std::pair{live.spec.duration, Ending{}}; };
  for (const TaskSpec& task : tasks) dispatcher.submit(task);
  for (int i = 0; i < 100; ++i) {
    dispatcher.at(Time::from_seconds(i), [&] { dispatcher.scheduler().request(dispatcher.now()); });
  }
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  Time end;
  for (const auto& [id, fate] : dispatcher.fates()) end = std::max(end, fate.ended);
  return end;
}

TEST(Optimise, FindsAShorterOrderThanArrival) {
  // In order of arrival the second keeps the third waiting: 4 + 1 + 4 instead of 4 + 1.
  const std::vector<TaskSpec> tasks = {timed({0}, 4), timed({0, 1}, 1), timed({1}, 4)};
  OptimisePlanner planner(std::chrono::milliseconds(300));
  EXPECT_EQ(makespan(nullptr, tasks), Time::from_seconds(9));
  EXPECT_EQ(makespan(&planner, tasks), Time::from_seconds(5));
}

TEST(Optimise, LeavesUnknownDurationsToTheQueues) {
  std::vector<TaskSpec> tasks = {timed({0}, 2), timed({1}, 2)};
  tasks[1].duration = {};
  OptimisePlanner planner(std::chrono::milliseconds(100));
  Scheduler scheduler({.mode = Mode::kManual}, testing::plain_resources(3));
  for (const TaskSpec& task : tasks) ASSERT_TRUE(scheduler.submit({}, task).ok());
  EXPECT_EQ(planner.choose({}, scheduler), std::nullopt);
}

}  // namespace
}  // namespace strata::coordinator
