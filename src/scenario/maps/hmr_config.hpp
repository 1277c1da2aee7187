// HMR Sim's configuration (JSON: context, map, FPS, duration, simulationComponents, extraEntities) as a scenario.
#pragma once

#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "base/value.hpp"

namespace strata::maps {

/// Whether a tree is such a configuration rather than a scenario.
[[nodiscard]] bool is_hmr_config(const Value& root);

struct HmrScenario {
  Value root;                      ///< with `map:` naming the drawing
  std::vector<std::string> notes;  ///< what has no meaning here
};

/// Lengths are drawing units of the standard scale. All errors at once.
[[nodiscard]] Result<HmrScenario> from_hmr_config(const Value& config, Registry& registry);

}  // namespace strata::maps
