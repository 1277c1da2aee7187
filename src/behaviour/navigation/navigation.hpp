// Navigation: takes robots to a point through the static world. Whoever commands a robot (a script, a team, a plugin)
// calls go_to and watches its Course; the systems plan, follow the way in metres per second whatever the step, and
// report `arrived`, `path_not_found` and `way_blocked`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "behaviour/navigation/planner.hpp"
#include "world/system.hpp"

namespace strata {

/// How a robot travels. Settings.
struct Navigator {
  double speed = 0;        ///< m/s, within what its motion model allows
  double clearance_m = 0;  ///< kept from walls
  double tolerance_m = 0;  ///< this near to the target it has arrived
  double patience_s = 0;   ///< without progress for so long it gives up
  double pace = 1;         ///< factor on the speed: below 1 while it carries something
  std::uint32_t planner = 0;
  std::uint32_t partial = 0;  ///< 1: goes as near as it can if there is no way
};

/// Where a robot is going. State; its way is kept by the navigation system, with its digest here.
struct Course {
  enum State : std::uint32_t { kNone, kAsked, kGoing, kArrived, kNotFound, kBlocked };
  Vec3 target;
  Vec3 wish;                     ///< the velocity it would have in this step if it were alone; world frame
  double along_m = 0;            ///< on the present leg
  double best_left_m = 0;        ///< least distance left so far
  std::int64_t progress_ns = 0;  ///< when that was
  std::int64_t end_ns = 0;       ///< when it arrived or gave up, to the nanosecond
  std::uint64_t digest = 0;
  std::uint32_t state = kNone;
  std::uint32_t leg = 0;
  [[nodiscard]] bool travels() const { return state == kAsked || state == kGoing; }
};

/// Sends a robot with a Navigator on its way. It plans in the next Plan phase.
void go_to(World& world, EntityId robot, Vec3 target);
/// Stops it where it is.
void stop_going(World& world, EntityId robot);

/// Planners in use, shared by robots with equal settings. A table of the world.
struct PlannerTable {
  std::vector<std::unique_ptr<Planner>> planners;
  std::vector<std::string> names;  ///< kind and settings of each
};

/// Gives a robot a Navigator with default settings, unless it has one.
Result<void> ensure_navigator(World& world, EntityId robot, const Catalog<PlannerKind>& planners);

/// What a planner would say for this robot; for estimates and checks.
[[nodiscard]] Plan plan_for(World& world, EntityId robot, Vec3 from, Vec3 to);

void register_navigation(Registry& registry);

}  // namespace strata
