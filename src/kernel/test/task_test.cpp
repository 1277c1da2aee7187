#include "kernel/task.hpp"

#include <gtest/gtest.h>

#include "kernel/event.hpp"
#include "kernel/kernel.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;

Task<int> add(Kernel& kernel, int a, int b) {
  co_await kernel.delay(1s);
  co_return a + b;
}
Task<int> at_once(int value) { co_return value; }
Task<> fail_later(Kernel& kernel) {
  co_await kernel.delay(1s);
  throw std::runtime_error("task failed");
}
Task<int> sum_down(Kernel& kernel, int n) {
  if (n == 0) co_return 0;
  if (n % 10 == 0) co_await kernel.delay(1ms);
  co_return n + co_await sum_down(kernel, n - 1);
}
Task<std::unique_ptr<int>> make() { co_return std::make_unique<int>(4); }

TEST(Task, TakesTimeAndReturnsAValue) {
  Kernel kernel;
  int result = 0;
  kernel.spawn("p", [&]() -> Process {
    result = co_await add(kernel, 1, 2);
    result += co_await add(kernel, 10, co_await at_once(20));
    result += *co_await make();
  });
  kernel.run();
  EXPECT_EQ(result, 37);
  EXPECT_EQ(kernel.now(), at(2s));
}

TEST(Task, PassesExceptionsOn) {
  Kernel kernel;
  std::string caught;
  kernel.spawn("p", [&]() -> Process {
    try {
      co_await fail_later(kernel);
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  kernel.run();
  EXPECT_EQ(caught, "task failed");
}

TEST(Task, Recurses) {
  Kernel kernel;
  int result = 0;
  kernel.spawn("p", [&]() -> Process { result = co_await sum_down(kernel, 200); });
  kernel.run();
  EXPECT_EQ(result, 20100);
  EXPECT_EQ(kernel.now(), at(20ms));
}

// The stack does not grow with the number of tasks that end at once, nor with those that wait.
TEST(Task, MayBeAwaitedAMillionTimes) {
  Kernel kernel;
  long sum = 0;
  kernel.spawn("p", [&]() -> Process {
    for (int i = 0; i < 1'000'000; ++i) sum += co_await at_once(1);
    for (int i = 0; i < 100'000; ++i) sum += co_await add(kernel, 1, 1);
  });
  kernel.run();
  EXPECT_EQ(sum, 1'200'000);
}

Task<> guarded(Kernel& kernel, std::string& log) {
  struct Guard {
    std::string& log;
    ~Guard() { log += 'g'; }
  } const guard{log};
  co_await kernel.delay(10s);
  log += '!';
}

TEST(Task, IsInterruptedWhereItWaits) {
  Kernel kernel;
  std::string log;
  ProcessRef process = kernel.spawn("p", [&]() -> Process {
    try {
      co_await guarded(kernel, log);
    } catch (const Interrupted& interruption) {
      log += interruption.what();
    }
    co_await guarded(kernel, log);
  });
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] { process.interrupt("i"); });
  kernel.run();
  EXPECT_EQ(log, "gi!g");
  EXPECT_EQ(kernel.now(), at(11s));
}

TEST(Task, IsDestroyedWithItsProcess) {
  Kernel kernel;
  std::string log;
  ProcessRef process = kernel.spawn("p", [&]() -> Process { co_await guarded(kernel, log); });
  kernel.run_until(at(1s));
  process.cancel();
  EXPECT_EQ(log, "g");
  kernel.run();
  EXPECT_EQ(log, "g");
  EXPECT_EQ(kernel.now(), at(1s));
}

TEST(Task, NeverAwaitedItIsSimplyDestroyed) {
  Kernel kernel;
  { const Task<int> unused = add(kernel, 1, 2); }
  kernel.run();
  EXPECT_EQ(kernel.now(), Time{});
}

}  // namespace
}  // namespace strata
