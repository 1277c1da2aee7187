// The formation swarm: CPU seconds per simulated second, from a handful of drones to twenty thousand.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_swarm(const Options& options);

}  // namespace strata::bench
