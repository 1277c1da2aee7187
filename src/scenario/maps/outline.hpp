// Outlines of drawn things: convex polygons and circles in the plane, cut into pieces and cut open by doors. The same
// for drawing units and metres.
#pragma once

#include <optional>
#include <vector>

#include "base/vec.hpp"

namespace strata::maps {

/// A convex polygon, or a circle if `radius` > 0 (then `points` holds its centre alone).
struct Outline {
  std::vector<Vec2> points;
  double radius = 0;
};

[[nodiscard]] Outline rectangle(Vec2 low, Vec2 high);
/// A straight wall; its ends are flat and reach half a thickness beyond, so that corners close.
[[nodiscard]] Outline wall_between(Vec2 from, Vec2 to, double thickness);
/// A regular polygon about as large as the ellipse: it covers it.
[[nodiscard]] Outline covering_ellipse(Vec2 centre, Vec2 half);

/// Any simple polygon as convex ones; nothing if it crosses itself or has no area.
[[nodiscard]] std::optional<std::vector<Outline>> convex_pieces(std::vector<Vec2> polygon);

/// Takes the opening, a rectangle by its corners in order, out of a piece of wall. A wall that is thinner than the
/// opening is wide is cut through; from anything else only the opening itself is taken.
[[nodiscard]] std::vector<Outline> cut_open(const Outline& piece, const std::vector<Vec2>& opening);

/// Twice the signed area; positive if counter-clockwise with y upward.
[[nodiscard]] double doubled_area(const std::vector<Vec2>& polygon);
[[nodiscard]] Vec2 centroid(const std::vector<Vec2>& polygon);

/// A rectangle in any direction: how a box is written.
struct Box {
  Vec2 centre;
  Vec2 axis{1, 0};  ///< unit vector along the length
  double length = 0;
  double width = 0;
};
/// The outline as a box, if it is one.
[[nodiscard]] std::optional<Box> as_box(const Outline& outline);

}  // namespace strata::maps
