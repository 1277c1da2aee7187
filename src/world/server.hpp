// The world server: what moves bodies and answers geometric questions. The built-in one (FootprintServer) knows
// extruded footprints; a rigid-body engine can take its place behind this interface without any software noticing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/catalog.hpp"
#include "world/components.hpp"
#include "world/system.hpp"

namespace strata {

struct Ray {
  Vec3 origin;
  Vec3 direction;  ///< unit length
  double range_m = 0;
  EntityId ignore;  ///< usually the body that carries the sensor
};

struct RayHit {
  double distance_m = 0;  ///< the ray's range if nothing was hit
  EntityId entity;        ///< invalid if nothing was hit
};

/// Directions of equally spaced rays in a horizontal plane, relative to a heading. Made once per kind of sensor.
struct FanPattern {
  double first_rad = 0;
  double spacing_rad = 0;
  std::vector<Vec2> directions;  ///< unit vectors
  /// From `first_rad` on, counter-clockwise.
  [[nodiscard]] static FanPattern make(double first_rad, double spacing_rad, std::uint32_t count);
};

/// A fan of rays from one origin: much cheaper than single rays.
struct RayFan {
  Vec3 origin;
  Vec2 heading{1, 0};  ///< unit vector
  const FanPattern* pattern = nullptr;
  double range_m = 0;
  EntityId ignore;
};

class WorldServer {
 public:
  WorldServer() = default;
  WorldServer(const WorldServer&) = delete;
  WorldServer& operator=(const WorldServer&) = delete;
  virtual ~WorldServer() = default;

  /// Moves every movable body by its velocity over step.dt. The only writer of Pose, Velocity, Contact and Odometer.
  /// Emits "collision" when a contact begins: both entities, point and time.
  virtual void advance(World& world, const Step& step) = 0;
  /// Brings the index up to date after entities were placed or moved from outside (set-up, restore). The questions
  /// below answer for the latest advance or refresh; they may be asked from several threads at once.
  virtual void refresh(const World& world) = 0;

  virtual void cast(const World& world, std::span<const Ray> rays, std::span<RayHit> hits) const = 0;
  /// `hits` holds one entry per direction of the pattern. False if nothing is in range: then `hits` is left as it was.
  virtual bool cast(const World& world, const RayFan& fan, std::span<RayHit> hits) const = 0;
  /// Bodies whose footprint comes within `radius` of a point, by stable id.
  [[nodiscard]] virtual std::vector<EntityId> within(const World& world, Vec3 centre, double radius) const = 0;
  /// Bodies that `shapes` placed at `pose` would overlap or come closer to than `clearance`, by stable id.
  [[nodiscard]] virtual std::vector<EntityId> overlapping(const World& world, std::uint32_t shape_set, const Pose& pose,
                                                          double clearance, EntityId ignore = {}) const = 0;
  /// Pairs of solid bodies that overlap by more than the contact tolerance: none, unless something is wrong.
  [[nodiscard]] virtual std::vector<std::pair<EntityId, EntityId>> overlaps(const World& world) const = 0;
};

struct ServerKind : KindInfo {
  static constexpr const char* kCategory = "world_server";
  std::function<Result<std::unique_ptr<WorldServer>>(const Config&)> make;
};

}  // namespace strata
