#include "kernel/pacing.hpp"

#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;

/// A wall clock that passes only when slept on or when told to.
class FakeClock final : public WallClock {
 public:
  struct State {
    std::int64_t now = 1'000'000;
    int sleeps = 0;
    std::function<void()> on_sleep;  // once, instead of sleeping
  };
  explicit FakeClock(State& state) : state_(state) {}
  std::int64_t now_ns() override { return state_.now; }
  void sleep(std::condition_variable&, std::unique_lock<std::mutex>& lock,
             std::optional<std::int64_t> deadline_ns) override {
    ++state_.sleeps;
    if (const auto action = std::exchange(state_.on_sleep, nullptr)) {
      lock.unlock();
      action();
      lock.lock();
    } else {
      ASSERT_TRUE(deadline_ns.has_value()) << "would sleep for ever";
      state_.now = std::max(state_.now, *deadline_ns);
    }
  }

 private:
  State& state_;
};

struct Paced : testing::Test {
  FakeClock::State clock;
  Pacing pacing{std::make_unique<FakeClock>(clock)};
  std::int64_t start = clock.now;
};

TEST_F(Paced, AsFastAsPossibleNeverSleeps) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(pacing.wait_until(at(i * 1h)).reached);
  EXPECT_EQ(clock.sleeps, 0);
  EXPECT_EQ(clock.now, start);
  EXPECT_FALSE(pacing.factor().has_value());
}

TEST_F(Paced, RealTimeAndFactors) {
  pacing.set_factor(1);
  pacing.wait_until(at(0s));
  EXPECT_TRUE(pacing.wait_until(at(2s)).reached);
  EXPECT_EQ(clock.now - start, 2'000'000'000);
  pacing.set_factor(4);
  EXPECT_TRUE(pacing.wait_until(at(10s)).reached);
  EXPECT_EQ(clock.now - start, 4'000'000'000);
  EXPECT_EQ(pacing.lag().worst_s, 0);
}

TEST_F(Paced, ReportsHowFarBehindItIs) {
  pacing.set_factor(1);
  pacing.wait_until(at(0s));
  clock.now += 3'000'000'000;  // the computation took 3 s
  EXPECT_TRUE(pacing.wait_until(at(1s)).reached);
  EXPECT_DOUBLE_EQ(pacing.lag().current_s, 2);
  EXPECT_TRUE(pacing.wait_until(at(2500ms)).reached);
  EXPECT_DOUBLE_EQ(pacing.lag().current_s, 0.5);
  EXPECT_TRUE(pacing.wait_until(at(4s)).reached);  // caught up
  EXPECT_DOUBLE_EQ(pacing.lag().current_s, 0);
  EXPECT_DOUBLE_EQ(pacing.lag().worst_s, 2);
  EXPECT_EQ(clock.now - start, 4'000'000'000);
}

TEST_F(Paced, IsWokenEarlyAndSaysWhereTimeStands) {
  pacing.set_factor(2);
  pacing.wait_until(at(0s));
  clock.on_sleep = [this] {
    clock.now += 1'000'000'000;
    pacing.wake();
  };
  Pacing::Waited waited = pacing.wait_until(at(10s));
  EXPECT_FALSE(waited.reached);
  EXPECT_EQ(waited.now, at(2s));
  waited = pacing.wait_until(at(10s));
  EXPECT_TRUE(waited.reached);
  EXPECT_EQ(clock.now - start, 5'000'000'000);
}

TEST_F(Paced, AWakeUpBeforeTheSleepIsNotLost) {
  pacing.set_factor(1);
  pacing.wait_until(at(0s));
  pacing.wake();
  EXPECT_FALSE(pacing.wait_until(at(1s)).reached);
  EXPECT_TRUE(pacing.wait_until(at(1s)).reached);
}

TEST_F(Paced, PausesAndResumesWithoutHurry) {
  pacing.set_factor(1);
  pacing.wait_until(at(0s));
  clock.on_sleep = [this] {
    clock.now += 2'000'000'000;
    pacing.pause();
    // The next sleep is in the pause; a day later somebody resumes.
    clock.on_sleep = [this] {
      clock.now += 86'400'000'000'000;
      pacing.resume();
    };
  };
  const std::int64_t before = clock.now;
  EXPECT_TRUE(pacing.wait_until(at(5s)).reached);
  EXPECT_EQ(clock.now - before, 86'405'000'000'000);
  EXPECT_EQ(pacing.lag().worst_s, 0);
}

TEST_F(Paced, APausedRunCanBeWoken) {
  pacing.pause();
  EXPECT_TRUE(pacing.paused());
  clock.on_sleep = [this] { pacing.wake(); };
  const Pacing::Waited waited = pacing.wait_until(at(5s));
  EXPECT_FALSE(waited.reached);
  EXPECT_EQ(waited.now, at(0s));
}

TEST_F(Paced, StepsAndPauses) {
  pacing.pause();
  pacing.step(2);
  EXPECT_TRUE(pacing.wait_until(at(1s)).reached);
  EXPECT_FALSE(pacing.paused());
  EXPECT_TRUE(pacing.wait_until(at(2s)).reached);
  EXPECT_TRUE(pacing.paused());
  clock.on_sleep = [this] { pacing.step(1); };
  EXPECT_TRUE(pacing.wait_until(at(3s)).reached);
  EXPECT_TRUE(pacing.paused());
  clock.on_sleep = [this] { pacing.resume(); };
  EXPECT_TRUE(pacing.wait_until(at(4s)).reached);
  EXPECT_TRUE(pacing.wait_until(at(5s)).reached);
}

TEST_F(Paced, ThereIsNoOverflowAtNever) {
  pacing.set_factor(0.001);
  clock.on_sleep = [this] { pacing.wake(); };
  EXPECT_FALSE(pacing.wait_until(Time::never()).reached);
}

TEST(Pacing, IsControlledFromAnotherThread) {
  Pacing pacing;
  pacing.pause();
  std::thread other([&] {
    pacing.wake();
    pacing.resume();
  });
  while (!pacing.wait_until(at(1s)).reached) {
  }
  other.join();
  pacing.set_factor(1e9);  // a real sleep, of a few nanoseconds
  EXPECT_TRUE(pacing.wait_until(at(2s)).reached);
}

TEST(Stopwatch, DoesNotRunBackwards) {
  const Stopwatch watch;
  const double wall = watch.wall_seconds();
  const double cpu = watch.cpu_seconds();
  const double thread = watch.thread_cpu_seconds();
  EXPECT_GE(wall, 0);
  EXPECT_GE(cpu, 0);
  EXPECT_GE(thread, 0);
  EXPECT_GE(watch.wall_seconds(), wall);
  EXPECT_GE(watch.cpu_seconds(), cpu);
  EXPECT_GE(watch.thread_cpu_seconds(), thread);
}

}  // namespace
}  // namespace strata
