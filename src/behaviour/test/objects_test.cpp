// Claws, chargers, sensors and teams at work.
#include <gmock/gmock.h>

#include "behaviour/objects/claw.hpp"
#include "behaviour/sensing/notice.hpp"
#include "behaviour/team/team.hpp"
#include "fleet.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;

class ObjectsTest : public FleetTest {
 protected:
  EntityId add_porter(const std::string& name, Vec3 at, const char* capacity = "2 kg") {
    const EntityId robot = add_robot(name, at);
    attach<ComponentKind>(robot, "claw",
                          Value::map({{"capacity", Value::scalar(capacity)}, {"slow_down", Value::scalar("50 %")}}));
    return robot;
  }
  void add_team(const std::vector<EntityId>& members, const std::vector<std::vector<std::string>>& tasks,
                const char* strategy = "optimal") {
    TeamSpec spec;
    spec.members = members;
    spec.strategy = registry_.catalog<AllocationKind>().find(strategy)->make(
        *Config::check({}, registry_.catalog<AllocationKind>().find(strategy)->params));
    const ScriptCatalogs catalogs(registry_);
    for (const auto& task : tasks) {
      const Result<std::uint32_t> program = read_program(world(), {}, words(task), catalogs);
      ASSERT_TRUE(program.ok()) << to_text(program.errors());
      spec.tasks.programs.push_back(*program);
    }
    spec.tasks.count = tasks.size();
    simulation_->add_system("team", Phase::kPlan, -200, std::make_unique<TeamSystem>(spec));
    for (const char* system : {"script", "navigation", "arrival", "charger"}) need(system);
    for (const EntityId member : members) attach<BehaviourKind>(member, "navigate");
  }
};

TEST_F(ObjectsTest, things_are_fetched_and_delivered) {
  add_place("ward", {8, 0, 0});
  const EntityId thing = add_item("medicine", {4, 0, 0}, 1);
  const EntityId robot = add_porter("porter", {0, 0, 0});
  script(robot, {"go medicine", "grab medicine", "go ward", "drop medicine"});
  run(30);
  ASSERT_EQ(events("delivered").size(), 1U);
  EXPECT_EQ(events("delivered")[0].text, "ward");
  EXPECT_LT(length(position(thing) - Vec3{8, 0, 0}), 0.6);
  // Half of the capacity costs a quarter of the speed: 4 m at 1 m/s, 4 m at 0.75 m/s.
  EXPECT_NEAR(events("delivered")[0].time.seconds(), 4 + 4 / 0.75, 0.11);
}

TEST_F(ObjectsTest, claws_fail_with_a_reason) {
  add_item("anvil", {0.2, 0, 0}, 50);
  add_item("pen", {5, 0, 0}, 0.01);
  const auto reason = [&](const std::string& name, const std::string& instruction) {
    const EntityId robot = add_porter(name, {0, 0, 0});
    script(robot, {instruction});
    return robot;
  };
  const EntityId a = reason("a", "grab anvil");
  const EntityId b = reason("b", "grab pen");
  const EntityId c = reason("c", "drop pen");
  run(2);
  ASSERT_EQ(events("script_error").size(), 3U);
  const auto text_of = [&](EntityId robot) {
    for (const WorldEvent& event : events("script_error")) {
      if (event.entity == robot) return event.text;
    }
    return std::string();
  };
  EXPECT_THAT(text_of(a), HasSubstr("too_heavy"));
  EXPECT_THAT(text_of(b), HasSubstr("out_of_reach"));
  EXPECT_THAT(text_of(c), HasSubstr("not_carried"));
  EXPECT_EQ(events("script_failed").size(), 3U);
}

