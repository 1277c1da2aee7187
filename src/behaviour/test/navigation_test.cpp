// Robots that go somewhere: arrival, unreachable targets, walls, and the same story whatever the step.
#include "behaviour/navigation/navigation.hpp"

#include <gmock/gmock.h>

#include "fleet.hpp"

namespace strata {
namespace {

class NavigationTest : public FleetTest {
 protected:
  // Two rooms with a door between them; `target` lies in the second, `vault` has no door.
  void make_rooms() {
    add_wall({0, 0}, {12, 0});
    add_wall({0, 8}, {12, 8});
    add_wall({0, 0}, {0, 8});
    add_wall({12, 0}, {12, 8});
    add_wall({6, 0}, {6, 5});
    add_wall({6, 6.2}, {6, 8});
    add_wall({10, 0}, {10, 2});
    add_wall({10, 2}, {12, 2});
    add_place("target", {9, 1, 0});
    add_place("vault", {11, 1, 0});
  }
};

TEST_F(NavigationTest, every_motion_model_arrives) {
  for (const char* motion : {"holonomic", "differential", "point"}) {
    restart();
    make_rooms();
    const EntityId robot = add_robot("robot", {2, 2, 0}, motion);
    script(robot, {"go target", "say there"});
    run(60);
    ASSERT_EQ(events("said").size(), 1U) << motion;
    EXPECT_LT(length(position(robot) - Vec3{9, 1, 0}), 0.03) << motion;
    EXPECT_EQ(simulation_->event_count("collision"), 0U) << motion;
  }
}

TEST_F(NavigationTest, arrival_times_do_not_depend_on_the_step) {
  std::vector<double> first;
  for (const double step_s : {0.001, 0.01, 0.05, 0.1, 0.2}) {
    restart(step_s);
    make_rooms();
    const std::vector<Vec3> starts{{1, 1, 0}, {2, 6, 0}, {4, 3, 0}, {3, 7.2, 0}};
    std::vector<EntityId> robots;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      robots.push_back(add_robot("r" + std::to_string(i), starts[i]));
      script(robots.back(), {"go " + std::to_string(7.5 + static_cast<double>(i)) + " 4"});
    }
    run(40);
    std::vector<double> times;
    for (const EntityId robot : robots) {
      for (const WorldEvent& event : events("arrived")) {
        if (event.entity == robot) times.push_back(event.time.seconds());
      }
    }
    ASSERT_EQ(times.size(), starts.size()) << step_s;
    if (first.empty()) first = times;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], first[i], step_s) << step_s << " robot " << i;
    EXPECT_TRUE(simulation_->server().overlaps(world()).empty());
  }
}

TEST_F(NavigationTest, diagonals_take_their_length) {
  const EntityId straight = add_robot("straight", {0, 0, 0});
  const EntityId diagonal = add_robot("diagonal", {0, 5, 0});
  script(straight, {"go 10 0"});
  script(diagonal, {"go 7.0710678 12.0710678"});
  run(15);
  ASSERT_EQ(events("arrived").size(), 2U);
  EXPECT_NEAR(events("arrived")[0].time.seconds(), 10, 0.01);
  EXPECT_NEAR(events("arrived")[1].time.seconds(), 10, 0.01);
}

TEST_F(NavigationTest, unreachable_targets_are_reported_to_the_commander) {
  make_rooms();
  const EntityId robot = add_robot("robot", {2, 2, 0});
  script(robot, {"go vault", "say impossible"});
  run(30);
  EXPECT_EQ(events("path_not_found").size(), 1U);
  EXPECT_EQ(events("script_failed").size(), 1U);
  EXPECT_TRUE(events("said").empty());
  EXPECT_EQ(position(robot), (Vec3{2, 2, 0})) << "it stays where it is";
}

