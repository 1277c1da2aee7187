// Motion models: how a body follows its command. Each turns the DriveCommand into a Velocity within its limits, in
// phase Act. Limits are infinite unless set.
#pragma once

#include "world/system.hpp"

namespace strata {

/// Moves in any horizontal direction and turns at the same time.
struct HolonomicDrive {
  double max_speed = 0;
  double max_acceleration = 0;
  double max_turn = 0;
};

/// Two driven wheels: forward and backward along its heading, and turning.
struct DifferentialDrive {
  double max_speed = 0;
  double max_acceleration = 0;
  double max_turn = 0;
  double max_turn_acceleration = 0;
};

/// Steers like a car: turns only while it drives.
struct AckermannDrive {
  double max_speed = 0;
  double max_acceleration = 0;
  double max_curvature = 0;  ///< tan(steering angle) / wheelbase, 1/m
};

/// A point in space: any direction, with a yaw of its own.
struct PointDrive {
  double max_speed = 0;
  double max_acceleration = 0;
  double max_climb = 0;
  double max_turn = 0;
};

void register_drives(Registry& registry);

}  // namespace strata
