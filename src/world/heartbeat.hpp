// Heartbeat: reports an event at a fixed interval. The smallest process there is, and for long, quiet scenarios a sign
// of life: nothing steps in between, time jumps from beat to beat.
#pragma once

#include <cstdint>

#include "base/catalog.hpp"

namespace strata {

/// Lives on an entity of its own, so that several hearts can beat.
struct Heartbeat {
  std::int64_t next_ns = 0;
  std::uint64_t count = 0;
};

/// Adds the system `heartbeat`.
void register_heartbeat(Registry& registry);

}  // namespace strata
