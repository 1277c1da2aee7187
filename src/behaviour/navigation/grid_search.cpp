#include "behaviour/navigation/grid_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/assert.hpp"

namespace strata {
namespace {

constexpr double kDiagonal = 1.4142135623730951;

double straight(Cell a, Cell b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  return std::sqrt(dx * dx + dy * dy);
}

double octile(Cell a, Cell b) {
  const double dx = std::abs(a.x - b.x);
  const double dy = std::abs(a.y - b.y);
  return std::max(dx, dy) + (kDiagonal - 1) * std::min(dx, dy);
}

std::int32_t sign(std::int32_t x) { return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0); }

// 64 cells of a row from x on, towards higher x: the lowest bit is x.
std::uint64_t ahead_up(const std::uint64_t* row, std::int32_t x) {
  const std::int32_t word = x >> 6;
  const int shift = x & 63;
  return shift == 0 ? row[word] : row[word] >> shift | row[word + 1] << (64 - shift);
}
// 64 cells from x on, towards lower x: the highest bit is x.
std::uint64_t ahead_down(const std::uint64_t* row, std::int32_t x) {
  const std::int32_t word = x >> 6;
  const int shift = 63 - (x & 63);
  return shift == 0 ? row[word] : row[word] << shift | row[word - 1] >> (64 - shift);
}

}  // namespace

GridSearch::GridSearch(const GridMap& map)
    : map_(map), nodes_(static_cast<std::size_t>(map.width()) * static_cast<std::size_t>(map.height())) {}

void GridSearch::begin(Cell start, Cell goal) {
  // Marks of old queries are never cleared: they differ. Once in two thousand million queries they all are.
  query_ += 2;
  if (query_ == 0) {
    for (Node& node : nodes_) node.mark = 0;
    query_ = 2;
  }
  goal_ = goal;
  open_.clear();
  nearest_ = map_.index(start);
  nearest_distance_ = straight(start, goal);
  reach(start, 0, map_.index(start));
}

double GridSearch::estimate(Cell cell) const { return any_angle_ ? straight(cell, goal_) : octile(cell, goal_); }

void GridSearch::push(double bound, std::uint32_t cell) {
  open_.push_back({bound, cell});
  // Equal bounds go by cell: the order must not depend on the heap.
  std::push_heap(open_.begin(), open_.end(), [](const Entry& a, const Entry& b) {
    return a.bound > b.bound || (a.bound == b.bound && a.cell > b.cell);
  });
}

std::optional<Cell> GridSearch::pop() {
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), [](const Entry& a, const Entry& b) {
      return a.bound > b.bound || (a.bound == b.bound && a.cell > b.cell);
    });
    const std::uint32_t cell = open_.back().cell;
    open_.pop_back();
    Node& node = nodes_[cell];
    if (node.mark == (query_ | 1U)) continue;  // a better entry came first
    node.mark = query_ | 1U;
    return map_.cell(cell);
  }
  return std::nullopt;
}

void GridSearch::reach(Cell cell, double way, std::uint32_t parent) {
  const std::uint32_t index = map_.index(cell);
  Node& node = nodes_[index];
  if ((node.mark | 1U) == (query_ | 1U) && node.way <= way) return;
  node = {way, parent, query_};
  const double left = straight(cell, goal_);
  if (left < nearest_distance_ || (left == nearest_distance_ && index < nearest_)) {
    nearest_ = index;
    nearest_distance_ = left;
  }
  push(way + estimate(cell), index);
}

GridWay GridSearch::trace(Cell end) const {
  GridWay way;
  way.complete = end == goal_;
  way.length = nodes_[map_.index(end)].way;
  std::uint32_t at = map_.index(end);
  way.cells.push_back(end);
  while (nodes_[at].parent != at) {
    at = nodes_[at].parent;
    way.cells.push_back(map_.cell(at));
  }
  std::reverse(way.cells.begin(), way.cells.end());
  return way;
}

GridWay GridSearch::jump_search(Cell start, Cell goal) {
  if (!map_.free(start) || !map_.contains(goal)) return {};
  any_angle_ = false;
  begin(start, goal);
  while (const std::optional<Cell> cell = pop()) {
    if (*cell == goal) return trace(goal);
    expand(*cell);
  }
  return trace(map_.cell(nearest_));
}

// Where it can be worth going on from a cell that was entered in direction `came`: everything else is reached at least
// as well another way. After a straight step an obstacle behind and beside opens the way around it.
std::uint32_t GridSearch::directions_from(Cell cell, Direction came, Direction* out) const {
  std::uint32_t count = 0;
  const auto free = [&](std::int32_t dx, std::int32_t dy) { return map_.rows().get(cell.x + dx, cell.y + dy); };
  if (came.x == 0 && came.y == 0) {
    for (std::int32_t dy = -1; dy <= 1; ++dy) {
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        if (dx != 0 || dy != 0) out[count++] = {dx, dy};
      }
    }
    return count;
  }
  out[count++] = came;
  if (came.x != 0 && came.y != 0) {
    out[count++] = {came.x, 0};
    out[count++] = {0, came.y};
    return count;
  }
  for (const std::int32_t side : {1, -1}) {
    const Direction aside{came.y * side, came.x * side};
    if (!free(aside.x, aside.y) || free(aside.x - came.x, aside.y - came.y)) continue;
    out[count++] = aside;
    out[count++] = {aside.x + came.x, aside.y + came.y};
  }
  return count;
}

