// What an annotated shape is: kinds by the `type` of the annotation, so that a plugin adds its own (what HMR Sim calls
// builders). Their parameters are the attributes they know.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenario/maps/map_content.hpp"

namespace strata::maps {

struct DrawnTypeKind : KindInfo {
  static constexpr const char* kCategory = "drawn_type";
  /// Adds to the content what the cell stands for; reports what is wrong there. `attributes` are checked.
  std::function<void(MapContent& content, const DrawnCell& cell, const Config& attributes)> add;
  bool takes_components = false;  ///< component_NAME attributes give it parts
};

/// Adds robot, drone, POI, map-path, path, pickable, wall, charger and debug.
void register_drawn_types(Registry& registry);

/// Goes through the cells of a drawing. Errors and notes are in the content afterwards.
void interpret(MapContent& content);

}  // namespace strata::maps
