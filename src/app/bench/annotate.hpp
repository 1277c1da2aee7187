// How near estimates of annotated programs come to the truth, which QEMU counts, and what annotation costs.
#pragma once

#include "app/bench/report.hpp"

namespace strata::bench {

[[nodiscard]] Report run_annotate(const Options& options);

}  // namespace strata::bench
