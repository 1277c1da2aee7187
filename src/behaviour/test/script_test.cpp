// Scripts: states, loops, branches, errors and their handlers; nothing hangs in silence.
#include "behaviour/script/script.hpp"

#include <gmock/gmock.h>

#include "fleet.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;

class ScriptTest : public FleetTest {
 protected:
  std::vector<std::string> said() {
    std::vector<std::string> out;
    for (const WorldEvent& event : events("said")) out.push_back(event.text);
    return out;
  }
  std::string error_of(const std::vector<std::string>& instructions) {
    const EntityId robot = add_robot("r" + std::to_string(count_++), {0, 0, 0});
    const Result<void> result = try_attach<ComponentKind>(robot, "script", Value::map({{"do", words(instructions)}}));
    return result.ok() ? "" : to_text(result.errors());
  }
  int count_ = 0;
};

TEST_F(ScriptTest, waits_to_the_nanosecond_and_says_so) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  script(robot, {"say a", "wait 1.5 s", "Say b", "wait 20 ms", "say c d"});
  run(3);
  ASSERT_EQ(said(), (std::vector<std::string>{"a", "b", "c d"}));
  EXPECT_DOUBLE_EQ(events("said")[1].time.seconds(), 1.5);
  EXPECT_DOUBLE_EQ(events("said")[2].time.seconds(), 1.52);
  EXPECT_EQ(world().get<Script>(robot)->state, Script::kDone);
}

TEST_F(ScriptTest, repeats_and_nests) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  Value inner = Value::map({{"repeat", Value::scalar("2")}, {"do", words({"say x", "wait 1 s"})}});
  Value list = words({"say begin"});
  list.items().push_back(Value::map({{"repeat", Value::scalar("3")}, {"do", Value::list({inner})}}));
  list.items().push_back(Value::scalar("say end"));
  attach<ComponentKind>(robot, "script", Value::map({{"do", list}}));
  run(20);
  EXPECT_EQ(said().size(), 8U);
  EXPECT_EQ(said().back(), "end");
}

TEST_F(ScriptTest, loops_that_take_no_time_do_not_hang) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  const Value loop = Value::map({{"repeat", Value::scalar("forever")}, {"do", words({"say again"})}});
  attach<ComponentKind>(robot, "script", Value::map({{"do", Value::list({loop})}}));
  run(1);
  EXPECT_GT(said().size(), 10U);
  EXPECT_LT(said().size(), 100U);
}

TEST_F(ScriptTest, errors_are_handled_by_name_then_by_default) {
  add_wall({3, -50}, {3, 50}, 0.5);
  add_wall({-50, -50}, {50, -50});
  const EntityId robot = add_robot("robot", {0, 0, 0});
  // The target stands in the wall.
  script(robot, {"go 3 0", "say after"},
         Value::map({{"path_not_found", words({"say no way", "wait 2 s", "retry 2"})}}));
  run(20);
  EXPECT_EQ(said(), (std::vector<std::string>{"no way", "no way", "no way"}));
  EXPECT_EQ(events("script_failed").size(), 1U);

  restart();
  const EntityId other = add_robot("robot", {0, 0, 0});
  add_wall({3, -50}, {3, 50}, 0.5);
  script(other, {"go 3 0", "say after"}, Value::map({{"default", words({"skip"})}}));
  run(5);
  EXPECT_EQ(said(), std::vector<std::string>{"after"});
  EXPECT_EQ(events("script_done").size(), 1U);
}

TEST_F(ScriptTest, a_failing_handler_ends_the_script) {
  add_wall({3, -50}, {3, 50}, 0.5);
  const EntityId robot = add_robot("robot", {0, 0, 0});
  script(robot, {"go 3 0"}, Value::map({{"default", words({"go 3 1"})}}));
  run(5);
  EXPECT_EQ(events("script_error").size(), 2U);
  EXPECT_EQ(events("script_failed").size(), 1U);
}

TEST_F(ScriptTest, a_lost_part_is_an_error) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  script(robot, {"wait 1 s", "go 3 0"});
  run(0.5);
  world().remove_component(robot, "navigator");
  run(3);
  ASSERT_EQ(events("script_error").size(), 1U);
  EXPECT_THAT(events("script_error")[0].text, HasSubstr("missing_part"));
}

TEST_F(ScriptTest, mistakes_are_found_before_the_run) {
  add_place("kitchen", {1, 1, 0});
  EXPECT_THAT(error_of({"fly home"}), HasSubstr("unknown instruction 'fly'"));
  EXPECT_THAT(error_of({"go kitchn"}), HasSubstr("did you mean 'kitchen'"));
  EXPECT_THAT(error_of({"go"}), HasSubstr("does not say where"));
  EXPECT_THAT(error_of({"wait"}), HasSubstr("not a time"));
  EXPECT_THAT(error_of({"wait -1 s"}), HasSubstr("not a time"));
  EXPECT_THAT(error_of({"retry"}), HasSubstr("belongs to a handler"));
  EXPECT_THAT(error_of({""}), HasSubstr("empty"));
  EXPECT_THAT(error_of({"go nowhere", "jump"}), ::testing::AllOf(HasSubstr("nowhere"), HasSubstr("jump")));
  EXPECT_EQ(error_of({"go kitchen", "go 1 2", "wait 1 min"}), "");
}

TEST_F(ScriptTest, idle_time_is_skipped) {
  const EntityId robot = add_robot("robot", {0, 0, 0});
  script(robot, {"wait 1000 s", "go 1 0"});
  run(1010);
  EXPECT_EQ(events("arrived").size(), 1U);
  EXPECT_NEAR(events("arrived")[0].time.seconds(), 1001, 0.06);
  EXPECT_LT(simulation_->steps(), 100U);
}

}  // namespace
}  // namespace strata
