// Rays and neighbourhood questions of the built-in world server.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.hpp"
#include "world/components.hpp"
#include "world/footprint_server.hpp"

namespace strata {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

// Angle of (x, y) from the x axis to within kAngleError: good enough to choose which rays to test, and cheap.
constexpr double kAngleError = 0.006;
double rough_angle(double y, double x) {
  const double ax = std::abs(x);
  const double ay = std::abs(y);
  const bool steep = ay > ax;
  const double r = steep ? ax / ay : (ax > 0 ? ay / ax : 0);
  double angle = r * (0.97239411 - 0.19194795 * r * r);
  if (steep) angle = 0.5 * math::kPi - angle;
  if (x < 0) angle = math::kPi - angle;
  return y < 0 ? -angle : angle;
}

// Takes a hit if it is nearer; equal distances go to the lower id, so that the order of the search does not matter.
void take_hit(RayHit& hit, std::uint64_t& hit_stable, double distance, EntityId entity, std::uint64_t stable) {
  if (distance < hit.distance_m || (distance == hit.distance_m && stable < hit_stable)) {
    hit = {distance, entity};
    hit_stable = stable;
  }
}

// Where a ray enters one of the shapes, if it does so before `range`.
std::optional<double> enter(std::span<const Shape> shapes, const geometry::Frame& frame, double z, Vec3 origin, Vec3 direction, double range) {
  std::optional<double> first;
  for (const Shape& shape : shapes) {
    const auto heights = geometry::cross_slab(origin.z, direction.z, z + shape.low, z + shape.high);
    if (!heights) continue;
    const auto flat = geometry::cross_shape(shape, geometry::to_local(frame, origin.xy()), geometry::turn_into(frame, direction.xy()), 0);
    if (!flat) continue;
    const double in = std::max({flat->in, heights->in, 0.0});
    if (in <= std::min({flat->out, heights->out, range}) && (!first || in < *first)) first = in;
  }
  return first;
}

bool heights_overlap(double a_low, double a_high, double b_low, double b_high) { return a_low < b_high && b_low < a_high; }

}  // namespace

FanPattern FanPattern::make(double first_rad, double spacing_rad, std::uint32_t count) {
  FanPattern pattern{first_rad, spacing_rad, {}};
  for (std::uint32_t i = 0; i < count; ++i) pattern.directions.push_back(math::unit(first_rad + i * spacing_rad));
  return pattern;
}

geometry::Frame FootprintServer::frame_of(const World& world, const Mover& mover) const {
  return {mover.from.xy(), heading(world.pool<Pose>().rows()[rows_[mover.row].pose].orientation)};
}

RayHit FootprintServer::cast_one(const World& world, const Ray& ray) const {
  RayHit hit{ray.range_m, {}};
  std::uint64_t stable = kNobody;
  const Vec3 middle = ray.origin + ray.direction * (0.5 * ray.range_m);
  visit_movers(middle.xy(), 0.5 * ray.range_m, [&](const Mover& mover) {
    const Rows& rows = rows_[mover.row];
    if (rows.entity == ray.ignore) return;
    const auto in = enter(world.shapes().shapes(mover.shape_set), frame_of(world, mover), mover.from.z, ray.origin, ray.direction, ray.range_m);
    if (in) take_hit(hit, stable, *in, rows.entity, rows.stable);
  });
  StaticIndex::Hit wall{hit.distance_m, nullptr};
  statics_.cast(ray.origin, ray.direction, wall);
  if (wall.item != nullptr) take_hit(hit, stable, wall.t, wall.item->entity, wall.item->stable);
  return hit;
}

void FootprintServer::cast(const World& world, std::span<const Ray> rays, std::span<RayHit> hits) const {
  STRATA_ASSERT(rays.size() == hits.size(), "one hit per ray");
  for (std::size_t i = 0; i < rays.size(); ++i) hits[i] = cast_one(world, rays[i]);
}

