#include "behaviour/swarm/half_planes.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr double kParallel = 1e-9;

Vec2 within_disc(Vec2 v, double most) {
  const double square = dot(v, v);
  return square <= most * most ? v : v * (most / std::sqrt(square));
}

bool allows(const HalfPlane& plane, Vec2 v, double slack) { return dot(v - plane.point, plane.normal) >= -slack; }

// The best point on the border of plane `i` that the planes before it and the disc allow. False if there is none.
bool slide(std::span<const HalfPlane> planes, std::size_t i, Vec2 wanted, double most, double slack, Vec2& out) {
  const HalfPlane& plane = planes[i];
  const Vec2 along = perpendicular(plane.normal);
  const Vec2 base = plane.point - plane.normal * slack;
  const double middle = -dot(base, along);
  const double distance = dot(base, plane.normal);
  const double root = most * most - distance * distance;
  if (root < 0) return false;
  const double half = std::sqrt(root);
  double low = middle - half;
  double high = middle + half;
  for (std::size_t j = 0; j < i; ++j) {
    const double rise = dot(along, planes[j].normal);
    const double need = dot(planes[j].point - base, planes[j].normal) - slack;
    if (std::abs(rise) < kParallel) {
      if (need > 0) return false;
      continue;
    }
    const double bound = need / rise;
    if (rise > 0) {
      low = std::max(low, bound);
    } else {
      high = std::min(high, bound);
    }
    if (low > high) return false;
  }
  out = base + along * std::clamp(dot(wanted - base, along), low, high);
  return true;
}

bool solve(std::span<const HalfPlane> planes, Vec2 wanted, double most, double slack, Vec2& out) {
  out = within_disc(wanted, most);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (!allows(planes[i], out, slack + 1e-12) && !slide(planes, i, wanted, most, slack, out)) return false;
  }
  return true;
}

}  // namespace

Vec2 nearest_allowed(std::span<const HalfPlane> planes, Vec2 wanted, double most) {
  Vec2 out;
  if (solve(planes, wanted, most, 0, out)) return out;
  // Too crowded: the least slack with which something is left, by halving.
  double low = 0;
  double high = most;
  for (const HalfPlane& plane : planes) high = std::max(high, dot(plane.point, plane.normal) + most);
  Vec2 best;
  for (int i = 0; i < 12; ++i) {
    const double slack = 0.5 * (low + high);
    if (solve(planes, wanted, most, slack, out)) {
      best = out;
      high = slack;
    } else {
      low = slack;
    }
  }
  return best;
}

HalfPlane keep_apart(const Encounter& e) {
  const double distance_square = dot(e.offset, e.offset);
  const double radii_square = e.radii_m * e.radii_m;
  Vec2 change;  // the least change of the relative velocity that avoids the encounter
  Vec2 normal;
  if (distance_square > radii_square) {
    const double inverse = 1 / e.horizon_s;
    const Vec2 from_cap = e.relative - e.offset * inverse;
    const double cap_square = dot(from_cap, from_cap);
    const double along = dot(from_cap, e.offset);
    if (along < 0 && along * along > radii_square * cap_square) {
      // Leaves over the round end of the forbidden cone.
      const double size = std::sqrt(cap_square);
      normal = from_cap * (1 / size);
      change = normal * (e.radii_m * inverse - size);
    } else {
      // Leaves over a side of the cone: the nearer one, and the right one if there is no nearer.
      const double leg = std::sqrt(distance_square - radii_square);
      const bool left = cross(e.offset, from_cap) > 0;
      const Vec2 side =
          left ? Vec2{e.offset.x * leg - e.offset.y * e.radii_m, e.offset.x * e.radii_m + e.offset.y * leg}
               : Vec2{e.offset.x * leg + e.offset.y * e.radii_m, -e.offset.x * e.radii_m + e.offset.y * leg};
      const Vec2 direction = side * (1 / distance_square);
      normal = left ? perpendicular(direction) : -perpendicular(direction);
      change = direction * dot(e.relative, direction) - e.relative;
    }
  } else {
    // Nearer than they want to be: apart within one step.
    const double inverse = 1 / e.dt_s;
    const Vec2 from_cap = e.relative - e.offset * inverse;
    const double size = length(from_cap);
    normal = size > 0 ? from_cap * (1 / size) : Vec2{1, 0};
    change = normal * (e.radii_m * inverse - size);
  }
  return {e.own + change * e.share, normal};
}

}  // namespace strata
