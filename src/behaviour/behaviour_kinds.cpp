#include "behaviour/behaviour_kinds.hpp"

#include "behaviour/avoid.hpp"
#include "behaviour/random_walk.hpp"

namespace strata {

void register_behaviour_kinds(Registry& registry) {
  register_random_walk(registry);
  register_avoid(registry);
}

}  // namespace strata
