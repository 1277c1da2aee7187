#include "scenario/faults.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/random.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

// What makes a robot a thing in the world cannot fail alone; the whole robot can.
bool is_removable(const std::string& component) {
  return component != "pose" && component != "body" && component != "robot";
}

}  // namespace

std::vector<EntityId> robots_named(const World& world, std::string_view pattern) {
  std::vector<EntityId> out;
  if (pattern.find('*') == std::string_view::npos) {
    const EntityId robot = world.find(pattern);
    if (robot.valid() && world.has<Robot>(robot)) out.push_back(robot);
    return out;
  }
  for (const EntityId robot : world.pool<Robot>().owners()) {
    if (matches(pattern, world.name(robot))) out.push_back(robot);
  }
  std::sort(out.begin(), out.end(), [&](EntityId a, EntityId b) { return world.stable_id(a) < world.stable_id(b); });
  return out;
}

void FaultSystem::step(World& world, const Step& step) {
  // Each fault falls into exactly one step, so there is no state to keep.
  const Time before = step.now - step.dt;
  for (const FaultSpec& fault : faults_) {
    if (fault.at <= step.now && (fault.at > before || step.index == 1)) apply(world, fault, step.now);
  }
}

Time FaultSystem::due(const World& /*world*/, Time now) const {
  Time next = Time::never();
  for (const FaultSpec& fault : faults_) {
    if (fault.at > now) next = std::min(next, fault.at);
  }
  return next;
}

void FaultSystem::apply(World& world, const FaultSpec& fault, Time now) {
  std::size_t struck = 0;
  for (const EntityId robot : robots_named(world, fault.robots)) {
    const Pose* pose = world.get<Pose>(robot);
    WorldEvent event{now, "fault", robot, {}, pose == nullptr ? Vec3{} : pose->position, fault.component, 0};
    if (fault.component.empty()) {
      event.entity = {};
      event.text = world.name(robot);
      world.destroy(robot);
    } else if (!world.remove_component(robot, fault.component)) {
      continue;
    }
    ++struck;
    world.emit(std::move(event));
  }
  if (struck == 0) {
    simulation_->warn(fmt::format("the fault '{}{}{}' at {} had no effect: it was gone already", fault.robots,
                                  fault.component.empty() ? "" : ".", fault.component, to_text(fault.at)));
  }
}

std::vector<FaultSpec> timed_faults(const World& world, const std::vector<FaultSpec>& faults, Time end) {
  std::vector<FaultSpec> out;
  for (const FaultSpec& fault : faults) {
    if (fault.rate_hz == 0) {
      out.push_back(fault);
      continue;
    }
    // What is removed cannot fail again: the first time is all there is.
    for (const EntityId robot : robots_named(world, fault.robots)) {
      RandomStream random(world.seed(), static_cast<std::uint64_t>(world.stable_id(robot)), "fault." + fault.component);
      FaultSpec one = fault;
      one.robots = world.name(robot);
      one.at = Time::from_seconds(std::min(random.exponential(1 / fault.rate_hz), 9e9));
      if (one.at <= end) out.push_back(std::move(one));
    }
  }
  return out;
}

Result<void> check_fault(const World& world, const FaultSpec& fault) {
  if (fault.component.empty()) return {};
  std::vector<std::string> has;
  for (const EntityId robot : robots_named(world, fault.robots)) {
    for (const auto& pool : world.pools()) {
      if (!pool->has(robot) || !is_removable(pool->info().name)) continue;
      if (pool->info().name == fault.component) return {};
      if (std::find(has.begin(), has.end(), pool->info().name) == has.end()) has.push_back(pool->info().name);
    }
  }
  return Error{fault.where, fmt::format("'{}' has no component '{}' that could fail", fault.robots, fault.component),
               suggestion(fault.component, has)};
}

}  // namespace strata
