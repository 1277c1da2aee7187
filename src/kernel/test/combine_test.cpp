#include "kernel/combine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/queue.hpp"
#include "kernel/store.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Event, WakesAllWhoWaitAndLetsLaterOnesPass) {
  Kernel kernel;
  Event<std::string> event;
  std::vector<double> times;
  for (const Duration start : {Duration(0s), Duration(1s), Duration(5s)}) {
    kernel.spawn("waiter", [&kernel, &event, &times, start]() -> Process {
      co_await kernel.delay(start);
      EXPECT_EQ(co_await event, "go");
      times.push_back(kernel.now().seconds());
    });
  }
  kernel.schedule(at(2s), Phase::kAct, 1, [&] {
    EXPECT_EQ(event.waiting(), 2U);
    event.trigger("go");
  });
  kernel.run();
  EXPECT_THAT(times, ElementsAre(2, 2, 5));
}

TEST(Event, FailsWhereTheyWait) {
  Kernel kernel;
  Event<> event;
  int caught = 0;
  for (int i = 0; i < 2; ++i) {
    kernel.spawn("waiter", [&]() -> Process {
      try {
        co_await event;
      } catch (const std::logic_error&) {
        ++caught;
      }
    });
  }
  kernel.schedule(at(2s), Phase::kAct, 1, [&] { event.fail(std::logic_error("no")); });
  kernel.run();
  EXPECT_EQ(caught, 2);
}

TEST(Event, WakesInTheOrderOfKeysNotOfWaiting) {
  const auto run = [](std::vector<std::uint64_t> owners) {
    Kernel kernel;
    Event<> event;
    std::vector<std::uint64_t> log;
    for (const std::uint64_t owner : owners) {
      kernel.spawn("waiter",
                   [&event, &log, owner]() -> Process {
                     co_await event;
                     log.push_back(owner);
                   },
                   {.owner = owner});
    }
    kernel.schedule(at(2s), Phase::kAct, 1, [&] { event.trigger(); });
    kernel.run();
    return log;
  };
  EXPECT_EQ(run({1, 2, 3, 4}), run({4, 2, 1, 3}));
}

TEST(Event, CanBeReset) {
  Kernel kernel;
  Event<int> event;
  std::vector<int> log;
  kernel.spawn("waiter", [&]() -> Process {
    while (true) {
      log.push_back(co_await event);
      event.reset();
    }
  });
  for (int i = 1; i <= 3; ++i) kernel.schedule(at(i * 1s), Phase::kAct, 1, [&event, i] { event.trigger(i); });
  kernel.run();
  EXPECT_THAT(log, ElementsAre(1, 2, 3));
}

TEST(AnyOf, TheFirstWinsAndTheOthersAreGivenUp) {
  Kernel kernel;
  Event<int> event;
  std::string log;
  kernel.spawn("p", [&]() -> Process {
    auto first = co_await any_of(event, kernel.delay(1s));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_EQ(event.waiting(), 0U);
    first = co_await any_of(event, kernel.delay(100s));
    EXPECT_EQ(first.index(), 0U);
    EXPECT_EQ(std::get<0>(first), 42);
    EXPECT_EQ(kernel.now(), at(3s));
    log += "done";
  });
  kernel.schedule(at(3s), Phase::kAct, 1, [&] { event.trigger(42); });
  kernel.run();
  EXPECT_EQ(log, "done");
  EXPECT_EQ(kernel.now(), at(3s));  // the lost delay keeps nobody waiting
}

TEST(AnyOf, TheEarlierArgumentWinsWhenBothHaveHappened) {
  Kernel kernel;
  Event<int> a;
  Event<int> b;
  a.trigger(1);
  b.trigger(2);
  std::size_t index = 9;
  kernel.spawn("p", [&]() -> Process { index = (co_await any_of(b, a)).index(); });
  kernel.run();
  EXPECT_EQ(index, 0U);
}

TEST(AnyOf, TwoPartsOfOneEventWakeOnce) {
  Kernel kernel;
  Event<int> event;
  Store<int> store;
  int wakes = 0;
  kernel.spawn("p", [&]() -> Process {
    EXPECT_EQ((co_await any_of(event, event)).index(), 0U);
    ++wakes;
    EXPECT_EQ((co_await any_of(store.get(), store.get())).index(), 0U);
    ++wakes;
    co_await kernel.delay(9s);
    ++wakes;
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] { event.trigger(1); });
  kernel.schedule(at(2s), Phase::kAct, 1, [&] { EXPECT_EQ(store.put(1), 1U); });
  kernel.run();
  EXPECT_EQ(wakes, 3);
  EXPECT_EQ(kernel.now(), at(11s));
}

