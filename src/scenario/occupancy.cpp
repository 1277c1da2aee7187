#include "scenario/occupancy.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

// Bodies that just touch do not overlap; neither does what rounding makes of them.
constexpr double kTolerance = 1e-9;

std::uint64_t cell_key(std::int64_t x, std::int64_t y) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32U | static_cast<std::uint32_t>(y);
}

std::int64_t cell_index(double coordinate, double cell) {
  return static_cast<std::int64_t>(std::floor(coordinate / cell));
}

bool heights_meet(double z_a, double low_a, double high_a, double z_b, double low_b, double high_b) {
  return z_a + low_a < z_b + high_b - kTolerance && z_b + low_b < z_a + high_a - kTolerance;
}

EntityId lower(EntityId a, EntityId b) {
  if (!a.valid()) return b;
  return !b.valid() || a.slot < b.slot ? a : b;
}

}  // namespace

Occupancy::Occupancy(const World& world) : world_(world) { walls_.build(world); }

void Occupancy::add(EntityId entity, std::uint32_t shape_set, const Pose& pose) {
  if (shape_set == kNoShape) return;
  int exponent = 0;
  std::frexp(std::max(world_.shapes().set(shape_set).radius, 1e-3), &exponent);
  Grid& grid = grids_[exponent];
  grid.cell = std::ldexp(2.0, exponent);
  const auto index = static_cast<std::uint32_t>(items_.size());
  items_.push_back({entity, shape_set, pose});
  grid.items[cell_key(cell_index(pose.position.x, grid.cell), cell_index(pose.position.y, grid.cell))].push_back(index);
}

bool Occupancy::too_near(std::uint32_t shape_set, const Pose& pose, const Item& item, double clearance) const {
  const ShapeLibrary& library = world_.shapes();
  const ShapeSet& mine = library.set(shape_set);
  const ShapeSet& other = library.set(item.shape_set);
  const double reach = mine.radius + other.radius + clearance - kTolerance;
  if (length_squared(pose.position.xy() - item.pose.position.xy()) >= reach * reach) return false;
  const double z = pose.position.z;
  const double other_z = item.pose.position.z;
  if (mine.is_circle && other.is_circle) return heights_meet(z, mine.low, mine.high, other_z, other.low, other.high);
  const geometry::Frame frame = geometry::frame_of(pose);
  const geometry::Frame other_frame = geometry::frame_of(item.pose);
  for (const Shape& a : library.shapes(mine)) {
    for (const Shape& b : library.shapes(other)) {
      if (!heights_meet(z, a.low, a.high, other_z, b.low, b.high)) continue;
      if (geometry::separation(a, frame, b, other_frame).distance < clearance - kTolerance) return true;
    }
  }
  return false;
}

EntityId Occupancy::static_conflict(std::uint32_t shape_set, const Pose& pose, double clearance) const {
  const geometry::Frame frame = geometry::frame_of(pose);
  EntityId found;
  for (const Shape& shape : world_.shapes().shapes(shape_set)) {
    geometry::Box box = geometry::bounds(shape, frame);
    box.low = box.low - Vec2{clearance, clearance};
    box.high = box.high + Vec2{clearance, clearance};
    walls_.query(box, [&](const StaticIndex::Item& item) {
      if (!heights_meet(pose.position.z, shape.low, shape.high, 0, item.low, item.high)) return;
      if (geometry::separation(shape, frame, *item.shape, item.frame).distance >= clearance - kTolerance) return;
      found = lower(found, item.entity);
    });
  }
  return found;
}

EntityId Occupancy::conflict(std::uint32_t shape_set, const Pose& pose, double clearance) const {
  if (shape_set == kNoShape) return {};
  EntityId found = static_conflict(shape_set, pose, clearance);
  const double radius = world_.shapes().set(shape_set).radius;
  for (const auto& [exponent, grid] : grids_) {
    const double reach = radius + grid.cell / 2 + clearance;
    const std::int64_t last_x = cell_index(pose.position.x + reach, grid.cell);
    const std::int64_t last_y = cell_index(pose.position.y + reach, grid.cell);
    const auto look = [&](const std::vector<std::uint32_t>& cell) {
      for (const std::uint32_t index : cell) {
        const Item& item = items_[index];
        if (found.valid() && found.slot <= item.entity.slot) continue;
        if (too_near(shape_set, pose, item, clearance)) found = item.entity;
      }
    };
    const std::int64_t first_x = cell_index(pose.position.x - reach, grid.cell);
    const std::int64_t first_y = cell_index(pose.position.y - reach, grid.cell);
    // A huge body covers more cells than there are bodies.
    if (static_cast<double>(last_x - first_x + 1) * static_cast<double>(last_y - first_y + 1) >
        static_cast<double>(grid.items.size())) {
      for (const auto& [key, cell] : grid.items) look(cell);
      continue;
    }
    for (std::int64_t x = first_x; x <= last_x; ++x) {
      for (std::int64_t y = first_y; y <= last_y; ++y) {
        if (const auto it = grid.items.find(cell_key(x, y)); it != grid.items.end()) look(it->second);
      }
    }
  }
  return found;
}

}  // namespace strata
