#include "kernel/entry_queue.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace strata::detail {
namespace {

struct Later {
  bool operator()(const EventEntry& a, const EventEntry& b) const { return b.before(a); }
};

/// How the time of a new entry depends on now.
struct Pattern {
  const char* name;
  std::function<std::int64_t(RandomStream&, std::int64_t now)> next;
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

const Pattern kPatterns[] = {
    {"uniform",
     [](RandomStream& random, std::int64_t now) { return now + static_cast<std::int64_t>(random.below(1'000'000)); }},
    {"instant", [](RandomStream&, std::int64_t now) { return now; }},
    {"period", [](RandomStream&, std::int64_t now) { return (now / 100 + 1) * 100; }},
    {"exponential",
     [](RandomStream& random, std::int64_t now) { return now + static_cast<std::int64_t>(random.exponential(1e6)); }},
    {"two speeds",
     [](RandomStream& random, std::int64_t now) {
       return now + (random.chance(0.5) ? 1 + static_cast<std::int64_t>(random.below(10)) : 3'600'000'000'000);
     }},
    {"outliers",
     [](RandomStream& random, std::int64_t now) {
       return random.chance(0.1) ? kNever : now + static_cast<std::int64_t>(random.below(50));
     }},
    {"all scales",
     [](RandomStream& random, std::int64_t now) {
       const std::int64_t ahead = static_cast<std::int64_t>(random.bits() >> (2 + random.below(60)));
       return ahead > kNever - now ? kNever : now + ahead;
     }},
};

class EntryQueueModel : public testing::TestWithParam<Pattern> {};

// Grows to 20 000 entries, holds, and shrinks to none; compared with the standard queue at each step.
TEST_P(EntryQueueModel, AgreesWithTheStandardQueue) {
  EntryQueue queue;
  std::priority_queue<EventEntry, std::vector<EventEntry>, Later> model;
  RandomStream random(3, 1, GetParam().name);
  std::int64_t now = 0;
  std::uint32_t sequence = 0;
  const auto push = [&] {
    const EventEntry entry{GetParam().next(random, now), random.below(50), sequence, sequence};
    ++sequence;
    queue.push(entry);
    model.push(entry);
  };
  const auto pop = [&] {
    ASSERT_EQ(queue.top().slot, model.top().slot);
    now = model.top().time == kNever ? now : model.top().time;
    queue.pop();
    model.pop();
    ASSERT_EQ(queue.size(), model.size());
  };
  for (int i = 0; i < 20'000; ++i) {
    push();
    push();
    pop();
  }
  for (int i = 0; i < 60'000; ++i) {
    pop();
    push();
  }
  while (!model.empty()) {
    pop();
    if (random.chance(0.3)) push();
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(queue.empty());
}

TEST_P(EntryQueueModel, ErasesAnywhere) {
  EntryQueue queue;
  std::vector<EventEntry> model;
  RandomStream random(4, 1, GetParam().name);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const EventEntry entry{GetParam().next(random, 1000), random.below(50), i, i};
    queue.push(entry);
    model.push_back(entry);
  }
  for (int i = 0; i < 100; ++i) queue.pop();
  std::sort(model.begin(), model.end(), [](const EventEntry& a, const EventEntry& b) { return a.before(b); });
  model.erase(model.begin(), model.begin() + 100);
  const auto unwanted = [](const EventEntry& entry) { return entry.slot % 3 != 0; };
  queue.erase_if(unwanted);
  std::erase_if(model, unwanted);
  std::size_t visited = 0;
  queue.for_each([&](const EventEntry& entry) { visited += entry.slot % 3 == 0 ? 1 : 0; });
  EXPECT_EQ(visited, model.size());
  ASSERT_EQ(queue.size(), model.size());
  for (const EventEntry& entry : model) {
    ASSERT_EQ(queue.top().slot, entry.slot);
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
  queue.push({5, 1, 1, 1});
  EXPECT_EQ(queue.top().time, 5);
}

std::string name_of(const testing::TestParamInfo<Pattern>& pattern) {
  std::string name = pattern.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Patterns, EntryQueueModel, testing::ValuesIn(kPatterns), name_of);

TEST(EntryQueue, CanBeClearedAndUsedAgain) {
  EntryQueue queue;
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 5000; ++i) queue.push({static_cast<std::int64_t>(i * 7919 % 5003), 1, i, i});
    EXPECT_EQ(queue.top().time, 0);
    for (int i = 0; i < 10; ++i) queue.pop();
    queue.clear();
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.upcoming(0), nullptr);
  }
}

}  // namespace
}  // namespace strata::detail
