// Drawings of diagrams.net as they are: pages, compression, groups, and files that nobody should trust.
#include "scenario/maps/drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "map_drawings.hpp"
#include "scenario/maps/packed_text.hpp"
#include "scenario_files.hpp"

namespace strata::maps {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const std::string& text, const DrawingLimits& limits = {}, const std::string& page = "") {
  const Result<Drawing> drawing = parse_drawing(text, "a.drawio", page, limits);
  return drawing.ok() ? "" : to_text(drawing.errors());
}

TEST(Drawing, CompressedIsTheSameAsPlain) {
  const std::string cells = shape("a", "ellipse;html=1", 10, 20, 30, 40) + line("b", "endArrow=none", 1, 2, 3, 4);
  const Result<Drawing> plain = parse_drawing(drawing(cells), "a.drawio");
  const Result<Drawing> packed =
      parse_drawing("<mxfile><diagram name=\"Page-1\">" + pack_text(model(cells)) + "</diagram></mxfile>", "a.drawio");
  ASSERT_TRUE(plain.ok()) << to_text(plain.errors());
  ASSERT_TRUE(packed.ok()) << to_text(packed.errors());
  ASSERT_EQ(plain->cells.size(), packed->cells.size());
  for (std::size_t i = 0; i < plain->cells.size(); ++i) {
    EXPECT_EQ(plain->cells[i].id, packed->cells[i].id);
    EXPECT_EQ(plain->cells[i].corner, packed->cells[i].corner);
    EXPECT_EQ(plain->cells[i].size, packed->cells[i].size);
    EXPECT_EQ(plain->cells[i].target_point, packed->cells[i].target_point);
  }
  EXPECT_EQ(plain->page_size, (Vec2{500, 400}));
}

TEST(Drawing, PackedTextComesBack) {
  const std::string text = "<a b=\"\xC3\xA4 %41 + &amp;\"/>\n";
  const Result<std::string> back = unpack_text(pack_text(text), 1000, {});
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, text);
}

TEST(Drawing, PagesByNameAndNumber) {
  const std::string text = "<mxfile><diagram name=\"One\">" + model(shape("a", "", 0, 0, 1, 1)) +
                           "</diagram><diagram name=\"Two\">" + model(shape("b", "", 0, 0, 1, 1)) +
                           "</diagram></mxfile>";
  for (const auto& [page, id] : {std::pair{"", "a"}, {"One", "a"}, {"1", "a"}, {"Two", "b"}, {"2", "b"}}) {
    const Result<Drawing> drawing = parse_drawing(text, "a.drawio", page);
    ASSERT_TRUE(drawing.ok()) << page;
    EXPECT_NE(drawing->find(id), nullptr) << page;
  }
  EXPECT_THAT(problem_of(text, {}, "Three"), AllOf(HasSubstr("no page 'Three'"), HasSubstr("Two")));
  EXPECT_THAT(problem_of(text, {}, "0"), HasSubstr("no page"));
}

TEST(Drawing, OffsetsOfGroupsAddUpInAnyOrder) {
  // The child stands before what holds it.
  const std::string cells = shape("child", "", 1, 2, 10, 10, "inner") +
                            shape("inner", "group", 10, 20, 50, 50, "outer") +
                            shape("outer", "group", 100, 200, 100, 100);
  const Result<Drawing> drawing = parse_drawing(maps::drawing(cells), "a.drawio");
  ASSERT_TRUE(drawing.ok()) << to_text(drawing.errors());
  EXPECT_EQ(drawing->find("child")->corner, (Vec2{111, 222}));
}

TEST(Drawing, DirectionTurnsTheShapeWithinItsBox) {
  const Result<Drawing> drawing =
      parse_drawing(maps::drawing(shape("a", "direction=south", 100, 100, 20, 60)), "a.drawio");
  ASSERT_TRUE(drawing.ok());
  const DrawnCell& cell = *drawing->find("a");
  EXPECT_EQ(cell.own_size(), (Vec2{60, 20}));
  EXPECT_EQ(cell.on_page({0, 0}), (Vec2{120, 100}));  // its own upper left is now on the upper right
  EXPECT_EQ(cell.on_page({60, 0}), (Vec2{120, 160}));
}

TEST(Drawing, WhatNobodyShouldTrust) {
  EXPECT_THAT(problem_of(""), HasSubstr("not well-formed"));
  EXPECT_THAT(problem_of("<mxfile><diagram>"), HasSubstr("not well-formed"));
  EXPECT_THAT(problem_of("<svg/>"), HasSubstr("not a drawing"));
  EXPECT_THAT(problem_of("<mxfile/>"), HasSubstr("no page"));
  EXPECT_THAT(problem_of("<mxfile><diagram>$$$$</diagram></mxfile>"), HasSubstr("neither XML nor compressed"));
  EXPECT_THAT(problem_of("<mxfile><diagram>AAAA</diagram></mxfile>"), HasSubstr("damaged"));
  EXPECT_THAT(problem_of(drawing(shape("a", "", 0, 0, 1, 1) + shape("a", "", 0, 0, 1, 1))), HasSubstr("two cells"));
  EXPECT_THAT(problem_of(drawing(shape("a", "", 0, 0, 1, 1, "b"))), HasSubstr("'b', which is not there"));
  EXPECT_THAT(problem_of(drawing(shape("a", "", 0, 0, 1, 1, "b") + shape("b", "", 0, 0, 1, 1, "a"))),
              HasSubstr("holds itself"));
  EXPECT_THAT(problem_of(drawing(annotated("a", "tag=\"\xC3(\"", shape("a", "", 0, 0, 1, 1)))), HasSubstr("not UTF-8"));
  EXPECT_THAT(problem_of(drawing(shape("a", "", 1e300, 0, 1, 1))), HasSubstr("sensible x"));
}

TEST(Drawing, BombsAreRefused) {
  const std::string entities =
      "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><mxfile>&b;</mxfile>";
  EXPECT_THAT(problem_of(entities), HasSubstr("entities"));
  DrawingLimits limits;
  limits.bytes = 1U << 20U;
  const std::string bomb = "<mxfile><diagram>" + pack_text(std::string(8U << 20U, ' ')) + "</diagram></mxfile>";
  ASSERT_LT(bomb.size(), limits.bytes);
  EXPECT_THAT(problem_of(bomb, limits), HasSubstr("grows beyond 1 MB"));
  EXPECT_THAT(problem_of(std::string(2U << 20U, ' '), limits), HasSubstr("larger than 1 MB"));
  limits.cells = 3;
  EXPECT_THAT(problem_of(drawing(shape("a", "", 0, 0, 1, 1) + shape("b", "", 0, 0, 1, 1)), limits),
              HasSubstr("more than 3 cells"));
}

TEST(Drawing, DeepGroupsNeedNoStack) {
  std::string cells;
  constexpr int kDepth = 20'000;
  for (int i = 0; i < kDepth; ++i)
    cells += shape("c" + std::to_string(i), "group", 1, 0, 1, 1, i + 1 < kDepth ? "c" + std::to_string(i + 1) : "1");
  const Result<Drawing> drawing = parse_drawing(maps::drawing(cells), "a.drawio");
  ASSERT_TRUE(drawing.ok());
  EXPECT_EQ(drawing->find("c0")->corner.x, kDepth);
}

}  // namespace
}  // namespace strata::maps
