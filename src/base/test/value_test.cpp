#include "base/value.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Value, MapsKeepTheirOrder) {
  Value map;
  map.set("b", Value::scalar("1"));
  map.set("a", Value::scalar("2"));
  map.set("b", Value::scalar("3"));
  ASSERT_TRUE(map.is_map());
  ASSERT_EQ(map.members().size(), 2U);
  EXPECT_EQ(map.members()[0].first, "b");
  EXPECT_EQ(map.find("b")->text(), "3");
  map.erase("b");
  EXPECT_EQ(map.find("b"), nullptr);
}

TEST(Value, SaysWhatItIs) {
  EXPECT_EQ(Value().kind_text(), "nothing");
  EXPECT_EQ(Value::scalar("x").kind_text(), "'x'");
  EXPECT_EQ(Value::list().kind_text(), "a list");
  EXPECT_EQ(Value::map().kind_text(), "a map");
  EXPECT_LT(Value::scalar(std::string(1000, 'x')).kind_text().size(), 60U);
}

}  // namespace
}  // namespace strata