TEST_F(NavigationTest, a_partial_way_ends_as_near_as_it_gets) {
  make_rooms();
  const EntityId robot = add_robot("robot", {2, 2, 0});
  script(robot, {"go vault"}, Value::map({{"path_not_found", words({"say as near as I get", "skip"})}}));
  attach<BehaviourKind>(robot, "navigate", Value::map({{"partial", Value::scalar("yes")}}));
  run(40);
  EXPECT_EQ(events("stopped_short").size(), 1U);
  EXPECT_EQ(events("said").size(), 1U);
  EXPECT_EQ(events("script_done").size(), 1U);
  EXPECT_LT(length(position(robot) - Vec3{11, 1, 0}), 2);
}

TEST_F(NavigationTest, a_robot_that_does_not_get_on_gives_up) {
  make_rooms();
  const EntityId robot = add_robot("robot", {2, 2, 0});
  script(robot, {"go target"});
  attach<BehaviourKind>(robot, "navigate", Value::map({{"patience", Value::scalar("3 s")}}));
  add_robot("plug1", {6, 5.3, 0}, "holonomic", {}, 0.24);
  add_robot("plug2", {6, 5.9, 0}, "holonomic", {}, 0.24);
  run(40);
  EXPECT_EQ(events("way_blocked").size(), 1U);
  EXPECT_EQ(events("script_failed").size(), 1U);
}

TEST_F(NavigationTest, paths_of_the_map_are_followed_and_learned) {
  make_rooms();
  places_.paths.push_back({"corridor", {{2, 2, 0}, {2, 5.6, 0}, {8, 5.6, 0}, {8, 2, 0}}, false, {}});
  world().set_places(places_);
  const EntityId robot = add_robot("robot", {1.5, 2, 0});
  script(robot, {"go target", "go 2 2"});
  attach<BehaviourKind>(robot, "navigate", Value::map({{"planner", Value::scalar("paths")}}));
  run(60);
  EXPECT_EQ(events("script_done").size(), 1U);
  EXPECT_NEAR(world().get<Odometer>(robot)->distance_m, 2 * (3.6 + 6 + 3.6 + 1.41) + 0.5, 0.3);
}

TEST_F(NavigationTest, unknown_planners_and_their_mistakes_are_errors) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  const auto with = [&](Value planner) {
    return try_attach<BehaviourKind>(robot, "navigate", Value::map({{"planner", std::move(planner)}}));
  };
  EXPECT_FALSE(with(Value::scalar("teleport")).ok());
  EXPECT_FALSE(with(Value::map({{"kind", Value::scalar("grid")}, {"cell", Value::scalar("0 m")}})).ok());
  EXPECT_TRUE(with(Value::map({{"kind", Value::scalar("grid")}, {"cell", Value::scalar("0.2 m")}})).ok());
}

TEST_F(NavigationTest, same_hash_for_any_number_of_threads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 3, 8}) {
    restart(0.1, threads);
    for (int i = 0; i < 300; ++i) {
      const EntityId robot =
          add_robot("r" + std::to_string(i), {1.0 * (i % 20), 1.0 * (i / 20), 0}, i % 2 ? "differential" : "holonomic");
      script(robot, {"go " + std::to_string(30 + i % 17) + " " + std::to_string(i % 13), "wait 1 s", "go 0 0"});
    }
    run(30);
    hashes.push_back(simulation_->hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_F(NavigationTest, continues_from_a_snapshot) {
  const auto prepare = [&] {
    restart(0.05);
    make_rooms();
    const EntityId robot = add_robot("robot", {2, 2, 0}, "differential");
    script(robot, {"go target", "wait 1 s", "go 2 2"});
  };
  prepare();
  run(4);
  const auto saved = simulation_->save();
  ASSERT_TRUE(saved.ok());
  run(60);
  const std::uint64_t hash = simulation_->hash();
  prepare();
  simulation_->start();
  ASSERT_TRUE(simulation_->load(*saved).ok());
  simulation_->run_until(Time::from_seconds(60));
  EXPECT_EQ(simulation_->hash(), hash);
}

}  // namespace
}  // namespace strata
