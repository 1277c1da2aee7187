// Radio: range, latency, bandwidth, loss.
#include "behaviour/radio/radio.hpp"

#include <gmock/gmock.h>

#include "fleet.hpp"

namespace strata {
namespace {

class RadioTest : public FleetTest {
 protected:
  EntityId add_speaker(const std::string& name, double x, const Value& radio = {}) {
    const EntityId robot = add_robot(name, {x, 0, 0});
    attach<ComponentKind>(robot, "radio", radio);
    return robot;
  }
};

TEST_F(RadioTest, messages_arrive_in_range_after_their_time) {
  const Value slow = Value::map(
      {{"range", Value::scalar("10 m")}, {"latency", Value::scalar("100 ms")}, {"rate", Value::scalar("80 bit/s")}});
  const EntityId a = add_speaker("a", 0, slow);
  const EntityId b = add_speaker("b", 5);
  add_speaker("c", 50);
  script(a, {"tell all 0123456789", "tell b 0123456789"});
  script(b, {"hear 0123456789", "say got it"});
  run(5);
  const auto heard = events("heard");
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_NEAR(heard[0].time.seconds(), 1.1, 1e-9);  // ten bytes at ten bytes per second
  EXPECT_NEAR(heard[1].time.seconds(), 2.1, 1e-9);
  EXPECT_EQ(heard[0].entity, b);
  EXPECT_EQ(events("said").size(), 1U);
}

TEST_F(RadioTest, losses_follow_the_seed) {
  const auto count = [&](std::uint64_t seed) {
    restart(0.05, 1, seed);
    const EntityId a = add_speaker("a", 0, Value::map({{"loss", Value::scalar("30 %")}}));
    add_speaker("b", 5);
    Value loop = Value::map({{"repeat", Value::scalar("200")}, {"do", words({"tell b hi", "wait 100 ms"})}});
    attach<ComponentKind>(a, "script", Value::map({{"do", Value::list({loop})}}));
    run(30);
    return events("heard").size();
  };
  const std::size_t first = count(1);
  EXPECT_EQ(first, count(1));
  EXPECT_NE(first, count(2));
  EXPECT_GT(first, 110U);
  EXPECT_LT(first, 170U);
}

TEST_F(RadioTest, a_failed_radio_is_silent) {
  const EntityId a = add_speaker("a", 0);
  const EntityId b = add_speaker("b", 5);
  script(a, {"wait 1 s", "tell b hello"});
  run(0.5);
  world().remove_component(b, "radio");
  run(3);
  EXPECT_TRUE(events("heard").empty());
  EXPECT_EQ(events("script_done").size(), 1U);
}

TEST_F(RadioTest, mistakes_are_found_before_the_run) {
  const EntityId a = add_speaker("a", 0);
  const auto error_of = [&](const std::string& text) {
    return !try_attach<ComponentKind>(a, "script", Value::map({{"do", words({text})}})).ok();
  };
  EXPECT_TRUE(error_of("tell nobody hello"));
  EXPECT_TRUE(error_of("tell a"));
  EXPECT_TRUE(error_of("hear"));
  EXPECT_FALSE(error_of("tell all hello"));
}

}  // namespace
}  // namespace strata
