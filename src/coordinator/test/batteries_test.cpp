// The original's experiments, from its own files: what it showed must come out here, exactly.
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/files/task_file.hpp"
#include "coordinator/files/xml_file.hpp"
#include "virtual_dispatcher.hpp"

namespace strata::coordinator {
namespace {

using ::testing::ElementsAre;
using testing::VirtualDispatcher;
using Starts = std::map<double, std::vector<TaskId>>;

Value read(const std::string& name) {
  const std::string path = std::string(STRATA_SOURCE_DIR "/examples/coordinator/") + name;
  std::ifstream in(path, std::ios::binary);
  return read_xml(std::string{std::istreambuf_iterator<char>(in), {}}, path).value();
}

std::vector<ResourceSpec> hoap3() { return resources_of(read("hoap3.xml")).value(); }
std::vector<TaskSpec> battery(const std::string& name) { return tasks_of(read("original/" + name)).value(); }

// Fills the queues without starting anything.
std::vector<std::vector<TaskId>> queued(const std::string& name, Strategy strategy, int queues) {
  Scheduler scheduler({.strategy = strategy, .queues = queues, .mode = Mode::kManual}, hoap3());
  for (TaskSpec& task : battery(name)) EXPECT_TRUE(scheduler.submit({}, std::move(task)).ok());
  std::vector<std::vector<TaskId>> contents;
  for (const TaskQueue& queue : scheduler.queues()) {
    contents.emplace_back();
    for (const auto& entry : queue.window()) contents.back().push_back(entry.task->id);
    for (const auto& entry : queue.beyond()) contents.back().push_back(entry.task->id);
  }
  return contents;
}

using Ids = std::vector<TaskId>;

TEST(Batteries, OneQueueWithAndWithoutPriority) {
  EXPECT_THAT(queued("battery1.xml", Strategy::kMultiFifoOrdered, 1), ElementsAre(Ids{4, 0, 2, 1, 3}));
  EXPECT_THAT(queued("battery1.xml", Strategy::kMultiFifo, 1), ElementsAre(Ids{0, 1, 2, 3, 4}));
  EXPECT_THAT(queued("battery1.xml", Strategy::kFifo, 5), ElementsAre(Ids{0, 1, 2, 3, 4}));
  EXPECT_THAT(queued("battery1.xml", Strategy::kPriority, 5), ElementsAre(Ids{4, 0, 2, 1, 3}));
}

TEST(Batteries, SecondWithOneQueue) {
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifoOrdered, 1),
              ElementsAre(Ids{16, 4, 8, 5, 7, 0, 2, 10, 12, 14, 1, 3, 9, 11, 13, 15, 6}));
}

TEST(Batteries, SecondWithFourQueues) {
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifoOrdered, 4),
              ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{7, 0, 2, 10, 12, 14, 1, 3, 9, 11, 13, 15, 6}));
}

TEST(Batteries, SecondWithFiveQueues) {
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifoOrdered, 5),
              ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{7}, Ids{0, 2, 10, 12, 14, 1, 3, 9, 11, 13, 15, 6}));
}

TEST(Batteries, SecondWithSevenQueues) {
  EXPECT_THAT(
      queued("battery2.xml", Strategy::kMultiFifoOrdered, 7),
      ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{7}, Ids{0, 2, 10, 12, 14}, Ids{}, Ids{1, 3, 9, 11, 13, 15, 6}));
}

