#include "annotate/library_costs.hpp"

#include <gtest/gtest.h>

namespace strata::annotate {
namespace {

TEST(LibraryCosts, ReadsAndWrites) {
  const std::string line = "memcpy arg2 0:8:5 16:12:6 4096:210:260";
  const auto costs = parse_library_costs("# a table\n\n" + line + "\nsin const 0:60:45\n", "table");
  ASSERT_TRUE(costs.ok()) << to_text(costs.errors());
  ASSERT_EQ(costs->size(), 2U);
  const LibraryCost& copy = costs->at("memcpy");
  EXPECT_EQ(copy.measure, Measure::kArgument);
  EXPECT_EQ(copy.argument, 2U);
  EXPECT_EQ(to_text(copy), line);
  EXPECT_DOUBLE_EQ(cost_at(copy, 0).instructions, 8);
  EXPECT_DOUBLE_EQ(cost_at(copy, 8).instructions, 10);
  EXPECT_DOUBLE_EQ(cost_at(copy, 16).cycles, 6);
  EXPECT_DOUBLE_EQ(cost_at(copy, 8176).instructions, 408);  // the last line goes on
  EXPECT_DOUBLE_EQ(cost_at(costs->at("sin"), 1e9).instructions, 60);
}

TEST(LibraryCosts, ReportsAllMistakes) {
  const auto costs =
      parse_library_costs("a\nb arg 0:1:1\nc const\nd const 0:1\ne arg1 4:1:1 4:2:2\nf const 0:-1:2\n", "t");
  ASSERT_FALSE(costs.ok());
  EXPECT_EQ(costs.errors().size(), 6U);
  EXPECT_EQ(costs.errors()[4].where.line, 5);
}

}  // namespace
}  // namespace strata::annotate
