// Entity ids. EntityId is a handle: a slot and a generation, so that a handle to a removed entity is recognised.
// StableId is the identity behind ordering, hashing and random streams: it comes from (creator, counter), never from
// the order in which threads or hosts happened to create entities.
#pragma once

#include <compare>
#include <cstdint>

namespace strata {

struct EntityId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0 = no entity
  constexpr auto operator<=>(const EntityId&) const = default;
  [[nodiscard]] constexpr bool valid() const { return generation != 0; }
};

/// Entities made before the run have 1, 2, 3, ...; those made later have mixed 64-bit values.
enum class StableId : std::uint64_t {};

/// Carries the components that belong to nobody in particular. Always there, never removed.
inline constexpr EntityId kEnvironment{0, 1};

}  // namespace strata
