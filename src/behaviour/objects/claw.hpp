// Claws and things to pick up: grab within reach and capacity, carry - which may cost speed - and drop elsewhere. A
// thing that is carried is nowhere: it has no Pose until it is dropped.
#pragma once

#include <cstdint>

#include "behaviour/script/instruction.hpp"
#include "world/system.hpp"

namespace strata {

struct Claw {
  double reach_m = 0;
  double capacity_kg = 0;
  double slow_down = 0;  ///< part of its speed that a full load costs
  double energy_j = 0;   ///< per grab and per drop
  double load_kg = 0;
  std::uint64_t carried = 0;  ///< things
};

/// On the thing.
struct Pickable {
  double weight_kg = 0;
  std::uint32_t holder_slot = 0;
  std::uint32_t holder_generation = 0;  ///< 0: nobody has it
  [[nodiscard]] EntityId holder() const { return {holder_slot, holder_generation}; }
};

/// Results are those of the instructions `grab` and `drop`; names as in scripts.
[[nodiscard]] InstructionOutcome grab(World& world, EntityId robot, const std::string& thing, Time now);
[[nodiscard]] InstructionOutcome drop(World& world, EntityId robot, const std::string& thing, Time now);

void register_claw(Registry& registry);

}  // namespace strata
