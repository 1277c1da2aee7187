// Shapes as scenarios write them: `{shape: circle, radius: 0.15 m, height: 0.3 m}`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "world/shapes.hpp"

namespace strata {

struct ShapeKind : KindInfo {
  static constexpr const char* kCategory = "shape";
  /// Centred on the body's position and standing on it.
  std::function<Result<Shape>(const Config&)> make;
};

/// Adds circle, box, polygon and segment.
void register_shapes(Registry& registry);

/// Moves a shape within its body: turned by `heading_rad`, then shifted, its bottom at `at.z`.
[[nodiscard]] Shape moved(Shape shape, Vec3 at, double heading_rad);

}  // namespace strata
