#include "kernel/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/combine.hpp"
#include "kernel/container.hpp"
#include "kernel/kernel.hpp"
#include "kernel/queue.hpp"
#include "times.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Store, EveryMatchingWaiterSeesTheValue) {
  Kernel kernel;
  Store<int> store;
  std::vector<int> all;
  std::vector<int> even;
  const auto reader = [&](std::vector<int>& log, Store<int>::Filter filter) {
    return [&store, &log, filter]() -> Process {
      while (true) log.push_back(co_await store.get(filter));
    };
  };
  kernel.spawn("all 1", reader(all, {}));
  kernel.spawn("all 2", reader(all, {}));
  kernel.spawn("even", reader(even, [](const int& value) { return value % 2 == 0; }));
  std::vector<std::size_t> seen;
  for (int i = 1; i <= 4; ++i)
    kernel.schedule(at(i * 1s), Phase::kAct, 1, [&store, &seen, i] { seen.push_back(store.put(i)); });
  kernel.run();
  EXPECT_THAT(all, ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(even, ElementsAre(2, 4));
  EXPECT_THAT(seen, ElementsAre(2, 3, 2, 3));
}

TEST(Store, WhatNobodyWaitsForLeavesNoTrace) {
  Kernel kernel;
  Store<std::shared_ptr<int>> store;
  auto value = std::make_shared<int>(1);
  EXPECT_FALSE(store.wanted());
  EXPECT_EQ(store.put(value), 0U);
  EXPECT_EQ(value.use_count(), 1);
  bool got = false;
  kernel.spawn("late", [&]() -> Process {
    co_await store.get();
    got = true;
  });
  kernel.run();
  EXPECT_FALSE(got);
  EXPECT_TRUE(store.wanted());
}

TEST(Store, ASubscriptionMissesNothing) {
  Kernel kernel;
  Store<int> store;
  std::vector<int> log;
  kernel.spawn("reader", [&]() -> Process {
    StoreSubscription<int> odd = store.subscribe([](const int& value) { return value % 2 != 0; });
    while (true) {
      log.push_back(co_await odd.next());
      co_await kernel.delay(10ms);  // busy meanwhile
    }
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] {
    for (int i = 1; i <= 6; ++i) store.put(i);
  });
  kernel.run();
  EXPECT_THAT(log, ElementsAre(1, 3, 5));
  kernel.finish();
  EXPECT_FALSE(store.wanted());
}

TEST(Store, ASubscriptionIsBounded) {
  Store<int> store;
  StoreSubscription<int> last = store.subscribe({}, 2);
  for (int i = 1; i <= 5; ++i) store.put(i);
  EXPECT_EQ(last.unread(), 2U);
  EXPECT_EQ(last.lost(), 3U);
}

TEST(Store, AThrowingFilterHarmsNobodyElse) {
  Kernel kernel;
  Store<int> store;
  std::string log;
  kernel.spawn(
      "bad", [&]() -> Process { co_await store.get([](const int&) -> bool { throw std::runtime_error("filter"); }); });
  kernel.spawn("good", [&]() -> Process {
    co_await store.get();
    log += 'g';
  });
  kernel.run_until(at(1s));
  EXPECT_THROW(store.put(1), std::runtime_error);
  EXPECT_TRUE(store.wanted());
}

