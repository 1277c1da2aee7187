// What must hold whatever happens: random workloads of 10 000 tasks over 50 resources.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "virtual_dispatcher.hpp"

namespace strata::coordinator {
namespace {

using testing::VirtualDispatcher;

constexpr int kTasks = 10'000;
constexpr int kResources = 50;

struct Case {
  std::string name;
  SchedulerSpec spec;
};

std::vector<ResourceSpec> resources() {
  std::vector<ResourceSpec> all = testing::plain_resources(kResources);
  for (int i = 0; i < kResources; i += 10) all[static_cast<std::size_t>(i)].capacity = 3;
  return all;
}

TaskSpec random_task(RandomStream& random, TaskId id) {
  TaskSpec spec;
  spec.command = "work";
  spec.priority = static_cast<int>(random.below(12));
  std::set<int> chosen;
  const std::uint64_t count = random.below(5);
  while (chosen.size() < count) chosen.insert(static_cast<int>(random.below(kResources)));
  for (const int resource : chosen) {
    const bool read = random.chance(0.3);
    spec.uses.push_back({resource, read ? Use::kRead : Use::kWrite,
                         resource % 10 == 0 && !read ? 1 + static_cast<int>(random.below(3)) : 1});
  }
  if (random.chance(0.1)) spec.group = "g" + std::to_string(random.below(200));
  if (random.chance(0.1) && id > 0) spec.after.push_back(random.below(id));
  if (random.chance(0.05) && id > 0) spec.after_success.push_back(random.below(id));
  if (random.chance(0.1)) spec.timeout = Duration::from_seconds(random.uniform(0.01, 2));
  if (random.chance(0.1)) spec.deadline = Duration::from_seconds(random.uniform(1, 100));
  if (random.chance(0.2)) spec.retries = 1 + static_cast<int>(random.below(3));
  if (random.chance(0.1)) spec.retry_delay = Duration::from_seconds(0.5);
  if (random.chance(0.3)) spec.on_preempt = Policy::kRequeue;
  if (random.chance(0.3)) spec.on_interrupt = Policy::kFail;
  return spec;
}

// Somebody at the keyboard, and parts that fail.
void disturb(VirtualDispatcher& dispatcher, RandomStream& random) {
  Scheduler& scheduler = dispatcher.scheduler();
  const Time now = dispatcher.now();
  const TaskId id = random.below(std::max<TaskId>(scheduler.next_id(), 1));
  switch (random.below(7)) {
    case 0:
      static_cast<void>(scheduler.kill(now, id));
      break;
    case 1:
      static_cast<void>(scheduler.discard(now, id));
      break;
    case 2:
      static_cast<void>(scheduler.suspend(now, id));
      dispatcher.at(now + Duration::from_seconds(1),
                    [&dispatcher, id] { static_cast<void>(dispatcher.scheduler().resume(dispatcher.now(), id)); });
      break;
    case 3:
      scheduler.discard_group(now, "g" + std::to_string(random.below(200)));
      break;
    case 4: {
      const int lost = static_cast<int>(random.below(kResources));
      scheduler.resource_lost(now, lost);
      dispatcher.at(now + Duration::from_seconds(2),
                    [&dispatcher, lost] { dispatcher.scheduler().resource_back(dispatcher.now(), lost); });
      break;
    }
    default:
      break;
  }
}

void fill(VirtualDispatcher& dispatcher, RandomStream& random, int tasks) {
  dispatcher.reaction = std::chrono::milliseconds(30);
  dispatcher.plan = [&random](const LiveTask&) {
    const Ending ending{.exit_code = random.chance(0.1) ? 1 : 0};
    return std::pair{Duration::from_seconds(random.exponential(0.4)), ending};
  };
  Time time;
  for (int i = 0; i < tasks; ++i) {
    time += Duration::from_seconds(random.exponential(0.02));
    const auto id = static_cast<TaskId>(i);
    dispatcher.at(time, [&dispatcher, &random, id] { dispatcher.submit(random_task(random, id)); });
    if (i % 20 == 0) dispatcher.at(time, [&dispatcher, &random] { disturb(dispatcher, random); });
    // Manual mode needs somebody who asks.
    if (dispatcher.scheduler().spec().mode == Mode::kManual) {
      dispatcher.at(time, [&dispatcher] { dispatcher.scheduler().request(dispatcher.now()); });
    }
  }
  for (int i = 1; dispatcher.scheduler().spec().mode == Mode::kManual && i < 20'000; ++i) {
    dispatcher.at(time + Duration::from_seconds(0.05 * i),
                  [&dispatcher] { dispatcher.scheduler().request(dispatcher.now()); });
  }
}

class Properties : public ::testing::TestWithParam<Case> {};

TEST_P(Properties, HoldForRandomWorkloads) {
  RandomStream random(7, 0, GetParam().name);
  VirtualDispatcher dispatcher(GetParam().spec, resources());
  fill(dispatcher, random, kTasks);
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  EXPECT_EQ(dispatcher.scheduler().tasks().size(), 0U) << "somebody never ends";
  ASSERT_EQ(dispatcher.fates().size(), static_cast<std::size_t>(kTasks));
  for (const auto& [id, fate] : dispatcher.fates()) ASSERT_EQ(fate.finals.size(), 1U) << "task " << id;
  for (const auto& row : dispatcher.scheduler().resources().rows()) {
    EXPECT_TRUE(row.holders.empty() && row.booked.empty()) << "resource " << row.spec.id;
  }
}

TEST_P(Properties, SameEventsGiveSameDecisions) {
  std::vector<std::pair<Time, Decision>> logs[2];
  for (auto& log : logs) {
    RandomStream random(11, 0, GetParam().name);
    VirtualDispatcher dispatcher(GetParam().spec, resources());
    fill(dispatcher, random, 1000);
    dispatcher.run();
    log = dispatcher.log();
  }
  EXPECT_GT(logs[0].size(), 1000U);
  EXPECT_EQ(logs[0], logs[1]);
}

std::vector<Case> cases() {
  const Duration aging = std::chrono::seconds(2);
  return {
      {"default", {}},
      {"fifo", {.strategy = Strategy::kFifo}},
      {"priority_window_all", {.strategy = Strategy::kPriority, .window = 0}},
      {"multi_fifo_window_4", {.strategy = Strategy::kMultiFifo, .queues = 7, .window = 4}},
      {"suspend", {.window = 0, .preempt = Preempt::kSuspend}},
      {"suspend_reserve", {.window = 3, .preempt = Preempt::kSuspend, .reserve = true}},
      {"no_forcing_ageing", {.window = 0, .forcing = false, .ageing = aging}},
      {"reserve_ageing", {.window = 0, .reserve = true, .ageing = aging}},
      {"interval", {.mode = Mode::kInterval, .interval = std::chrono::milliseconds(100)}},
      {"one_per_tick",
       {.window = 2, .mode = Mode::kInterval, .interval = std::chrono::milliseconds(20), .one_per_tick = true}},
      {"manual", {.window = 0, .mode = Mode::kManual}},
  };
}

INSTANTIATE_TEST_SUITE_P(All, Properties, ::testing::ValuesIn(cases()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace strata::coordinator
