#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/math.hpp"
#include "behaviour/behaviour_kinds.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {
namespace {

class BehaviourTest : public ::testing::Test {
 protected:
  BehaviourTest() {
    register_world_kinds(registry_);
    register_behaviour_kinds(registry_);
  }

  template <class Kind>
  void attach(Simulation& simulation, EntityId entity, const char* name, const Value& values = {}) {
    const Kind& kind = *registry_.catalog<Kind>().find(name);
    const Result<Config> config = Config::check(values, kind.params);
    ASSERT_TRUE(config.ok()) << to_text(config.errors());
    ASSERT_TRUE(kind.attach(simulation.world(), entity, *config).ok());
    for (const std::string& system : kind.systems) {
      if (simulation.has_system(system)) continue;
      const SystemKind& serves = *registry_.catalog<SystemKind>().find(system);
      simulation.add_system(system, serves.phase, serves.order, serves.make(*Config::check({}, serves.params)).value());
    }
  }

  EntityId add_wall(World& world, Vec2 from, Vec2 to) {
    const EntityId wall = world.create();
    world.add(wall, Pose{});
    set_body(world, wall, world.shapes().add({segment_shape(from, to, 0.05, 1)}));
    return wall;
  }

  // Walkers in a walled square.
  std::unique_ptr<Simulation> make_walkers(int robots, double size, bool avoiding, double step_s = 0.1,
                                           int threads = 1) {
    SimulationSpec spec;
    spec.step = Duration::from_seconds(step_s);
    spec.threads = threads;
    auto simulation = std::make_unique<Simulation>(spec);
    World& world = simulation->world();
    const Vec2 corners[] = {{0, 0}, {size, 0}, {size, size}, {0, size}};
    for (int i = 0; i < 4; ++i) add_wall(world, corners[i], corners[(i + 1) % 4]);
    const int side = static_cast<int>(std::ceil(std::sqrt(robots)));
    for (int i = 0; i < robots; ++i) {
      const EntityId robot = world.create();
      world.add(robot, Pose{{(i % side + 0.5) * size / side, (i / side + 0.5) * size / side, 0}, {}});
      set_body(world, robot, world.shapes().add({circle_shape(0.15, 0.3)}));
      world.add(robot, Odometer{});
      attach<MotionKind>(*simulation, robot, "differential");
      attach<BehaviourKind>(*simulation, robot, "random_walk");
      if (avoiding) attach<BehaviourKind>(*simulation, robot, "avoid");
    }
    simulation->start();
    return simulation;
  }

  Registry registry_;
};

TEST_F(BehaviourTest, walkers_get_around_and_stay_inside_whatever_the_step) {
  for (const double step_s : {0.01, 0.05, 0.2}) {
    const auto simulation = make_walkers(25, 10, false, step_s);
    simulation->run_until(Time::from_seconds(60));
    for (auto [entity, pose, odometer] : simulation->world().each<const Pose, const Odometer>()) {
      EXPECT_GT(odometer.distance_m, 2) << step_s;
      EXPECT_GT(pose.position.x, 0.15);
      EXPECT_LT(pose.position.x, 9.85);
      EXPECT_GT(pose.position.y, 0.15);
      EXPECT_LT(pose.position.y, 9.85);
    }
    EXPECT_TRUE(simulation->server().overlaps(simulation->world()).empty());
  }
}

TEST_F(BehaviourTest, avoiding_walkers_touch_much_less) {
  const auto careless = make_walkers(40, 8, false);
  const auto careful = make_walkers(40, 8, true);
  careless->run_until(Time::from_seconds(120));
  careful->run_until(Time::from_seconds(120));
  EXPECT_GT(careless->event_count("collision"), 50U);
  EXPECT_LT(careful->event_count("collision"), careless->event_count("collision") / 4);
  double way = 0;
  for (const Odometer& odometer : std::as_const(careful->world()).pool<Odometer>().rows()) way += odometer.distance_m;
  EXPECT_GT(way, 40 * 120 * 0.05) << "careful, not frozen";
}

TEST_F(BehaviourTest, same_hash_for_any_number_of_threads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 8}) {
    const auto simulation = make_walkers(400, 25, true, 0.1, threads);
    simulation->run_until(Time::from_seconds(20));
    hashes.push_back(simulation->hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_F(BehaviourTest, a_random_walk_with_impossible_speeds_is_refused) {
  Simulation simulation(SimulationSpec{});
  const EntityId robot = simulation.world().create();
  const BehaviourKind& kind = *registry_.catalog<BehaviourKind>().find("random_walk");
  const Value speeds = Value::map({{"min_speed", Value::scalar("2 m/s")}, {"max_speed", Value::scalar("1 m/s")}});
  const Result<Config> config = Config::check(speeds, kind.params);
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(kind.attach(simulation.world(), robot, *config).ok());
}

}  // namespace
}  // namespace strata
