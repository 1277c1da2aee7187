#include "scenario/placement.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.hpp"
#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PlacementTest : public ScenarioTest {
 protected:
  /// Positions of all robots.
  std::vector<Pose> poses(const std::string& text) {
    const Result<Scenario> scenario = load(text);
    EXPECT_TRUE(scenario.ok()) << (scenario.ok() ? "" : to_text(scenario.errors()));
    if (!scenario.ok()) return {};
    const auto built = build(*scenario, registry_);
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : to_text(built.errors()));
    if (!built.ok()) return {};
    overlaps_ = 0;
    Simulation& simulation = *(*built)->simulation;
    simulation.server().refresh(simulation.world());
    overlaps_ = simulation.server().overlaps(simulation.world()).size();
    std::vector<Pose> out;
    for (const EntityId robot : (*built)->robots) out.push_back(*simulation.world().get<Pose>(robot));
    return out;
  }
  std::size_t overlaps_ = 0;
};

TEST_F(PlacementTest, Grid) {
  const auto p = poses(
      "strata: 1\nrobots:\n  a: {count: 5, place: {grid: {from: [1, 2], spacing: 0.5 m, columns: 2, heading: 90 "
      "deg}}}\n");
  ASSERT_EQ(p.size(), 5U);
  EXPECT_EQ(p[0].position, (Vec3{1, 2, 0}));
  EXPECT_EQ(p[3].position, (Vec3{1.5, 2.5, 0}));
  EXPECT_EQ(p[4].position, (Vec3{1, 3, 0}));
  EXPECT_NEAR(math::yaw(p[0].orientation), math::kPi / 2, 1e-12);
}

TEST_F(PlacementTest, LineCircleAndList) {
  const auto line = poses("strata: 1\nrobots:\n  a: {count: 3, place: {line: {from: [0, 0], to: [4, 2]}}}\n");
  EXPECT_EQ(line[1].position, (Vec3{2, 1, 0}));
  EXPECT_EQ(line[2].position, (Vec3{4, 2, 0}));
  const auto circle =
      poses("strata: 1\nrobots:\n  a: {count: 4, place: {circle: {centre: [1, 1], radius: 2 m, heading: inward}}}\n");
  EXPECT_NEAR(circle[1].position.y, 3, 1e-12);
  EXPECT_NEAR(math::yaw(circle[1].orientation), -math::kPi / 2, 1e-12);
  const auto list = poses("strata: 1\nrobots:\n  a: {at: [[0, 0], [1, 0, 2]], heading: 180 deg}\n");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].position, (Vec3{1, 0, 2}));
  EXPECT_EQ(poses("strata: 1\nrobots:\n  a: {at: [3, 4]}\n")[0].position, (Vec3{3, 4, 0}));
}

TEST_F(PlacementTest, RandomKeepsItsArea) {
  const char* const text =
      "strata: 1\nseed: {}\nworld:\n  objects: [{{shape: box, length: 4 m, width: 4 m, at: [5, 5]}}]\nrobots:\n"
      "  a: {{count: 200, place: {{random: {{area: [[0, 0], [10, 10]], clearance: 0.05 m}}}}}}\n";
  const auto first = poses(fmt::format(fmt::runtime(text), 1));
  ASSERT_EQ(first.size(), 200U);
  EXPECT_EQ(overlaps_, 0U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Vec3 p = first[i].position;
    EXPECT_TRUE(p.x >= 0 && p.x <= 10 && p.y >= 0 && p.y <= 10);
    EXPECT_TRUE(std::max(std::abs(p.x - 5), std::abs(p.y - 5)) >= 2.15) << p.x << " " << p.y;
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE(length(p - first[j].position), 0.35 - 1e-9);
  }
  EXPECT_EQ(poses(fmt::format(fmt::runtime(text), 1))[77].position, first[77].position);
  EXPECT_NE(poses(fmt::format(fmt::runtime(text), 2))[77].position, first[77].position);
}

TEST_F(PlacementTest, OtherGroupsDoNotMoveARandomOne) {
  const std::string area = "place: {random: {area: [[0, 0], [100, 100]]}}";
  const auto alone = poses("strata: 1\nrobots:\n  a: {count: 5, " + area + "}\n");
  const auto second = poses("strata: 1\nrobots:\n  b: {at: [200, 0]}\n  a: {count: 5, " + area + "}\n");
  EXPECT_EQ(alone[4].position, second[5].position);
}

TEST_F(PlacementTest, FixedRobotsComeFirst) {
  const auto p = poses(
      "strata: 1\nrobots:\n  a: {count: 30, place: {random: {area: [[0, 0], [4, 4]]}}}\n  b: {at: [[1, 1], [2, 2], [3, "
      "3]]}\n");
  EXPECT_EQ(p.size(), 33U);
  EXPECT_EQ(overlaps_, 0U);
}

