// The benchmark `guests`: programs in virtual time - a synchronisation point, a hand-over, periodic threads, ROS, two
// hosts.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_guests(const Options& options);

}  // namespace strata::bench
