// A formation swarm: a controller gives every member a place, the members fly there and report; who touches another
// reports that too. The controller ends well when all have reported, and gives up at its time limit.
#pragma once

#include <cstdint>

#include "world/system.hpp"

namespace strata {

/// A member of the swarm.
struct FormationMember {
  enum State : std::uint32_t { kIdle, kFlying, kInPlace };
  Vec3 place;
  double speed = 0;
  double tolerance_m = 0;
  std::int64_t arrived_ns = 0;
  std::uint32_t state = kIdle;
  std::uint32_t touches = 0;
};

/// The controller's, on the environment.
struct FormationControl {
  std::int64_t begun_ns = 0;
  std::uint32_t members = 0;
  std::uint32_t reported = 0;
  std::uint32_t touches = 0;  ///< reported
  std::uint32_t state = 0;    ///< 0 = not begun, 1 = flying, 2 = complete, 3 = given up
};

void register_formation(Registry& registry);

}  // namespace strata
