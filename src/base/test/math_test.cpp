#include "base/math.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace strata {
namespace {

TEST(Math, IsAccurate) {
  for (double x = -20; x < 20; x += 0.37) {
    EXPECT_NEAR(math::sin(x), std::sin(x), 1e-15);
    EXPECT_NEAR(math::cos(x), std::cos(x), 1e-15);
    EXPECT_NEAR(math::exp(x) / std::exp(x), 1, 1e-14);
    EXPECT_NEAR(math::atan2(x, 1 - x), std::atan2(x, 1 - x), 1e-14);
  }
  EXPECT_DOUBLE_EQ(math::log(10), std::log(10));
  EXPECT_DOUBLE_EQ(math::pow(2, 0.5), std::sqrt(2));
}

TEST(Math, BatchEqualsScalarToTheBit) {
  for (const std::size_t count : {0U, 1U, 2U, 5U, 1001U}) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i) x.push_back((static_cast<double>(i) - 400) * 0.7193);
    std::vector<double> sin(count);
    std::vector<double> cos(count);
    math::sincos(x, sin, cos);
    for (std::size_t i = 0; i < count; ++i) {
      const math::SinCos one = math::sincos(x[i]);
      EXPECT_EQ(std::memcmp(&one.sin, &sin[i], 8), 0) << x[i];
      EXPECT_EQ(std::memcmp(&one.cos, &cos[i], 8), 0) << x[i];
      const double alone = math::sin(x[i]);
      EXPECT_EQ(std::memcmp(&one.sin, &alone, 8), 0) << x[i];
    }
  }
}

// The same bits on every processor: recorded once, compared everywhere.
TEST(Math, GivesTheSameBitsEverywhere) {
  std::uint64_t hash = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = (i - 5000) * 0.01237;
    const double values[] = {math::sin(x),
                             math::cos(x),
                             math::tan(x),
                             math::exp(x / 10),
                             math::atan2(x, 0.3),
                             math::log(1 + x * x),
                             math::pow(1 + x * x, 0.3),
                             math::asin(x / 100),
                             math::acos(x / 100)};
    hash = hash_bytes(hash, values, sizeof(values));
  }
  EXPECT_EQ(hex16(hash), "9769c59c0f81697b");
}

TEST(Math, HeadingsAndRotationsAgree) {
  for (double angle = -3.1; angle < 3.1; angle += 0.1) {
    const Quat q = math::from_yaw(angle);
    EXPECT_NEAR(math::yaw(q), angle, 1e-12);
    const Quat again = from_heading(heading(q));
    EXPECT_NEAR(math::yaw(again), angle, 1e-12);
    const Vec3 turned = rotate(q, {1, 0, 0});
    EXPECT_NEAR(turned.x, std::cos(angle), 1e-12);
    EXPECT_NEAR(turned.y, std::sin(angle), 1e-12);
  }
  EXPECT_NEAR(math::wrap(3 * math::kPi), -math::kPi, 1e-12);
  EXPECT_NEAR(math::wrap(-0.1), -0.1, 1e-12);
}

}  // namespace
}  // namespace strata
