// Adds everything this module offers to the catalogs.
#pragma once

#include "base/catalog.hpp"

namespace strata {

void register_behaviour_kinds(Registry& registry);

}  // namespace strata
