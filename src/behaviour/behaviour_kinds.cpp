#include "behaviour/behaviour_kinds.hpp"

#include "behaviour/avoid.hpp"
#include "behaviour/navigation/navigation.hpp"
#include "behaviour/objects/charger.hpp"
#include "behaviour/objects/claw.hpp"
#include "behaviour/radio/radio.hpp"
#include "behaviour/random_walk.hpp"
#include "behaviour/script/script.hpp"
#include "behaviour/sensing/notice.hpp"
#include "behaviour/swarm/formation.hpp"
#include "behaviour/swarm/reciprocal.hpp"
#include "behaviour/team/team.hpp"

namespace strata {

void register_behaviour_kinds(Registry& registry) {
  register_random_walk(registry);
  register_avoid(registry);
  register_navigation(registry);
  register_scripts(registry);
  register_claw(registry);
  register_charger(registry);
  register_notice(registry);
  register_radio(registry);
  register_reciprocal(registry);
  register_formation(registry);
  register_team(registry);
}

}  // namespace strata
