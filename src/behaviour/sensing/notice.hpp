// Sensors that notice others: `proximity` takes everybody within range, `sight` only who is in its field of view and
// not hidden. What a sensor noticed goes to its reply channel - the table of notices - and into the conditions of
// scripts; who is noticed anew is reported by an event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/system.hpp"

namespace strata {

struct NoticeSensor {
  double range_m = 0;
  double view_cos = -1;  ///< cosine of half the field of view
  double nearest_m = 0;  ///< of those noticed; the range if nobody
  std::int64_t period_ns = 0;
  std::int64_t next_ns = 0;
  std::uint64_t digest = 0;    ///< of those noticed
  std::uint32_t occluded = 0;  ///< 1: not through walls and bodies
  std::uint32_t count = 0;     ///< noticed now
};

/// The reply channels: whom each robot notices, by its slot, in the order of ids. A table of the world.
struct NoticeTable {
  std::vector<std::vector<EntityId>> by_slot;
};
[[nodiscard]] std::span<const EntityId> noticed_by(const World& world, EntityId robot);

void register_notice(Registry& registry);

}  // namespace strata
