// Random walk: drives straight for a while, turns to a random direction, drives on; turns away from what it touches.
#pragma once

#include "world/system.hpp"

namespace strata {

struct RandomWalkSpec {
  double min_speed = 0;
  double max_speed = 0;
  double turn_rate = 0;
  double mean_leg_s = 0;  ///< mean time between turns
};

struct RandomWalk {
  double speed = 0;
  double turn_left_rad = 0;     ///< still to turn before driving on
  std::int64_t leg_end_ns = 0;  ///< when the next turn comes
  std::uint64_t stream = 0;
  std::uint64_t draws = 0;
};

void register_random_walk(Registry& registry);

}  // namespace strata
