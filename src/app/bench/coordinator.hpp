// What coordinating a task costs: next to starting its process, with many waiting, and with a long history.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_coordinator(const Options& options);

}  // namespace strata::bench
