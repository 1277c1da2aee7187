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

// Angle of (x, y) from the x axis to within kAngleError: good enough to choose which rays to test, cheap, and without
// branches, so that the compiler does four at a time.
constexpr float kAngleError = 0.006F;
float rough_angle(float y, float x) {
  const float ax = std::abs(x);
  const float ay = std::abs(y);
  const float larger = ax > ay ? ax : ay;
  const float smaller = ax > ay ? ay : ax;
  const float r = smaller / larger;
  const float flat = r * (0.97239411F - 0.19194795F * r * r);
  const float first = ay > ax ? 1.57079633F - flat : flat;
  const float upper = x < 0 ? 3.14159265F - first : first;
  return y < 0 ? -upper : upper;
}

// Takes a hit if it is nearer; equal distances go to the lower id, so that the order of the search does not matter.
void take_hit(RayHit& hit, std::uint64_t& hit_stable, double distance, EntityId entity, std::uint64_t stable) {
  if (distance < hit.distance_m || (distance == hit.distance_m && stable < hit_stable)) {
    hit = {distance, entity};
    hit_stable = stable;
  }
}

// Where a ray enters one of the shapes, if it does so before `range`.
std::optional<double> enter(std::span<const Shape> shapes, const geometry::Frame& frame, double z, Vec3 origin,
                            Vec3 direction, double range) {
  std::optional<double> first;
  for (const Shape& shape : shapes) {
    const auto heights = geometry::cross_slab(origin.z, direction.z, z + shape.low, z + shape.high);
    if (!heights) continue;
    const auto flat = geometry::cross_shape(shape, geometry::to_local(frame, origin.xy()),
                                            geometry::turn_into(frame, direction.xy()), 0);
    if (!flat) continue;
    const double in = std::max({flat->in, heights->in, 0.0});
    if (in <= std::min({flat->out, heights->out, range}) && (!first || in < *first)) first = in;
  }
  return first;
}

bool heights_overlap(double a_low, double a_high, double b_low, double b_high) {
  return a_low < b_high && b_low < a_high;
}

}  // namespace

FanPattern FanPattern::make(double first_rad, double spacing_rad, std::uint32_t count) {
  FanPattern pattern{first_rad, spacing_rad, {}};
  for (std::uint32_t i = 0; i < count; ++i) pattern.directions.push_back(math::unit(first_rad + i * spacing_rad));
  return pattern;
}

geometry::Frame FootprintServer::frame_of(const World& world, const Mover& mover, const Spot& spot) const {
  return {spot.at.xy(), heading(world.pool<Pose>().rows()[rows_[mover.row].pose].orientation)};
}