TEST(Batteries, SecondWithPriorityOffKeepsArrivalInTheLastQueue) {
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifo, 1),
              ElementsAre(Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifo, 4),
              ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{0, 1, 2, 3, 6, 7, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(queued("battery2.xml", Strategy::kMultiFifo, 5),
              ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{7}, Ids{0, 1, 2, 3, 6, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(
      queued("battery2.xml", Strategy::kMultiFifo, 7),
      ElementsAre(Ids{16}, Ids{4, 8}, Ids{5}, Ids{7}, Ids{0, 2, 10, 12, 14}, Ids{}, Ids{1, 3, 6, 9, 11, 13, 15}));
}

// Loads a whole file before anything starts, as the original's experiments do.
Starts run(const std::string& name) {
  VirtualDispatcher dispatcher({.mode = Mode::kManual}, hoap3());
  for (TaskSpec& task : battery(name)) dispatcher.submit(std::move(task));
  // Whenever something has ended, the waiting tasks are asked again.
  for (int second = 0; second < 1000; ++second) {
    dispatcher.at(Time::from_seconds(second), [&] { dispatcher.scheduler().request(dispatcher.now()); });
  }
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  return dispatcher.starts();
}

TEST(Batteries, FourthStartsFiveAtOnceThenTwoThenOne) {
  EXPECT_EQ(run("battery4.xml"), (Starts{{0, {0, 2, 4, 5, 6}}, {50, {1, 3}}, {100, {7}}}));
}

TEST(Batteries, FourthReactsAtOnceByDefault) {
  VirtualDispatcher dispatcher({}, hoap3());
  for (TaskSpec& task : battery("battery4.xml")) dispatcher.submit(std::move(task));
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0, 2, 4, 5, 6}}, {50, {1, 3}}, {100, {7}}}));
  const Statistics& statistics = dispatcher.scheduler().statistics();
  EXPECT_EQ(statistics.tasks, 8U);
  EXPECT_EQ(statistics.executed, 8U);
  EXPECT_EQ(statistics.unfinished, 0U);
  EXPECT_EQ(statistics.lack_of_priority, 0U);
  EXPECT_GT(statistics.lack_of_resources, 0U);
}

TEST(Batteries, ThirdStartsFiveAtOnce) { EXPECT_EQ(run("battery3.xml").at(0), (Ids{0, 2, 4, 5, 6})); }

TEST(Batteries, OneTaskPerTickAsInTheOriginal) {
  VirtualDispatcher dispatcher({.mode = Mode::kInterval, .interval = std::chrono::seconds(1), .one_per_tick = true},
                               hoap3());
  for (TaskSpec& task : battery("battery4.xml")) dispatcher.submit(std::move(task));
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(),
            (Starts{{1, {0}}, {2, {2}}, {3, {4}}, {4, {5}}, {5, {6}}, {51, {1}}, {52, {3}}, {102, {7}}}));
  // At 1 s nothing fails; from then on each head that is tried and blocked counts, once per tick.
  EXPECT_EQ(dispatcher.scheduler().statistics().executed, 8U);
  EXPECT_EQ(dispatcher.scheduler().statistics().lack_of_priority, 0U);
}

TEST(Batteries, Sequential) { EXPECT_EQ(run("sequential.xml"), (Starts{{0, {0}}, {50, {1}}})); }

TEST(Batteries, Parallel) { EXPECT_EQ(run("parallel.xml"), (Starts{{0, {0, 1}}})); }

TEST(Batteries, InterruptedWithItsStatistics) {
  VirtualDispatcher dispatcher({}, hoap3());
  dispatcher.reaction = std::chrono::seconds(1);
  dispatcher.submit(battery("interrupted-1.xml").front());
  dispatcher.at(Time::from_seconds(5), [&] { dispatcher.submit(battery("interrupted-2.xml").front()); });
  dispatcher.run();
  EXPECT_EQ(dispatcher.broken(), "");
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {6, {1}}}));
  EXPECT_THAT(dispatcher.fates().at(0).finals, ElementsAre(TaskState::kPreempted));
  EXPECT_THAT(dispatcher.fates().at(1).finals, ElementsAre(TaskState::kDone));
  const Statistics& statistics = dispatcher.scheduler().statistics();
  EXPECT_EQ(statistics.tasks, 2U);
  EXPECT_EQ(statistics.executed, 2U);
  EXPECT_EQ(statistics.unfinished, 1U);
  EXPECT_EQ(statistics.lack_of_resources, 0U);
  EXPECT_EQ(statistics.lack_of_priority, 1U);
}

TEST(Batteries, WithoutForcingTheHigherPriorityWaits) {
  VirtualDispatcher dispatcher({.forcing = false}, hoap3());
  dispatcher.submit(battery("interrupted-1.xml").front());
  dispatcher.at(Time::from_seconds(5), [&] { dispatcher.submit(battery("interrupted-2.xml").front()); });
  dispatcher.run();
  EXPECT_EQ(dispatcher.starts(), (Starts{{0, {0}}, {50, {1}}}));
  EXPECT_EQ(dispatcher.scheduler().statistics().lack_of_priority, 1U);
}

TEST(Batteries, PrintsATaskAsTheOriginal) {
  EXPECT_EQ(to_text(battery("battery4.xml")[7]), "xterm -A -e ping -c 50 127.0.0.1 -R 3 4 5 -P 3");
  EXPECT_EQ(to_text(battery("interrupted-1.xml")[0]), "speak -A -R 0 1 -P 3");
}

}  // namespace
}  // namespace strata::coordinator
