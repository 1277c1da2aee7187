// Times for tests.
#pragma once

#include "base/time.hpp"

namespace strata {

inline Time at(Duration since_start) { return Time{} + since_start; }

}  // namespace strata
