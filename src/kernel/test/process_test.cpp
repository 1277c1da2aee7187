#include "kernel/process.hpp"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/event.hpp"
#include "kernel/kernel.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct Guard {
  std::string& log;
  char letter;
  ~Guard() { log += letter; }
};

Process ticker(Kernel& kernel, Duration period, std::vector<double>& log) {
  while (true) {
    co_await kernel.delay(period);
    log.push_back(kernel.now().seconds());
  }
}

TEST(Process, Delays) {
  Kernel kernel;
  std::vector<double> log;
  const ProcessRef ref = kernel.spawn("ticker", ticker(kernel, 500ms, log));
  EXPECT_TRUE(ref.alive());
  EXPECT_EQ(ref.name(), "ticker");
  kernel.run_until(at(2s));
  EXPECT_THAT(log, ElementsAre(0.5, 1, 1.5, 2));
  EXPECT_EQ(kernel.live_processes(), 1U);
}

TEST(Process, ALambdaKeepsItsCaptures) {
  Kernel kernel;
  std::string log;
  auto token = std::make_shared<int>(5);
  const ProcessRef ref = kernel.spawn("lambda", [&kernel, &log, token]() -> Process {
    co_await kernel.until(at(3s));
    log += std::to_string(*token);
  });
  EXPECT_EQ(token.use_count(), 2);
  kernel.run();
  EXPECT_EQ(log, "5");
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(ref.status(), ProcessStatus::kFinished);
  EXPECT_EQ(kernel.live_processes(), 0U);
}

TEST(Process, RunsInItsPhase) {
  Kernel kernel;
  std::string log;
  const auto spawn = [&](const char* name, Phase phase) {
    kernel.spawn(name,
                 [&kernel, &log, name, phase]() -> Process {
                   co_await kernel.delay(1s);
                   EXPECT_EQ(kernel.phase(), phase);
                   log += name;
                 },
                 {.phase = phase});
  };
  spawn("s", Phase::kSense);
  spawn("d", Phase::kDeliver);
  spawn("p", Phase::kPlan);
  kernel.run();
  EXPECT_EQ(log, "dps");
}

TEST(Process, OrderOfOwnersDoesNotDependOnWhoWasSpawnedFirst) {
  const auto run = [](std::vector<std::uint64_t> owners) {
    Kernel kernel;
    std::vector<std::uint64_t> log;
    for (const std::uint64_t owner : owners) {
      kernel.spawn("robot",
                   [&kernel, &log, owner]() -> Process {
                     for (int i = 0; i < 3; ++i) {
                       log.push_back(owner);
                       co_await kernel.delay(1s);
                     }
                   },
                   {.owner = owner});
    }
    kernel.run();
    return log;
  };
  const auto log = run({1, 2, 3, 4, 5});
  EXPECT_EQ(log.size(), 15U);
  EXPECT_EQ(run({5, 3, 1, 2, 4}), log);
  EXPECT_EQ(run({2, 1, 5, 4, 3}), log);
}

TEST(Process, ChildrenGetTheirKeysFromTheirParent) {
  const auto keys = [](bool noise) {
    Kernel kernel;
    std::vector<std::uint64_t> out;
    if (noise)
      kernel.spawn("other",
                   [&]() -> Process {
                     kernel.spawn("x", [&]() -> Process { co_return; });
                     co_return;
                   },
                   {.owner = 99});
    kernel.spawn("parent",
                 [&]() -> Process {
                   for (int i = 0; i < 2; ++i)
                     out.push_back(kernel.spawn("child", [&]() -> Process { co_return; }).key());
                   co_return;
                 },
                 {.owner = 7});
    kernel.schedule(at(1s), Phase::kPlan, 3,
                    [&] { out.push_back(kernel.spawn("late", [&]() -> Process { co_return; }).key()); });
    kernel.run();
    return out;
  };
  const auto alone = keys(false);
  EXPECT_EQ(alone.size(), 3U);
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_EQ(keys(true), alone);
}

TEST(Process, WaitsForTheEndOfAnother) {
  Kernel kernel;
  std::string log;
  const ProcessRef worker = kernel.spawn("worker", [&]() -> Process {
    co_await kernel.delay(2s);
    log += 'w';
  });
  kernel.spawn("boss", [&]() -> Process {
    EXPECT_EQ(co_await worker, ProcessStatus::kFinished);
    log += 'b';
    EXPECT_EQ(kernel.now(), at(2s));
    EXPECT_EQ(co_await worker.ended(), ProcessStatus::kFinished);  // at once
    log += 'c';
  });
  kernel.run();
  EXPECT_EQ(log, "wbc");
}

