#include "coordinator/core/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_dispatcher.hpp"

namespace strata::coordinator {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::plain_resources;
using testing::task;
using testing::VirtualDispatcher;
using Starts = std::map<double, std::vector<TaskId>>;

TaskSpec reader(int resource, int priority) {
  TaskSpec spec = task({}, priority);
  spec.uses = {{resource, Use::kRead, 1}};
  return spec;
}

TaskState final_of(const VirtualDispatcher& dispatcher, TaskId id) { return dispatcher.fates().at(id).finals.at(0); }

TEST(Scheduler, ReadersShareAndWritersAreAlone) {
  VirtualDispatcher dispatcher({.strategy = Strategy::kFifo, .window = 0}, plain_resources(1));
  dispatcher.submit(reader(0, 5));
  dispatcher.submit(reader(0, 5));
  dispatcher.submit(task({0}, 5));
  dispatcher.submit(reader(0, 5));  // does not overtake the writer
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0, 1}}, {50, {2}}, {100, {3}}}));
}

TEST(Scheduler, CapacityAdmitsSeveralWriters) {
  VirtualDispatcher dispatcher({.window = 0}, {{0, "channels", 3}});
  TaskSpec two = task({}, 5);
  two.uses = {{0, Use::kWrite, 2}};
  dispatcher.submit(two);
  dispatcher.submit(two);           // 2 + 2 > 3
  dispatcher.submit(task({0}, 5));  // would fit, but not before the one that waits
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {50, {1, 2}}}));
}

TEST(Scheduler, WindowLooksPastABlockedTask) {
  for (const std::size_t window : {1U, 2U}) {
    VirtualDispatcher dispatcher({.window = window}, plain_resources(2));
    dispatcher.submit(task({0}, 3));
    dispatcher.submit(task({0}, 3));
    dispatcher.submit(task({1}, 3));
    dispatcher.run();
    EXPECT_EQ(dispatcher.starts(), window == 1 ? (Starts{{0, {0}}, {50, {1, 2}}}) : (Starts{{0, {0, 2}}, {50, {1}}}));
  }
}

TEST(Scheduler, ReserveKeepsWhatAHigherQueueWants) {
  for (const bool reserve : {false, true}) {
    VirtualDispatcher dispatcher({.forcing = false, .reserve = reserve}, plain_resources(2));
    dispatcher.submit(task({0}, 1));
    dispatcher.submit(task({0, 1}, 1));
    dispatcher.submit(task({1}, 3));
    dispatcher.run();
    EXPECT_EQ(dispatcher.starts().at(50), (std::vector<TaskId>{1}));
    EXPECT_EQ(dispatcher.starts().contains(100), reserve);
  }
}

TEST(Scheduler, SuspendedTasksGoOnWhereTheyWere) {
  VirtualDispatcher dispatcher({.preempt = Preempt::kSuspend}, plain_resources(3));
  dispatcher.submit(task({0, 1}, 3));
  dispatcher.at(Time::from_seconds(20), [&] { dispatcher.submit(task({0, 1, 2}, 2)); });
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  EXPECT_EQ(dispatcher.fates().at(1).ended, Time::from_seconds(70));
  EXPECT_EQ(dispatcher.fates().at(0).ended, Time::from_seconds(100));
  EXPECT_EQ(dispatcher.fates().at(0).started.size(), 1U);
  EXPECT_EQ(final_of(dispatcher, 0), TaskState::kDone);
  EXPECT_EQ(dispatcher.scheduler().statistics().unfinished, 0U);
}

TEST(Scheduler, OnlyStrictlyHigherPrioritiesPushAside) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  dispatcher.submit(task({0}, 3));
  dispatcher.submit(task({0}, 3));
  dispatcher.submit(task({0}, 4));
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {50, {1}}, {100, {2}}}));
}

TEST(Scheduler, AClaimGivesWayToAHigherOne) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  dispatcher.reaction = seconds(10);
  dispatcher.submit(task({0}, 9));
  dispatcher.at(Time::from_seconds(1), [&] { dispatcher.submit(task({0}, 5)); });
  dispatcher.at(Time::from_seconds(2), [&] { dispatcher.submit(task({0}, 1)); });
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {11, {2}}, {61, {1}}}));
}

