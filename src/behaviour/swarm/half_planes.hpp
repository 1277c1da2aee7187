// The velocity nearest to a wanted one that keeps out of forbidden half planes: the small linear program of reciprocal
// avoidance. Pure functions on plain data.
#pragma once

#include <span>

#include "base/vec.hpp"

namespace strata {

/// Allowed is what lies on the side of the normal: dot(v - point, normal) >= 0.
struct HalfPlane {
  Vec2 point;
  Vec2 normal;  ///< unit length
};

/// Nearest to `wanted` within all half planes and no faster than `most`. If they leave nothing, all give way by the
/// same least amount.
[[nodiscard]] Vec2 nearest_allowed(std::span<const HalfPlane> planes, Vec2 wanted, double most);

/// What two round bodies have to keep to lest they meet within `horizon_s`. `offset` and `velocity` are those of the
/// other as seen from the own body, `share` is the part of the evasion that the own body takes on.
struct Encounter {
  Vec2 offset;
  Vec2 relative;  ///< own velocity minus the other's
  Vec2 own;       ///< velocity
  double radii_m = 0;
  double horizon_s = 1;
  double dt_s = 0.1;
  double share = 0.5;
};
[[nodiscard]] HalfPlane keep_apart(const Encounter& encounter);

}  // namespace strata
