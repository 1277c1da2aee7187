// Maps in scenarios: a drawing of diagrams.net or a ROS map file becomes sections of the scenario that names it, so
// that everything after this - checking, overrides, run folders, replay - knows scenarios only.
#pragma once

#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "base/value.hpp"
#include "scenario/maps/map_settings.hpp"

namespace strata::maps {

/// What a map holds, as `world`, `robots` and `places` of a scenario.
struct ImportedMap {
  Value sections;
  std::vector<std::string> notes;  ///< what was not understood and left out
};

/// Reads a map file of any sort. All errors at once, those of a drawing with the id and label of the cell.
[[nodiscard]] Result<ImportedMap> import_map(const MapSettings& settings, Registry& registry);

/// The same for the text of a drawing.
[[nodiscard]] Result<ImportedMap> import_drawing(std::string text, const MapSettings& settings, Registry& registry);

/// Puts what `map:` of a scenario names into the scenario, under what stands there already, and takes `map:` out.
/// Returns the notes.
[[nodiscard]] Result<std::vector<std::string>> expand_map(Value& root, Registry& registry);

/// Adds the kinds of shapes and types that drawings have.
void register_map_kinds(Registry& registry);

}  // namespace strata::maps
