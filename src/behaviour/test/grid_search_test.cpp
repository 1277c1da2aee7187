// Searches on grids: lengths against an exhaustive search, ways that touch nothing.
#include "behaviour/navigation/grid_search.hpp"

#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "behaviour/navigation/path_graph.hpp"

namespace strata {
namespace {

GridMap random_map(std::int32_t width, std::int32_t height, double blocked, std::uint64_t seed) {
  GridMap map(width, height, 1);
  RandomStream random(seed, 0, "grid_search_test");
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) {
      if (random.chance(blocked)) map.set({x, y}, false);
    }
  }
  return map;
}

bool may_step(const GridMap& map, Cell from, Cell to) {
  return map.free(to) && map.free({from.x, to.y}) && map.free({to.x, from.y});
}

// Dijkstra over all cells, as plain as can be.
double exhaustive(const GridMap& map, Cell start, Cell goal) {
  std::vector<double> way(static_cast<std::size_t>(map.width() * map.height()),
                          std::numeric_limits<double>::infinity());
  std::set<std::pair<double, std::uint32_t>> open;
  if (!map.free(start)) return way[0];
  way[map.index(start)] = 0;
  open.emplace(0, map.index(start));
  while (!open.empty()) {
    const auto [so_far, index] = *open.begin();
    open.erase(open.begin());
    const Cell at = map.cell(index);
    if (at == goal) return so_far;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const Cell next{at.x + dx, at.y + dy};
        if (!may_step(map, at, next)) continue;
        const double length = so_far + std::sqrt(dx * dx + dy * dy);
        double& known = way[map.index(next)];
        if (length >= known) continue;
        open.erase({known, map.index(next)});
        known = length;
        open.emplace(length, map.index(next));
      }
    }
  }
  return std::numeric_limits<double>::infinity();
}

// Walks from corner to corner of a way, step by step.
void expect_passable(const GridMap& map, const GridWay& way) {
  double length = 0;
  for (std::size_t i = 1; i < way.cells.size(); ++i) {
    Cell at = way.cells[i - 1];
    const Cell to = way.cells[i];
    while (at != to) {
      const Cell next{at.x + (to.x > at.x) - (to.x < at.x), at.y + (to.y > at.y) - (to.y < at.y)};
      ASSERT_TRUE(may_step(map, at, next));
      length += std::hypot(next.x - at.x, next.y - at.y);
      at = next;
    }
  }
  EXPECT_NEAR(length, way.length, 1e-9);
}

TEST(GridSearch, jump_search_is_as_short_as_exhaustive_search) {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const double blocked = 0.05 * static_cast<double>(seed % 10);
    const GridMap map =
        random_map(70 + static_cast<int>(seed % 3) * 30, 64 + static_cast<int>(seed % 5), blocked, seed);
    GridSearch search(map);
    RandomStream random(seed, 1, "queries");
    for (int i = 0; i < 6; ++i) {
      const auto pick = [&] {
        const auto x = random.below(static_cast<std::uint64_t>(map.width()));
        return Cell{static_cast<int>(x), static_cast<int>(random.below(static_cast<std::uint64_t>(map.height())))};
      };
      const Cell start = pick();
      const Cell goal = pick();
      const GridWay way = search.jump_search(start, goal);
      const double best = exhaustive(map, start, goal);
      ASSERT_EQ(way.complete, std::isfinite(best)) << seed << " " << i;
      if (!way.complete) continue;
      ++reached;
      ASSERT_NEAR(way.length, best, 1e-9) << seed << " " << i;
      expect_passable(map, way);
    }
  }
  EXPECT_GT(reached, 300);
}

TEST(GridSearch, any_angle_is_between_straight_and_eight_directions) {
  int bent = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const GridMap map = random_map(80, 60, 0.15, 1000 + seed);
    GridSearch search(map);
    const Cell start{2, 3};
    const Cell goal{77, 55};
    const GridWay any = search.any_angle_search(start, goal);
    const GridWay eight = search.jump_search(start, goal);
    ASSERT_EQ(any.complete, eight.complete);
    if (!any.complete) continue;
    EXPECT_GE(any.length, std::hypot(75, 52) - 1e-9);
    EXPECT_LT(any.length, eight.length * 1.02);
    bent += any.length < eight.length * 0.99 ? 1 : 0;
    for (std::size_t i = 1; i < any.cells.size(); ++i) {
      const bool beside =
          std::max(std::abs(any.cells[i].x - any.cells[i - 1].x), std::abs(any.cells[i].y - any.cells[i - 1].y)) == 1;
      EXPECT_TRUE(beside || map.in_sight(any.cells[i - 1], any.cells[i]));
    }
  }
  EXPECT_GT(bent, 15);
}

