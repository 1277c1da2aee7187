#include "scenario/maps/outline.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace strata::maps {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr double kTiny = 1e-9;
constexpr std::size_t kMostCorners = 2000;  // finding ears takes the square of it

/// The part of a convex polygon where `normal` . p <= `limit`.
std::vector<Vec2> clipped(const std::vector<Vec2>& polygon, Vec2 normal, double limit) {
  std::vector<Vec2> out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 a = polygon[i];
    const Vec2 b = polygon[(i + 1) % polygon.size()];
    const double da = dot(normal, a) - limit;
    const double db = dot(normal, b) - limit;
    if (da <= 0) out.push_back(a);
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) out.push_back(a + (da / (da - db)) * (b - a));
  }
  return out;
}

bool has_area(const std::vector<Vec2>& polygon) {
  return polygon.size() >= 3 && std::abs(doubled_area(polygon)) > kTiny;
}

bool is_convex(const std::vector<Vec2>& polygon) {
  double sign = 0;
  double turn = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 a = polygon[i];
    const Vec2 b = polygon[(i + 1) % polygon.size()];
    const Vec2 c = polygon[(i + 2) % polygon.size()];
    const double bend = cross(b - a, c - b);
    if (std::abs(bend) <= kTiny) continue;
    if (sign * bend < 0) return false;
    sign = bend;
    turn += math::atan2(bend, dot(b - a, c - b));
  }
  // More than one turn: a star.
  return sign != 0 && std::abs(turn) < kTwoPi * 1.01;
}

bool inside(Vec2 p, Vec2 a, Vec2 b, Vec2 c) {
  return cross(b - a, p - a) >= -kTiny && cross(c - b, p - b) >= -kTiny && cross(a - c, p - c) >= -kTiny;
}

/// Corners that are the same point, or in the middle of a straight side, say nothing.
std::vector<Vec2> without_needless(const std::vector<Vec2>& polygon) {
  std::vector<Vec2> distinct;
  for (const Vec2 point : polygon) {
    if (distinct.empty() || length(point - distinct.back()) > kTiny) distinct.push_back(point);
  }
  while (distinct.size() > 1 && length(distinct.front() - distinct.back()) <= kTiny) distinct.pop_back();
  std::vector<Vec2> out;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const Vec2 before = distinct[(i + distinct.size() - 1) % distinct.size()];
    const Vec2 after = distinct[(i + 1) % distinct.size()];
    if (std::abs(cross(distinct[i] - before, after - distinct[i])) > kTiny) out.push_back(distinct[i]);
  }
  return out;
}

bool is_ear(const std::vector<Vec2>& rest, std::size_t i) {
  const std::size_t n = rest.size();
  const Vec2 a = rest[(i + n - 1) % n];
  const Vec2 b = rest[i];
  const Vec2 c = rest[(i + 1) % n];
  if (cross(b - a, c - b) <= kTiny) return false;
  return std::none_of(rest.begin(), rest.end(),
                      [&](Vec2 p) { return p != a && p != b && p != c && inside(p, a, b, c); });
}

}  // namespace

Outline rectangle(Vec2 low, Vec2 high) { return {{low, {high.x, low.y}, high, {low.x, high.y}}, 0}; }

Outline wall_between(Vec2 from, Vec2 to, double thickness) {
  const Vec2 along = (1 / length(to - from)) * (to - from);
  const Vec2 half = (0.5 * thickness) * along;
  const Vec2 side = perpendicular(half);
  return {{from - half - side, to + half - side, to + half + side, from - half + side}, 0};
}

Outline covering_ellipse(Vec2 centre, Vec2 half) {
  constexpr int kCorners = 16;
  Outline out;
  const double reach = 1 / math::cos(kTwoPi / (2 * kCorners));
  for (int i = 0; i < kCorners; ++i) {
    const Vec2 direction = math::unit(kTwoPi * (i + 0.5) / kCorners);
    out.points.push_back(centre + reach * Vec2{half.x * direction.x, half.y * direction.y});
  }
  return out;
}

