#include "kernel/event_queue.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace strata {
namespace {

using Kind = EventQueue::Kind;
using Order = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;

Order order_of(const EventQueue::Entry& entry) { return {entry.time, entry.order, entry.sequence}; }

TEST(EventQueue, SortsByTimePhaseKeySequence) {
  EventQueue queue;
  std::vector<Order> expected;
  for (const std::int64_t time : {0, 5}) {
    for (const Phase phase : {Phase::kDeliver, Phase::kAct, Phase::kRecord}) {
      for (const std::uint64_t key : {1U, 7U}) {
        for (const std::uint32_t sequence : {0U, 1U})
          expected.emplace_back(time, EventQueue::order(phase, key), sequence);
      }
    }
  }
  std::vector<Order> shuffled = expected;
  std::reverse(shuffled.begin(), shuffled.end());
  std::swap(shuffled[3], shuffled[11]);
  for (const auto& [time, order, sequence] : shuffled) queue.push(time, order, sequence, Kind::kCallback, nullptr);
  std::vector<Order> popped;
  while (!queue.empty()) popped.push_back(order_of(queue.pop().entry));
  EXPECT_EQ(popped, expected);
}

TEST(EventQueue, AnIdOutlivesItsEventSafely) {
  EventQueue queue;
  const EventId first = queue.id_of(queue.push(1, 1, 0, Kind::kCallback, nullptr));
  EXPECT_TRUE(queue.pending(first));
  queue.pop();
  EXPECT_FALSE(queue.pending(first));
  // The slot is used again, the id is not.
  const EventId second = queue.id_of(queue.push(2, 1, 1, Kind::kCallback, nullptr));
  EXPECT_EQ(first.slot, second.slot);
  EXPECT_FALSE(queue.pending(first));
  EXPECT_TRUE(queue.pending(second));
  EXPECT_FALSE(queue.pending(EventId{}));
}

TEST(EventQueue, TheTopIsNeverACancelledEvent) {
  EventQueue queue;
  const auto a = queue.push(1, 1, 0, Kind::kCallback, nullptr);
  const auto b = queue.push(2, 1, 1, Kind::kCallback, nullptr);
  queue.push(3, 1, 2, Kind::kCallback, nullptr);
  queue.cancel(b);
  EXPECT_EQ(queue.first_time(), 1);
  queue.cancel(a);
  EXPECT_EQ(queue.first_time(), 3);
  EXPECT_EQ(queue.size(), 1U);
  queue.pop();
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, RenumberingKeepsTheOrder) {
  EventQueue queue;
  const std::uint64_t order = EventQueue::order(Phase::kPlan, 9);
  for (std::uint32_t i = 0; i < 50; ++i)
    queue.push(7, order, EventQueue::kLastSequence - 50 + i, Kind::kCallback, nullptr);
  queue.push(7, EventQueue::order(Phase::kPlan, 8), 123, Kind::kCallback, nullptr);
  EXPECT_EQ(queue.renumber(9), 50U);
  EXPECT_EQ(queue.pop().entry.sequence, 123U);
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(queue.pop().entry.sequence, i);
}

// Against a sorted map, with random pushes, pops and cancellations in changing proportions.
TEST(EventQueue, AgreesWithASortedMap) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    EventQueue queue;
    std::multimap<Order, std::uint32_t> model;  // to the slot
    std::map<std::uint64_t, std::uint32_t> sequences;
    RandomStream random(round, 1, "event_queue_test");
    std::int64_t now = 0;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t action = random.below(10);
      const std::uint64_t pushes = i % 1000 < 500 ? 6 : 3;
      if (action < pushes || model.empty()) {
        const std::uint64_t key = random.below(5);
        const std::int64_t time = now + static_cast<std::int64_t>(random.below(20));
        const std::uint64_t order = EventQueue::order(static_cast<Phase>(random.below(kPhaseCount)), key);
        const std::uint32_t sequence = sequences[key]++;
        const auto slot = queue.push(time, order, sequence, Kind::kTimer, &queue);
        model.emplace(Order(time, order, sequence), slot);
      } else if (action < 8) {
        const EventQueue::Taken taken = queue.pop();
        ASSERT_EQ(order_of(taken.entry), model.begin()->first);
        ASSERT_EQ(taken.entry.slot, model.begin()->second);
        ASSERT_EQ(taken.target, &queue);
        now = taken.entry.time;
        model.erase(model.begin());
      } else {
        auto it = model.begin();
        std::advance(it, static_cast<std::ptrdiff_t>(random.below(model.size())));
        queue.cancel(it->second);
        model.erase(it);
      }
      ASSERT_EQ(queue.size(), model.size());
      ASSERT_EQ(queue.empty(), model.empty());
      if (!model.empty()) {
        ASSERT_EQ(queue.first_time(), std::get<0>(model.begin()->first));
      }
    }
  }
}

TEST(EventQueue, CancellingMostCompacts) {
  EventQueue queue;
  std::vector<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < 10000; ++i) slots.push_back(queue.push(i * 7919 % 10007, 1, i, Kind::kTimer, nullptr));
  for (std::uint32_t i = 0; i < 10000; ++i) {
    if (i % 10 != 0) queue.cancel(slots[i]);
  }
  EXPECT_EQ(queue.size(), 1000U);
  // Entries of cancelled events do not dominate.
  EXPECT_LE(queue.pending_keys().size(), 2100U);
  std::int64_t last = -1;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t time = queue.pop().entry.time;
    EXPECT_GT(time, last);
    last = time;
  }
  EXPECT_TRUE(queue.empty());
}

TEST(Key, SmallValuesKeepTheirOrderAndLargeOnesFit) {
  EXPECT_LT(Key(1), Key(2));
  EXPECT_EQ(Key(41).value(), 41U);
  EXPECT_LT(Key(0xFFFF'FFFF'FFFF'FFFFU).value(), Key::kLimit);
  EXPECT_NE(Key(0xFFFF'FFFF'FFFF'FFFFU), Key(0xFFFF'FFFF'FFFF'FFFEU));
  EXPECT_NE(Key(1, 2), Key(2, 1));
}

}  // namespace
}  // namespace strata
