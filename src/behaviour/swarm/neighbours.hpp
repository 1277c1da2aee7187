// Who is near whom: moving bodies in a grid of squares, made anew each step by counting sort.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vec.hpp"

namespace strata {

/// A body as its neighbours see it.
struct Neighbour {
  Vec2 at;
  Vec2 velocity;
  double radius = 0;
  double low = 0;  ///< absolute heights
  double high = 0;
  std::uint32_t id = 0;     ///< index given to the grid
  std::uint32_t moves = 0;  ///< 1: it takes part in avoidance and is under way
};

class NeighbourGrid {
 public:
  /// Takes over `all`, sorted into squares of `cell_m`.
  void build(const std::vector<Neighbour>& all, double cell_m);

  /// Calls visit(neighbour) for those whose centre may be within `radius` <= cell_m of a point.
  template <class Visit>
  void query(Vec2 centre, Visit&& visit) const {
    const std::int64_t x = place(centre.x);
    const std::int64_t y = place(centre.y);
    for (std::int64_t row = y - 1; row <= y + 1; ++row) {
      // Three squares of a row lie side by side, unless they wrap around the table.
      const std::uint32_t first = bucket(x - 1, row);
      if (first + 3 <= mask_ + 1) {
        for (std::uint32_t i = starts_[first]; i < starts_[first + 3]; ++i) visit(sorted_[i]);
      } else {
        for (std::int64_t column = x - 1; column <= x + 1; ++column) {
          const std::uint32_t at = bucket(column, row);
          for (std::uint32_t i = starts_[at]; i < starts_[at + 1]; ++i) visit(sorted_[i]);
        }
      }
    }
  }
  [[nodiscard]] const std::vector<Neighbour>& sorted() const { return sorted_; }

 private:
  [[nodiscard]] std::int64_t place(double metres) const;
  [[nodiscard]] std::uint32_t bucket(std::int64_t x, std::int64_t y) const {
    return (static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y) * stride_) & mask_;
  }

  double per_metre_ = 1;
  std::uint32_t mask_ = 3;
  std::uint32_t stride_ = 1;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> keys_;
  std::vector<Neighbour> sorted_;
};

}  // namespace strata
