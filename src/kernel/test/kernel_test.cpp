#include "kernel/kernel.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/state_hash.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Kernel, RunsEventsInTheTotalOrder) {
  struct What {
    int time;
    Phase phase;
    std::uint64_t key;
    const char* name;
  };
  std::vector<What> events = {{1, Phase::kPlan, 1, "a"},   {1, Phase::kPlan, 2, "b"},    {1, Phase::kPhysics, 1, "c"},
                              {1, Phase::kRecord, 0, "d"}, {2, Phase::kDeliver, 9, "e"}, {2, Phase::kDeliver, 10, "f"}};
  const std::vector<What> sorted = events;
  std::sort(events.begin(), events.end(), [](const What& a, const What& b) { return std::string(a.name) < b.name; });
  // Whatever the order of insertion: events of different keys do not know who came first.
  do {
    Kernel kernel;
    std::string log;
    for (const What& what : events)
      kernel.schedule(Time::from_ns(what.time), what.phase, what.key, [&log, &what] { log += what.name; });
    kernel.run();
    ASSERT_EQ(log, "abcdef");
  } while (std::next_permutation(events.begin(), events.end(),
                                 [](const What& a, const What& b) { return std::string(a.name) < b.name; }));
}

TEST(Kernel, EventsOfOneKeyKeepTheirOrder) {
  Kernel kernel;
  std::vector<int> log;
  for (int i = 0; i < 100; ++i) kernel.schedule(at(1s), Phase::kAct, 5, [&log, i] { log.push_back(i); });
  kernel.run();
  ASSERT_EQ(log.size(), 100U);
  EXPECT_TRUE(std::is_sorted(log.begin(), log.end()));
}

TEST(Kernel, TimeJumpsAndStopsAtTheEnd) {
  Kernel kernel;
  std::vector<double> log;
  for (const int days : {400, 1, 30})
    kernel.schedule(at(days * 24h), Phase::kPlan, 1, [&] { log.push_back(kernel.now().seconds() / 86400); });
  EXPECT_EQ(kernel.next_time(), at(24h));
  kernel.run_until(at(365 * 24h));
  EXPECT_THAT(log, ElementsAre(1, 30));
  EXPECT_EQ(kernel.now(), at(365 * 24h));
  EXPECT_EQ(kernel.events_executed(), 2U);
  EXPECT_EQ(kernel.pending_events(), 1U);
  kernel.run();
  EXPECT_EQ(kernel.now(), at(400 * 24h));
  EXPECT_EQ(kernel.next_time(), Time::never());
}

TEST(Kernel, RunUntilIncludesTheEndAndRunBeforeDoesNot) {
  Kernel kernel;
  int runs = 0;
  kernel.schedule(at(1s), Phase::kRecord, 1, [&] { ++runs; });
  kernel.run_before(at(1s));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(kernel.now(), at(1s));
  EXPECT_FALSE(kernel.touched());
  kernel.run_until(at(1s));
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(kernel.touched());
  kernel.run_until(at(2s));
  EXPECT_FALSE(kernel.touched());
}

TEST(Kernel, AnEventMaySchedule) {
  Kernel kernel;
  std::string log;
  kernel.schedule(at(1s), Phase::kPlan, 5, [&] {
    log += 'a';
    EXPECT_EQ(kernel.phase(), Phase::kPlan);
    kernel.schedule(kernel.now(), Phase::kPlan, 1, [&] { log += 'b'; });  // its key is smaller, but it comes now
    kernel.schedule(kernel.now(), Phase::kSense, 1, [&] { log += 'd'; });
  });
  kernel.schedule(at(1s), Phase::kPlan, 6, [&] { log += 'c'; });
  kernel.run();
  EXPECT_EQ(log, "abcd");
}

TEST(Kernel, CancelsEvents) {
  Kernel kernel;
  std::string log;
  const EventId a = kernel.schedule(at(1s), Phase::kPlan, 1, [&] { log += 'a'; });
  const EventId b = kernel.schedule(at(2s), Phase::kPlan, 1, [&] { log += 'b'; });
  EXPECT_TRUE(kernel.pending(a));
  EXPECT_TRUE(kernel.cancel(a));
  EXPECT_FALSE(kernel.cancel(a));
  EXPECT_EQ(kernel.next_time(), at(2s));
  kernel.run();
  EXPECT_EQ(log, "b");
  EXPECT_FALSE(kernel.cancel(b));
}

TEST(Kernel, CancellingDestroysTheCaptures) {
  Kernel kernel;
  auto token = std::make_shared<int>(1);
  const EventId id = kernel.schedule(at(1s), Phase::kPlan, 1, [token] {});
  EXPECT_EQ(token.use_count(), 2);
  kernel.cancel(id);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Kernel, StepRunsOneEvent) {
  Kernel kernel;
  int runs = 0;
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] { ++runs; });
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] { ++runs; });
  EXPECT_TRUE(kernel.step());
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(kernel.step());
  EXPECT_FALSE(kernel.step());
  EXPECT_EQ(runs, 2);
}

