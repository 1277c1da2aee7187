#include "base/units.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace strata {
namespace {

double si(std::string_view text) {
  const Result<Quantity> quantity = parse_quantity(text);
  return quantity.ok() ? quantity->si : std::nan("");
}

TEST(Units, ReadsQuantitiesIntoSi) {
  EXPECT_DOUBLE_EQ(si("20 ms"), 0.02);
  EXPECT_DOUBLE_EQ(si("20ms"), 0.02);
  EXPECT_DOUBLE_EQ(si("0.8 m/s"), 0.8);
  EXPECT_DOUBLE_EQ(si("1.5 GHz"), 1.5e9);
  EXPECT_DOUBLE_EQ(si("5 %"), 0.05);
  EXPECT_DOUBLE_EQ(si("45 deg"), std::atan(1));
  EXPECT_DOUBLE_EQ(si("2 kg"), 2);
  EXPECT_DOUBLE_EQ(si("20 Wh"), 72000);
  EXPECT_DOUBLE_EQ(si("1 per h"), 1 / 3600.0);
  EXPECT_DOUBLE_EQ(si("2 Mbit/s"), 2e6);
  EXPECT_DOUBLE_EQ(si("9.81 m/s^2"), 9.81);
  EXPECT_DOUBLE_EQ(si("5 J/m"), 5);
  EXPECT_DOUBLE_EQ(si("-3 cm"), -0.03);
}

TEST(Units, KeepsDimensionsApart) {
  EXPECT_NE(dimension_of("rad/s"), dimension_of("Hz"));
  EXPECT_EQ(dimension_of("W"), dimension_of("J/s"));
  EXPECT_EQ(dimension_of("N"), dimension_of("kg*m/s^2"));
  EXPECT_TRUE(dimension_of("%").dimensionless());
}

TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text :
       {"", "m", "abc", "1 parsec", "nan", "inf", "1e999", "1 m/", "1 /", "1 m//s", "0x10 m", "1,5 m"}) {
    EXPECT_FALSE(parse_quantity(text).ok()) << text;
  }
  EXPECT_FALSE(parse_number("1 m").ok());
  EXPECT_FALSE(parse_quantity(std::string(10'000, 'm')).ok());
}

TEST(Units, SuggestsTheUnitThatWasMeant) {
  const Result<Quantity> quantity = parse_quantity("3 degs");
  ASSERT_FALSE(quantity.ok());
  EXPECT_EQ(quantity.errors().front().problem, "unknown unit 'degs'");
  EXPECT_EQ(quantity.errors().front().remedy, "did you mean 'deg'?");
}

TEST(Units, DurationsNeedAUnitOfTime) {
  EXPECT_EQ(*parse_duration("30s"), Duration::from_seconds(30));
  EXPECT_EQ(*parse_duration("5 min"), Duration::from_seconds(300));
  EXPECT_EQ(*parse_duration("365 days"), Duration::from_seconds(365 * 86400.0));
  EXPECT_FALSE(parse_duration("30").ok());
  EXPECT_FALSE(parse_duration("30 m").ok());
  EXPECT_FALSE(parse_duration("400000 days").ok());
}

TEST(Units, FormattedQuantitiesReadBackExactly) {
  for (const char* unit : {"m", "ms", "deg", "Wh", "%", "km", ""}) {
    for (double value : {0.1, 1.0 / 3, 12345.678, 1e-7, -2.5, 0.0}) {
      const double given = si(format_quantity(value, unit));
      EXPECT_EQ(given, value) << value << " " << unit;
    }
  }
}

}  // namespace
}  // namespace strata