// Goes over the bodies in range and tests each only against the rays that can meet it, instead of following every ray.
void FootprintServer::cast_movers(const World& world, const RayFan& fan, std::span<RayHit> hits, std::span<std::uint64_t> stables) const {
  const FanPattern& pattern = *fan.pattern;
  const auto count = static_cast<double>(hits.size());
  visit_movers(fan.origin.xy(), fan.range_m, [&](const Mover& mover) {
    const Vec2 offset{mover.from.x - fan.origin.x, mover.from.y - fan.origin.y};
    const double squared = dot(offset, offset);
    const double reach = fan.range_m + mover.radius;
    if (squared > reach * reach) return;
    const double z = fan.origin.z - mover.from.z;
    if (z < mover.low || z > mover.high) return;
    const Rows& rows = rows_[mover.row];
    if (rows.entity == fan.ignore) return;
    // In the fan's frame, where the pattern's directions are constant.
    const Vec2 local{dot(fan.heading, offset), cross(fan.heading, offset)};
    const auto test = [&](std::size_t i) {
      if (!rows.is_circle) {
        const Vec2 d = pattern.directions[i];
        const Vec3 direction{fan.heading.x * d.x - fan.heading.y * d.y, fan.heading.y * d.x + fan.heading.x * d.y, 0};
        const auto in = enter(world.shapes().shapes(mover.shape_set), frame_of(world, mover), mover.from.z, fan.origin, direction, fan.range_m);
        if (in) take_hit(hits[i], stables[i], *in, rows.entity, rows.stable);
        return;
      }
      const Vec2 direction = pattern.directions[i];
      const double along = dot(local, direction);
      const double aside = cross(direction, local);
      const double root = mover.radius * mover.radius - aside * aside;
      if (root < 0) return;
      const double half = std::sqrt(root);
      if (along + half < 0) return;
      const double distance = std::max(along - half, 0.0);
      if (distance <= fan.range_m) take_hit(hits[i], stables[i], distance, rows.entity, rows.stable);
    };
    if (squared <= mover.radius * mover.radius || spec_.brute_force) {
      for (std::size_t i = 0; i < hits.size(); ++i) test(i);
      return;
    }
    const double sine = mover.radius / std::sqrt(squared);
    const double half_width = sine * (1 + 0.5708 * sine * sine) + kAngleError;  // at least asin
    double angle = rough_angle(local.y, local.x) - pattern.first_rad;
    angle -= math::kTau * std::floor(angle / math::kTau);
    const double per_ray = 1 / pattern.spacing_rad;
    // The body may also reach over the start of the circle, from either side.
    for (const double turn : {0.0, -math::kTau, math::kTau}) {
      const double low = (angle + turn - half_width) * per_ray;
      const double high = (angle + turn + half_width) * per_ray;
      if (high < 0 || low > count - 1) continue;
      const auto first = static_cast<std::size_t>(low <= 0 ? 0 : low) + (low > 0 && low != std::floor(low) ? 1 : 0);
      const auto last = static_cast<std::size_t>(std::min(high, count - 1));
      for (std::size_t i = first; i <= last; ++i) test(i);
    }
  });
}

void FootprintServer::cast_statics(const RayFan& fan, std::span<RayHit> hits, std::span<std::uint64_t> stables) const {
  const Vec2 at = fan.origin.xy();
  bool any = false;
  statics_.query({{at.x - fan.range_m, at.y - fan.range_m}, {at.x + fan.range_m, at.y + fan.range_m}}, [&](const StaticIndex::Item&) { any = true; });
  if (!any) return;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Vec2 d = fan.pattern->directions[i];
    const Vec3 direction{fan.heading.x * d.x - fan.heading.y * d.y, fan.heading.y * d.x + fan.heading.x * d.y, 0};
    StaticIndex::Hit wall{hits[i].distance_m, nullptr};
    statics_.cast(fan.origin, direction, wall);
    if (wall.item != nullptr) take_hit(hits[i], stables[i], wall.t, wall.item->entity, wall.item->stable);
  }
}

