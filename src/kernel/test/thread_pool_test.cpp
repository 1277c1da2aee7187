#include "kernel/thread_pool.hpp"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ThreadPool, CutsTheSameChunksForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    std::mutex mutex;
    std::set<std::pair<std::size_t, std::size_t>> chunks;
    pool.for_each_chunk(10, 4, [&](std::size_t begin, std::size_t end) {
      const std::lock_guard lock(mutex);
      chunks.emplace(begin, end);
    });
    EXPECT_EQ(chunks, (std::set<std::pair<std::size_t, std::size_t>>{{0, 4}, {4, 8}, {8, 10}}));
  }
}

TEST(ThreadPool, HandlesEmptyAndSingleJobs) {
  ThreadPool pool(3);
  int calls = 0;
  pool.for_each_chunk(0, 4, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 0);
  pool.for_each_chunk(4, 4, [&](std::size_t begin, std::size_t end) { calls += static_cast<int>(end - begin); });
  EXPECT_EQ(calls, 4);
}

TEST(ThreadPool, EveryRowIsVisitedOnceInManyShortJobs) {
  for (const int threads : {2, 4, 8}) {
    ThreadPool pool(threads);
    std::vector<std::uint32_t> rows(997);
    for (std::uint32_t round = 1; round <= 2000; ++round) {
      const std::size_t count = 1 + (round * 131) % rows.size();
      const std::size_t grain = 1 + round % 64;
      pool.for_each_chunk(count, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++rows[i];
      });
      ASSERT_EQ(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), count);
      std::fill(rows.begin(), rows.end(), 0);
    }
  }
}

TEST(ThreadPool, AnExceptionLeavesAfterAllChunksHaveRun) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> calls{0};
      try {
        pool.for_each_chunk(20, 1, [&](std::size_t begin, std::size_t) {
          ++calls;
          if (begin == 7 || begin == 13) throw std::runtime_error(std::to_string(begin));
        });
        FAIL() << "no exception";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "7");  // the first by position, not by time
      }
      EXPECT_EQ(calls.load(), 20);
    }
    int after = 0;
    pool.for_each_chunk(1, 1, [&](std::size_t, std::size_t) { ++after; });
    EXPECT_EQ(after, 1);
  }
}

TEST(ThreadPool, CanBeMadeAndDestroyedAtOnce) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.for_each_chunk(4, 1, [](std::size_t, std::size_t) {});
  }
}

TEST(ThreadPoolDeath, IsNotReentrant) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  ThreadPool pool(1);
  EXPECT_DEATH(pool.for_each_chunk(
                   1, 1, [&](std::size_t, std::size_t) { pool.for_each_chunk(1, 1, [](std::size_t, std::size_t) {}); }),
               "from within");
}

}  // namespace
}  // namespace strata