TEST(Scheduler, GroupsAreDiscardedWithTheirCancelledMember) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  for (int i = 0; i < 3; ++i) {
    TaskSpec spec = task({0}, 3);
    spec.group = "show";
    dispatcher.submit(spec);
  }
  dispatcher.submit(task({0}, 3));
  dispatcher.at(Time::from_seconds(5), [&] { EXPECT_TRUE(dispatcher.scheduler().kill(dispatcher.now(), 0).ok()); });
  dispatcher.run();
  EXPECT_EQ(final_of(dispatcher, 0), TaskState::kKilled);
  EXPECT_EQ(final_of(dispatcher, 1), TaskState::kDiscarded);
  EXPECT_EQ(final_of(dispatcher, 2), TaskState::kDiscarded);
  EXPECT_EQ(final_of(dispatcher, 3), TaskState::kDone);
}

TEST(Scheduler, DependenciesHoldAndFailuresSpread) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  dispatcher.plan = [](const LiveTask& live) {
    return std::pair{Duration(seconds(10)), Ending{.exit_code = live.id == 0 ? 1 : 0}};
  };
  dispatcher.submit(task({}, 3));
  TaskSpec after = task({}, 3);
  after.after = {0};
  TaskSpec strict = task({}, 3);
  strict.after_success = {0};
  TaskSpec chained = task({}, 3);
  chained.after_success = {2};
  dispatcher.submit(after);
  dispatcher.submit(strict);
  dispatcher.submit(chained);
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {10, {1}}}));
  EXPECT_EQ(final_of(dispatcher, 2), TaskState::kDiscarded);
  EXPECT_EQ(final_of(dispatcher, 3), TaskState::kDiscarded);
}

TEST(Scheduler, LongChainsOfDependentsFallTogether) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  dispatcher.plan = [](const LiveTask&) { return std::pair{Duration(seconds(1)), Ending{.exit_code = 1}}; };
  for (TaskId id = 0; id < 20'000; ++id) {
    TaskSpec spec = task({}, 3);
    if (id > 0) spec.after_success = {id - 1};
    dispatcher.submit(spec);
  }
  dispatcher.run();
  EXPECT_EQ(final_of(dispatcher, 19'999), TaskState::kDiscarded);
}

TEST(Scheduler, TimeoutsDeadlinesAndRetries) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  TaskSpec slow = task({0}, 3);
  slow.timeout = seconds(10);
  slow.retries = 2;
  slow.retry_delay = seconds(5);
  TaskSpec late = task({0}, 3);
  late.deadline = seconds(8);
  dispatcher.submit(slow);
  dispatcher.submit(late);
  dispatcher.run();
  EXPECT_EQ(dispatcher.fates().at(0).started, (std::vector{Time{}, Time::from_seconds(15), Time::from_seconds(30)}));
  EXPECT_EQ(final_of(dispatcher, 0), TaskState::kTimedOut);
  EXPECT_EQ(final_of(dispatcher, 1), TaskState::kExpired);
}

TEST(Scheduler, AgeingEndsStarvation) {
  for (const bool ageing : {false, true}) {
    VirtualDispatcher dispatcher(
        {.strategy = Strategy::kPriority, .forcing = false, .ageing = ageing ? Duration(seconds(5)) : Duration{}},
        plain_resources(1));
    dispatcher.plan = [](const LiveTask&) { return std::pair{Duration(seconds(1)), Ending{}}; };
    dispatcher.submit(task({0}, 0));
    dispatcher.submit(task({0}, 9));
    for (int i = 0; i < 200; ++i) {
      dispatcher.at(Time::from_seconds(i * 0.9), [&] { dispatcher.submit(task({0}, 0)); });
    }
    dispatcher.run_until(Time::from_seconds(100));
    EXPECT_EQ(dispatcher.fates().contains(1), ageing);
  }
}

TEST(Scheduler, AFailedResourceStopsItsTaskAndHoldsTheRest) {
  VirtualDispatcher dispatcher({}, plain_resources(2));
  TaskSpec fails = task({0}, 3);
  fails.on_interrupt = Policy::kFail;
  dispatcher.submit(fails);
  dispatcher.submit(task({0}, 3));
  dispatcher.submit(task({1}, 4));
  dispatcher.at(Time::from_seconds(10), [&] { dispatcher.scheduler().resource_lost(dispatcher.now(), 0); });
  dispatcher.at(Time::from_seconds(90), [&] { dispatcher.scheduler().resource_back(dispatcher.now(), 0); });
  dispatcher.run();
  EXPECT_EQ(final_of(dispatcher, 0), TaskState::kInterrupted);
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0, 2}}, {90, {1}}}));
}