void FootprintServer::cast(const World& world, const RayFan& fan, std::span<RayHit> hits) const {
  STRATA_ASSERT(fan.pattern != nullptr && fan.pattern->directions.size() == hits.size(), "one hit per direction");
  constexpr std::size_t kUsual = 64;
  std::array<std::uint64_t, kUsual> few;
  std::vector<std::uint64_t> many(hits.size() > kUsual ? hits.size() : 0);
  const std::span<std::uint64_t> stables = many.empty() ? std::span(few).first(hits.size()) : std::span(many);
  std::fill(stables.begin(), stables.end(), kNobody);
  std::fill(hits.begin(), hits.end(), RayHit{fan.range_m, {}});
  cast_movers(world, fan, hits, stables);
  if (!statics_.empty()) cast_statics(fan, hits, stables);
}

std::vector<EntityId> FootprintServer::within(const World& world, Vec3 centre, double radius) const {
  const Shape disc{{{0, 0}}, radius, -radius, radius};
  std::vector<std::pair<std::uint64_t, EntityId>> found;
  const geometry::Frame frame{centre.xy(), {1, 0}};
  visit_movers(centre.xy(), radius, [&](const Mover& mover) {
    if (!heights_overlap(centre.z - radius, centre.z + radius, mover.from.z + mover.low, mover.from.z + mover.high)) return;
    for (const Shape& shape : world.shapes().shapes(mover.shape_set)) {
      if (geometry::separation(disc, frame, shape, frame_of(world, mover)).distance > 0) continue;
      found.emplace_back(rows_[mover.row].stable, rows_[mover.row].entity);
      return;
    }
  });
  statics_.query({{centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}}, [&](const StaticIndex::Item& item) {
    if (!heights_overlap(centre.z - radius, centre.z + radius, item.low, item.high)) return;
    if (geometry::separation(disc, frame, *item.shape, item.frame).distance <= 0) found.emplace_back(item.stable, item.entity);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<EntityId> out;
  for (const auto& [stable, entity] : found) out.push_back(entity);
  return out;
}

std::vector<EntityId> FootprintServer::overlapping(const World& world, std::uint32_t shape_set, const Pose& pose, double clearance,
                                                   EntityId ignore) const {
  const geometry::Frame frame = geometry::frame_of(pose);
  const ShapeSet& set = world.shapes().set(shape_set);
  const double z = pose.position.z;
  std::vector<std::pair<std::uint64_t, EntityId>> found;
  const auto near = [&](const Shape& other, const geometry::Frame& other_frame, double other_z) {
    for (const Shape& shape : world.shapes().shapes(set)) {
      if (!heights_overlap(z + shape.low, z + shape.high, other_z + other.low, other_z + other.high)) continue;
      if (geometry::separation(shape, frame, other, other_frame).distance < clearance) return true;
    }
    return false;
  };
  const double reach = set.radius + std::max(clearance, 0.0);
  visit_movers(frame.at, reach, [&](const Mover& mover) {
    const Rows& rows = rows_[mover.row];
    if (rows.entity == ignore) return;
    const double apart = length(mover.from.xy() - frame.at);
    if (apart > reach + mover.radius) return;
    for (const Shape& other : world.shapes().shapes(mover.shape_set)) {
      if (!near(other, frame_of(world, mover), mover.from.z)) continue;
      found.emplace_back(rows.stable, rows.entity);
      return;
    }
  });
  statics_.query({{frame.at.x - reach, frame.at.y - reach}, {frame.at.x + reach, frame.at.y + reach}}, [&](const StaticIndex::Item& item) {
    if (item.entity != ignore && near(*item.shape, item.frame, item.z)) found.emplace_back(item.stable, item.entity);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<EntityId> out;
  for (const auto& [stable, entity] : found) out.push_back(entity);
  return out;
}

std::vector<std::pair<EntityId, EntityId>> FootprintServer::overlaps(const World& world) const {
  constexpr double kTolerance = 1e-9;
  const std::span<const Pose> poses = world.pool<Pose>().rows();
  std::vector<std::pair<EntityId, EntityId>> out;
  for (const Mover& mover : grid_.sorted()) {
    const Rows& rows = rows_[mover.row];
    for (const EntityId other : overlapping(world, mover.shape_set, poses[rows.pose], -kTolerance, rows.entity)) {
      // A pair of movers is seen from both sides: told once.
      if (world.has<Velocity>(other) && static_cast<std::uint64_t>(world.stable_id(other)) < rows.stable) continue;
      out.emplace_back(rows.entity, other);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace strata
