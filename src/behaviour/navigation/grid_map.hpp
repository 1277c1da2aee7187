// Where a robot of a given size can be: a grid of free and blocked cells over the static world. Made by navigation,
// read by planners. The distances that make a cell free are chosen so that a body that goes from the centre of one free
// cell to that of the next, or along a line of sight, touches nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "world/geometry.hpp"
#include "world/world.hpp"

namespace strata {

struct Cell {
  std::int32_t x = 0;
  std::int32_t y = 0;
  constexpr bool operator==(const Cell&) const = default;
};

/// Bits by row; a cell outside is blocked. One word of margin on either side lets searches read without tests.
class BitGrid {
 public:
  BitGrid() = default;
  BitGrid(std::int32_t width, std::int32_t height);
  [[nodiscard]] bool get(std::int32_t x, std::int32_t y) const {
    return ((row(y)[x >> 6] >> (x & 63)) & 1U) != 0;  // x = -1 and x = width lie in the margin
  }
  void set(std::int32_t x, std::int32_t y, bool value);
  /// Words of row y, from x = 0 on; words -1 and one past the last may be read. y from -1 to height.
  [[nodiscard]] const std::uint64_t* row(std::int32_t y) const {
    return &words_[static_cast<std::size_t>(y + 1) * stride_ + 1];
  }

 private:
  std::size_t stride_ = 0;
  std::vector<std::uint64_t> words_;
};

class GridMap {
 public:
  GridMap() = default;
  /// All cells free.
  GridMap(std::int32_t width, std::int32_t height, double cell_m, Vec2 origin = {});

  [[nodiscard]] std::int32_t width() const { return width_; }
  [[nodiscard]] std::int32_t height() const { return height_; }
  [[nodiscard]] double cell_m() const { return cell_m_; }
  [[nodiscard]] std::uint32_t index(Cell cell) const {
    return static_cast<std::uint32_t>(cell.y) * static_cast<std::uint32_t>(width_) + static_cast<std::uint32_t>(cell.x);
  }
  [[nodiscard]] Cell cell(std::uint32_t index) const {
    return {static_cast<std::int32_t>(index % static_cast<std::uint32_t>(width_)),
            static_cast<std::int32_t>(index / static_cast<std::uint32_t>(width_))};
  }
  [[nodiscard]] bool contains(Cell cell) const {
    return cell.x >= 0 && cell.y >= 0 && cell.x < width_ && cell.y < height_;
  }
  [[nodiscard]] Cell cell_at(Vec2 point) const;
  [[nodiscard]] Vec2 centre(Cell cell) const {
    return {origin_.x + (cell.x + 0.5) * cell_m_, origin_.y + (cell.y + 0.5) * cell_m_};
  }

  /// Whether a body may stand in the middle of the cell. False outside.
  [[nodiscard]] bool free(Cell cell) const { return contains(cell) && rows_.get(cell.x, cell.y); }
  /// Whether it may go anywhere within the cell.
  [[nodiscard]] bool open(Cell cell) const { return contains(cell) && open_.get(cell.x, cell.y); }
  void set(Cell cell, bool free, bool open);
  void set(Cell cell, bool free) { set(cell, free, free); }

  /// Whether the straight way between two centres runs through open cells only, its ends excepted.
  [[nodiscard]] bool in_sight(Cell from, Cell to) const;
  /// The free cell nearest to a point, no farther than `within`; contains() is false for it if there is none.
  [[nodiscard]] Cell nearest_free(Vec2 point, double within) const;

  /// Free cells by row, and by column (x and y exchanged).
  [[nodiscard]] const BitGrid& rows() const { return rows_; }
  [[nodiscard]] const BitGrid& columns() const { return columns_; }

 private:
  std::int32_t width_ = 0;
  std::int32_t height_ = 0;
  double cell_m_ = 1;
  Vec2 origin_;
  BitGrid rows_;
  BitGrid columns_;
  BitGrid open_;
};

/// What the static world looks like to bodies between two heights.
struct GridMapSpec {
  double cell_m = 0.1;
  double radius_m = 0;  ///< of the body, with the distance it keeps
  double low_m = 0;     ///< absolute heights it occupies
  double high_m = 1;
  geometry::Box area;  ///< at least this is covered
};
/// The number of cells it would have: to be checked before it is made.
[[nodiscard]] double cell_count(const World& world, const GridMapSpec& spec);
/// Equal numbers, by index of the cell, for cells that can be reached from each other; 0 for blocked ones.
[[nodiscard]] std::vector<std::uint32_t> regions_of(const GridMap& map);

[[nodiscard]] GridMap make_grid_map(const World& world, const GridMapSpec& spec);

}  // namespace strata
