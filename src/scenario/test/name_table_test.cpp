#include "scenario/name_table.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(NameTable, EachNameOnce) {
  NameTable names;
  EXPECT_FALSE(names.take("a", {"f", 1, 0, ""}));
  EXPECT_EQ(names.take("a", {"f", 2, 0, ""})->line, 1);
  EXPECT_FALSE(names.take_numbered("uav", 11, {"f", 3, 0, ""}));
  EXPECT_EQ(names.take("uav11", {})->line, 3);
  EXPECT_FALSE(names.take("uav12", {}));
  EXPECT_FALSE(names.take("uav01", {}));
  EXPECT_FALSE(names.take("uav", {}));
  EXPECT_TRUE(names.take_numbered("uav", 2, {}));
}

TEST(NameTable, NumberedGroupsMeet) {
  NameTable names;
  EXPECT_FALSE(names.take_numbered("uav1", 1, {"f", 1, 0, ""}));
  EXPECT_TRUE(names.take_numbered("uav", 11, {}));
  EXPECT_FALSE(names.take_numbered("uav", 10, {}));
  NameTable others;
  EXPECT_FALSE(others.take_numbered("uav", 11, {"f", 1, 0, ""}));
  EXPECT_TRUE(others.take_numbered("uav1", 5, {}));
  EXPECT_FALSE(others.take_numbered("uav2", 5, {}));
  EXPECT_FALSE(others.take_numbered("uavs", 1'000'000'000, {}));
  NameTable single;
  EXPECT_FALSE(single.take("b7", {"f", 1, 0, ""}));
  EXPECT_TRUE(single.take_numbered("b", 7, {}));
  EXPECT_FALSE(single.take_numbered("b", 6, {}));
}

TEST(NameTable, NamesArePlain) {
  for (const char* good : {"a", "_x", "walker-2", "Uav_3"}) EXPECT_TRUE(NameTable::is_plain(good)) << good;
  for (const char* bad : {"", "1a", "a.b", "a*", "a b", "-a", "é"}) EXPECT_FALSE(NameTable::is_plain(bad)) << bad;
}

}  // namespace
}  // namespace strata