TEST(Process, AFailureReachesWhoWaitsForIt) {
  Kernel kernel;
  std::string caught;
  const ProcessRef worker = kernel.spawn("worker", [&]() -> Process {
    co_await kernel.delay(2s);
    throw std::runtime_error("broken");
  });
  kernel.spawn("boss", [&]() -> Process {
    try {
      co_await worker;
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  kernel.run();
  EXPECT_EQ(caught, "broken");
  EXPECT_EQ(worker.status(), ProcessStatus::kFailed);
}

TEST(Process, AFailureNobodyWaitsForEndsTheRunNamed) {
  Kernel kernel;
  std::string log;
  kernel.spawn("driver of robot 3", [&]() -> Process {
    const Guard guard{log, 'g'};
    co_await kernel.delay(2s);
    throw std::runtime_error("no wheels");
  });
  try {
    kernel.run_until(at(5s));
    FAIL() << "no exception";
  } catch (const SimulationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("driver of robot 3"));
    EXPECT_THAT(error.what(), HasSubstr("no wheels"));
    EXPECT_EQ(error.when(), at(2s));
  }
  EXPECT_EQ(log, "g");
  EXPECT_EQ(kernel.live_processes(), 0U);
  kernel.run_until(at(5s));
}

TEST(Process, InterruptsADelay) {
  Kernel kernel;
  std::string log;
  ProcessRef sleeper = kernel.spawn("sleeper", [&]() -> Process {
    try {
      co_await kernel.delay(10s);
      log += "slept";
    } catch (const Interrupted& interruption) {
      log += interruption.what();
      EXPECT_EQ(kernel.now(), at(3s));
    }
    co_await kernel.delay(1s);
    log += '.';
  });
  kernel.schedule(at(3s), Phase::kPlan, 1, [&] { EXPECT_TRUE(sleeper.interrupt("alarm")); });
  kernel.run();
  EXPECT_EQ(log, "alarm.");
  EXPECT_EQ(kernel.now(), at(4s));
  EXPECT_FALSE(sleeper.interrupt("late"));
}

TEST(Process, AnInterruptionAfterTheFactComesAtTheNextWait) {
  Kernel kernel;
  Event<int> event;
  std::string log;
  ProcessRef waiter = kernel.spawn("waiter", [&]() -> Process {
    log += std::to_string(co_await event);  // has happened already when the interruption comes: nothing is lost
    try {
      co_await kernel.delay(1s);
    } catch (const Interrupted& interruption) {
      log += interruption.what();
    }
    try {
      co_await kernel.delay(1s);
    } catch (const Interrupted& interruption) {
      log += interruption.what();
    }
  });
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] {
    event.trigger(5);
    waiter.interrupt("x");
    waiter.interrupt("y");
  });
  kernel.run();
  EXPECT_EQ(log, "5xy");
  EXPECT_EQ(kernel.now(), at(1s));
}

TEST(Process, AnInterruptionBeforeTheStartComesAtTheFirstWait) {
  Kernel kernel;
  std::string log;
  ProcessRef process = kernel.spawn("p", [&]() -> Process {
    log += 'a';
    try {
      co_await kernel.delay(1s);
    } catch (const Interrupted&) {
      log += 'b';
    }
  });
  process.interrupt("early");
  kernel.run();
  EXPECT_EQ(log, "ab");
}

TEST(Process, AnUnhandledInterruptionIsAFailure) {
  Kernel kernel;
  ProcessRef process = kernel.spawn("p", [&]() -> Process { co_await kernel.delay(1s); });
  process.interrupt("why");
  EXPECT_THROW(kernel.run(), SimulationError);
}

TEST(Process, CancelDestroysItWhereItWaits) {
  Kernel kernel;
  std::string log;
  Event<> never;
  ProcessRef process = kernel.spawn("p", [&]() -> Process {
    const Guard outer{log, 'a'};
    const Guard inner{log, 'b'};
    co_await never;
    log += '!';
  });
  kernel.run_until(at(1s));
  EXPECT_EQ(never.waiting(), 1U);
  EXPECT_TRUE(process.cancel());
  EXPECT_EQ(log, "ba");
  EXPECT_EQ(never.waiting(), 0U);
  EXPECT_EQ(process.status(), ProcessStatus::kCancelled);
  EXPECT_FALSE(process.cancel());
  never.trigger();
  kernel.run();
  EXPECT_EQ(log, "ba");
}

