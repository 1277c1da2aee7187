#include "world/shapes.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"

namespace strata {
namespace {

bool same(const Shape& a, const Shape& b) {
  return a.points == b.points && a.radius == b.radius && a.low == b.low && a.high == b.high;
}

double signed_area(const std::vector<Vec2>& points) {
  double twice = 0;
  for (std::size_t i = 0; i < points.size(); ++i) twice += cross(points[i], points[(i + 1) % points.size()]);
  return twice / 2;
}

std::uint64_t content_hash(const std::vector<Shape>& shapes) {
  std::uint64_t hash = shapes.size();
  for (const Shape& shape : shapes) {
    const double bounds[] = {shape.radius, shape.low, shape.high};
    hash = hash_bytes(hash, shape.points.data(), shape.points.size() * sizeof(Vec2));
    hash = hash_bytes(hash, bounds, sizeof(bounds));
  }
  return hash;
}

}  // namespace

Shape circle_shape(double radius, double height) { return {{{0, 0}}, radius, 0, height}; }

Shape box_shape(double length, double width, double height) {
  const double x = length / 2;
  const double y = width / 2;
  return {{{-x, -y}, {x, -y}, {x, y}, {-x, y}}, 0, 0, height};
}

Shape segment_shape(Vec2 from, Vec2 to, double thickness, double height) {
  const Vec2 along = to - from;
  const double size = strata::length(along);
  if (size == 0) return {{from}, thickness / 2, 0, height};
  const Vec2 side = perpendicular(along) * (thickness / 2 / size);
  return {{from - side, to - side, to + side, from + side}, 0, 0, height};
}

Result<Shape> polygon_shape(std::vector<Vec2> points, double height, const Where& where) {
  constexpr std::size_t kMostPoints = 64;
  if (points.size() < 3)
    return Error{where, "a polygon needs at least three points", "add points, or use a circle or a box"};
  if (points.size() > kMostPoints)
    return Error{where, "a polygon has at most 64 points", "split it into several shapes"};
  double area = signed_area(points);
  if (area < 0) {
    std::reverse(points.begin(), points.end());
    area = -area;
  }
  double turned = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i];
    const Vec2 b = points[(i + 1) % points.size()];
    const Vec2 c = points[(i + 2) % points.size()];
    const double turn = cross(b - a, c - b);
    if (turn < -1e-12 || a == b)
      return Error{where, "the polygon is not convex", "split it into convex parts: a body may have several shapes"};
    turned += std::abs(turn);
  }
  // A convex turn at every corner still allows a star that winds twice; its edges sum up to more than one round.
  std::size_t rounds = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 edge = points[(i + 1) % points.size()] - points[i];
    const Vec2 next = points[(i + 2) % points.size()] - points[(i + 1) % points.size()];
    if (edge.y < 0 && next.y >= 0) ++rounds;
  }
  if (area <= 1e-12 || turned <= 0 || rounds > 1)
    return Error{where, "the polygon has no area or crosses itself", "give its corners in order around the outline"};
  return Shape{std::move(points), 0, 0, height};
}

std::uint32_t ShapeLibrary::add(std::vector<Shape> shapes) {
  STRATA_ASSERT(!shapes.empty(), "a body has at least one shape");
  const std::uint64_t content = content_hash(shapes);
  const auto [begin, end] = by_content_.equal_range(content);
  for (auto it = begin; it != end; ++it) {
    const std::span<const Shape> known = this->shapes(it->second);
    if (std::equal(known.begin(), known.end(), shapes.begin(), shapes.end(), same)) return it->second;
  }
  by_content_.emplace(content, static_cast<std::uint32_t>(sets_.size()));
  ShapeSet set;
  set.low = shapes.front().low;
  set.high = shapes.front().high;
  for (const Shape& shape : shapes) {
    for (const Vec2 point : shape.points) set.radius = std::max(set.radius, length(point) + shape.radius);
    set.low = std::min(set.low, shape.low);
    set.high = std::max(set.high, shape.high);
  }
  set.is_circle = shapes.size() == 1 && shapes[0].points.size() == 1 && shapes[0].points[0] == Vec2{};
  set.shapes = std::move(shapes);
  sets_.push_back(std::move(set));
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

}  // namespace strata