TEST(Queue, IsFirstInFirstOut) {
  Kernel kernel;
  Queue<int> queue;
  std::vector<int> log;
  kernel.spawn("getter", [&]() -> Process {
    while (true) log.push_back(co_await queue.get());
  });
  kernel.spawn("putter", [&]() -> Process {
    for (int i = 0; i < 5; ++i) {
      co_await queue.put(i);
      if (i % 2 == 1) co_await kernel.delay(1s);
    }
  });
  kernel.run();
  EXPECT_THAT(log, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Queue, EachItemGoesToOneGetterInTheirOrder) {
  Kernel kernel;
  Queue<int> queue;
  std::string log;
  for (const char* name : {"a", "b", "c"}) {
    kernel.spawn(name, [&kernel, &queue, &log, name]() -> Process {
      co_await kernel.delay(Duration(1s) * (name[0] - 'a'));
      log += name + std::to_string(co_await queue.get());
    });
  }
  kernel.schedule(at(5s), Phase::kAct, 1, [&] {
    EXPECT_TRUE(queue.try_put(1));
    EXPECT_TRUE(queue.try_put(2));
    EXPECT_EQ(queue.waiting_gets(), 1U);
    EXPECT_EQ(queue.size(), 0U);
  });
  kernel.run();
  EXPECT_TRUE(log == "a1b2" || log == "b2a1") << log;
}

TEST(Queue, PuttersWaitWhileFull) {
  Kernel kernel;
  Queue<int> queue(2);
  std::vector<double> put_times;
  kernel.spawn("putter", [&]() -> Process {
    for (int i = 0; i < 4; ++i) {
      co_await queue.put(i);
      put_times.push_back(kernel.now().seconds());
    }
  });
  std::vector<int> got;
  kernel.schedule(at(1s), Phase::kAct, 1, [&] {
    EXPECT_EQ(queue.waiting_puts(), 1U);
    EXPECT_FALSE(queue.try_put(99));
    got.push_back(*queue.try_get());
  });
  kernel.schedule(at(2s), Phase::kAct, 1, [&] { got.push_back(*queue.try_get()); });
  kernel.run();
  EXPECT_THAT(put_times, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(got, ElementsAre(0, 1));
  EXPECT_EQ(queue.size(), 2U);
}

TEST(Queue, FiltersTakeTheFirstMatch) {
  Kernel kernel;
  Queue<int> queue;
  for (const int item : {1, 2, 3, 4}) queue.try_put(item);
  std::vector<int> log;
  kernel.spawn("even", [&]() -> Process {
    while (true) log.push_back(co_await queue.get([](const int& item) { return item % 2 == 0; }));
  });
  kernel.run();
  EXPECT_THAT(log, ElementsAre(2, 4));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.try_get([](const int& item) { return item == 3; }), 3);
  EXPECT_EQ(queue.try_get([](const int& item) { return item == 3; }), std::nullopt);
}

TEST(Queue, AnItemThatWasNotTakenGoesBack) {
  Kernel kernel;
  Queue<int> queue;
  std::string log;
  ProcessRef first = kernel.spawn("first", [&]() -> Process { log += "first" + std::to_string(co_await queue.get()); });
  kernel.spawn("second", [&]() -> Process {
    co_await kernel.delay(500ms);
    log += "second" + std::to_string(co_await queue.get());
  });
  kernel.schedule(at(1s), Phase::kAct, 1, [&] {
    queue.try_put(7);
    first.cancel();  // it has been handed the item, but did not run
  });
  kernel.run();
  EXPECT_EQ(log, "second7");
}

TEST(Queue, AllOfGivesItsItemBackWhenInterrupted) {
  Kernel kernel;
  Queue<int> queue;
  Event<> never;
  ProcessRef process = kernel.spawn("p", [&]() -> Process {
    try {
      co_await all_of(queue.get(), never);
    } catch (const Interrupted&) {
    }
  });
  queue.try_put(3);
  kernel.run_until(at(1s));
  EXPECT_EQ(queue.size(), 0U);
  process.interrupt("x");
  EXPECT_EQ(queue.size(), 1U);
  kernel.run();
}

TEST(Queue, MayDieBeforeThoseWhoWait) {
  Kernel kernel;
  auto queue = std::make_unique<Queue<int>>(1);
  for (int i = 0; i < 2; ++i) {
    kernel.spawn("getter", [&]() -> Process { co_await queue->get(); });
    kernel.spawn("putter", [&]() -> Process {
      co_await queue->put(1);
      co_await queue->put(1);
      co_await queue->put(1);
    });
  }
  kernel.run();
  kernel.spawn("holder", [&]() -> Process { co_await queue->get(); });
  kernel.step();
  kernel.schedule(kernel.now(), Phase::kDeliver, 1, [&] { queue.reset(); });
  kernel.step();
}

TEST(Container, WaitsForLevelAndForRoom) {
  Kernel kernel;
  Container tank(10, 2);
  std::vector<double> log;
  kernel.spawn("taker", [&]() -> Process {
    co_await tank.get(5);
    log.push_back(kernel.now().seconds());
  });
  kernel.spawn("filler", [&]() -> Process {
    co_await kernel.delay(1s);
    co_await tank.put(2);
    co_await kernel.delay(1s);
    co_await tank.put(8);  // 12 would not fit, but the taker takes 5 once there are enough: it cannot, so this waits
    log.push_back(kernel.now().seconds());
  });
  kernel.schedule(at(5s), Phase::kAct, 1, [&] {
    EXPECT_EQ(tank.level(), 4);
    EXPECT_EQ(tank.waiting_gets(), 1U);
    EXPECT_EQ(tank.waiting_puts(), 1U);
    kernel.spawn("drip", [&]() -> Process { co_await tank.put(1); });
  });
  kernel.spawn("opener", [&]() -> Process {
    co_await kernel.delay(6s);
    EXPECT_EQ(tank.waiting_puts(), 2U);  // first come, first served: the drip would fit, but waits its turn
  });
  kernel.run();
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(tank.level(), 4);
}

TEST(Container, ServesInOrderAndAfterSomebodyGivesUp) {
  Kernel kernel;
  Container tank(10, 3);
  std::string log;
  ProcessRef big = kernel.spawn("big", [&]() -> Process {
    co_await tank.get(8);
    log += 'B';
  });
  kernel.spawn("small", [&]() -> Process {
    co_await kernel.delay(1s);
    co_await tank.get(2);
    log += 's';
  });
  kernel.schedule(at(2s), Phase::kAct, 1, [&] {
    EXPECT_EQ(tank.waiting_gets(), 2U);
    big.cancel();
  });
  kernel.run();
  EXPECT_EQ(log, "s");
  EXPECT_EQ(tank.level(), 1);
}

TEST(Container, WhatWasNotTakenGoesBack) {
  Kernel kernel;
  Container tank(10, 0);
  bool got = false;
  ProcessRef taker = kernel.spawn("taker", [&]() -> Process {
    co_await tank.get(4);
    got = true;
  });
  kernel.spawn("filler", [&]() -> Process {
    co_await kernel.delay(1s);
    co_await tank.put(4);
    EXPECT_EQ(tank.level(), 0);
    taker.cancel();
    EXPECT_EQ(tank.level(), 4);
  });
  kernel.run();
  EXPECT_FALSE(got);
}

}  // namespace
}  // namespace strata