TEST(AnyOf, APartMayFulfilAnotherWhileStarting) {
  Kernel kernel;
  Queue<int> queue;
  std::size_t index = 9;
  kernel.spawn("p", [&]() -> Process { index = (co_await any_of(queue.get(), queue.put(7))).index(); });
  kernel.run();
  EXPECT_EQ(index, 0U);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(AnyOf, WorksOnLists) {
  Kernel kernel;
  std::vector<Event<int>> events(5);
  std::string log;
  kernel.spawn("p", [&]() -> Process {
    std::vector<EventWait<int>> waits;
    for (Event<int>& event : events) waits.push_back(event.wait());
    const auto first = co_await any_of(std::move(waits));
    log = std::to_string(first.index) + ":" + std::to_string(first.value);
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] { events[3].trigger(33); });
  kernel.run();
  EXPECT_EQ(log, "3:33");
}

TEST(AllOf, WaitsForTheLast) {
  Kernel kernel;
  Event<int> event;
  double ended = 0;
  const ProcessRef worker = kernel.spawn("worker", [&]() -> Process { co_await kernel.delay(3s); });
  kernel.spawn("p", [&]() -> Process {
    auto [value, status, nothing] = co_await all_of(event, worker, kernel.delay(2s));
    EXPECT_EQ(value, 8);
    EXPECT_EQ(status, ProcessStatus::kFinished);
    static_cast<void>(nothing);
    ended = kernel.now().seconds();
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] { event.trigger(8); });
  kernel.run();
  EXPECT_EQ(ended, 3);
}

TEST(AllOf, WorksOnListsAndOnNothing) {
  Kernel kernel;
  std::vector<std::size_t> log;
  std::vector<ProcessRef> workers;
  for (int i = 0; i < 4; ++i)
    workers.push_back(kernel.spawn("w", [&kernel, i]() -> Process { co_await kernel.delay(Duration(1s) * i); }));
  kernel.spawn("p", [&]() -> Process {
    std::vector<ProcessEnd> ends;
    for (const ProcessRef& worker : workers) ends.push_back(worker.ended());
    log.push_back((co_await all_of(std::move(ends))).size());
    EXPECT_EQ(kernel.now(), at(3s));
    log.push_back((co_await all_of(std::vector<ProcessEnd>{})).size());
  });
  kernel.run();
  EXPECT_THAT(log, ElementsAre(4, 0));
}

TEST(AllOf, AFailureIsThrown) {
  Kernel kernel;
  Event<> good;
  Event<> bad;
  bool caught = false;
  kernel.spawn("p", [&]() -> Process {
    try {
      co_await all_of(good, bad);
    } catch (const std::runtime_error&) {
      caught = true;
    }
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] { bad.fail(std::runtime_error("bad")); });
  kernel.schedule(at(2s), Phase::kAct, 1, [&] { good.trigger(); });
  kernel.run();
  EXPECT_TRUE(caught);
}

TEST(WithTimeout, TellsWhetherItWasInTime) {
  Kernel kernel;
  Event<> event;
  Queue<int> queue;
  std::string log;
  kernel.spawn("p", [&]() -> Process {
    EXPECT_FALSE(co_await with_timeout(event, 1s));
    EXPECT_EQ(kernel.now(), at(1s));
    EXPECT_TRUE(co_await with_timeout(event, 9s));
    EXPECT_EQ(kernel.now(), at(2s));
    EXPECT_EQ(co_await with_timeout(queue.get(), 1s), std::nullopt);
    EXPECT_EQ(kernel.now(), at(3s));
    EXPECT_EQ(co_await with_timeout(queue.get(), 9s), 5);
    EXPECT_EQ(kernel.now(), at(4s));
    queue.try_put(6);
    EXPECT_EQ(co_await with_timeout(queue.get(), 0s), 6);
    log = "done";
  });
  kernel.schedule(at(2s), Phase::kAct, 1, [&] { event.trigger(); });
  kernel.schedule(at(4s), Phase::kAct, 1, [&] { queue.try_put(5); });
  kernel.run();
  EXPECT_EQ(log, "done");
  EXPECT_EQ(kernel.now(), at(4s));
}

TEST(Composites, NestInterruptAndCancel) {
  Kernel kernel;
  Event<> a;
  Event<> b;
  Event<> c;
  std::string log;
  const auto wait = [&]() -> Process {
    try {
      co_await any_of(all_of(a, with_timeout(b, 5s)), c, kernel.delay(1h));
      log += 'e';
    } catch (const Interrupted&) {
      log += 'i';
    }
  };
  ProcessRef interrupted = kernel.spawn("interrupted", wait);
  ProcessRef cancelled = kernel.spawn("cancelled", wait);
  kernel.spawn("patient", wait);
  kernel.schedule(at(1s), Phase::kAct, 1, [&] {
    EXPECT_EQ(a.waiting() + b.waiting() + c.waiting(), 9U);
    interrupted.interrupt("x");
    cancelled.cancel();
    EXPECT_EQ(a.waiting() + b.waiting() + c.waiting(), 3U);
  });
  kernel.schedule(at(7s), Phase::kAct, 1, [&] { a.trigger(); });  // b's time was up at 5 s
  kernel.run();
  EXPECT_EQ(log, "ie");
  EXPECT_EQ(kernel.now(), at(7s));
  EXPECT_EQ(kernel.pending_events(), 0U);
}

}  // namespace
}  // namespace strata
