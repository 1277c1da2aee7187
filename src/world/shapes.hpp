// Shapes of bodies: convex footprints extruded over a height range. A footprint is the hull of a few points, rounded by
// a radius: a circle is one point, a capsule two, a box four. An entity has a set of them; sets are immutable and
// shared.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "base/vec.hpp"

namespace strata {

struct Shape {
  std::vector<Vec2> points;  ///< convex, counter-clockwise, in the body's frame
  double radius = 0;         ///< rounding
  double low = 0;            ///< height range relative to the body's position
  double high = 1;
};

[[nodiscard]] Shape circle_shape(double radius, double height);
/// Centred on the body, x along `length`.
[[nodiscard]] Shape box_shape(double length, double width, double height);
/// A wall between two points given in the body's frame.
[[nodiscard]] Shape segment_shape(Vec2 from, Vec2 to, double thickness, double height);
/// Fails unless the points form a convex polygon with some area; orders them counter-clockwise.
[[nodiscard]] Result<Shape> polygon_shape(std::vector<Vec2> points, double height, const Where& where = {});

/// Several shapes with their common bounds.
struct ShapeSet {
  std::vector<Shape> shapes;
  double radius = 0;  ///< of the bounding circle about the body's position
  double low = 0;
  double high = 0;
  bool is_circle = false;  ///< a single circle at the body's position: the fast path
};

/// Sets stay where they are: references to them and to their shapes remain valid.
class ShapeLibrary {
 public:
  /// Index of a set of these shapes; an equal set that exists already is used again.
  std::uint32_t add(std::vector<Shape> shapes);
  [[nodiscard]] const ShapeSet& set(std::uint64_t index) const { return sets_[index]; }
  [[nodiscard]] static std::span<const Shape> shapes(const ShapeSet& set) { return set.shapes; }
  [[nodiscard]] std::span<const Shape> shapes(std::uint64_t index) const { return shapes(sets_[index]); }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }

 private:
  std::deque<ShapeSet> sets_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_content_;
};

}  // namespace strata
