// Batteries: energy drains with time, with the way driven and with actions; an empty battery stops the robot.
#pragma once

#include "world/components.hpp"
#include "world/system.hpp"

namespace strata {

/// Takes the energy of an action. False, and nothing taken, if the entity has too little; without a battery all is
/// free.
bool spend(World& world, EntityId entity, double joules);

void register_battery(Registry& registry);

}  // namespace strata
