#include "world/components.hpp"

namespace strata {

void register_components(World& world) {
  world.register_component<Pose>(
      "pose", {field("position", "m", &Pose::position), field("orientation", "", &Pose::orientation)});
  world.register_component<Velocity>(
      "velocity", {field("linear", "m/s", &Velocity::linear), field("angular", "rad/s", &Velocity::angular)});
  world.register_component<Body>("body", {field("radius", "m", &Body::radius), field("low", "m", &Body::low),
                                          field("high", "m", &Body::high), field("shape_set", "", &Body::shape_set)});
  world.register_component<Robot>("robot", {field("group", "", &Robot::group), field("index", "", &Robot::index)});
  world.register_component<DriveCommand>(
      "command", {field("linear", "m/s", &DriveCommand::linear), field("yaw_rate", "rad/s", &DriveCommand::yaw_rate)});
  world.register_component<Contact>(
      "contact", {field("normal", "", &Contact::normal), field("touched", "", &Contact::touched),
                  field("touching", "", &Contact::touching), field("other_slot", "", &Contact::other_slot),
                  field("other_generation", "", &Contact::other_generation)});
  world.register_component<Odometer>("odometer", {field("distance", "m", &Odometer::distance_m)});
  world.register_component<Battery>(
      "battery", {field("capacity", "J", &Battery::capacity_j), field("left", "J", &Battery::left_j),
                  field("idle", "W", &Battery::idle_w), field("per_metre", "J/m", &Battery::per_metre_j),
                  field("seen_distance", "m", &Battery::seen_distance_m)});
  world.register_component<Powered>("powered", {field("batteries", "", &Powered::batteries)});
  world.register_component<Disabled>("disabled", {field("reasons", "", &Disabled::reasons)});
}

void set_body(World& world, EntityId entity, std::uint32_t shape_set) {
  const ShapeSet& set = world.shapes().set(shape_set);
  world.add(entity, Body{set.radius, set.low, set.high, shape_set});
}

void disable(World& world, EntityId entity, std::uint64_t reason) {
  const Disabled* now = world.get<Disabled>(entity);
  world.add(entity, Disabled{(now == nullptr ? 0 : now->reasons) | reason});
}

void enable(World& world, EntityId entity, std::uint64_t reason) {
  const Disabled* now = world.get<Disabled>(entity);
  if (now == nullptr) return;
  const std::uint64_t left = now->reasons & ~reason;
  if (left == 0) {
    world.remove<Disabled>(entity);
  } else {
    world.add(entity, Disabled{left});
  }
}

}  // namespace strata