TEST(GridSearch, unreachable_goals_give_the_way_to_the_nearest_cell) {
  GridMap map(40, 40, 1);
  for (int y = 0; y < 40; ++y) map.set({20, y}, false);
  GridSearch search(map);
  for (const bool any_angle : {false, true}) {
    const GridWay way = any_angle ? search.any_angle_search({5, 10}, {30, 10}) : search.jump_search({5, 10}, {30, 10});
    EXPECT_FALSE(way.complete);
    ASSERT_FALSE(way.cells.empty());
    EXPECT_LE(way.cells.back().x, 19);
  }
  EXPECT_TRUE(search.jump_search({20, 5}, {1, 1}).cells.empty()) << "starts in a wall";
  EXPECT_TRUE(search.jump_search({1, 1}, {100, 1}).cells.empty()) << "outside";
  const GridWay none = search.jump_search({3, 3}, {3, 3});
  EXPECT_TRUE(none.complete);
  EXPECT_EQ(none.length, 0);
}

TEST(GridMap, cells_keep_the_distance_from_walls) {
  World world;
  register_components(world);
  const EntityId wall = world.create();
  world.add(wall, Pose{});
  set_body(world, wall, world.shapes().add({segment_shape({0, 0}, {10, 0}, 0.2, 1)}));
  const GridMapSpec spec{0.1, 0.3, 0, 1, {{-2, -2}, {12, 2}}};
  const GridMap map = make_grid_map(world, spec);
  EXPECT_FALSE(map.free(map.cell_at({5, 0})));
  EXPECT_FALSE(map.free(map.cell_at({5, 0.38})));
  EXPECT_TRUE(map.free(map.cell_at({5, 0.52})));
  EXPECT_FALSE(map.in_sight(map.cell_at({5, -1}), map.cell_at({5, 1})));
  EXPECT_TRUE(map.in_sight(map.cell_at({0, 1}), map.cell_at({10, 1})));
  const Cell near = map.nearest_free({5, 0.1}, 0.6);
  ASSERT_TRUE(map.contains(near));
  EXPECT_GT(map.centre(near).y, 0.4);
  EXPECT_FALSE(map.contains(map.nearest_free({5, 0.0}, 0.2)));
  // Above the wall all is free.
  const GridMap above = make_grid_map(world, {0.1, 0.3, 1.5, 2, {{-2, -2}, {12, 2}}});
  EXPECT_TRUE(above.free(above.cell_at({5, 0})));
}

TEST(PathGraph, near_points_are_one_and_lengths_count) {
  PathGraph graph(0.5);
  // Many hops around, few metres: distance decides, not the number of nodes.
  graph.add(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}});
  graph.add(std::vector<Vec3>{{0.1, 0.1, 0}, {2, 20, 0}, {4.2, 0.2, 0}});
  EXPECT_EQ(graph.nodes().size(), 6U);
  const PathGraph::Start start{graph.nearest({0, 0, 0}, 1), 0};
  const PathGraph::Way way = graph.shortest(std::span(&start, 1), graph.nearest({4, 0, 0}, 1));
  EXPECT_TRUE(way.complete);
  EXPECT_NEAR(way.length, 4, 1e-9);
  EXPECT_EQ(way.nodes.size(), 5U);
}

TEST(PathGraph, paths_that_touch_are_joined) {
  PathGraph graph(0.3);
  graph.add(std::vector<Vec3>{{0, 0, 0}, {10, 0, 0}});
  graph.add(std::vector<Vec3>{{5, 0.1, 0}, {5, 8, 0}});  // a T: begins beside the first
  const PathGraph::Start start{graph.nearest({0, 0, 0}, 1), 0};
  const PathGraph::Way way = graph.shortest(std::span(&start, 1), graph.nearest({5, 8, 0}, 1));
  EXPECT_TRUE(way.complete);
  EXPECT_NEAR(way.length, 5 + 8, 0.2);
}

TEST(PathGraph, one_way_paths_lead_one_way) {
  PathGraph graph(0.3);
  graph.add(std::vector<Vec3>{{0, 0, 0}, {10, 0, 0}}, true);
  const PathGraph::Start there{0, 0};
  const PathGraph::Start back{1, 0};
  EXPECT_TRUE(graph.shortest(std::span(&there, 1), 1).complete);
  EXPECT_FALSE(graph.shortest(std::span(&back, 1), 0).complete);
}

}  // namespace
}  // namespace strata
