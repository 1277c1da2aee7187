#include "world/geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.hpp"

namespace strata::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Interval kAlways{-kInfinity, kInfinity};

std::optional<Interval> intersect(Interval a, Interval b) {
  const Interval both{std::max(a.in, b.in), std::min(a.out, b.out)};
  if (both.in > both.out) return std::nullopt;
  return both;
}

void widen(std::optional<Interval>& whole, std::optional<Interval> part) {
  if (!part) return;
  if (!whole) {
    whole = part;
  } else {
    whole->in = std::min(whole->in, part->in);
    whole->out = std::max(whole->out, part->out);
  }
}

// Where the line is on the inner side of the edge a -> b of a counter-clockwise polygon, its outline moved out by
// `extra`.
std::optional<Interval> clip_edge(Vec2 a, Vec2 b, Vec2 origin, Vec2 direction, double extra, Interval within) {
  const Vec2 edge = b - a;
  const Vec2 outward{edge.y, -edge.x};
  const double depth = dot(a - origin, outward) + extra * length(edge);
  const double speed = dot(direction, outward);
  if (speed == 0) return depth >= 0 ? std::optional(within) : std::nullopt;
  const double t = depth / speed;
  return speed > 0 ? intersect(within, {-kInfinity, t}) : intersect(within, {t, kInfinity});
}

std::optional<Interval> cross_polygon(std::span<const Vec2> points, Vec2 origin, Vec2 direction, double extra) {
  std::optional<Interval> inside = kAlways;
  for (std::size_t i = 0; i < points.size() && inside; ++i) {
    inside = clip_edge(points[i], points[(i + 1) % points.size()], origin, direction, extra, *inside);
  }
  return inside;
}

Vec2 nearest_on_segment(Vec2 a, Vec2 b, Vec2 p) {
  const Vec2 ab = b - a;
  const double size = length_squared(ab);
  if (size == 0) return a;
  const double t = std::clamp(dot(p - a, ab) / size, 0.0, 1.0);
  return a + ab * t;
}

constexpr std::size_t kMostPoints = 64;

struct Hull {  // a shape's points in world coordinates
  std::array<Vec2, kMostPoints> points;
  std::size_t count = 0;
  [[nodiscard]] Vec2 at(std::size_t i) const { return points[i < count ? i : 0]; }
};

void place(const Shape& shape, const Frame& frame, Hull& hull) {
  hull.count = shape.points.size();
  for (std::size_t i = 0; i < hull.count; ++i) hull.points[i] = to_world(frame, shape.points[i]);
}

// The axis among a's edge normals along which b is farthest outside a; negative if b reaches inside all of them.
struct Axis {
  double gap = -kInfinity;
  Vec2 outward;
};
Axis widest_gap(const Hull& a, const Hull& b) {
  Axis best;
  if (a.count < 2) return best;
  for (std::size_t i = 0; i < a.count; ++i) {
    const Vec2 edge = a.at(i + 1) - a.points[i];
    const double size = length(edge);
    if (size == 0) continue;
    const Vec2 outward{edge.y / size, -edge.x / size};
    double gap = kInfinity;
    for (std::size_t j = 0; j < b.count; ++j) gap = std::min(gap, dot(b.points[j] - a.points[i], outward));
    if (gap > best.gap) best = {gap, outward};
  }
  return best;
}

}  // namespace

Box bounds(const Shape& shape, const Frame& frame) {
  Box box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  for (const Vec2 local : shape.points) {
    const Vec2 p = to_world(frame, local);
    box.low = {std::min(box.low.x, p.x - shape.radius), std::min(box.low.y, p.y - shape.radius)};
    box.high = {std::max(box.high.x, p.x + shape.radius), std::max(box.high.y, p.y + shape.radius)};
  }
  return box;
}

std::optional<Interval> cross_circle(Vec2 origin, Vec2 direction, double radius) {
  const double a = dot(direction, direction);
  const double c = dot(origin, origin) - radius * radius;
  if (a == 0) return c <= 0 ? std::optional(kAlways) : std::nullopt;
  const double b = dot(origin, direction);
  const double root = b * b - a * c;
  if (root < 0) return std::nullopt;
  const double s = std::sqrt(root);
  return Interval{(-b - s) / a, (-b + s) / a};
}

std::optional<Interval> cross_slab(double z, double dz, double low, double high) {
  if (dz == 0) return z >= low && z <= high ? std::optional(kAlways) : std::nullopt;
  const double a = (low - z) / dz;
  const double b = (high - z) / dz;
  return Interval{std::min(a, b), std::max(a, b)};
}

