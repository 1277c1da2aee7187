#include "kernel/resource.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/combine.hpp"
#include "kernel/kernel.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Resource, LimitsHowManyHoldIt) {
  Kernel kernel;
  Resource charger("charger", 2);
  std::size_t most = 0;
  int done = 0;
  for (int i = 0; i < 6; ++i) {
    kernel.spawn("robot", [&]() -> Process {
      const Lease lease = co_await charger.acquire();
      most = std::max(most, charger.in_use());
      co_await kernel.delay(1s);
      ++done;
    });
  }
  kernel.run();
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(done, 6);
  EXPECT_EQ(kernel.now(), at(3s));
  EXPECT_EQ(charger.in_use(), 0U);
}

TEST(Resource, ServesByPriorityThenByArrival) {
  Kernel kernel;
  Resource door("door");
  std::string log;
  const auto robot = [&](const char* name, Duration arrives, int priority) {
    kernel.spawn(name, [&kernel, &door, &log, name, arrives, priority]() -> Process {
      co_await kernel.delay(arrives);
      const Lease lease = co_await door.acquire(priority);
      log += name;
      co_await kernel.delay(10s);
    });
  };
  robot("a", 0s, 5);
  robot("c", 1s, 2);
  robot("d", 2s, 2);
  robot("b", 3s, -1);
  kernel.run();
  EXPECT_EQ(log, "abcd");
}

TEST(Resource, PreemptsTheLeastImportantHolder) {
  Kernel kernel;
  Resource crane("crane", 2);
  std::string log;
  const auto worker = [&](const char* name, Duration arrives, int priority, bool preempt) {
    kernel.spawn(name, [&kernel, &crane, &log, name, arrives, priority, preempt]() -> Process {
      co_await kernel.delay(arrives);
      try {
        const Lease lease = co_await crane.acquire(priority, preempt);
        co_await kernel.delay(10s);
        EXPECT_TRUE(lease.valid());
        log += std::string(name) + "+ ";
      } catch (const Preempted& preempted) {
        EXPECT_THAT(preempted.what(), HasSubstr("crane"));
        log += std::string(name) + "-" + std::to_string(kernel.now().ns() / 1'000'000'000) + " ";
      }
    });
  };
  worker("mid", 0s, 3, false);
  worker("low", 1s, 5, false);
  worker("polite", 2s, 0, false);  // waits
  worker("same", 3s, 5, true);     // nobody is less important
  worker("high", 4s, 1, true);     // takes the place of low
  kernel.run();
  EXPECT_EQ(log, "low-4 mid+ high+ polite+ same+ ");
  EXPECT_EQ(crane.in_use(), 0U);
}

TEST(Resource, ALeaseMovesAndIsGivenBackEarly) {
  Kernel kernel;
  Resource door("door");
  std::string log;
  kernel.spawn("a", [&]() -> Process {
    Lease lease;
    {
      Lease inner = co_await door.acquire();
      lease = std::move(inner);
      EXPECT_FALSE(inner.valid());  // NOLINT(bugprone-use-after-move): that is the point
    }
    EXPECT_EQ(door.in_use(), 1U);
    lease.release();
    lease.release();
    EXPECT_EQ(door.in_use(), 0U);
    co_await kernel.delay(1s);
    log += 'a';
  });
  kernel.run();
  EXPECT_EQ(log, "a");
}

TEST(Resource, CancelAndTimeoutLeaveTheQueue) {
  Kernel kernel;
  Resource door("door");
  std::string log;
  kernel.spawn("holder", [&]() -> Process {
    const Lease lease = co_await door.acquire();
    co_await kernel.delay(10s);
  });
  ProcessRef cancelled = kernel.spawn("cancelled", [&]() -> Process {
    const Lease lease = co_await door.acquire();
    log += '!';
  });
  kernel.spawn("impatient", [&]() -> Process {
    const auto lease = co_await with_timeout(door.acquire(), 2s);
    EXPECT_FALSE(lease.has_value());
    EXPECT_EQ(kernel.now(), at(2s));
  });
  kernel.spawn("patient", [&]() -> Process {
    const auto lease = co_await with_timeout(door.acquire(), 20s);
    EXPECT_TRUE(lease.has_value());
    EXPECT_EQ(kernel.now(), at(10s));
    log += 'p';
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] {
    EXPECT_EQ(door.waiting(), 3U);
    cancelled.cancel();
    EXPECT_EQ(door.waiting(), 2U);
  });
  kernel.run();
  EXPECT_EQ(log, "p");
  EXPECT_EQ(door.in_use(), 0U);
}

TEST(Resource, AGrantThatWasNotTakenGoesToTheNext) {
  Kernel kernel;
  Resource door("door");
  std::string log;
  ProcessRef second;
  kernel.spawn("first", [&]() -> Process {
    Lease lease = co_await door.acquire();
    co_await kernel.delay(1s);
    lease.release();
    second.cancel();  // was granted the door, did not run
  });
  second = kernel.spawn("second", [&]() -> Process {
    co_await kernel.delay(1ms);
    const Lease lease = co_await door.acquire();
    log += '2';
  });
  kernel.spawn("third", [&]() -> Process {
    co_await kernel.delay(2ms);
    const Lease lease = co_await door.acquire();
    log += '3';
  });
  kernel.run();
  EXPECT_EQ(log, "3");
}

TEST(Resource, MayDieBeforeItsHolders) {
  Kernel kernel;
  auto door = std::make_unique<Resource>("door");
  for (int i = 0; i < 3; ++i) {
    kernel.spawn("p", [&]() -> Process {
      const Lease lease = co_await door->acquire();
      co_await kernel.delay(10s);
      EXPECT_FALSE(lease.valid());
    });
  }
  kernel.run_until(at(1s));
  door.reset();
  kernel.run();
}

}  // namespace
}  // namespace strata
