// The benchmark `startup`: what a whole `strata run` of a small scenario costs, from exec to exit.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_startup(const Options& options);

}  // namespace strata::bench
