// Robot-steps per CPU-second of crowds of random-walking round robots, without sensors, with short and with long rays.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_robots(const Options& options);

}  // namespace strata::bench
