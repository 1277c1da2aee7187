// The shapes of bodies as things to draw, so that a recording opened in Foxglove shows robots and walls, not just
// frames.
#include "record/publishers.hpp"
#include "world/components.hpp"

namespace strata {

namespace {

constexpr ros1::Color kFixed{0.45F, 0.48F, 0.52F, 1.0F};
constexpr ros1::Color kMoving{0.85F, 0.55F, 0.15F, 1.0F};
constexpr ros1::Color kRobot{0.16F, 0.45F, 0.85F, 1.0F};

// The prism over a convex polygon, as triangles.
std::vector<Vec3> prism(const Shape& shape) {
  std::vector<Vec3> triangles;
  const auto at = [&](std::size_t i, double z) { return Vec3{shape.points[i].x, shape.points[i].y, z}; };
  const std::size_t count = shape.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = (i + 1) % count;
    triangles.insert(triangles.end(), {at(i, shape.low), at(next, shape.low), at(next, shape.high)});
    triangles.insert(triangles.end(), {at(i, shape.low), at(next, shape.high), at(i, shape.high)});
    if (i < 1 || next == 0) continue;
    triangles.insert(triangles.end(), {at(0, shape.high), at(i, shape.high), at(next, shape.high)});
    triangles.insert(triangles.end(), {at(0, shape.low), at(next, shape.low), at(i, shape.low)});
  }
  return triangles;
}

// Rounded polygons are drawn without their rounding.
void add_shape(ros1::Marker marker, const Shape& shape, std::vector<ros1::Marker>& out) {
  const double height = shape.high - shape.low;
  const double middle = 0.5 * (shape.low + shape.high);
  if (shape.points.size() == 1) {
    marker.type = ros1::Marker::kCylinder;
    marker.position = {shape.points[0].x, shape.points[0].y, middle};
    marker.scale = {2 * shape.radius, 2 * shape.radius, height};
  } else if (shape.points.size() == 2) {
    const Vec2 along = shape.points[1] - shape.points[0];
    const double size = length(along);
    marker.type = ros1::Marker::kCube;
    marker.position = {0.5 * (shape.points[0].x + shape.points[1].x), 0.5 * (shape.points[0].y + shape.points[1].y),
                       middle};
    if (size > 0) marker.orientation = from_heading(along * (1 / size));
    marker.scale = {size + 2 * shape.radius, 2 * shape.radius, height};
  } else {
    marker.type = ros1::Marker::kTriangleList;
    marker.scale = {1, 1, 1};
    marker.points = prism(shape);
  }
  out.push_back(std::move(marker));
}

}  // namespace

ros1::MarkerArray body_markers(const World& world) {
  ros1::MarkerArray out;
  const auto& bodies = world.pool<Body>();
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    const EntityId entity = bodies.owners()[row];
    ros1::Marker marker;
    marker.header.frame_id = entity_label(world, entity);
    marker.ns = marker.header.frame_id;
    marker.color = world.has<Robot>(entity) ? kRobot : world.has<Velocity>(entity) ? kMoving : kFixed;
    for (const Shape& shape : world.shapes().shapes(bodies.rows()[row].shape_set)) {
      add_shape(marker, shape, out.markers);
      ++marker.id;
    }
  }
  return out;
}

}  // namespace strata
