#include "app/start/sources.hpp"

namespace strata::app::sources {

const char* const kScenario = R"(strata: 1
name: @NAME@
description: Robots walk about in a square room.
duration: 60 s
step: 50 ms
seed: 1

world:
  border: {from: [0, 0], to: [10, 10]}
  objects:
    - {name: pillar, shape: circle, radius: 0.5 m, height: 1 m, at: [5, 5]}

robots:
  walker:
    count: 10
    place: {random: {area: [[1, 1], [9, 9]], clearance: 0.2 m}}
    body: {shape: circle, radius: 0.15 m, height: 0.3 m}
    motion: {kind: differential, max_speed: 0.5 m/s, max_turn: 2 rad/s}
    behaviours: [random_walk]       # `strata list behaviour` shows what else they can do

record: {poses: 10 Hz, events: all}

expect:                             # makes the run a test: `strata test @NAME@.yaml`
  - {never: overlap, between: [walker, "*"]}
  - {at_end: distance.mean, above: 1 m}
)";

const char* const kCMake = R"(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Not installed? Give the folder Strata was built in: cmake -Dstrata_DIR=.../build
find_package(strata REQUIRED)
strata_add_plugin(@NAME@ @NAME@.cpp)
)";

const char* const kSystem = R"(// @NAME@: robots go slowly within a circle.
#include <base/plugin.hpp>
#include <world/components.hpp>
#include <world/system.hpp>

namespace {

using namespace strata;

class @TYPE@System final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config& config) {
    auto system = std::make_unique<@TYPE@System>();
    if (config.has("centre")) system->centre_ = config.point("centre").xy();
    system->radius_m_ = config.quantity("radius");
    system->factor_ = config.quantity("factor");
    return std::unique_ptr<System>(std::move(system));
  }

  // Once per step. What must survive a snapshot belongs into components, not into members.
  void step(World& world, const Step& /*step*/) override {
    for (auto [robot, command, pose] : world.each<DriveCommand, const Pose>()) {
      if (length(pose.position.xy() - centre_) <= radius_m_) command.linear = command.linear * factor_;
    }
  }

  // Only matters while others step: time may jump if nobody else needs it.
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }

 private:
  Vec2 centre_;
  double radius_m_ = 0;
  double factor_ = 1;
};

void add_kinds(Registry& registry) {
  SystemKind kind;
  kind.name = "@NAME@";
  kind.summary = "Lets robots go slowly within a circle";
  kind.params = {param::point("centre", "of the circle; the origin if not given"),
                 param::quantity("radius", "m", "2 m", "of the circle").above(0),
                 param::quantity("factor", "", "0.5", "what remains of the speed").at_least(0).at_most(1)};
  kind.phase = Phase::kAct;
  kind.order = -10;  // after the software has decided, before the drives follow
  kind.make = &@TYPE@System::make;
  registry.catalog<SystemKind>().add(std::move(kind));
}

}  // namespace

STRATA_PLUGIN("@NAME@", add_kinds)
)";

const char* const kSystemScenario = R"(strata: 1
name: @NAME@
duration: 30 s
step: 50 ms
plugins: [build/@NAME@.so]

world:
  border: {from: [0, 0], to: [10, 10]}

robots:
  walker:
    count: 10
    place: {random: {area: [[1, 1], [9, 9]], clearance: 0.2 m}}
    body: {shape: circle, radius: 0.15 m, height: 0.3 m}
    motion: {kind: differential, max_speed: 0.5 m/s, max_turn: 2 rad/s}
    behaviours: [random_walk]

systems:
  @NAME@: {centre: [5, 5], radius: 3 m, factor: 0.2}

expect:
  - {never: overlap, between: [walker, "*"]}
  - {at_end: distance.mean, above: 0.5 m}
)";

const char* const kSystemReadme = R"(# @NAME@

A system for Strata: robots go slowly within a circle. Replace it by what you need.

```sh
cmake -S . -B build && cmake --build build      # add -Dstrata_DIR=... if Strata is not installed
strata describe @NAME@ --plugin build/@NAME@.so
strata run .
strata test .
```

