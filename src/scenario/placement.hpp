// Where the robots of a group start. A placement kind proposes poses; what stands there already (Occupancy) decides.
// Kinds that compute their poses go first, those that look for free space second, so that a fixed robot is never in the
// way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "scenario/occupancy.hpp"
#include "world/components.hpp"

namespace strata {

/// The robots to be placed.
struct PlacementTask {
  const World& world;
  Occupancy& occupied;
  std::string group;
  std::vector<EntityId> robots;
  std::vector<std::uint32_t> shape_sets;  ///< of each robot; kNoShape if it occupies nothing
  std::vector<bool> skip;                 ///< of each robot: placed by hand already
};

class Placement {
 public:
  Placement() = default;
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  virtual ~Placement() = default;
  /// A pose for each robot; those to be skipped may get any. A searching placement adds what it places to `occupied`;
  /// for the others the caller does.
  [[nodiscard]] virtual Result<std::vector<Pose>> place(const PlacementTask& task) const = 0;
  /// Looks for free space instead of computing poses.
  [[nodiscard]] virtual bool searches() const { return false; }
  /// How many robots it has places for; 0: as many as asked for.
  [[nodiscard]] virtual std::size_t capacity() const { return 0; }
};

struct PlacementKind : KindInfo {
  static constexpr const char* kCategory = "placement";
  std::function<Result<std::unique_ptr<Placement>>(const Config&)> make;
};

/// Adds grid, random, line, circle and list.
void register_placements(Registry& registry);

/// The pose at `at` with the x axis pointing along `heading_rad`.
[[nodiscard]] Pose pose_at(Vec3 at, double heading_rad);

}  // namespace strata
