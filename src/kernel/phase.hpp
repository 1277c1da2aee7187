// The phases of one instant of virtual time. Events at the same time run phase by phase, so that who sees whose effect
// never depends on who was inserted first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strata {

enum class Phase : std::uint8_t {
  kDeliver,  ///< messages and input arrive
  kPlan,     ///< software decides
  kAct,      ///< commands reach actuators
  kPhysics,  ///< the world moves
  kSense,    ///< sensors read the world
  kRecord,   ///< observers look; nothing changes any more
};

inline constexpr std::size_t kPhaseCount = 6;

[[nodiscard]] constexpr std::string_view to_text(Phase phase) {
  constexpr std::string_view kNames[kPhaseCount] = {"deliver", "plan", "act", "physics", "sense", "record"};
  return kNames[static_cast<std::size_t>(phase)];
}

}  // namespace strata