RayHit FootprintServer::cast_one(const World& world, const Ray& ray) const {
  RayHit hit{ray.range_m, {}};
  std::uint64_t stable = kNobody;
  const Vec3 middle = ray.origin + ray.direction * (0.5 * ray.range_m);
  visit_spots(middle.xy(), 0.5 * ray.range_m, [&](const Mover& mover, const Spot& spot) {
    const Rows& rows = rows_[mover.row];
    if (rows.entity == ray.ignore) return;
    const auto in = enter(world.shapes().shapes(mover.shape_set), frame_of(world, mover, spot), spot.at.z, ray.origin,
                          ray.direction, ray.range_m);
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

// The hits of a fan so far, with the ids that decide between equal distances. Cleared only when something is in sight.
class FootprintServer::FanHits {
 public:
  FanHits(std::span<RayHit> hits, double range_m) : hits_(hits), range_m_(range_m) {}
  void begin() {
    if (begun_) return;
    begun_ = true;
    if (hits_.size() > kUsual) many_.resize(hits_.size());
    stables_ = many_.empty() ? few_.data() : many_.data();
    std::fill_n(stables_, hits_.size(), kNobody);
    std::fill(hits_.begin(), hits_.end(), RayHit{range_m_, {}});
  }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] std::size_t size() const { return hits_.size(); }
  [[nodiscard]] double distance(std::size_t ray) const { return hits_[ray].distance_m; }
  void take(std::size_t ray, double distance, EntityId entity, std::uint64_t stable) {
    take_hit(hits_[ray], stables_[ray], distance, entity, stable);
  }

 private:
  static constexpr std::size_t kUsual = 64;
  std::span<RayHit> hits_;
  double range_m_;
  bool begun_ = false;
  std::uint64_t* stables_ = nullptr;
  std::array<std::uint64_t, kUsual> few_;
  std::vector<std::uint64_t> many_;
};

// Goes over the bodies in range and tests each only against the rays that can meet it, instead of following every ray.
// In batches: first who is in range, then which rays that concerns, then the exact tests.
class FootprintServer::FanCast {
 public:
  FanCast(const FootprintServer& server, const World& world, const RayFan& fan, FanHits& hits)
      : server_(server),
        world_(world),
        fan_(fan),
        hits_(hits),
        rays_(static_cast<int>(hits.size())),
        round_(static_cast<float>(math::kTau / fan.pattern->spacing_rad)) {}

  /// Takes in the movers at places begin .. end-1 of the grid.
  void visit(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t place = begin; place < end; ++place) {
      if (count_ == kBatch) flush();
      const Spot& spot = server_.spots_[place];
      const double dx = spot.at.x - fan_.origin.x;
      const double dy = spot.at.y - fan_.origin.y;
      const double reach = fan_.range_m + spot.radius;
      x_[count_] = fan_.heading.x * dx + fan_.heading.y * dy;
      y_[count_] = fan_.heading.x * dy - fan_.heading.y * dx;
      radius_[count_] = spot.radius;
      place_[count_] = place;
      // Without a branch: which way it goes cannot be foretold.
      count_ += dx * dx + dy * dy <= reach * reach ? 1U : 0U;
    }
  }

  void flush() {
    find_rays();
    for (std::uint32_t i = 0; i < count_; ++i) {
      // Around the body itself every ray counts; so it does when checking against all of them.
      if (wide_[i] < 0 || server_.spec_.brute_force) {
        test_rays(i, 0, rays_ - 1);
        continue;
      }
      const float low = middle_[i] - wide_[i];
      const float high = middle_[i] + wide_[i];
      test_rays(i, ceiling(low), floor(high));
      // The body may also reach over the start of the circle, from either side.
      if (low < 0) test_rays(i, ceiling(low + round_), floor(high + round_));
      if (high >= round_) test_rays(i, ceiling(low - round_), floor(high - round_));
    }
    count_ = 0;
  }

 private:
  static constexpr std::uint32_t kBatch = 128;

  static int floor(float x) {
    const int whole = static_cast<int>(x);
    return whole - (static_cast<float>(whole) > x ? 1 : 0);
  }
  static int ceiling(float x) { return -floor(-x); }

  // Middle and half width of each body in units of rays, counted from the first.
  void find_rays() {
    const auto per_ray = static_cast<float>(1 / fan_.pattern->spacing_rad);
    const auto first = static_cast<float>(fan_.pattern->first_rad / fan_.pattern->spacing_rad);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const auto x = static_cast<float>(x_[i]);
      const auto y = static_cast<float>(y_[i]);
      const float sine = static_cast<float>(radius_[i]) / std::sqrt(x * x + y * y);
      const float half = (sine * (1 + 0.5708F * sine * sine) + kAngleError) * per_ray;  // at least asin
      const float middle = rough_angle(y, x) * per_ray - first;
      const float lifted = middle < 0 ? middle + round_ : middle;
      middle_[i] = lifted < 0 ? lifted + round_ : lifted;
      wide_[i] = sine < 0.999F ? half : -1;
    }
  }

  void test_rays(std::uint32_t i, int from, int to) {
    from = std::max(from, 0);
    to = std::min(to, rays_ - 1);
    if (from > to) return;
    const Mover& mover = server_.grid_.sorted()[place_[i]];
    const Spot& spot = server_.spots_[place_[i]];
    const double z = fan_.origin.z - spot.at.z;
    if (z < mover.low || z > mover.high || server_.rows_[mover.row].entity == fan_.ignore) return;
    hits_.begin();
    for (int ray = from; ray <= to; ++ray) test(i, static_cast<std::size_t>(ray), mover, spot);
  }

  void test(std::uint32_t i, std::size_t ray, const Mover& mover, const Spot& spot) {
    const Vec2 direction = fan_.pattern->directions[ray];
    const Vec2 local{x_[i], y_[i]};
    const double along = dot(local, direction);
    const double aside = cross(direction, local);
    const double root = spot.radius * spot.radius - aside * aside;
    if (root < 0) return;
    const double half = std::sqrt(root);
    if (along + half < 0 || along - half > hits_.distance(ray)) return;
    const Rows& rows = server_.rows_[mover.row];
    if (rows.is_circle) {
      hits_.take(ray, std::max(along - half, 0.0), rows.entity, rows.stable);
      return;
    }
    const Vec3 out{fan_.heading.x * direction.x - fan_.heading.y * direction.y,
                   fan_.heading.y * direction.x + fan_.heading.x * direction.y, 0};
    const auto in = enter(world_.shapes().shapes(mover.shape_set), server_.frame_of(world_, mover, spot), spot.at.z,
                          fan_.origin, out, fan_.range_m);
    if (in) hits_.take(ray, *in, rows.entity, rows.stable);
  }

  const FootprintServer& server_;
  const World& world_;
  const RayFan& fan_;
  FanHits& hits_;
  int rays_;
  float round_;  // rays in a full circle
  std::uint32_t count_ = 0;
  std::array<double, kBatch> x_;  // in the fan's frame, where the pattern's directions are constant
  std::array<double, kBatch> y_;
  std::array<double, kBatch> radius_;
  std::array<std::uint32_t, kBatch> place_;
  std::array<float, kBatch> middle_;
  std::array<float, kBatch> wide_;
};

