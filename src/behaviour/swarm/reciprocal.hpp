// Reciprocal avoidance: everybody gives way by half, so that robots pass each other without stopping and without a
// word. Changes the commands of the behaviours before it. Those who rest do not move aside: the others go around them.
#pragma once

#include "world/system.hpp"

namespace strata {

struct Reciprocal {
  double horizon_s = 0;  ///< how far ahead in time it looks for others
  double margin_m = 0;   ///< kept in between
  double max_speed = 0;
  double wall_horizon_s = 0;  ///< how far ahead in time it looks for walls
};

void register_reciprocal(Registry& registry);

}  // namespace strata
