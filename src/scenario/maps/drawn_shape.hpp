// What a drawn shape looks like from above: kinds by the name of the shape in diagrams.net, so that a plugin adds its
// own (what HMR Sim calls models).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "scenario/maps/drawing.hpp"
#include "scenario/maps/outline.hpp"

namespace strata::maps {

struct DrawnShapeKind : KindInfo {
  static constexpr const char* kCategory = "drawn_shape";
  /// Solid parts in drawing units, from the upper left of a shape of that size, y downward; turning is done by others.
  /// None: it is there for people only.
  std::function<Result<std::vector<Outline>>(const DrawnCell& cell, Vec2 size)> outlines;
  /// A door or passage: the outlines are openings in the walls they lie on.
  bool is_opening = false;
};

/// Adds rectangle, ellipse, polygon and the like, and the floor-plan set.
void register_drawn_shapes(Registry& registry);

/// The name of the kind that draws the cell: "rectangle", "ellipse", "mxgraph.floorplan.wall", ...
[[nodiscard]] std::string shape_name(const DrawnCell& cell);

}  // namespace strata::maps
