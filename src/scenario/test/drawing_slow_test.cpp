// Drawings of 100 MB: read or refused, never a hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "map_drawings.hpp"
#include "scenario/maps/drawing.hpp"

namespace strata::maps {
namespace {

constexpr std::size_t kLarge = 100U << 20U;

TEST(LargeDrawing, OneHugeLabel) {
  const std::string text =
      drawing("<mxCell id=\"a\" value=\"" + std::string(kLarge, 'x') + "\" vertex=\"1\" parent=\"1\">" +
              "<mxGeometry width=\"1\" height=\"1\" as=\"geometry\"/></mxCell>");
  const Result<Drawing> large = parse_drawing(text, "a.drawio");
  ASSERT_TRUE(large.ok());
  EXPECT_LT(large->cells.back().label.size(), 100U);
}

TEST(LargeDrawing, TooManyCells) {
  std::string cells;
  for (int i = 0; cells.size() < kLarge; ++i) cells += shape("c" + std::to_string(i), "", i, i, 1, 1);
  const Result<Drawing> large = parse_drawing(drawing(cells), "a.drawio");
  ASSERT_FALSE(large.ok());
  EXPECT_THAT(large.errors().front().problem, ::testing::HasSubstr("more than 100000 cells"));
}

TEST(LargeDrawing, NestedWithoutEnd) {
  std::string text;
  for (std::size_t i = 0; i < kLarge / 10; ++i) text += "<mxfile>";
  const Result<Drawing> large = parse_drawing(text, "a.drawio");
  ASSERT_FALSE(large.ok());
}

}  // namespace
}  // namespace strata::maps