TEST_F(ObjectsTest, a_failed_claw_loses_what_it_holds) {
  const EntityId thing = add_item("box", {0.2, 0, 0}, 1);
  const EntityId robot = add_porter("porter", {0, 0, 0});
  script(robot, {"grab box", "go 10 0"});
  run(3);
  EXPECT_FALSE(world().has<Pose>(thing));
  world().remove_component(robot, "claw");
  run(4);
  EXPECT_EQ(events("lost").size(), 1U);
  EXPECT_TRUE(world().has<Pose>(thing));
}

TEST_F(ObjectsTest, batteries_charge_at_chargers_only) {
  places_.chargers.push_back({"dock", {3, 0, 0}, 0.5, 100, {}});
  world().set_places(places_);
  const EntityId robot = add_robot("robot", {0, 0, 0});
  attach<ComponentKind>(robot, "battery",
                        Value::map({{"capacity", Value::scalar("1000 J")}, {"charge", Value::scalar("20 %")}}));
  script(robot, {"charge", "say early"}, Value::map({{"no_charger", words({"go dock", "charge to 80 %", "skip"})}}));
  run(20);
  ASSERT_EQ(events("charged").size(), 1U);
  EXPECT_NEAR(events("charged")[0].time.seconds(), 3 + 6, 0.2);
  EXPECT_NEAR(world().get<Battery>(robot)->left_j, 800, 1);
  EXPECT_EQ(events("script_done").size(), 1U);
}

TEST_F(ObjectsTest, sight_has_a_field_of_view_and_walls_hide) {
  const EntityId eye = add_robot("eye", {0, 0, 0});
  add_robot("ahead", {3, 0, 0});
  add_robot("behind", {-3, 0, 0});
  add_robot("hidden", {3, 2, 0});
  add_wall({1.5, 0.6}, {1.5, 2}, 0.1);
  attach<SensorKind>(eye, "sight", Value::map({{"view", Value::scalar("120 deg")}}));
  const EntityId nose = add_robot("nose", {0, 1, 0});
  attach<SensorKind>(nose, "proximity", Value::map({{"range", Value::scalar("3.2 m")}}));
  need("claw");
  run(0.5);
  const auto names = [&](EntityId robot) {
    std::vector<std::string> out;
    for (const EntityId other : noticed_by(world(), robot)) out.push_back(world().name(other));
    return out;
  };
  EXPECT_EQ(names(eye), std::vector<std::string>{"ahead"});
  EXPECT_EQ(names(nose), (std::vector<std::string>{"eye", "ahead", "behind", "hidden"}));
}

TEST_F(ObjectsTest, a_team_shares_tasks_and_survives_a_failure) {
  for (const char* strategy : {"greedy", "auction", "optimal"}) {
    restart();
    std::vector<EntityId> members;
    std::vector<std::vector<std::string>> tasks;
    for (int i = 0; i < 4; ++i) {
      add_place("shelf" + std::to_string(i), {3.0 * i, 6, 0});
      add_item("box" + std::to_string(i), {3.0 * i, 5.8, 0}, 1);
      tasks.push_back({"go shelf" + std::to_string(i), "grab box" + std::to_string(i),
                       "go " + std::to_string(3 * i) + " 12", "drop box" + std::to_string(i)});
    }
    for (int i = 0; i < 3; ++i) members.push_back(add_porter("p" + std::to_string(i), {4.0 * i, 0, 0}));
    add_team(members, tasks, strategy);
    run(3);
    world().remove_component(members[1], "claw");
    run(90);
    EXPECT_EQ(events("task_done").size(), 4U) << strategy;
    EXPECT_EQ(events("task_returned").size(), 1U) << strategy;
    EXPECT_EQ(world().get<TeamMember>(members[1])->done, 0U);
  }
}

TEST_F(ObjectsTest, tasks_nobody_can_do_are_given_up) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  add_wall({3, -3}, {3, 3}, 1);
  add_team({robot}, {{"go 3 0"}, {"go 1 1"}});
  run(30);
  EXPECT_EQ(events("task_failed").size(), 1U);
  EXPECT_EQ(events("task_done").size(), 1U);
}

}  // namespace
}  // namespace strata
