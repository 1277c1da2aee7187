// The first process of a virtual host: starts its programs, takes in orphans, stands in for processes that died while
// they held the token, and breaks up loops that never ask for the time. When it ends, so do all processes of its host.
#pragma once

#include "guest/isolation.hpp"
#include "guest/region.hpp"

namespace strata::guest {

/// Runs in a process of its own; never returns. `region_path` is where guests find the memory.
[[noreturn]] void run_warden(const ExecSpec& spec, const RegionMemory& memory, unsigned host, Isolation isolation,
                             int core);

}  // namespace strata::guest
