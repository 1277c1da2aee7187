// Reproducible elementary functions: the same bits on every x86-64 processor. glibc's differ in the last bit with the
// processor's features; these come from SLEEF's deterministic class. Everything on the state path uses them.
#pragma once

#include <numbers>
#include <span>

#include "base/vec.hpp"

namespace strata::math {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kTau = 2 * kPi;

struct SinCos {
  double sin;
  double cos;
};

[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);
[[nodiscard]] SinCos sincos(double x);
[[nodiscard]] double tan(double x);
[[nodiscard]] double asin(double x);
[[nodiscard]] double acos(double x);
[[nodiscard]] double atan2(double y, double x);
[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x);
[[nodiscard]] double pow(double x, double y);

/// Sines and cosines of a batch, bit for bit those of the scalar form and about twice as fast. All spans equally long.
void sincos(std::span<const double> x, std::span<double> sin, std::span<double> cos);

/// Unit vector at `angle` radians from the x axis.
[[nodiscard]] inline Vec2 unit(double angle) {
  const SinCos sc = sincos(angle);
  return {sc.cos, sc.sin};
}
/// Rotation about z by `angle` radians.
[[nodiscard]] inline Quat from_yaw(double angle) {
  const SinCos half = sincos(0.5 * angle);
  return {half.cos, 0, 0, half.sin};
}
/// Heading of `q` seen from above, in (-pi, pi].
[[nodiscard]] inline double yaw(Quat q) {
  const Vec2 h = heading(q);
  return atan2(h.y, h.x);
}
/// `angle` moved into [-pi, pi).
[[nodiscard]] inline double wrap(double angle) { return angle - kTau * std::floor((angle + kPi) / kTau); }

}  // namespace strata::math
