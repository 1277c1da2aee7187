#include "behaviour/navigation/grid_map.hpp"

#include <algorithm>
#include <cmath>

#include "world/static_index.hpp"

namespace strata {
namespace {

constexpr double kHalfDiagonal = 0.70710678118654752;  // of a cell of side 1

geometry::Box covered_area(const StaticIndex& statics, const GridMapSpec& spec) {
  geometry::Box box = spec.area;
  for (const StaticIndex::Item& item : statics.items()) {
    box.low = {std::min(box.low.x, item.box.low.x), std::min(box.low.y, item.box.low.y)};
    box.high = {std::max(box.high.x, item.box.high.x), std::max(box.high.y, item.box.high.y)};
  }
  // Room to go around what stands at the edge.
  const double margin = 2 * spec.radius_m + 4 * spec.cell_m;
  return {{box.low.x - margin, box.low.y - margin}, {box.high.x + margin, box.high.y + margin}};
}

std::int32_t cells(double length, double cell_m) { return static_cast<std::int32_t>(std::ceil(length / cell_m)); }

// Distance from a point to the shape; not more than needed is exact inside of it.
double distance_to(const StaticIndex::Item& item, Vec2 point) {
  static const Shape kPoint{{{0, 0}}, 0, 0, 0};
  return geometry::separation(kPoint, {point, {1, 0}}, *item.shape, item.frame).distance;
}

void block(GridMap& map, const StaticIndex::Item& item, double free_from, double open_from) {
  const Cell low = map.cell_at({item.box.low.x - open_from, item.box.low.y - open_from});
  const Cell high = map.cell_at({item.box.high.x + open_from, item.box.high.y + open_from});
  for (std::int32_t y = std::max(low.y, 0); y <= std::min(high.y, map.height() - 1); ++y) {
    for (std::int32_t x = std::max(low.x, 0); x <= std::min(high.x, map.width() - 1); ++x) {
      const Cell cell{x, y};
      if (!map.free(cell)) continue;
      const double distance = distance_to(item, map.centre(cell));
      if (distance < free_from) {
        map.set(cell, false, false);
      } else if (distance < open_from) {
        map.set(cell, true, false);
      }
    }
  }
}

}  // namespace

BitGrid::BitGrid(std::int32_t width, std::int32_t height)
    : stride_(static_cast<std::size_t>(width + 63) / 64 + 2),
      words_(stride_ * (static_cast<std::size_t>(height) + 2), 0) {}

void BitGrid::set(std::int32_t x, std::int32_t y, bool value) {
  std::uint64_t& word = words_[static_cast<std::size_t>(y + 1) * stride_ + 1 + static_cast<std::size_t>(x >> 6)];
  const std::uint64_t bit = std::uint64_t{1} << (x & 63);
  word = value ? word | bit : word & ~bit;
}

GridMap::GridMap(std::int32_t width, std::int32_t height, double cell_m, Vec2 origin)
    : width_(width),
      height_(height),
      cell_m_(cell_m),
      origin_(origin),
      rows_(width, height),
      columns_(height, width),
      open_(width, height) {
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) set({x, y}, true, true);
  }
}

Cell GridMap::cell_at(Vec2 point) const {
  // Far away points stay in the range of the type.
  const auto place = [&](double metres) {
    return static_cast<std::int32_t>(std::clamp(std::floor(metres / cell_m_), -1e9, 1e9));
  };
  return {place(point.x - origin_.x), place(point.y - origin_.y)};
}

void GridMap::set(Cell cell, bool free, bool open) {
  rows_.set(cell.x, cell.y, free);
  columns_.set(cell.y, cell.x, free);
  open_.set(cell.x, cell.y, open);
}