TEST(Process, CancelTakesBackADelayAndAWakeUp) {
  Kernel kernel;
  std::string log;
  Event<> event;
  ProcessRef sleeper = kernel.spawn("sleeper", [&]() -> Process {
    co_await kernel.delay(5s);
    log += '!';
  });
  ProcessRef waiter = kernel.spawn("waiter", [&]() -> Process {
    co_await event;
    log += '!';
  });
  ProcessRef unborn;
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] {
    event.trigger();  // the waiter is on its way, but has not run
    unborn = kernel.spawn("unborn", [&]() -> Process {
      log += '!';
      co_return;
    });
    EXPECT_TRUE(sleeper.cancel());
    EXPECT_TRUE(waiter.cancel());
    EXPECT_TRUE(unborn.cancel());
  });
  kernel.run();
  EXPECT_EQ(log, "");
  EXPECT_EQ(kernel.now(), at(1s));
  EXPECT_EQ(kernel.pending_events(), 0U);
}

TEST(Process, CancelsItselfAtTheNextWait) {
  Kernel kernel;
  std::string log;
  ProcessRef self;
  self = kernel.spawn("quitter", [&]() -> Process {
    const Guard guard{log, 'g'};
    EXPECT_EQ(kernel.current(), self);
    EXPECT_TRUE(kernel.current().cancel());
    log += 'a';
    co_await kernel.delay(1s);
    log += '!';
  });
  kernel.run();
  EXPECT_EQ(log, "ag");
  EXPECT_EQ(self.status(), ProcessStatus::kCancelled);
  EXPECT_EQ(kernel.pending_events(), 0U);
}

TEST(Process, WhoWaitsForACancelledProcessIsTold) {
  Kernel kernel;
  ProcessStatus status = ProcessStatus::kAlive;
  ProcessRef victim = kernel.spawn("victim", [&]() -> Process { co_await kernel.delay(9s); });
  kernel.spawn("watcher", [&]() -> Process { status = co_await victim; });
  kernel.schedule(at(1s), Phase::kPlan, 1, [&] { victim.cancel(); });
  kernel.run();
  EXPECT_EQ(status, ProcessStatus::kCancelled);
  EXPECT_EQ(kernel.now(), at(1s));
}

TEST(Process, TheKernelDestroysWhatIsLeftYoungestFirst) {
  std::string log;
  Event<> outside;  // outlives the kernel
  ProcessRef ref;   // too
  {
    Kernel kernel;
    Event<> inside;  // dies before the kernel
    ref = kernel.spawn("a", [&]() -> Process {
      const Guard guard{log, 'a'};
      co_await outside;
    });
    kernel.spawn("b", [&]() -> Process {
      const Guard guard{log, 'b'};
      co_await inside;
    });
    kernel.spawn("c", [&]() -> Process {
      const Guard guard{log, 'c'};
      co_await kernel.delay(1h);
    });
    kernel.on_cleanup([&] { log += '.'; });
    kernel.run_until(at(1s));
  }
  EXPECT_EQ(log, "cba.");
  EXPECT_EQ(outside.waiting(), 0U);
  EXPECT_FALSE(ref.alive());
}

TEST(Process, NeverSpawnedItIsSimplyDestroyed) {
  Kernel kernel;
  std::vector<double> log;
  { const Process unused = ticker(kernel, 1s, log); }
  kernel.run();
  EXPECT_TRUE(log.empty());
}

TEST(Process, ManyProcessesAndCancellationsStayConsistent) {
  Kernel kernel;
  int ended = 0;
  std::vector<ProcessRef> refs;
  for (int i = 0; i < 1000; ++i) {
    refs.push_back(kernel.spawn("p", [&kernel, &ended, i]() -> Process {
      try {
        for (int k = 0; k < 10; ++k) co_await kernel.delay(Duration::nanoseconds(1 + (i * 7 + k * 13) % 50));
      } catch (const Interrupted&) {
      }
      ++ended;
    }));
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i % 3 == 0)
      kernel.schedule(Time::from_ns(static_cast<std::int64_t>(i % 100)), Phase::kPlan, i,
                      [&refs, i] { refs[i].cancel(); });
    if (i % 3 == 1)
      kernel.schedule(Time::from_ns(static_cast<std::int64_t>(i % 100)), Phase::kPlan, i,
                      [&refs, i] { refs[i].interrupt("x"); });
  }
  kernel.run();
  int cancelled = 0;
  for (const ProcessRef& ref : refs) {
    EXPECT_FALSE(ref.alive());
    cancelled += ref.status() == ProcessStatus::kCancelled ? 1 : 0;
  }
  EXPECT_EQ(cancelled + ended, 1000);
  EXPECT_GT(cancelled, 0);
  EXPECT_EQ(kernel.live_processes(), 0U);
}

TEST(ProcessDeath, ADelayIsNotNegative) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Kernel kernel;
  kernel.spawn("hasty", [&]() -> Process { co_await kernel.delay(-1s); });
  EXPECT_DEATH(kernel.run(), "not negative(.|\n)*hasty");
}

}  // namespace
}  // namespace strata
