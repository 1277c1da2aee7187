// What a scenario says, checked: kinds are found, quantities are SI, names exist. Made by read_scenario, used by build;
// immutable in between. `resolved` is the same as text, with every default filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/time.hpp"
#include "behaviour/team/allocation.hpp"
#include "record/sink.hpp"
#include "scenario/expect.hpp"
#include "scenario/placement.hpp"
#include "world/places.hpp"
#include "world/server.hpp"
#include "world/shapes.hpp"
#include "world/system.hpp"

namespace strata {

/// A kind with the parameters somebody gave it. The kind lives in the registry.
template <class Kind>
struct Use {
  const Kind* kind = nullptr;
  Config config;
};

/// A wall or another thing that stands or drifts in the world.
struct ObjectSpec {
  std::string name;
  std::vector<Shape> shapes;
  Vec3 position;
  double heading_rad = 0;
  bool moves = false;
  Vec3 velocity;
  double turn_rad_s = 0;
  Where where;
};

struct WorldSpec {
  Use<ServerKind> server;
  std::vector<ObjectSpec> objects;  ///< border, walls and objects, in this order
};

/// What one robot is made of.
struct RobotSpec {
  std::vector<Shape> body;  ///< empty: occupies no space
  std::optional<Use<MotionKind>> motion;
  std::vector<Use<BehaviourKind>> behaviours;
  std::vector<Use<SensorKind>> sensors;
  std::vector<Use<ComponentKind>> components;
  std::optional<Vec3> at;  ///< placed by hand through `override:`
  double heading_rad = 0;
  Where where;
};

/// Robots described together. A robot that `override:` names has a variant of its own.
struct GroupSpec {
  std::string name;
  std::uint32_t count = 1;
  bool numbered = false;  ///< false: the only robot has the name of the group
  Use<PlacementKind> place;
  std::vector<RobotSpec> variants;        ///< the first is the group's
  std::vector<std::uint32_t> variant_of;  ///< by robot; empty: all of them the first
  Where where;

  [[nodiscard]] std::string robot_name(std::uint32_t index) const {
    return numbered ? name + std::to_string(index + 1) : name;
  }
  [[nodiscard]] const RobotSpec& robot(std::uint32_t index) const {
    return variants[variant_of.empty() ? 0 : variant_of[index]];
  }
};

struct SystemSpec {
  std::string name;
  Use<SystemKind> use;
};

/// Takes a component away from robots, or a whole robot out of the world, at a time.
struct FaultSpec {
  Time at;
  double rate_hz = 0;     ///< of each robot, instead of a time
  std::string robots;     ///< name or pattern
  std::string component;  ///< empty: the whole robot
  Where where;
};

/// Who shares tasks. Instructions are read when the world is there.
struct TeamSetup {
  std::vector<std::string> members;  ///< names or patterns
  Use<AllocationKind> strategy;
  std::vector<Value> tasks;  ///< instructions of each sort
  Time first;
  Duration every;
  bool random = false;
  std::uint64_t count = 0;
  std::uint32_t attempts = 3;
  bool by_way = false;
  Where where;
};

struct RecordSpec {
  double poses_hz = 10;  ///< 0: not recorded, as for the others
  double metrics_hz = 1;
  double battery_hz = 1;
  bool all_events = true;
  std::vector<std::string> events;  ///< if not all
  std::vector<Use<SinkKind>> sinks;
};

struct ScenarioSpec {
  std::string name;
  std::string description;
  Duration duration;
  Duration step;
  std::uint64_t seed = 1;
  WorldSpec world;
  Places places;  ///< entities of items are made by build
  std::vector<GroupSpec> groups;
  std::vector<SystemSpec> systems;  ///< configured by hand; the parts of robots bring their own
  std::optional<TeamSetup> team;
  Value on_error;  ///< handlers for all scripts; null: none
  std::vector<FaultSpec> faults;
  RecordSpec record;
  std::vector<ExpectSpec> expect;
  Value resolved;
  std::vector<std::string> notes;  ///< what a map held that was not understood: warnings of the run
};

/// Whether `text` fits `pattern`, where * stands for any characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace strata
