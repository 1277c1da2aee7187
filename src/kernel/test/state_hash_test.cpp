#include "kernel/state_hash.hpp"

#include <array>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/thread_pool.hpp"

namespace strata {
namespace {

using Row = std::array<std::uint64_t, 5>;

std::vector<Row> make_rows() {
  std::vector<Row> rows(500);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) rows[i][k] = mix(i, k);
  }
  return rows;
}

std::uint64_t sum(const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::uint64_t total = 0;
  for (std::size_t i = begin; i < end; ++i) total += StateHash::contribution(i, 3, rows[i].data(), sizeof(Row));
  return total;
}

TEST(StateHash, AnyPartitionGivesTheSame) {
  const std::vector<Row> rows = make_rows();
  StateHash whole;
  for (std::size_t i = 0; i < rows.size(); ++i) whole.add(i, 3, rows[i].data(), sizeof(Row));
  whole.end_step(Time::from_ns(10));
  for (const std::size_t cut : {1U, 77U, 250U, 499U}) {
    StateHash parts;
    parts.add_sum(sum(rows, cut, rows.size()));
    parts.add_sum(sum(rows, 0, cut));
    parts.end_step(Time::from_ns(10));
    EXPECT_EQ(parts.value(), whole.value());
  }
  for (const int threads : {2, 3}) {
    ThreadPool pool(threads);
    std::vector<std::uint64_t> partial(rows.size() / 7 + 1);
    pool.for_each_chunk(rows.size(), 7,
                        [&](std::size_t begin, std::size_t end) { partial[begin / 7] = sum(rows, begin, end); });
    StateHash parts;
    for (const std::uint64_t one : partial) parts.add_sum(one);
    parts.end_step(Time::from_ns(10));
    EXPECT_EQ(parts.value(), whole.value());
  }
}

TEST(StateHash, EveryBitCounts) {
  std::vector<Row> rows = make_rows();
  const std::uint64_t before = sum(rows, 0, rows.size());
  std::set<std::uint64_t> seen{before};
  for (std::size_t word = 0; word < 5; ++word) {
    for (int bit = 0; bit < 64; ++bit) {
      rows[123][word] ^= std::uint64_t{1} << bit;
      EXPECT_TRUE(seen.insert(sum(rows, 0, rows.size())).second);
      rows[123][word] ^= std::uint64_t{1} << bit;
    }
  }
}

TEST(StateHash, WhoWhatAndWhenCount) {
  const std::uint64_t bytes = 5;
  EXPECT_NE(StateHash::contribution(1, 2, &bytes, 8), StateHash::contribution(2, 1, &bytes, 8));
  EXPECT_NE(StateHash::contribution(1, 2, &bytes, 8), StateHash::contribution(1, 3, &bytes, 8));
  EXPECT_NE(StateHash::contribution(1, 2, &bytes, 8), StateHash::contribution(1, 2, &bytes, 4));
  StateHash a;
  StateHash b;
  a.end_step(Time::from_ns(1));
  b.end_step(Time::from_ns(2));
  EXPECT_NE(a.value(), b.value());
  EXPECT_EQ(a.steps(), 1U);
}

TEST(StateHash, TheOrderOfStepsCounts) {
  const std::uint64_t x = 1;
  const std::uint64_t y = 2;
  StateHash a;
  StateHash b;
  a.add(1, 1, &x, 8);
  a.end_step(Time{});
  a.add(1, 1, &y, 8);
  a.end_step(Time{});
  b.add(1, 1, &y, 8);
  b.end_step(Time{});
  b.add(1, 1, &x, 8);
  b.end_step(Time{});
  EXPECT_NE(a.value(), b.value());
}

TEST(StateHash, ContinuesFromASnapshot) {
  const std::uint64_t x = 1;
  StateHash a;
  a.add(1, 1, &x, 8);
  a.end_step(Time{});
  StateHash b;
  b.restore(a.value(), a.steps());
  a.end_step(Time::from_ns(1));
  b.end_step(Time::from_ns(1));
  EXPECT_EQ(a.value(), b.value());
  EXPECT_EQ(a.steps(), b.steps());
}

}  // namespace
}  // namespace strata
