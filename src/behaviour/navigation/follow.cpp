#include "behaviour/navigation/follow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.hpp"
#include "world/drives.hpp"

namespace strata {
namespace {

constexpr double kTiny = 1e-9;

double leg_length(std::span<const Vec3> points, std::uint32_t leg) { return length(points[leg + 1] - points[leg]); }

// How far the straight line a .. b passes from the corner between them.
double cut(Vec3 a, Vec3 corner, Vec3 b) {
  const double chord = length(b - a);
  return chord < kTiny ? length(corner - a) : length(cross(corner - a, b - a)) / chord;
}

// Turns a velocity of the world's frame into the command whose motion over the step has that direction, although the
// body turns meanwhile.
DriveCommand drive_free(const DriveLimits& limits, const Pose& pose, Vec3 velocity, double dt) {
  const Vec2 h = heading(pose.orientation);
  DriveCommand out;
  if (length(velocity.xy()) > kTiny) {
    const double off = math::atan2(cross(h, velocity.xy()), dot(h, velocity.xy()));
    out.yaw_rate = std::clamp(off / dt, -limits.max_turn, limits.max_turn);
  }
  const double half = 0.5 * out.yaw_rate * dt;
  double grow = 1;
  Vec2 axis = h;
  if (half != 0) {
    const math::SinCos turn = math::sincos(half);
    grow = half / turn.sin;
    axis = {h.x * turn.cos - h.y * turn.sin, h.x * turn.sin + h.y * turn.cos};
  }
  out.linear = {grow * (axis.x * velocity.x + axis.y * velocity.y), grow * (axis.x * velocity.y - axis.y * velocity.x),
                velocity.z};
  return out;
}

// Turns towards the way first, and drives in what is left of the step.
DriveCommand drive_wheels(const DriveLimits& limits, const Pose& pose, Vec3 velocity, double dt) {
  const double speed = length(velocity.xy());
  if (speed < kTiny) return {};
  const Vec2 h = heading(pose.orientation);
  const double off = math::atan2(cross(h, velocity.xy()), dot(h, velocity.xy()));
  const double share = std::abs(off) / (limits.max_turn * dt);
  if (share >= 1) return {{}, off > 0 ? limits.max_turn : -limits.max_turn};
  return {{speed * (1 - share), 0, 0}, off / dt};
}

DriveCommand drive_car(const Pose& pose, Vec3 velocity, double dt) {
  const double speed = length(velocity.xy());
  if (speed < kTiny) return {};
  const Vec2 h = heading(pose.orientation);
  const double off = math::atan2(cross(h, velocity.xy()), dot(h, velocity.xy()));
  return {{speed, 0, 0}, off / dt};
}

}  // namespace

DriveLimits limits_of(const World& world, EntityId robot) {
  if (const auto* drive = world.get<DifferentialDrive>(robot))
    return {DriveLimits::kWheeled, drive->max_speed, drive->max_acceleration, drive->max_turn};
  if (const auto* drive = world.get<HolonomicDrive>(robot))
    return {DriveLimits::kFree, drive->max_speed, drive->max_acceleration, drive->max_turn};
  if (const auto* drive = world.get<PointDrive>(robot))
    return {DriveLimits::kFree, drive->max_speed, drive->max_acceleration, drive->max_turn};
  if (const auto* drive = world.get<AckermannDrive>(robot))
    return {DriveLimits::kCar, drive->max_speed, drive->max_acceleration, std::numeric_limits<double>::infinity()};
  return {};
}

Aim aim(std::span<const Vec3> points, Course& course, Vec3 position, double speed, double dt, double allowance_m,
        double max_acceleration) {
  const auto legs = static_cast<std::uint32_t>(points.size() - 1);
  // Where it is: never back, and on the next leg as soon as the end of this one is passed.
  while (true) {
    const Vec3 from = points[course.leg];
    const double size = leg_length(points, course.leg);
    const double along = size < kTiny ? size : dot(position - from, points[course.leg + 1] - from) / size;
    course.along_m = std::clamp(along, course.along_m, std::max(size, course.along_m));
    if (course.leg + 1 == legs || course.along_m < size - kTiny) break;
    ++course.leg;
    course.along_m = 0;
  }
  Aim out;
  const double leg_left = std::max(leg_length(points, course.leg) - course.along_m, 0.0);
  double left = leg_left;
  for (std::uint32_t leg = course.leg + 1; leg < legs; ++leg) left += leg_length(points, leg);
  out.left_m = left;
  out.speed = speed;
  if (std::isfinite(max_acceleration)) {
    // Corners are taken from a stand: faster would carry it off the way.
    const double room = std::max(length(points[course.leg + 1] - position), kTiny);
    const double half = 0.5 * max_acceleration * dt;
    out.speed = std::min(speed, std::sqrt(half * half + 2 * max_acceleration * room) - half);
  }
  const double reach = out.speed * dt;
  std::uint32_t leg = course.leg;
  double along = course.along_m + reach;
  while (leg + 1 < legs && along > leg_length(points, leg)) {
    const Vec3 corner = points[leg + 1];
    const double rest = along - leg_length(points, leg);
    const double next_length = leg_length(points, leg + 1);
    const Vec3 next = points[leg + 2];
    const Vec3 there =
        next_length < kTiny ? next : corner + (next - corner) * (std::min(rest, next_length) / next_length);
    if (cut(position, corner, there) > allowance_m || std::isfinite(max_acceleration)) {
      along = leg_length(points, leg);
      break;
    }
    // From here on it is on the next leg, even where that leads back to where it stands.
    course.leg = ++leg;
    course.along_m = 0;
    along = rest;
  }
  const double size = leg_length(points, leg);
  out.is_last = leg + 1 == legs && along >= size - kTiny;
  out.point =
      out.is_last ? points.back() : points[leg] + (points[leg + 1] - points[leg]) * (std::min(along, size) / size);
  return out;
}

DriveCommand command_for(const DriveLimits& limits, const Pose& pose, Vec3 velocity, double dt) {
  switch (limits.kind) {
    case DriveLimits::kFree:
      return drive_free(limits, pose, velocity, dt);
    case DriveLimits::kWheeled:
      return drive_wheels(limits, pose, velocity, dt);
    case DriveLimits::kCar:
      return drive_car(pose, velocity, dt);
    case DriveLimits::kNone:
      break;
  }
  return {};
}

Vec3 velocity_to(const Pose& pose, const Aim& aim, double dt) {
  const Vec3 way = aim.point - pose.position;
  const double distance = length(way);
  if (distance < kTiny) return {};
  return way * (std::min(aim.speed, distance / dt) / distance);
}

}  // namespace strata
