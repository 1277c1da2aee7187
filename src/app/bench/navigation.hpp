// Ways over large grids: queries per CPU-second, and whether the lengths are those of an independent exact search.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_navigation(const Options& options);

}  // namespace strata::bench