void GridSearch::expand(Cell cell) {
  const std::uint32_t index = map_.index(cell);
  const Node node = nodes_[index];
  const Cell parent = map_.cell(node.parent);
  Direction directions[8];
  const std::uint32_t count = directions_from(cell, {sign(cell.x - parent.x), sign(cell.y - parent.y)}, directions);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const std::optional<Cell> next = jump(cell, directions[i])) reach(*next, node.way + octile(cell, *next), index);
  }
}

std::optional<Cell> GridSearch::jump(Cell from, Direction d) const {
  const auto horizontal = [&](Cell at) {
    return jump_straight(map_.rows(), at.x, at.y, d.x, goal_.x, goal_.y == at.y);
  };
  const auto vertical = [&](Cell at) {
    return jump_straight(map_.columns(), at.y, at.x, d.y, goal_.y, goal_.x == at.x);
  };
  if (d.y == 0) {
    const std::int32_t steps = horizontal(from);
    return steps == 0 ? std::nullopt : std::optional<Cell>({from.x + d.x * steps, from.y});
  }
  if (d.x == 0) {
    const std::int32_t steps = vertical(from);
    return steps == 0 ? std::nullopt : std::optional<Cell>({from.x, from.y + d.y * steps});
  }
  Cell at = from;
  const BitGrid& free = map_.rows();
  while (free.get(at.x + d.x, at.y) && free.get(at.x, at.y + d.y) && free.get(at.x + d.x, at.y + d.y)) {
    at = {at.x + d.x, at.y + d.y};
    if (at == goal_ || horizontal(at) != 0 || vertical(at) != 0) return at;
  }
  return std::nullopt;
}

std::int32_t GridSearch::jump_straight(const BitGrid& grid, std::int32_t along, std::int32_t across, std::int32_t step,
                                       std::int32_t goal_along, bool goal_on_line) {
  const std::uint64_t* line = grid.row(across);
  const std::uint64_t* left = grid.row(across - 1);
  const std::uint64_t* right = grid.row(across + 1);
  const std::int32_t to_goal = goal_on_line ? (goal_along - along) * step : 0;
  // Counts the cells ahead of `along`; the first bit of a window is the cell that comes next. A cell stops the jump if
  // beside it is free and beside the one before is not.
  for (std::int32_t done = 0;; done += 64) {
    std::uint64_t free = 0;
    std::uint64_t stops = 0;
    if (step > 0) {
      const std::int32_t x = along + done + 1;
      free = ahead_up(line, x);
      stops = (ahead_up(left, x) & ~ahead_up(left, x - 1)) | (ahead_up(right, x) & ~ahead_up(right, x - 1));
    } else {
      const std::int32_t x = along - done - 1;
      free = ahead_down(line, x);
      stops = (ahead_down(left, x) & ~ahead_down(left, x + 1)) | (ahead_down(right, x) & ~ahead_down(right, x + 1));
    }
    const int wall = step > 0 ? std::countr_one(free) : std::countl_one(free);
    const int stop = step > 0 ? std::countr_zero(stops) : std::countl_zero(stops);
    if (to_goal > done && to_goal <= done + std::min(wall, stop)) return to_goal;
    if (stop < wall) return done + stop + 1;
    if (wall < 64) return 0;
  }
}

// Lazy Theta*: a cell takes over the parent of its predecessor, trusting that it is in sight, and looks only when it is
// its turn.
GridWay GridSearch::any_angle_search(Cell start, Cell goal) {
  if (!map_.free(start) || !map_.contains(goal)) return {};
  any_angle_ = true;
  begin(start, goal);
  while (const std::optional<Cell> cell = pop()) {
    settle_sight(*cell);
    if (*cell == goal) return trace(goal);
    expand_any_angle(*cell);
  }
  return trace(map_.cell(nearest_));
}

void GridSearch::settle_sight(Cell cell) {
  Node& node = nodes_[map_.index(cell)];
  if (map_.in_sight(map_.cell(node.parent), cell)) return;
  double best = 0;
  bool found = false;
  for (std::int32_t dy = -1; dy <= 1; ++dy) {
    for (std::int32_t dx = -1; dx <= 1; ++dx) {
      const Cell from{cell.x + dx, cell.y + dy};
      if ((dx == 0 && dy == 0) || !map_.free(from) || !map_.free({from.x, cell.y}) || !map_.free({cell.x, from.y}))
        continue;
      const Node& neighbour = nodes_[map_.index(from)];
      if (neighbour.mark != (query_ | 1U)) continue;
      const double way = neighbour.way + (dx != 0 && dy != 0 ? kDiagonal : 1);
      if (found && way >= best) continue;
      best = way;
      found = true;
      node.way = way;
      node.parent = map_.index(from);
    }
  }
  STRATA_ASSERT(found, "a cell on the way was reached from a neighbour");
}

void GridSearch::expand_any_angle(Cell cell) {
  const Node node = nodes_[map_.index(cell)];
  const Cell parent = map_.cell(node.parent);
  const double base = nodes_[node.parent].way;
  for (std::int32_t dy = -1; dy <= 1; ++dy) {
    for (std::int32_t dx = -1; dx <= 1; ++dx) {
      const Cell next{cell.x + dx, cell.y + dy};
      if ((dx == 0 && dy == 0) || !map_.free(next) || !map_.free({next.x, cell.y}) || !map_.free({cell.x, next.y}))
        continue;
      if (nodes_[map_.index(next)].mark == (query_ | 1U)) continue;
      reach(next, base + straight(parent, next), node.parent);
    }
  }
}

}  // namespace strata
