// The schedule of a run as Chrome and Perfetto read it: one track per thread, what it did and what it waited for.
#pragma once

#include <string>

#include "shim_abi/layout.hpp"

namespace strata::guest {

/// Throws std::runtime_error if the file cannot be written.
void write_trace(const shim::Region& region, const std::string& file);

}  // namespace strata::guest
