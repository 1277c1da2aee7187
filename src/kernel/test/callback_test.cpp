#include "kernel/callback.hpp"

#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Callback, OwnsSmallAndLargeCaptures) {
  auto token = std::make_shared<int>(3);
  int sum = 0;
  {
    std::array<char, 200> large{};
    large[7] = 4;
    Callback small = [&sum, token] { sum += *token; };
    Callback big = [&sum, token, large] { sum += large[7]; };
    EXPECT_EQ(token.use_count(), 3);
    small();
    big();
    Callback moved = std::move(small);
    moved();
    EXPECT_FALSE(small);  // NOLINT(bugprone-use-after-move): that is the point
    big = std::move(moved);
    EXPECT_EQ(token.use_count(), 2);
    big();
    big.reset();
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_FALSE(big);
  }
  EXPECT_EQ(sum, 13);
}

TEST(Callback, HoldsWhatCannotBeCopied) {
  int result = 0;
  Callback callback = [&result, value = std::make_unique<int>(5)] { result = *value; };
  callback();
  EXPECT_EQ(result, 5);
}

int twice(FunctionRef<int(int)> function) { return function(function(1)); }
int add_one(int x) { return x + 1; }

TEST(FunctionRef, BorrowsAnyCallable) {
  int calls = 0;
  auto lambda = [&](int x) {
    ++calls;
    return x * 3;
  };
  EXPECT_EQ(twice(lambda), 9);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(twice([](int x) { return x + 10; }), 21);
  const auto constant = [](int x) { return x; };
  EXPECT_EQ(twice(constant), 1);
  EXPECT_EQ(twice([](int x) { return add_one(x); }), 3);
}

}  // namespace
}  // namespace strata