`@NAME@.cpp` holds everything: the logic, its parameters with units and ranges, and the line that adds it to the catalog.
)";

const char* const kSensor = R"(// @NAME@: how far a robot is from a beacon.
#include <base/plugin.hpp>
#include <world/components.hpp>
#include <world/metric.hpp>
#include <world/system.hpp>

namespace {

using namespace strata;

// Plain data without gaps, since its bytes are part of the state hash.
struct @TYPE@ {
  double beacon_x_m = 0;
  double beacon_y_m = 0;
  double distance_m = 0;  // the reading
};

void declare(World& world) {
  world.register_component<@TYPE@>("@NAME@", {field("beacon_x", "m", &@TYPE@::beacon_x_m),
                                              field("beacon_y", "m", &@TYPE@::beacon_y_m),
                                              field("distance", "m", &@TYPE@::distance_m)});
}

Result<void> attach(World& world, EntityId robot, const Config& config) {
  declare(world);
  const Vec3 beacon = config.point("beacon");
  world.add(robot, @TYPE@{beacon.x, beacon.y, 0});
  return {};
}

// Takes the readings of all robots once per step.
class @TYPE@System final : public System {
 public:
  static Result<std::unique_ptr<System>> make(const Config& /*config*/) {
    return std::unique_ptr<System>(std::make_unique<@TYPE@System>());
  }
  void step(World& world, const Step& /*step*/) override {
    for (auto [robot, reading, pose] : world.each<@TYPE@, const Pose>()) {
      reading.distance_m = length(pose.position.xy() - Vec2{reading.beacon_x_m, reading.beacon_y_m});
    }
  }
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }
};

void add_kinds(Registry& registry) {
  SensorKind sensor;
  sensor.name = "@NAME@";
  sensor.summary = "Measures the distance to a beacon";
  sensor.params = {param::point("beacon", "where the beacon stands").required()};
  sensor.systems = {"@NAME@"};
  sensor.declare = &declare;
  sensor.attach = &attach;
  registry.catalog<SensorKind>().add(std::move(sensor));

  SystemKind system;
  system.name = "@NAME@";
  system.summary = "Takes the readings of all @NAME@ sensors";
  system.phase = Phase::kSense;
  system.make = &@TYPE@System::make;
  registry.catalog<SystemKind>().add(std::move(system));

  // Makes the reading recordable, and something a scenario can expect.
  MetricKind metric;
  metric.name = "@NAME@";
  metric.summary = "distance to the beacon";
  metric.unit = "m";
  metric.per_entity = figure_of<@TYPE@>([](const @TYPE@& reading) { return reading.distance_m; });
  registry.catalog<MetricKind>().add(std::move(metric));
}

}  // namespace

STRATA_PLUGIN("@NAME@", add_kinds)
)";

const char* const kSensorScenario = R"(strata: 1
name: @NAME@
duration: 30 s
step: 50 ms
plugins: [build/@NAME@.so]

world:
  border: {from: [0, 0], to: [10, 10]}

robots:
  walker:
    count: 10
    place: {random: {area: [[1, 1], [9, 9]], clearance: 0.2 m}}
    body: {shape: circle, radius: 0.15 m, height: 0.3 m}
    motion: {kind: differential, max_speed: 0.5 m/s, max_turn: 2 rad/s}
    behaviours: [random_walk]
    sensors: [{kind: @NAME@, beacon: [5, 5]}]

expect:
  - {never: overlap, between: [walker, "*"]}
  - {at_end: @NAME@.max, below: 8 m}      # the corners are 7.1 m from the beacon
)";

const char* const kSensorReadme = R"(# @NAME@

A sensor for Strata: how far a robot is from a beacon. Replace it by what you need.

```sh
cmake -S . -B build && cmake --build build      # add -Dstrata_DIR=... if Strata is not installed
strata describe sensor/@NAME@ --plugin build/@NAME@.so
strata run .
strata test .
```

`@NAME@.cpp` holds everything: the component with the reading, the system that takes it, the metric that shows it, and the
lines that add them to the catalog.
)";

}  // namespace strata::app::sources
