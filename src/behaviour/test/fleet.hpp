// Helps the tests of behaviours: a world with walls, places and robots, made by the kinds of the catalog.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "behaviour/behaviour_kinds.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {

class FleetTest : public ::testing::Test {
 protected:
  FleetTest() {
    register_world_kinds(registry_);
    register_behaviour_kinds(registry_);
    restart();
  }

  void restart(double step_s = 0.05, int threads = 1, std::uint64_t seed = 1) {
    events_.clear();
    places_ = {};
    robots_ = 0;
    started_ = false;
    simulation_ = std::make_unique<Simulation>(SimulationSpec{Duration::from_seconds(step_s), seed, threads});
    simulation_->on_event([this](const WorldEvent& event) { events_.push_back(event); });
  }
  [[nodiscard]] World& world() { return simulation_->world(); }

  EntityId add_wall(Vec2 from, Vec2 to, double thickness = 0.1) {
    const EntityId wall = world().create();
    world().add(wall, Pose{});
    set_body(world(), wall, world().shapes().add({segment_shape(from, to, thickness, 1)}));
    return wall;
  }
  void add_place(const std::string& tag, Vec3 at) {
    places_.points.push_back({tag, at, {}});
    world().set_places(places_);
  }
  EntityId add_item(const std::string& name, Vec3 at, double weight_kg) {
    const EntityId entity = world().create(name);
    world().add(entity, Pose{at, {}});
    places_.items.push_back({name, weight_kg, 0.1, at, entity, {}});
    world().set_places(places_);
    return entity;
  }
  EntityId add_robot(const std::string& name, Vec3 at, const std::string& motion = "holonomic",
                     const Value& motion_values = {}, double radius = 0.15) {
    const EntityId robot = world().create(name);
    world().add(robot, Pose{at, {}});
    world().add(robot, Robot{0, robots_++});
    set_body(world(), robot, world().shapes().add({circle_shape(radius, 0.3)}));
    world().add(robot, Odometer{});
    world().add(robot, Contact{});
    attach<MotionKind>(robot, motion, motion_values);
    return robot;
  }

  template <class Kind>
  Result<void> try_attach(EntityId entity, const std::string& name, const Value& values = {}) {
    const Kind& kind = *registry_.catalog<Kind>().find(name);
    const Result<Config> config = Config::check(values, kind.params);
    if (!config.ok()) return config.errors();
    for (const std::string& system : kind.systems) need(system);
    return kind.attach(world(), entity, *config);
  }
  template <class Kind>
  void attach(EntityId entity, const std::string& name, const Value& values = {}) {
    const Result<void> result = try_attach<Kind>(entity, name, values);
    ASSERT_TRUE(result.ok()) << to_text(result.errors());
  }
  void need(const std::string& system, const Value& values = {}) {
    if (simulation_->has_system(system)) return;
    const SystemKind& kind = *registry_.catalog<SystemKind>().find(system);
    simulation_->add_system(system, kind.phase, kind.order, kind.make(*Config::check(values, kind.params)).value());
  }
  static Value words(const std::vector<std::string>& instructions) {
    Value list = Value::list();
    for (const std::string& text : instructions) list.items().push_back(Value::scalar(text));
    return list;
  }
  void script(EntityId robot, const std::vector<std::string>& instructions, const Value& on_error = {}) {
    Value values = Value::map({{"do", words(instructions)}});
    if (!on_error.is_null()) values.set("on_error", on_error);
    attach<ComponentKind>(robot, "script", values);
  }
  void run(double seconds) {
    if (!started_) simulation_->start();
    started_ = true;
    simulation_->run_until(Time::from_seconds(seconds));
  }
  [[nodiscard]] std::vector<WorldEvent> events(const std::string& name) const {
    std::vector<WorldEvent> out;
    for (const WorldEvent& event : events_) {
      if (event.name == name) out.push_back(event);
    }
    return out;
  }
  [[nodiscard]] Vec3 position(EntityId entity) { return world().get<Pose>(entity)->position; }

  Registry registry_;
  std::unique_ptr<Simulation> simulation_;
  Places places_;
  std::vector<WorldEvent> events_;

 private:
  bool started_ = false;
  std::uint32_t robots_ = 0;
};

}  // namespace strata
