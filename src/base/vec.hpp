// Plain vectors and rotations for world state: trivially copyable, without padding, with a fixed order of evaluation.
// Frames follow REP-103: x forward, y left, z up; metres and radians.
#pragma once

#include <cmath>

namespace strata {

struct Vec2 {
  double x = 0;
  double y = 0;
  constexpr bool operator==(const Vec2&) const = default;
};
constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
constexpr Vec2 operator*(Vec2 a, double k) { return {a.x * k, a.y * k}; }
constexpr Vec2 operator*(double k, Vec2 a) { return a * k; }
constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
constexpr double length_squared(Vec2 a) { return dot(a, a); }
inline double length(Vec2 a) { return std::sqrt(dot(a, a)); }
/// Turns left by a quarter.
constexpr Vec2 perpendicular(Vec2 a) { return {-a.y, a.x}; }

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
  constexpr bool operator==(const Vec3&) const = default;
  [[nodiscard]] constexpr Vec2 xy() const { return {x, y}; }
};
constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(Vec3 a, double k) { return {a.x * k, a.y * k, a.z * k}; }
constexpr Vec3 operator*(double k, Vec3 a) { return a * k; }
constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }

/// A rotation as a unit quaternion.
struct Quat {
  double w = 1;
  double x = 0;
  double y = 0;
  double z = 0;
  constexpr bool operator==(const Quat&) const = default;
};
constexpr Quat operator*(Quat a, Quat b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/// Where the body's x axis points, seen from above: a unit vector for planar rotations, without a trigonometric call.
constexpr Vec2 heading(Quat q) { return {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z)}; }
constexpr Vec3 rotate(Quat q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}
inline Quat normalised(Quat q) {
  const double k = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * k, q.x * k, q.y * k, q.z * k};
}
/// The rotation about z whose heading is the unit vector `h`.
inline Quat from_heading(Vec2 h) {
  // Half-angle formulas, taken on the side where they do not cancel.
  if (h.x >= 0) {
    const double w = std::sqrt(0.5 * (1 + h.x));
    return {w, 0, 0, 0.5 * h.y / w};
  }
  const double z = std::sqrt(0.5 * (1 - h.x));
  return h.y >= 0 ? Quat{0.5 * h.y / z, 0, 0, z} : Quat{-0.5 * h.y / z, 0, 0, -z};
}

}  // namespace strata
