// Small worlds for tests.
#pragma once

#include <memory>

#include "base/math.hpp"
#include "base/random.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata::testing {

inline EntityId add_static(World& world, std::vector<Shape> shapes, Vec3 at = {}, double yaw = 0) {
  const EntityId entity = world.create();
  world.add(entity, Pose{at, math::from_yaw(yaw)});
  set_body(world, entity, world.shapes().add(std::move(shapes)));
  return entity;
}

inline EntityId add_mover(World& world, std::vector<Shape> shapes, Vec3 at, Vec3 velocity, double yaw_rate = 0) {
  const EntityId entity = add_static(world, std::move(shapes), at);
  world.add(entity, Velocity{velocity, {0, 0, yaw_rate}});
  world.add(entity, Contact{});
  world.add(entity, Odometer{});
  return entity;
}

inline SimulationSpec spec_of(double step_s, int threads = 1, std::uint64_t seed = 1) {
  SimulationSpec spec;
  spec.step = Duration::from_seconds(step_s);
  spec.threads = threads;
  spec.seed = seed;
  return spec;
}

/// Bodies of all shapes in a walled square, pushed around: each gets a new velocity now and then.
class Pushing final : public System {
 public:
  void step(World& world, const Step& step) override {
    for (auto [entity, velocity, contact] : world.each<Velocity, const Contact>()) {
      if (contact.touching == 0 && step.index % 16 != 1) continue;
      RandomStream draw(stream_key(world.seed(), static_cast<std::uint64_t>(world.stable_id(entity)), "push"),
                        step.index * 4);
      const double angle = draw.uniform(0, math::kTau);
      const double speed = draw.uniform(0.2, 3);
      velocity.linear = {speed * math::cos(angle), speed * math::sin(angle), 0};
      velocity.angular = {0, 0, draw.uniform(-3, 3)};
    }
  }
};

inline std::unique_ptr<Simulation> make_crowd(const SimulationSpec& spec, int robots, double size,
                                              std::unique_ptr<WorldServer> server = nullptr) {
  auto simulation = std::make_unique<Simulation>(spec);
  if (server) simulation->set_server(std::move(server));
  World& world = simulation->world();
  const Vec2 corners[] = {{0, 0}, {size, 0}, {size, size}, {0, size}};
  for (int i = 0; i < 4; ++i) add_static(world, {segment_shape(corners[i], corners[(i + 1) % 4], 0.1, 2)});
  const int side = static_cast<int>(std::ceil(std::sqrt(robots)));
  for (int i = 0; i < robots; ++i) {
    const Vec3 at{(i % side + 0.5) * size / side, (i / side + 0.5) * size / side, 0};
    Shape shape = circle_shape(0.2, 1);
    if (i % 4 == 1) shape = box_shape(0.5, 0.25, 1);
    if (i % 4 == 2) shape = *polygon_shape({{-0.2, -0.2}, {0.3, 0}, {-0.2, 0.2}}, 1);
    std::vector<Shape> shapes{shape};
    if (i % 8 == 3) shapes.push_back({{{0.2, 0}, {0.35, 0}}, 0.05, 0, 0.5});
    add_mover(world, shapes, at, {});
  }
  simulation->add_system("pushing", Phase::kAct, 0, std::make_unique<Pushing>());
  simulation->start();
  return simulation;
}

}  // namespace strata::testing