std::optional<Interval> cross_shape(const Shape& shape, Vec2 origin, Vec2 direction, double extra) {
  const double radius = shape.radius + extra;
  const std::span<const Vec2> points = shape.points;
  if (points.size() == 1) return cross_circle(origin - points[0], direction, radius);
  // The outline moved out by the radius contains the rounded shape: a cheap way to say no, and exact without rounding.
  if (points.size() > 2) {
    const std::optional<Interval> hull = cross_polygon(points, origin, direction, radius);
    if (!hull || radius <= 0) return hull;
  }
  // The rounded shape is the union of the polygon, a rectangle along every edge and a disc at every corner. It is
  // convex, so the line's part inside is one interval.
  std::optional<Interval> whole;
  if (points.size() > 2) whole = cross_polygon(points, origin, direction, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i];
    const Vec2 b = points[(i + 1) % points.size()];
    widen(whole, cross_circle(origin - a, direction, radius));
    const Vec2 edge = b - a;
    const double size = length(edge);
    if (size == 0) continue;
    const Vec2 side = Vec2{edge.y, -edge.x} * (radius / size);
    const std::array<Vec2, 4> rectangle{a - side, a + side, b + side, b - side};
    widen(whole, cross_polygon(rectangle, origin, direction, 0));
  }
  return whole;
}

Separation separation(const Shape& a, const Frame& frame_a, const Shape& b, const Frame& frame_b) {
  Hull ha;
  Hull hb;
  place(a, frame_a, ha);
  place(b, frame_b, hb);
  const double rounding = a.radius + b.radius;
  // Overlapping hulls have no nearest points; the axis of least depth tells how to part them.
  if (ha.count > 1 || hb.count > 1) {
    const Axis of_a = widest_gap(ha, hb);
    const Axis of_b = widest_gap(hb, ha);
    if (of_a.gap <= 0 && of_b.gap <= 0) {
      const bool use_a = of_a.gap > of_b.gap;
      const double gap = use_a ? of_a.gap : of_b.gap;
      const Vec2 normal = use_a ? -of_a.outward : of_b.outward;
      return {gap - rounding, normal, (frame_a.at + frame_b.at) * 0.5};
    }
  }
  double best = kInfinity;
  Vec2 on_a;
  Vec2 on_b;
  const auto try_pair = [&](Vec2 pa, Vec2 pb) {
    const double d = length_squared(pa - pb);
    if (d < best) {
      best = d;
      on_a = pa;
      on_b = pb;
    }
  };
  for (std::size_t i = 0; i < ha.count; ++i) {
    for (std::size_t j = 0; j < hb.count; ++j) {
      try_pair(ha.points[i], nearest_on_segment(hb.points[j], hb.at(j + 1), ha.points[i]));
      try_pair(nearest_on_segment(ha.points[i], ha.at(i + 1), hb.points[j]), hb.points[j]);
    }
  }
  const double distance = std::sqrt(best);
  const Vec2 apart = on_a - on_b;
  const Vec2 normal = distance > 0 ? apart * (1 / distance) : Vec2{1, 0};
  const Vec2 edge_a = on_a - normal * a.radius;
  const Vec2 edge_b = on_b + normal * b.radius;
  return {distance - rounding, normal, (edge_a + edge_b) * 0.5};
}

std::optional<Impact> meet_circles(Vec2 offset, Vec2 move, double radii, std::optional<Interval> heights) {
  if (!heights) return std::nullopt;
  const double reach = radii + kSkin;
  const std::optional<Interval> flat = cross_circle(offset, move, reach);
  if (!flat) return std::nullopt;
  const std::optional<Interval> both = intersect(*flat, *heights);
  if (!both || both->in > 1 || both->out < 0) return std::nullopt;
  const bool from_side = flat->in >= heights->in;
  const double t = std::max(both->in, 0.0);
  // In contact already: only a further approach is blocked.
  if (both->in < 0 && from_side && dot(offset, move) >= 0) return std::nullopt;
  if (!from_side) return Impact{t, {}};
  const Vec2 at = offset + move * t;
  const double size = length(at);
  return Impact{t, size > 0 ? at * (1 / size) : Vec2{1, 0}};
}

