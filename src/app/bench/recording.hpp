// The benchmark `recording`: how much longer a run takes when everything is recorded.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_recording(const Options& options);

}  // namespace strata::bench
