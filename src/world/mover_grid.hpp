// Index of everything that moves, made anew each step by counting sort. Each mover is the disc that contains its whole
// motion of the step. Movers of similar size share a level with its own cell size, so that a truck among ants costs the
// ants nothing. Cells are hashed: the world has no bounds, and far-away groups do not make the cells coarser.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel/thread_pool.hpp"
#include "world/geometry.hpp"

namespace strata {

/// A body and its motion during one step, as the narrow phase reads it.
struct Mover {
  Vec3 from;
  Vec3 move;
  double radius = 0;
  double low = 0;  ///< height range relative to the position
  double high = 0;
  double reach = 0;  ///< radius of the disc about middle() that contains the motion
  std::uint64_t shape_set = 0;
  std::uint32_t row = 0;  ///< in the server's table of movers

  [[nodiscard]] Vec2 middle() const { return {from.x + 0.5 * move.x, from.y + 0.5 * move.y}; }
};

class MoverGrid {
 public:
  /// Sorts `movers` into the grid. They can be read back in sorted order: neighbours are near in memory.
  void build(const std::vector<Mover>& movers, ThreadPool& threads);
  [[nodiscard]] const std::vector<Mover>& sorted() const { return sorted_; }
  [[nodiscard]] std::vector<Mover>& sorted() { return sorted_; }
  /// Where row r of the table went.
  [[nodiscard]] std::uint32_t place(std::uint32_t row) const { return places_[row]; }

  /// Calls visit(mover) for each mover whose disc may reach into the disc (centre, radius); each at most once. Some far
  /// ones come along: the caller tests.
  template <class Visit>
  void query(Vec2 centre, double radius, Visit&& visit) const {
    query_places(centre, radius, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) visit(sorted_[i]);
    });
  }
  /// The same as ranges begin .. end-1 of places in sorted().
  template <class Visit>
  void query_places(Vec2 centre, double radius, Visit&& visit) const {
    for (const Level& level : levels_) visit_level(level, centre, radius + level.reach, visit);
  }
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Level {
    int exponent = 0;
    double reach = 0;      // largest of its movers
    double per_metre = 0;  // cells
    std::uint32_t mask = 0;
    std::uint32_t shift = 0;        // log2 of buckets per row of cells
    std::uint32_t first_start = 0;  // in starts_
    std::uint32_t begin = 0;        // in sorted_
    std::uint32_t end = 0;
  };

  static std::int64_t cell(double metres, double per_metre) {
    const double scaled = metres * per_metre;
    const auto truncated = static_cast<std::int64_t>(scaled);
    return truncated - (static_cast<double>(truncated) > scaled ? 1 : 0);
  }
  static std::uint32_t bucket(const Level& level, std::int64_t x, std::int64_t y) {
    return (static_cast<std::uint32_t>(x) + (static_cast<std::uint32_t>(y) << level.shift)) & level.mask;
  }

  template <class Visit>
  void visit_level(const Level& level, Vec2 centre, double reach, Visit&& visit) const {
    const std::int64_t x0 = cell(centre.x - reach, level.per_metre);
    const std::int64_t x1 = cell(centre.x + reach, level.per_metre);
    const std::int64_t y0 = cell(centre.y - reach, level.per_metre);
    const std::int64_t y1 = cell(centre.y + reach, level.per_metre);
    const std::int64_t width = x1 - x0 + 1;
    // A box that wraps around the table would meet movers twice: then the whole level is visited.
    if (((y1 - y0) << level.shift) + width > static_cast<std::int64_t>(level.mask) ||
        y1 - y0 > static_cast<std::int64_t>(level.mask)) {
      visit(level.begin, level.end);
      return;
    }
    const std::uint32_t* starts = &starts_[level.first_start];
    for (std::int64_t y = y0; y <= y1; ++y) {
      const std::uint32_t first = bucket(level, x0, y);
      const std::uint32_t last = first + static_cast<std::uint32_t>(width);  // one past
      if (last <= level.mask + 1) {
        visit(starts[first], starts[last]);
      } else {
        visit(starts[first], starts[level.mask + 1]);
        visit(starts[0], starts[last - level.mask - 1]);
      }
    }
  }

  void find_levels(const std::vector<Mover>& movers);
  [[nodiscard]] const Level& level_of(double reach) const;

  std::vector<Level> levels_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> places_;
  std::vector<Mover> sorted_;
};

}  // namespace strata
