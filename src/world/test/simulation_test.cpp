#include "world/simulation.hpp"

#include <gtest/gtest.h>

#include "world/battery.hpp"
#include "world/drives.hpp"
#include "world/range_scan.hpp"
#include "world/test/crowd.hpp"

namespace strata {
namespace {

using testing::add_mover;
using testing::make_crowd;
using testing::spec_of;

class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest() { register_world_kinds(registry_); }

  template <class Kind>
  void attach(Simulation& simulation, EntityId entity, const char* name, std::vector<Value::Member> values) {
    const Kind& kind = *registry_.catalog<Kind>().find(name);
    const Result<Config> config = Config::check(Value::map(std::move(values)), kind.params);
    ASSERT_TRUE(config.ok()) << to_text(config.errors());
    ASSERT_TRUE(kind.attach(simulation.world(), entity, *config).ok());
    for (const std::string& system : kind.systems) {
      if (simulation.has_system(system)) continue;
      const SystemKind& serves = *registry_.catalog<SystemKind>().find(system);
      simulation.add_system(system, serves.phase, serves.order, serves.make(*Config::check({}, serves.params)).value());
    }
  }
  static Value text(const char* value) { return Value::scalar(value); }

  Registry registry_;
};

TEST_F(SimulationTest, same_hash_for_any_number_of_threads) {
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 8}) {
    const auto simulation = make_crowd(spec_of(0.05, threads), 300, 20);
    simulation->run_until(Time::from_seconds(5));
    if (threads == 1) first = simulation->hash();
    EXPECT_EQ(simulation->hash(), first) << threads;
  }
  const auto other_seed = make_crowd(spec_of(0.05, 1, 2), 300, 20);
  other_seed->run_until(Time::from_seconds(5));
  EXPECT_NE(other_seed->hash(), first);
}

TEST_F(SimulationTest, two_simulations_run_side_by_side) {
  const auto alone = make_crowd(spec_of(0.05), 50, 10);
  alone->run_until(Time::from_seconds(5));
  const auto one = make_crowd(spec_of(0.05), 50, 10);
  const auto two = make_crowd(spec_of(0.05), 50, 10);
  for (int i = 1; i <= 10; ++i) {
    one->run_until(Time::from_seconds(0.5 * i));
    two->run_until(Time::from_seconds(0.5 * i));
  }
  EXPECT_EQ(one->hash(), alone->hash());
  EXPECT_EQ(two->hash(), alone->hash());
}

TEST_F(SimulationTest, a_restored_snapshot_continues_to_the_bit) {
  const auto whole = make_crowd(spec_of(0.05), 100, 12);
  whole->run_until(Time::from_seconds(3));
  const auto saved = whole->save();
  ASSERT_TRUE(saved.ok());
  whole->run_until(Time::from_seconds(8));

  const auto restored = make_crowd(spec_of(0.05), 100, 12);
  ASSERT_TRUE(restored->load(*saved).ok());
  EXPECT_EQ(restored->now(), Time::from_seconds(3));
  restored->run_until(Time::from_seconds(8));
  EXPECT_EQ(restored->hash(), whole->hash());
  EXPECT_EQ(restored->event_counts(), whole->event_counts());

  const auto other = make_crowd(spec_of(0.05), 10, 12);
  EXPECT_FALSE(other->load(std::span(*saved).first(100)).ok());
}

TEST_F(SimulationTest, time_jumps_when_nothing_needs_a_step) {
  Simulation simulation(spec_of(0.01));
  const EntityId robot = add_mover(simulation.world(), {circle_shape(0.1, 1)}, {}, {});
  simulation.start();
  simulation.run_until(Time::from_seconds(1e6));
  EXPECT_LT(simulation.steps(), 3U);
  // An event in between sets something in motion: steps come again, on the same grid.
  simulation.kernel().schedule(Time::from_seconds(1e6 + 0.005), Phase::kPlan, Key{7}, [&] {
    simulation.world().edit<Velocity>(robot)->linear = {1, 0, 0};
  });
  simulation.run_until(Time::from_seconds(1e6 + 1));
  EXPECT_GT(simulation.steps(), 90U);
  EXPECT_LT(simulation.steps(), 110U);
}