double doubled_area(const std::vector<Vec2>& polygon) {
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i)
    sum += cross(polygon[i] - polygon[0], polygon[(i + 1) % polygon.size()] - polygon[0]);
  return sum;
}

Vec2 centroid(const std::vector<Vec2>& polygon) {
  Vec2 sum;
  for (const Vec2 point : polygon) sum = sum + point;
  return (1.0 / static_cast<double>(polygon.size())) * sum;
}

std::optional<std::vector<Outline>> convex_pieces(std::vector<Vec2> polygon) {
  std::vector<Vec2> rest = without_needless(polygon);
  if (!has_area(rest) || rest.size() > kMostCorners) return std::nullopt;
  if (doubled_area(rest) < 0) std::reverse(rest.begin(), rest.end());
  if (is_convex(rest)) return std::vector<Outline>{{std::move(rest), 0}};
  // Ears cut off one by one; a polygon that crosses itself runs out of them.
  std::vector<Outline> out;
  while (rest.size() > 3) {
    std::size_t ear = 0;
    while (ear < rest.size() && !is_ear(rest, ear)) ++ear;
    if (ear == rest.size()) return std::nullopt;
    const std::size_t n = rest.size();
    out.push_back({{rest[(ear + n - 1) % n], rest[ear], rest[(ear + 1) % n]}, 0});
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
    rest = without_needless(rest);
    if (rest.size() < 3) return out;
  }
  out.push_back({std::move(rest), 0});
  return out;
}

std::vector<Outline> cut_open(const Outline& piece, const std::vector<Vec2>& opening) {
  const std::vector<Vec2> polygon =
      piece.radius > 0 ? covering_ellipse(piece.points.front(), {piece.radius, piece.radius}).points : piece.points;
  const double width = length(opening[1] - opening[0]);
  const double depth = length(opening[2] - opening[1]);
  const Vec2 u = (1 / width) * (opening[1] - opening[0]);
  const Vec2 v = (1 / depth) * (opening[2] - opening[1]);
  const double left = dot(u, opening[0]);
  const double low = dot(v, opening[0]);

  const std::vector<Vec2> within = clipped(clipped(polygon, u, left + width), -u, -left);
  const std::vector<Vec2> overlap = clipped(clipped(within, v, low + depth), -v, -low);
  if (!has_area(overlap)) return {piece};
  std::vector<Outline> out;
  const auto keep = [&](std::vector<Vec2> part) {
    if (has_area(part)) out.push_back({std::move(part), 0});
  };
  keep(clipped(polygon, u, left));
  keep(clipped(polygon, -u, -(left + width)));
  double nearest = dot(v, within.front());
  double farthest = nearest;
  for (const Vec2 point : within) {
    nearest = std::min(nearest, dot(v, point));
    farthest = std::max(farthest, dot(v, point));
  }
  if (farthest - nearest > width) {
    keep(clipped(within, v, low));
    keep(clipped(within, -v, -(low + depth)));
  }
  return out;
}

std::optional<Box> as_box(const Outline& outline) {
  if (outline.radius > 0 || outline.points.size() != 4) return std::nullopt;
  const auto& p = outline.points;
  const Vec2 a = p[1] - p[0];
  const Vec2 b = p[2] - p[1];
  const double tolerance = kTiny + 1e-9 * (length(a) + length(b));
  if (length(a) <= kTiny || length(b) <= kTiny || std::abs(dot(a, b)) > tolerance * length(a)) return std::nullopt;
  if (length(p[3] - p[0] - b) > tolerance) return std::nullopt;
  Box box{0.5 * (p[0] + p[2]), (1 / length(a)) * a, length(a), length(b)};
  // Along its longer side, and to the right rather than to the left.
  if (box.width > box.length) box = {box.centre, perpendicular(box.axis), box.width, box.length};
  if (box.axis.x < -kTiny || (box.axis.x < kTiny && box.axis.y < 0)) box.axis = -box.axis;
  return box;
}

}  // namespace strata::maps
