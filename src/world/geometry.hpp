// Questions about placed footprints: where does a ray enter one, how far apart are two, when do two moving ones touch.
// Pure functions; the world server puts them together.
#pragma once

#include <optional>

#include "base/vec.hpp"
#include "world/components.hpp"
#include "world/shapes.hpp"

namespace strata::geometry {

/// A shape's frame: where it stands and where its x axis points (a unit vector).
struct Frame {
  Vec2 at;
  Vec2 heading{1, 0};
};
[[nodiscard]] inline Frame frame_of(const Pose& pose) {
  return {pose.position.xy(), strata::heading(pose.orientation)};
}
[[nodiscard]] inline Vec2 to_world(const Frame& frame, Vec2 local) {
  return {frame.at.x + frame.heading.x * local.x - frame.heading.y * local.y,
          frame.at.y + frame.heading.y * local.x + frame.heading.x * local.y};
}
[[nodiscard]] inline Vec2 turn_into(const Frame& frame, Vec2 world) {
  return {frame.heading.x * world.x + frame.heading.y * world.y, frame.heading.x * world.y - frame.heading.y * world.x};
}
[[nodiscard]] inline Vec2 to_local(const Frame& frame, Vec2 world) { return turn_into(frame, world - frame.at); }

struct Box {
  Vec2 low;
  Vec2 high;
  [[nodiscard]] bool touches(const Box& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y;
  }
};
[[nodiscard]] Box bounds(const Shape& shape, const Frame& frame);

/// Part of a line origin + t * direction, by its parameter.
struct Interval {
  double in;
  double out;
};

/// Where the line through a circle about the origin runs inside it. `direction` need not have unit length.
[[nodiscard]] std::optional<Interval> cross_circle(Vec2 origin, Vec2 direction, double radius);
/// Where the line runs inside the shape grown by `extra`; origin and direction in the shape's frame. A zero direction
/// gives everything or nothing.
[[nodiscard]] std::optional<Interval> cross_shape(const Shape& shape, Vec2 origin, Vec2 direction, double extra);
/// Where z + t * dz lies within [low, high].
[[nodiscard]] std::optional<Interval> cross_slab(double z, double dz, double low, double high);

/// How far two shapes are apart and the direction from the second to the first. Negative: they overlap by that much.
struct Separation {
  double distance;
  Vec2 normal;
  Vec2 point;  ///< half way between the nearest points
};
[[nodiscard]] Separation separation(const Shape& a, const Frame& frame_a, const Shape& b, const Frame& frame_b);

/// The motion of a body during a step, as far as shapes are concerned: its path is straight, its turn even.
struct Sweep {
  Vec3 from;
  Vec3 move;
  Quat orientation;
  double turn = 0;  ///< about z, radians over the whole step
};

struct Impact {
  double fraction;  ///< of the step, in [0, 1]
  Vec2 normal;      ///< towards the first body; zero when they meet from above or below
};

/// Bodies keep this distance: what stops at a contact never overlaps by rounding.
inline constexpr double kSkin = 1e-5;

/// First contact of two circles in relative motion; `offset` and `move` are those of the first as seen from the second.
[[nodiscard]] std::optional<Impact> meet_circles(Vec2 offset, Vec2 move, double radii, std::optional<Interval> heights);
/// First contact of a set of shapes with a single one.
[[nodiscard]] std::optional<Impact> meet(const ShapeLibrary& library, const ShapeSet& a, const Sweep& sweep_a,
                                         const Shape& b, const Sweep& sweep_b);
/// First contact of two sets of shapes, each moving by its sweep. Bodies in contact that do not approach do not meet.
[[nodiscard]] std::optional<Impact> meet(const ShapeLibrary& library, const ShapeSet& a, const Sweep& sweep_a,
                                         const ShapeSet& b, const Sweep& sweep_b);

}  // namespace strata::geometry