TEST_F(PlacementTest, LargeAndSmallFindRoomTogether) {
  const auto p = poses(
      "strata: 1\nrobots:\n  big: {count: 5, body: {shape: box, length: 4 m, width: 1 m}, place: {random: {area: [[0, "
      "0], [30, 30]]}}}\n"
      "  small: {count: 500, body: {shape: circle, radius: 0.05 m}, place: {random: {area: [[0, 0], [30, 30]]}}}\n");
  EXPECT_EQ(p.size(), 505U);
  EXPECT_EQ(overlaps_, 0U);
}

TEST_F(PlacementTest, AFullAreaSaysHowMany) {
  const Errors errors =
      errors_of("strata: 1\nrobots:\n  crowd:\n    count: 100\n    place: {random: {area: [[0, 0], [1, 1]]}}\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].where.line, 5);
  EXPECT_THAT(errors[0].problem,
              ::testing::MatchesRegex("the area is too full: only [0-9]+ of 100 robots of 'crowd' found a place"));
  EXPECT_THAT(errors[0].remedy, HasSubstr("enlarge the area"));
}

TEST_F(PlacementTest, RobotsInWallsAndInEachOther) {
  const Errors errors = errors_of(R"(strata: 1
world:
  walls:
    - {from: [0, 0], to: [10, 0]}
robots:
  a:
    at: [5, 0.1]
  b:
    at: [[2, 2], [2.2, 2], [7, 7]]
override:
  b3: {at: [5, 5]}
)");
  const std::string file = files_.path("scenario.yaml");
  EXPECT_EQ(brief(errors), "7: 'a' at (5, 0.1) overlaps 'wall1' (" + file +
                               ":4) | move one of them, make them smaller, or use place: {random: {area: ...}}\n"
                               "9: 'b2' at (2.2, 2) overlaps 'b1' (" +
                               file + ":9) | move one of them, make them smaller, or use place: {random: {area: ...}}");
}

TEST_F(PlacementTest, LongWallsAreSolidAllAlong) {
  for (const char* x : {"0.5", "250", "499.5"}) {
    EXPECT_THAT(brief(errors_of(fmt::format(
                    "strata: 1\nworld:\n  walls: [{{from: [0, 0], to: [500, 1]}}]\nrobots:\n  a: {{at: [{}, {}]}}\n", x,
                    std::stod(x) / 500))),
                HasSubstr("overlaps 'wall1'"));
  }
}

TEST_F(PlacementTest, AboveEachOtherIsNoOverlap) {
  EXPECT_EQ(poses("strata: 1\nrobots:\n  a: {at: [[0, 0, 0], [0, 0, 0.3], [0, 0, 0.6]]}\n").size(), 3U);
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {at: [[0, 0, 0], [0, 0, 0.29]]}\n")), HasSubstr("overlaps"));
}

TEST_F(PlacementTest, TouchingIsNoOverlap) {
  EXPECT_EQ(poses("strata: 1\nrobots:\n  a: {count: 100, place: {grid: {spacing: 0.3 m}}}\n").size(), 100U);
}

TEST_F(PlacementTest, CountsMustFit) {
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {count: 3, at: [[0, 0], [1, 1]]}\n")),
              StartsWith("3: 3 robots, but 2 points"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {at: [0, 0], place: grid}\n")),
              StartsWith("3: both 'place' and 'at'"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {at: [dock_1, dock_2]}\n")),
              HasSubstr("no place has the tag 'dock_1'"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {at: []}\n")), HasSubstr("empty"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {count: 2, place: {random: {area: [[0, 0]]}}}\n")),
              HasSubstr("two corners"));
  EXPECT_THAT(brief(errors_of(
                  "strata: 1\nrobots:\n  a: {count: 2, place: {random: {area: [[0, 0], [1, 1]], heading: north}}}\n")),
              HasSubstr("'north' is no heading | write an angle like '45 deg' or random"));
}

TEST_F(PlacementTest, ManyOverlapsAreFewErrors) {
  const Errors errors = errors_of("strata: 1\nrobots:\n  a: {count: 1000, place: {grid: {spacing: 0.01 m}}}\n");
  EXPECT_GE(errors.size(), 1U);
  EXPECT_LE(errors.size(), 20U);
}

TEST_F(PlacementTest, AHundredThousandRobotsArePlaced) {
  const auto p = poses(
      "strata: 1\nrobots:\n  a: {count: 100000, body: {shape: circle, radius: 0.085 m}, place: {random: {area: [[0, "
      "0], [316, 316]], clearance: 0.05 m}}}\n");
  EXPECT_EQ(p.size(), 100'000U);
  EXPECT_EQ(overlaps_, 0U);
}

}  // namespace
}  // namespace strata
