// Following a way: which velocity takes a robot along a polyline. A step's motion is a straight line, so corners are
// cut within an allowance; where that would be more, the step ends at the corner. Pure functions.
#pragma once

#include <span>

#include "behaviour/navigation/navigation.hpp"
#include "world/components.hpp"

namespace strata {

/// What a robot's motion model allows.
struct DriveLimits {
  enum Kind { kNone, kFree, kWheeled, kCar };
  Kind kind = kNone;
  double max_speed = 0;
  double max_acceleration = 0;
  double max_turn = 0;
};
[[nodiscard]] DriveLimits limits_of(const World& world, EntityId robot);

/// Where to be at the end of the step.
struct Aim {
  Vec3 point;
  double speed = 0;      ///< m/s on the way there
  double left_m = 0;     ///< of the whole way, before the step
  bool is_last = false;  ///< the point is the end of the way
};
/// Brings leg and along_m of the course up to date with the position, and looks ahead.
[[nodiscard]] Aim aim(std::span<const Vec3> points, Course& course, Vec3 position, double speed, double dt,
                      double allowance_m, double max_acceleration);

/// The velocity that takes a robot from its pose to the point within dt, if the speed allows.
[[nodiscard]] Vec3 velocity_to(const Pose& pose, const Aim& aim, double dt);
/// The command for a wanted velocity in the world's frame.
[[nodiscard]] DriveCommand command_for(const DriveLimits& limits, const Pose& pose, Vec3 velocity, double dt);

}  // namespace strata