namespace {

struct Pair {
  const Shape& a;
  const Sweep& sweep_a;
  const Shape& b;
  const Sweep& sweep_b;
};

Frame frame_at(const Sweep& sweep, double t) {
  const Vec2 start = strata::heading(sweep.orientation);
  const Vec2 at = (sweep.from + sweep.move * t).xy();
  if (sweep.turn == 0) return {at, start};
  const math::SinCos turned = math::sincos(sweep.turn * t);
  return {at, {start.x * turned.cos - start.y * turned.sin, start.x * turned.sin + start.y * turned.cos}};
}

std::optional<Interval> height_contact(const Pair& p) {
  // a's range is [za + a.low, za + a.high]: they overlap while za - zb is within these bounds. Standing on each other's
  // top or bottom does not count.
  const double dz = p.sweep_a.move.z - p.sweep_b.move.z;
  const double z = p.sweep_a.from.z - p.sweep_b.from.z;
  return cross_slab(z, dz, p.b.low - p.a.high + kSkin, p.b.high - p.a.low - kSkin);
}

double farthest(const Shape& shape) {
  double far = 0;
  for (const Vec2 point : shape.points) far = std::max(far, length(point));
  return far;
}

// Neither turns: the first shape, if a single disc, is a point moving against the second grown by its radius.
std::optional<Impact> meet_disc(const Shape& disc, const Sweep& disc_sweep, const Shape& other,
                                const Sweep& other_sweep, Interval heights) {
  const Frame other_frame = frame_at(other_sweep, 0);
  const Frame disc_frame = frame_at(disc_sweep, 0);
  const Vec2 origin = to_local(other_frame, to_world(disc_frame, disc.points[0]));
  const Vec2 direction = turn_into(other_frame, (disc_sweep.move - other_sweep.move).xy());
  const std::optional<Interval> flat = cross_shape(other, origin, direction, disc.radius + kSkin);
  if (!flat) return std::nullopt;
  const std::optional<Interval> both = intersect(*flat, heights);
  if (!both || both->in > 1 || both->out < 0) return std::nullopt;
  const double t = std::max(both->in, 0.0);
  if (flat->in < heights.in) return Impact{t, {}};
  const Separation gap = separation(disc, {disc_frame.at + (disc_sweep.move * t).xy(), disc_frame.heading}, other,
                                    {other_frame.at + (other_sweep.move * t).xy(), other_frame.heading});
  if (both->in < 0 && dot(gap.normal, (disc_sweep.move - other_sweep.move).xy()) >= 0) return std::nullopt;
  return Impact{t, gap.normal};
}

// Conservative advancement: as long as an axis parts the two, they cannot touch sooner than their motion along that
// axis and their turning allow. Never steps farther, so it cannot jump over a contact.
std::optional<Impact> meet_hulls(const Pair& p, Interval heights) {
  const Vec2 move = (p.sweep_a.move - p.sweep_b.move).xy();
  const double turning = std::abs(p.sweep_a.turn) * farthest(p.a) + std::abs(p.sweep_b.turn) * farthest(p.b);
  const double end = std::min(1.0, heights.out);
  double t = std::max(0.0, heights.in);
  double threshold = kSkin;
  Vec2 normal;
  constexpr int kMostRounds = 200;
  for (int round = 0; round < kMostRounds; ++round) {
    const Separation gap = separation(p.a, frame_at(p.sweep_a, t), p.b, frame_at(p.sweep_b, t));
    const double approach = turning - dot(move, gap.normal);
    normal = gap.normal;
    if (gap.distance <= threshold) {
      if (round == 0 && heights.in > 0) return Impact{t, {}};
      if (approach <= 0) return std::nullopt;
      if (round > 0 || turning == 0) return Impact{t, normal};
      // In contact from the start and turning: which way it goes only a look ahead can tell.
      const double ahead = std::min(1.0, 0.5 * kSkin / approach);
      const Separation next = separation(p.a, frame_at(p.sweep_a, ahead), p.b, frame_at(p.sweep_b, ahead));
      if (next.distance < gap.distance - 1e-12) return Impact{0, normal};
      if (gap.distance <= 0) return std::nullopt;
      threshold = 0.5 * gap.distance;
    }
    if (approach <= 0) return std::nullopt;
    // Half of the threshold further than strictly safe, so that the approach ends in finitely many rounds.
    t += std::max((gap.distance - 0.5 * threshold) / approach, 1e-9);
    if (t > end) return std::nullopt;
  }
  return Impact{t, normal};
}

std::optional<Impact> meet_shapes(const Pair& p) {
  const std::optional<Interval> heights = height_contact(p);
  if (!heights || heights->in > 1 || heights->out < 0) return std::nullopt;
  const bool disc_a = p.a.points.size() == 1;
  const bool disc_b = p.b.points.size() == 1;
  // A disc at the body's position does not care about its own turning.
  const bool a_stays = p.sweep_a.turn == 0 || (disc_a && p.a.points[0] == Vec2{});
  const bool b_stays = p.sweep_b.turn == 0 || (disc_b && p.b.points[0] == Vec2{});
  if (a_stays && b_stays && disc_a) return meet_disc(p.a, p.sweep_a, p.b, p.sweep_b, *heights);
  if (a_stays && b_stays && disc_b) {
    std::optional<Impact> impact = meet_disc(p.b, p.sweep_b, p.a, p.sweep_a, *heights);
    if (impact) impact->normal = -impact->normal;
    return impact;
  }
  return meet_hulls(p, *heights);
}

}  // namespace

std::optional<Impact> meet(const ShapeLibrary& library, const ShapeSet& a, const Sweep& sweep_a, const Shape& b,
                           const Sweep& sweep_b) {
  std::optional<Impact> first;
  for (const Shape& shape_a : library.shapes(a)) {
    const std::optional<Impact> impact = meet_shapes({shape_a, sweep_a, b, sweep_b});
    if (impact && (!first || impact->fraction < first->fraction)) first = impact;
  }
  return first;
}

std::optional<Impact> meet(const ShapeLibrary& library, const ShapeSet& a, const Sweep& sweep_a, const ShapeSet& b,
                           const Sweep& sweep_b) {
  std::optional<Impact> first;
  for (const Shape& shape_b : library.shapes(b)) {
    const std::optional<Impact> impact = meet(library, a, sweep_a, shape_b, sweep_b);
    if (impact && (!first || impact->fraction < first->fraction)) first = impact;
  }
  return first;
}

}  // namespace strata::geometry
