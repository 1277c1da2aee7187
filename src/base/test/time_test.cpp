#include "base/time.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace strata {
namespace {

using namespace std::chrono_literals;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

// Mixing up points and spans does not compile.
static_assert(!Addable<Time, Time>);
static_assert(Addable<Time, Duration>);
static_assert(Addable<Duration, Time>);
static_assert(std::is_same_v<decltype(Time{} - Time{}), Duration>);
static_assert(!std::is_convertible_v<Duration, Time>);
static_assert(!std::is_convertible_v<int, Duration>);

TEST(Time, CountsNanoseconds) {
  EXPECT_EQ(Duration(100ms).ns(), 100'000'000);
  EXPECT_EQ((Time{} + 2s - 500ms).ns(), 1'500'000'000);
  EXPECT_EQ(Time::from_seconds(1.5) - Time::from_seconds(0.25), Duration(1250ms));
  EXPECT_EQ(Duration(1s) / Duration(300ms), 3);
  EXPECT_EQ(Duration(1s) % Duration(300ms), Duration(100ms));
  EXPECT_EQ(3 * Duration(20ms), Duration(60ms));
}

TEST(Time, SecondsRoundToTheNearestNanosecond) {
  EXPECT_EQ(Duration::from_seconds(0.1).ns(), 100'000'000);
  EXPECT_EQ(Duration::from_seconds(-0.1).ns(), -100'000'000);
  EXPECT_EQ(Duration::from_seconds(1e-9 * 0.6).ns(), 1);
  EXPECT_EQ(Duration::from_seconds(0.05).ns() * 20, Duration(1s).ns());
}

TEST(Time, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(Duration::from_seconds(1e300), Duration::max());
  EXPECT_EQ(Time::from_ns(5) + Duration::max(), Time::never());
  EXPECT_LT(Duration::from_seconds(-1e300), Duration{});
  EXPECT_LT(Time::from_seconds(1e9), Time::never());
}

TEST(Time, ReadsWellForPeople) {
  EXPECT_EQ(to_text(Duration(20ms)), "20 ms");
  EXPECT_EQ(to_text(Duration(12500ms)), "12.5 s");
  EXPECT_EQ(to_text(Duration(3720s)), "1 h 2 min");
  EXPECT_EQ(to_text(Duration(-20ms)), "-20 ms");
  EXPECT_EQ(to_text(Duration(24h) * 365), "365 d 0 h");
  EXPECT_EQ(to_text(Time::never()), "never");
}

}  // namespace
}  // namespace strata