TEST_F(SimulationTest, an_empty_battery_stops_the_robot_at_the_same_time_with_and_without_jumps) {
  Simulation simulation(spec_of(0.1));
  const EntityId driving = add_mover(simulation.world(), {circle_shape(0.1, 1)}, {}, {1, 0, 0});
  const EntityId parked = add_mover(simulation.world(), {circle_shape(0.1, 1)}, {0, 5, 0}, {});
  attach<ComponentKind>(simulation, driving, "battery",
                        {{"capacity", text("100 J")}, {"idle", text("10 W")}, {"per_metre", text("10 J/m")}});
  attach<ComponentKind>(simulation, parked, "battery", {{"capacity", text("1000 J")}, {"idle", text("1 W")}});
  std::vector<WorldEvent> events;
  simulation.on_event([&](const WorldEvent& event) { events.push_back(event); });
  simulation.start();
  simulation.run_until(Time::from_seconds(2'000));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].entity, driving);
  EXPECT_NEAR(events[0].time.seconds(), 5, 0.11);
  EXPECT_NEAR(simulation.world().get<Pose>(driving)->position.x, 5, 0.11);
  EXPECT_EQ(events[1].entity, parked);
  EXPECT_NEAR(events[1].time.seconds(), 1'000, 0.11);
  EXPECT_LT(simulation.steps(), 100U);
}

TEST_F(SimulationTest, a_removed_battery_stops_the_robot_too_and_actions_cost_energy) {
  Simulation simulation(spec_of(0.1));
  const EntityId robot = add_mover(simulation.world(), {circle_shape(0.1, 1)}, {}, {1, 0, 0});
  attach<ComponentKind>(simulation, robot, "battery", {{"capacity", text("100 J")}});
  simulation.start();
  EXPECT_TRUE(spend(simulation.world(), robot, 60));
  EXPECT_FALSE(spend(simulation.world(), robot, 60));
  EXPECT_EQ(simulation.world().get<Battery>(robot)->left_j, 40);
  simulation.run_until(Time::from_seconds(1));
  EXPECT_TRUE(simulation.world().remove_component(robot, "battery"));
  simulation.run_until(Time::from_seconds(3));
  EXPECT_NEAR(simulation.world().get<Pose>(robot)->position.x, 1.1, 0.11);
  EXPECT_EQ(simulation.event_count("battery_empty"), 1U);
}

TEST_F(SimulationTest, a_circle_driven_is_a_circle_whatever_the_step) {
  for (const double step_s : {0.001, 0.01, 0.05, 0.2}) {
    Simulation simulation(spec_of(step_s));
    World& world = simulation.world();
    const EntityId robot = add_mover(world, {circle_shape(0.1, 1)}, {}, {});
    attach<MotionKind>(simulation, robot, "differential", {{"max_speed", text("1 m/s")}});
    world.add(robot, DriveCommand{{1, 0, 0}, 0.5});
    simulation.start();
    simulation.run_until(Time::from_seconds(4));
    // Radius 2 m, two radians of it.
    EXPECT_NEAR(world.get<Pose>(robot)->position.x, 2 * math::sin(2), 1e-9) << step_s;
    EXPECT_NEAR(world.get<Pose>(robot)->position.y, 2 - 2 * math::cos(2), 1e-9) << step_s;
    EXPECT_NEAR(math::yaw(world.get<Pose>(robot)->orientation), 2, 1e-9) << step_s;
  }
}

TEST_F(SimulationTest, motion_models_keep_their_limits) {
  Simulation simulation(spec_of(0.1));
  World& world = simulation.world();
  const auto robot = [&](const char* motion, std::vector<Value::Member> limits, DriveCommand command) {
    const EntityId entity =
        add_mover(world, {circle_shape(0.1, 1)}, {static_cast<double>(world.entity_count()) * 1000, 0, 0}, {});
    attach<MotionKind>(simulation, entity, motion, std::move(limits));
    world.add(entity, command);
    return entity;
  };
  const EntityId omni = robot("holonomic", {{"max_speed", text("2 m/s")}}, {{3, 4, 9}, 0});
  const EntityId car =
      robot("ackermann", {{"max_speed", text("4 m/s")}, {"wheelbase", text("2 m")}, {"max_steer", text("0.5 rad")}},
            {{4, 0, 0}, 100});
  const EntityId still_car = robot("ackermann", {}, {{0, 0, 0}, 1});
  const EntityId drone = robot(
      "point", {{"max_speed", text("5 m/s")}, {"max_acceleration", text("1 m/s^2")}, {"max_climb", text("1 m/s")}},
      {{0, 0, 50}, 0});
  const EntityId slow =
      robot("differential", {{"max_speed", text("1 m/s")}, {"max_acceleration", text("0.5 m/s^2")}}, {{-9, 5, 0}, 0});
  simulation.start();
  simulation.run_until(Time::from_seconds(1));
  EXPECT_NEAR(world.get<Velocity>(omni)->linear.x, 1.2, 1e-12);
  EXPECT_NEAR(world.get<Velocity>(omni)->linear.y, 1.6, 1e-12);
  EXPECT_EQ(world.get<Velocity>(omni)->linear.z, 0);
  EXPECT_NEAR(world.get<Velocity>(car)->angular.z, 4 * math::tan(0.5) / 2, 1e-12);
  EXPECT_EQ(world.get<Velocity>(still_car)->angular.z, 0);
  EXPECT_NEAR(world.get<Velocity>(drone)->linear.z, 1, 1e-12);
  EXPECT_NEAR(world.get<Velocity>(slow)->linear.x, -0.5, 1e-12);
  EXPECT_EQ(world.get<Velocity>(slow)->linear.y, 0);
}

TEST_F(SimulationTest, range_scans_see_what_is_there_and_noise_repeats) {
  std::uint64_t hash = 0;
  for (int round = 0; round < 2; ++round) {
    Simulation simulation(spec_of(0.1));
    World& world = simulation.world();
    const EntityId robot = add_mover(world, {circle_shape(0.1, 1)}, {}, {});
    testing::add_static(world, {circle_shape(0.5, 1)}, {3, 0, 0});
    attach<SensorKind>(simulation, robot, "range_scan",
                       {{"rays", text("4")}, {"range", text("10 m")}, {"noise", text("0.01 m")}});
    simulation.start();
    simulation.run_until(Time::from_seconds(1));
    const RangeScan& scan = *world.get<RangeScan>(robot);
    EXPECT_NEAR(readings(world, scan)[0], 2.5, 0.06);
    EXPECT_NE(readings(world, scan)[0], 2.5F);
    EXPECT_EQ(readings(world, scan)[1], 10.0F);
    EXPECT_EQ(scan.scans, 10U);
    if (round == 0) hash = simulation.hash();
    EXPECT_EQ(simulation.hash(), hash);
  }
}

TEST_F(SimulationTest, a_failing_system_is_named) {
  class Failing final : public System {
   public:
    void step(World&, const Step&) override { throw std::runtime_error("no wind"); }
  };
  Simulation simulation(spec_of(0.1));
  simulation.add_system("weather", Phase::kPlan, 0, std::make_unique<Failing>());
  simulation.start();
  try {
    simulation.run_until(Time::from_seconds(1));
    FAIL() << "the exception is lost";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("weather"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("no wind"), std::string::npos) << error.what();
  }
}

TEST_F(SimulationTest, waiting_processes_see_events_of_the_world) {
  Simulation simulation(spec_of(0.1));
  add_mover(simulation.world(), {circle_shape(0.5, 1)}, {0, 0, 0}, {1, 0, 0});
  add_mover(simulation.world(), {circle_shape(0.5, 1)}, {3, 0, 0}, {});
  Time seen;
  int others = 0;
  for (int i = 0; i < 2; ++i) {
    simulation.kernel().spawn("watcher", [&]() -> Process {
      co_await simulation.events().get([](const WorldEvent& event) { return event.name == "collision"; });
      seen = simulation.now();
      ++others;
    });
  }
  simulation.start();
  simulation.run_until(Time::from_seconds(5));
  EXPECT_EQ(others, 2) << "each waiting process sees it";
  EXPECT_NEAR(seen.seconds(), 2, 0.11);
}

}  // namespace
}  // namespace strata