TEST(Scheduler, RefusesWhatItCannotRun) {
  Scheduler scheduler({.max_waiting = 2}, plain_resources(3));
  const auto problem = [&](const TaskSpec& spec) {
    const Result<TaskId> result = scheduler.submit({}, spec);
    return result.ok() ? std::string() : to_text(result.errors());
  };
  EXPECT_THAT(problem(task({7}, 3)), HasSubstr("there is no resource 7"));
  EXPECT_THAT(problem(task({0, 0}, 3)), HasSubstr("named twice"));
  EXPECT_THAT(problem(task({0}, 100)), HasSubstr("out of range"));
  EXPECT_THAT(problem(task({0}, -1)), HasSubstr("out of range"));
  EXPECT_THAT(problem(task({0}, 1, "")), HasSubstr("command is empty"));
  TaskSpec nul = task({0}, 1);
  nul.arguments = {std::string("a\0b", 3)};
  EXPECT_THAT(problem(nul), HasSubstr("NUL"));
  TaskSpec large = task({0}, 1);
  large.arguments = {std::string(2U << 20U, 'x')};
  EXPECT_THAT(problem(large), HasSubstr("bytes"));
  TaskSpec orphan = task({0}, 1);
  orphan.after = {3};
  EXPECT_THAT(problem(orphan), HasSubstr("task 3, which does not exist"));
  EXPECT_EQ(problem(task({0}, 1)), "");
  EXPECT_EQ(problem(task({0}, 1)), "");
  EXPECT_THAT(problem(task({0}, 1)), HasSubstr("full"));
}

TEST(Scheduler, KillAndDiscardSayWhatToDoInstead) {
  VirtualDispatcher dispatcher({}, plain_resources(1));
  dispatcher.submit(task({0}, 3));
  dispatcher.submit(task({0}, 3));
  Scheduler& scheduler = dispatcher.scheduler();
  EXPECT_THAT(to_text(scheduler.kill({}, 1).errors()), HasSubstr("strata task discard 1"));
  EXPECT_THAT(to_text(scheduler.discard({}, 0).errors()), HasSubstr("strata task kill 0"));
  EXPECT_THAT(to_text(scheduler.kill({}, 5).errors()), HasSubstr("no task 5"));
  EXPECT_TRUE(scheduler.discard({}, 1).ok());
  EXPECT_THAT(to_text(scheduler.discard({}, 1).errors()), HasSubstr("has ended already: discarded"));
}

TEST(Scheduler, ManualModeAnswersRequests) {
  VirtualDispatcher dispatcher({.forcing = false, .mode = Mode::kManual, .one_per_tick = true}, plain_resources(1));
  Scheduler& scheduler = dispatcher.scheduler();
  EXPECT_EQ(scheduler.request({}), RequestAnswer::kEmpty);
  dispatcher.submit(task({0}, 3));
  dispatcher.submit(task({0}, 3));
  EXPECT_EQ(scheduler.request({}), RequestAnswer::kStarted);
  EXPECT_EQ(scheduler.request({}), RequestAnswer::kNoResources);
  dispatcher.submit(task({0}, 1));
  EXPECT_EQ(scheduler.request({}), RequestAnswer::kNoPriority);
}

TEST(Scheduler, RestoresWhatWasThere) {
  Scheduler scheduler({}, plain_resources(2));
  using As = Scheduler::Restored::As;
  scheduler.restore({}, {.id = 0, .as = As::kFinal, .final_state = TaskState::kFailed});
  scheduler.restore({}, {.id = 1, .spec = task({0}, 3), .attempts = 1, .as = As::kRunning});
  scheduler.restore({}, {.id = 2, .spec = task({0}, 3)});
  scheduler.restore({}, {.id = 3, .spec = task({1}, 4)});
  scheduler.restored({});
  EXPECT_THAT(scheduler.take_decisions(), ElementsAre(Decision{Decision::Kind::kStart, 3}));
  scheduler.interrupted({}, 1);
  EXPECT_THAT(scheduler.take_decisions(), ElementsAre(Decision{Decision::Kind::kStart, 1}));
  EXPECT_EQ(scheduler.find(1)->attempts, 2);
  EXPECT_EQ(scheduler.next_id(), 4U);
}

}  // namespace
}  // namespace strata::coordinator
