#include "scenario/shape_kinds.hpp"

#include "base/math.hpp"

namespace strata {
namespace {

constexpr double kLargest = 1e5;  // metres; a typing mistake beyond that

Param size(std::string name, std::string default_text, std::string summary) {
  return param::quantity(std::move(name), "m", std::move(default_text), std::move(summary)).above(0).at_most(kLargest);
}
Param height() { return size("height", "1 m", "how tall it is"); }

ShapeKind make_kind(std::string name, std::string summary, std::vector<Param> params,
                    Result<Shape> (*make)(const Config&)) {
  ShapeKind kind;
  kind.name = std::move(name);
  kind.summary = std::move(summary);
  kind.params = std::move(params);
  kind.make = make;
  return kind;
}

Result<Shape> make_circle(const Config& c) { return circle_shape(c.quantity("radius"), c.quantity("height")); }

Result<Shape> make_box(const Config& c) {
  return box_shape(c.quantity("length"), c.quantity("width"), c.quantity("height"));
}

Result<Shape> make_polygon(const Config& c) {
  std::vector<Vec2> points;
  for (const Vec3 point : c.points("points")) points.push_back(point.xy());
  return polygon_shape(std::move(points), c.quantity("height"), c.where("points"));
}

Result<Shape> make_segment(const Config& c) {
  const Vec2 from = c.point("from").xy();
  const Vec2 to = c.point("to").xy();
  if (from == to)
    return Error{c.where("to"), "the segment has no length", "give 'from' and 'to' different points, or use a circle"};
  return segment_shape(from, to, c.quantity("thickness"), c.quantity("height"));
}

}  // namespace

void register_shapes(Registry& registry) {
  auto& shapes = registry.catalog<ShapeKind>();
  shapes.add(make_kind("circle", "An upright cylinder", {size("radius", "", "of the circle").required(), height()},
                       &make_circle));
  shapes.add(make_kind("box", "A box, x along its length",
                       {size("length", "", "along x").required(), size("width", "", "along y").required(), height()},
                       &make_box));
  shapes.add(make_kind("polygon", "A convex polygon",
                       {param::points("points", "corners [[x, y], ...] in the frame of the body").required(), height()},
                       &make_polygon));
  shapes.add(make_kind(
      "segment", "A straight piece of wall between two points",
      {param::point("from", "in the frame of the body").required(),
       param::point("to", "in the frame of the body").required(), size("thickness", "0.1 m", "across"), height()},
      &make_segment));
}

Shape moved(Shape shape, Vec3 at, double heading_rad) {
  const Vec2 axis = math::unit(heading_rad);
  for (Vec2& point : shape.points) {
    point = {at.x + axis.x * point.x - axis.y * point.y, at.y + axis.y * point.x + axis.x * point.y};
  }
  shape.low += at.z;
  shape.high += at.z;
  return shape;
}

}  // namespace strata
