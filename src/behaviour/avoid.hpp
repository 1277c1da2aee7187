// Avoid: slows down and steers aside before something is touched. Changes the command other behaviours gave.
#pragma once

#include "world/system.hpp"

namespace strata {

struct Avoid {
  double margin_m = 0;      ///< distance to keep
  double look_ahead_s = 0;  ///< how far ahead in time it looks
  double turn_rate = 0;
  double side = 0;  ///< +1 left, -1 right while it steers aside; keeps it from dithering
};

void register_avoid(Registry& registry);

}  // namespace strata
