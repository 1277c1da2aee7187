#include "base/random.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

// Known answers of Philox4x32-10, from the authors' test vectors.
TEST(Random, GivesThePublishedNumbers) {
  EXPECT_EQ(random_block({0}, 0), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Random, DependsOnSeedEntityAndPurpose) {
  const std::uint64_t a = RandomStream(1, 2, "walk").bits();
  EXPECT_EQ(RandomStream(1, 2, "walk").bits(), a);
  EXPECT_NE(RandomStream(2, 2, "walk").bits(), a);
  EXPECT_NE(RandomStream(1, 3, "walk").bits(), a);
  EXPECT_NE(RandomStream(1, 2, "talk").bits(), a);
  EXPECT_NE(RandomStream(2, 1, "walk").bits(), a);
}

TEST(Random, ContinuesFromItsCounter) {
  RandomStream stream(1, 2, "walk");
  for (int i = 0; i < 10; ++i) stream.bits();
  RandomStream later(stream_key(1, 2, "walk"), stream.counter());
  EXPECT_EQ(stream.bits(), later.bits());
}

TEST(Random, UniformStaysInRangeAndHasItsMoments) {
  RandomStream stream(7, 1, "test");
  constexpr int kDraws = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.005);
}

TEST(Random, NormalAndExponentialHaveTheirMoments) {
  RandomStream stream(7, 2, "test");
  constexpr int kDraws = 100'000;
  double sum = 0;
  double squares = 0;
  double waits = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    const double wait = stream.exponential(3);
    ASSERT_GE(wait, 0);
    ASSERT_TRUE(std::isfinite(wait));
    waits += wait;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(waits / kDraws, 3, 0.05);
}

TEST(Random, BelowIsEven) {
  RandomStream stream(7, 3, "test");
  std::vector<int> counts(6);
  for (int i = 0; i < 60'000; ++i) ++counts[stream.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
  EXPECT_EQ(stream.below(1), 0U);
}

}  // namespace
}  // namespace strata
