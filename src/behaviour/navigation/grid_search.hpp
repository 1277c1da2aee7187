// Shortest ways on a grid. `jump_search` finds the shortest 8-connected way (no cutting of corners) by jump points,
// reading 64 cells at a time; `any_angle_search` lets ways bend anywhere in sight. Both keep their working memory
// between queries, so that a query costs what it visits. Not shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "behaviour/navigation/grid_map.hpp"

namespace strata {

struct GridWay {
  std::vector<Cell> cells;  ///< from start to goal; those between two lie on the line
  double length = 0;        ///< in cells
  bool complete = false;    ///< false: it ends at the reachable cell nearest to the goal
};

class GridSearch {
 public:
  explicit GridSearch(const GridMap& map);

  /// Empty if start or goal is blocked; not complete if the goal cannot be reached.
  [[nodiscard]] GridWay jump_search(Cell start, Cell goal);
  [[nodiscard]] GridWay any_angle_search(Cell start, Cell goal);

 private:
  struct Node {
    double way = 0;  // from the start
    std::uint32_t parent = 0;
    std::uint32_t mark = 0;  // of the query that wrote it; its lowest bit: done
  };
  struct Entry {
    double bound = 0;
    std::uint32_t cell = 0;
  };
  struct Direction {
    std::int32_t x = 0;
    std::int32_t y = 0;
  };

  void begin(Cell start, Cell goal);
  [[nodiscard]] double estimate(Cell cell) const;
  void push(double bound, std::uint32_t cell);
  std::optional<Cell> pop();
  void reach(Cell cell, double way, std::uint32_t parent);
  [[nodiscard]] GridWay trace(Cell end) const;

  [[nodiscard]] std::uint32_t directions_from(Cell cell, Direction came, Direction* out) const;
  void expand(Cell cell);
  [[nodiscard]] std::optional<Cell> jump(Cell from, Direction direction) const;
  /// Steps along x (or y, on the exchanged grid) to the next jump point; 0 if there is none.
  [[nodiscard]] static std::int32_t jump_straight(const BitGrid& grid, std::int32_t along, std::int32_t across,
                                                  std::int32_t step, std::int32_t goal_along, bool goal_on_line);
  void expand_any_angle(Cell cell);
  void settle_sight(Cell cell);

  const GridMap& map_;
  std::vector<Node> nodes_;
  std::vector<Entry> open_;
  std::uint32_t query_ = 0;
  Cell goal_;
  bool any_angle_ = false;
  std::uint32_t nearest_ = 0;  // reached, to the goal
  double nearest_distance_ = 0;
};

}  // namespace strata
