#include "shim_abi/queue.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace strata::shim {
namespace {

class QueueTest : public ::testing::Test {
 protected:
  QueueTest() : items_(1000), entries_(1000) {
    queue_.items = items_.data();
    queue_.capacity = 1000;
  }
  void add(std::size_t index, std::uint64_t time) {
    entries_[index].time = time;
    entries_[index].sequence = ++sequence_;
    queue_.add(entries_[index]);
  }
  Entry* take() {
    Entry* first = queue_.first();
    if (first != nullptr) queue_.remove(*first);
    return first;
  }

  std::vector<Entry*> items_;
  std::vector<Entry> entries_;
  Queue queue_;
  std::uint64_t sequence_ = 0;
};

TEST_F(QueueTest, EmptyHasNoFirst) { EXPECT_EQ(queue_.first(), nullptr); }

TEST_F(QueueTest, EqualTimesKeepTheOrderOfArrival) {
  for (std::size_t i = 0; i < 10; ++i) add(i, 5);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(take(), &entries_[i]);
  EXPECT_EQ(take(), nullptr);
}

TEST_F(QueueTest, RandomAddsAndRemovesComeOutSorted) {
  std::mt19937 random(7);
  std::vector<Entry*> expected;
  for (std::size_t i = 0; i < 1000; ++i) add(i, random() % 100);
  for (std::size_t i = 0; i < 1000; ++i) {
    if (random() % 3 == 0) {
      queue_.remove(entries_[i]);
      EXPECT_EQ(entries_[i].place, 0U);
    } else {
      expected.push_back(&entries_[i]);
    }
  }
  std::sort(expected.begin(), expected.end(), [](const Entry* a, const Entry* b) { return before(*a, *b); });
  for (Entry* entry : expected) ASSERT_EQ(take(), entry);
  EXPECT_EQ(queue_.size, 0U);
}

TEST_F(QueueTest, RemovingTwiceIsHarmless) {
  add(0, 1);
  queue_.remove(entries_[0]);
  queue_.remove(entries_[0]);
  EXPECT_EQ(queue_.size, 0U);
}

}  // namespace
}  // namespace strata::shim
