// The components every world has. Plain data in SI units, frames after REP-103. Software writes commands and reads
// readings; only the motion system writes poses.
#pragma once

#include <cstdint>

#include "base/vec.hpp"
#include "world/world.hpp"

namespace strata {

struct Pose {
  Vec3 position;
  Quat orientation;
};

/// Having one makes a body movable; without, it is static. World frame, m/s and rad/s.
struct Velocity {
  Vec3 linear;
  Vec3 angular;
};

/// What the entity occupies. The bounds repeat those of the shape set, where the broad phase reads them.
struct Body {
  double radius = 0;
  double low = 0;
  double high = 0;
  std::uint64_t shape_set = 0;  ///< index in the world's shape library
};

/// Marks what counts as a robot: recorded, counted, placed by scenarios.
struct Robot {
  std::uint32_t group = 0;  ///< index of the scenario's robot group
  std::uint32_t index = 0;  ///< within the group, from 0
};

/// The command port of a body: what its software wants, in the body's frame. Motion models limit it.
struct DriveCommand {
  Vec3 linear;
  double yaw_rate = 0;
};

/// What the body touched in its latest step.
struct Contact {
  Vec2 normal;                         ///< of the surface touched first, towards the body; zero if none
  std::uint32_t touched = 0;           ///< contacts begun, in total
  std::uint32_t touching = 0;          ///< 1 while in contact
  std::uint32_t other_slot = 0;        ///< what it touches
  std::uint32_t other_generation = 0;  ///< 0 if nothing
};

struct Odometer {
  double distance_m = 0;
};

struct Battery {
  double capacity_j = 0;
  double left_j = 0;
  double idle_w = 0;
  double per_metre_j = 0;
  double seen_distance_m = 0;  ///< odometer at the last account
};

/// Marks what runs on a battery: without one, or with an empty one, it stands still.
struct Powered {
  std::uint64_t batteries = 1;  ///< that it needs
};

/// Present while the body may not move: an empty battery, a broken drive.
struct Disabled {
  std::uint64_t reasons = 0;
  static constexpr std::uint64_t kBatteryEmpty = 1;
};

/// Gives an entity a body of a shape set of the world's library.
void set_body(World& world, EntityId entity, std::uint32_t shape_set);
/// Stops a body for a reason, and lifts that reason again; several may hold at once.
void disable(World& world, EntityId entity, std::uint64_t reason);
void enable(World& world, EntityId entity, std::uint64_t reason);

/// Makes the components above known to a world. Called by Simulation.
void register_components(World& world);

}  // namespace strata