void FootprintServer::cast_movers(const World& world, const RayFan& fan, FanHits& hits) const {
  FanCast cast(*this, world, fan, hits);
  if (spec_.brute_force) {
    cast.visit(0, static_cast<std::uint32_t>(spots_.size()));
  } else {
    grid_.query_places(fan.origin.xy(), fan.range_m,
                       [&](std::uint32_t begin, std::uint32_t end) { cast.visit(begin, end); });
  }
  cast.flush();
}

void FootprintServer::cast_statics(const RayFan& fan, FanHits& hits) const {
  const Vec2 at = fan.origin.xy();
  bool any = false;
  statics_.query({{at.x - fan.range_m, at.y - fan.range_m}, {at.x + fan.range_m, at.y + fan.range_m}},
                 [&](const StaticIndex::Item&) { any = true; });
  if (!any) return;
  hits.begin();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Vec2 d = fan.pattern->directions[i];
    const Vec3 direction{fan.heading.x * d.x - fan.heading.y * d.y, fan.heading.y * d.x + fan.heading.x * d.y, 0};
    StaticIndex::Hit wall{hits.distance(i), nullptr};
    statics_.cast(fan.origin, direction, wall);
    if (wall.item != nullptr) hits.take(i, wall.t, wall.item->entity, wall.item->stable);
  }
}

bool FootprintServer::cast(const World& world, const RayFan& fan, std::span<RayHit> hits) const {
  STRATA_ASSERT(fan.pattern != nullptr && fan.pattern->directions.size() == hits.size(), "one hit per direction");
  FanHits found(hits, fan.range_m);
  cast_movers(world, fan, found);
  if (!statics_.empty()) cast_statics(fan, found);
  return found.begun();
}

std::vector<EntityId> FootprintServer::within(const World& world, Vec3 centre, double radius) const {
  const Shape disc{{{0, 0}}, radius, -radius, radius};
  std::vector<std::pair<std::uint64_t, EntityId>> found;
  const geometry::Frame frame{centre.xy(), {1, 0}};
  visit_spots(centre.xy(), radius, [&](const Mover& mover, const Spot& spot) {
    if (!heights_overlap(centre.z - radius, centre.z + radius, spot.at.z + mover.low, spot.at.z + mover.high)) return;
    for (const Shape& shape : world.shapes().shapes(mover.shape_set)) {
      if (geometry::separation(disc, frame, shape, frame_of(world, mover, spot)).distance > 0) continue;
      found.emplace_back(rows_[mover.row].stable, rows_[mover.row].entity);
      return;
    }
  });
  statics_.query({{centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}},
                 [&](const StaticIndex::Item& item) {
                   if (!heights_overlap(centre.z - radius, centre.z + radius, item.low, item.high)) return;
                   if (geometry::separation(disc, frame, *item.shape, item.frame).distance <= 0)
                     found.emplace_back(item.stable, item.entity);
                 });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<EntityId> out;
  for (const auto& [stable, entity] : found) out.push_back(entity);
  return out;
}

std::vector<EntityId> FootprintServer::overlapping(const World& world, std::uint32_t shape_set, const Pose& pose,
                                                   double clearance, EntityId ignore) const {
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
  visit_spots(frame.at, reach, [&](const Mover& mover, const Spot& spot) {
    const Rows& rows = rows_[mover.row];
    if (rows.entity == ignore) return;
    for (const Shape& other : world.shapes().shapes(mover.shape_set)) {
      if (!near(other, frame_of(world, mover, spot), spot.at.z)) continue;
      found.emplace_back(rows.stable, rows.entity);
      return;
    }
  });
  statics_.query({{frame.at.x - reach, frame.at.y - reach}, {frame.at.x + reach, frame.at.y + reach}},
                 [&](const StaticIndex::Item& item) {
                   if (item.entity != ignore && near(*item.shape, item.frame, item.z))
                     found.emplace_back(item.stable, item.entity);
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