TEST(Kernel, NeverNeverComes) {
  Kernel kernel;
  bool ran = false;
  kernel.schedule(Time::never(), Phase::kPlan, 1, [&] { ran = true; });
  kernel.run_until(Time::never());
  EXPECT_FALSE(kernel.step());
  EXPECT_FALSE(ran);
  EXPECT_EQ(kernel.now(), Time{});
}

TEST(Kernel, TheKillSwitchEndsTheRunAfterTheEvent) {
  Kernel kernel;
  int runs = 0;
  for (int i = 1; i <= 5; ++i) {
    kernel.schedule(at(i * 1s), Phase::kPlan, 1, [&kernel, &runs, i] {
      ++runs;
      if (i == 2) kernel.stop("enough");
      if (i == 2) kernel.stop("second reason");
    });
  }
  kernel.run_until(at(10s));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(kernel.now(), at(2s));
  EXPECT_TRUE(kernel.stopped());
  EXPECT_EQ(kernel.stop_reason(), "enough");
  EXPECT_FALSE(kernel.step());
}

TEST(Kernel, StopsFromAnotherThread) {
  Kernel kernel;
  std::function<void()> again = [&] { kernel.schedule(kernel.now() + 1s, Phase::kPlan, 1, [&] { again(); }); };
  again();
  std::thread other([&] { kernel.stop("from outside"); });
  kernel.run();  // would not end
  other.join();
  EXPECT_EQ(kernel.stop_reason(), "from outside");
}

TEST(Kernel, CleanUpRunsBackwardsAndOnce) {
  std::string log;
  {
    Kernel kernel;
    kernel.on_cleanup([&] { log += 'a'; });
    kernel.on_cleanup([&] {
      log += 'b';
      throw std::runtime_error("disk full");
    });
    kernel.on_cleanup([&] { log += 'c'; });
    EXPECT_THROW(kernel.finish(), std::runtime_error);
    EXPECT_EQ(log, "cba");
    kernel.finish();
  }
  EXPECT_EQ(log, "cba");
  {
    Kernel kernel;
    kernel.on_cleanup([&] { log += 'd'; });
  }
  EXPECT_EQ(log, "cbad");
}

TEST(Kernel, AnExceptionLeavesTheRunWithTimeAndCause) {
  Kernel kernel;
  kernel.schedule(at(3s), Phase::kAct, 77, [] { throw std::out_of_range("wheel 5 of 4"); });
  kernel.schedule(at(4s), Phase::kAct, 77, [] {});
  try {
    kernel.run();
    FAIL() << "no exception";
  } catch (const SimulationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("wheel 5 of 4"));
    EXPECT_THAT(error.what(), HasSubstr("77"));
    EXPECT_EQ(error.when(), at(3s));
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::out_of_range);
  }
  kernel.run();
  EXPECT_EQ(kernel.now(), at(4s));
}

TEST(Kernel, FreshKeysDoNotPileUp) {
  Kernel kernel;
  std::uint64_t runs = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    kernel.schedule(at(1s), Phase::kPlan, Key(i, 3), [&] { ++runs; });
    if (i % 100 == 0) kernel.run_until(at(1s));
  }
  kernel.run();
  EXPECT_EQ(runs, 100'000U);
}

TEST(Kernel, TwoKernelsLiveSideBySide) {
  const auto fingerprint = [](Kernel& kernel, int steps, StateHash& hash) {
    for (int i = 0; i < steps; ++i) {
      const std::uint64_t value = kernel.seed() * 100 + kernel.events_executed();
      hash.add(1, 1, &value, sizeof value);
      hash.end_step(kernel.now());
      kernel.schedule(kernel.now() + 1ms, Phase::kPlan, 1, [] {});
      kernel.step();
    }
  };
  Kernel alone(1);
  StateHash alone_hash;
  fingerprint(alone, 200, alone_hash);

  Kernel a(1);
  Kernel b(2);
  StateHash a_hash;
  StateHash b_hash;
  std::thread other([&] { fingerprint(b, 200, b_hash); });
  fingerprint(a, 200, a_hash);
  other.join();
  EXPECT_EQ(a_hash.value(), alone_hash.value());
  EXPECT_NE(a_hash.value(), b_hash.value());
}

TEST(KernelDeath, ThePastIsClosed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Kernel kernel;
  kernel.schedule(at(1s), Phase::kPlan, 1, [] {});
  kernel.run();
  EXPECT_DEATH(kernel.schedule(Time{}, Phase::kPlan, 1, [] {}), "in the past");
  kernel.schedule(at(2s), Phase::kSense, 1, [&] { kernel.schedule(kernel.now(), Phase::kPlan, 1, [] {}); });
  EXPECT_DEATH(kernel.run(), "earlier phase(.|\n)*virtual time 2.0");
}

TEST(KernelDeath, DoesNotRunItself) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Kernel kernel;
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] { kernel.run(); });
  EXPECT_DEATH(kernel.run(), "from within");
}

}  // namespace
}  // namespace strata
