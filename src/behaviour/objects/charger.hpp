// Chargers: places of the map where batteries fill up, by the instruction `charge`.
#pragma once

#include "world/system.hpp"

namespace strata {

/// Present while a robot charges.
struct Charging {
  double power_w = 0;
  double until_j = 0;
};

void register_charger(Registry& registry);

}  // namespace strata