bool GridMap::in_sight(Cell from, Cell to) const {
  // Every cell that the line enters; through a corner it goes only if both cells beside it are open.
  const std::int32_t dx = std::abs(to.x - from.x);
  const std::int32_t dy = std::abs(to.y - from.y);
  const std::int32_t sx = to.x > from.x ? 1 : -1;
  const std::int32_t sy = to.y > from.y ? 1 : -1;
  const auto passable = [&](Cell cell) { return cell == from || cell == to || open(cell); };
  Cell at = from;
  std::int64_t error = static_cast<std::int64_t>(dx) - dy;
  while (at != to) {
    if (error == 0) {
      if (!passable({at.x + sx, at.y}) || !passable({at.x, at.y + sy})) return false;
      at = {at.x + sx, at.y + sy};
      error += 2 * (static_cast<std::int64_t>(dx) - dy);
    } else if (error > 0) {
      at.x += sx;
      error -= 2 * static_cast<std::int64_t>(dy);
    } else {
      at.y += sy;
      error += 2 * static_cast<std::int64_t>(dx);
    }
    if (!passable(at)) return false;
  }
  return true;
}

Cell GridMap::nearest_free(Vec2 point, double within) const {
  const Cell home = cell_at(point);
  if (free(home)) return home;
  const auto rings = static_cast<std::int32_t>(std::ceil(within / cell_m_)) + 1;
  Cell best{-1, -1};
  double nearest = within;
  for (std::int32_t ring = 0; ring <= rings; ++ring) {
    if ((ring - 1) * cell_m_ > nearest) break;  // the next rings are farther
    for (std::int32_t y = home.y - ring; y <= home.y + ring; ++y) {
      const bool edge = y == home.y - ring || y == home.y + ring;
      for (std::int32_t x = home.x - ring; x <= home.x + ring; x += edge || ring == 0 ? 1 : 2 * ring) {
        const double distance = length(centre({x, y}) - point);
        if (!free({x, y}) || distance > nearest || (contains(best) && distance == nearest)) continue;
        best = {x, y};
        nearest = distance;
      }
    }
  }
  return best;
}

double cell_count(const World& world, const GridMapSpec& spec) {
  StaticIndex statics;
  statics.build(world);
  const geometry::Box box = covered_area(statics, spec);
  return std::ceil((box.high.x - box.low.x) / spec.cell_m) * std::ceil((box.high.y - box.low.y) / spec.cell_m);
}

std::vector<std::uint32_t> regions_of(const GridMap& map) {
  std::vector<std::uint32_t> regions(static_cast<std::size_t>(map.width()) * static_cast<std::size_t>(map.height()), 0);
  std::vector<Cell> front;
  std::uint32_t region = 0;
  for (std::int32_t y = 0; y < map.height(); ++y) {
    for (std::int32_t x = 0; x < map.width(); ++x) {
      if (!map.free({x, y}) || regions[map.index({x, y})] != 0) continue;
      regions[map.index({x, y})] = ++region;
      front.push_back({x, y});
      // Diagonal steps need both cells beside them: four directions reach the same cells.
      while (!front.empty()) {
        const Cell at = front.back();
        front.pop_back();
        for (const Cell next :
             {Cell{at.x + 1, at.y}, Cell{at.x - 1, at.y}, Cell{at.x, at.y + 1}, Cell{at.x, at.y - 1}}) {
          if (!map.free(next) || regions[map.index(next)] != 0) continue;
          regions[map.index(next)] = region;
          front.push_back(next);
        }
      }
    }
  }
  return regions;
}

GridMap make_grid_map(const World& world, const GridMapSpec& spec) {
  StaticIndex statics;
  statics.build(world);
  const geometry::Box box = covered_area(statics, spec);
  GridMap map(cells(box.high.x - box.low.x, spec.cell_m), cells(box.high.y - box.low.y, spec.cell_m), spec.cell_m,
              box.low);
  // Two centres at this distance from a convex body: the line between them stays at least a radius away.
  const double half = kHalfDiagonal * spec.cell_m;
  const double free_from = std::sqrt(spec.radius_m * spec.radius_m + half * half);
  const double open_from = spec.radius_m + half;
  for (const StaticIndex::Item& item : statics.items()) {
    if (item.high <= spec.low_m || item.low >= spec.high_m) continue;
    block(map, item, free_from, open_from);
  }
  return map;
}

}  // namespace strata
