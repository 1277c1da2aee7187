// The benchmark `events`: time-outs of processes per CPU-second with few and many processes pending, next to simpy.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_events(const Options& options);

}  // namespace strata::bench
