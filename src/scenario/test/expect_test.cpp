#include "scenario/expect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two objects that fly into a wall, one after the other; a robot that stands.
constexpr const char* kWorld = R"(strata: 1
duration: 10 s
step: 100 ms
world:
  walls: [{from: [5, -5], to: [5, 5], name: wall}]
  objects:
    - {name: fast, shape: circle, radius: 0.5 m, at: [0, 2], velocity: [2, 0]}
    - {name: slow, shape: circle, radius: 0.5 m, at: [0, -2], velocity: [1, 0]}
robots:
  idler: {at: [-5, 0], battery: {capacity: 100 J, idle: 5 W}}
systems: {heartbeat: {every: 1 s}}
expect:
)";

class ExpectTest : public ScenarioTest {
 protected:
  ExpectationResult judge(const std::string& line) {
    const Result<RunOutcome> outcome = run_text(std::string(kWorld) + "  - " + line + "\n");
    if (!outcome.ok()) return {"", {}, false, "error: " + to_text(outcome.errors()), {}, {}};
    EXPECT_EQ(outcome->passed(), outcome->expectations.front().passed);
    return outcome->expectations.front();
  }
  bool holds(const std::string& line) {
    const ExpectationResult result = judge(line);
    EXPECT_THAT(result.detail, ::testing::Not(StartsWith("error:"))) << line;
    return result.passed;
  }
  std::string wrong(const std::string& line) { return brief(errors_of("strata: 1\nexpect:\n  - " + line + "\n")); }
};

TEST_F(ExpectTest, Never) {
  EXPECT_TRUE(holds("{never: overlap}"));
  EXPECT_TRUE(holds("{never: battery_empty}"));
  const ExpectationResult hit = judge("{never: collision}");
  EXPECT_FALSE(hit.passed);
  ASSERT_TRUE(hit.time.has_value());
  EXPECT_NEAR(hit.time->seconds(), 2.2, 0.11);
  EXPECT_THAT(hit.detail, StartsWith("collision of fast and wall at 2."));
  EXPECT_EQ(hit.text, "{never: collision}");
  EXPECT_TRUE(holds("{never: collision, between: [fast, slow]}"));
  EXPECT_FALSE(holds("{never: collision, between: [wall, fast]}"));
  EXPECT_FALSE(holds("{never: collision, of: slow}"));
  EXPECT_TRUE(holds("{never: collision, of: idler}"));
  EXPECT_TRUE(holds("{never: collision, above: 2}"));
  EXPECT_FALSE(holds("{never: heartbeat, above: 4}"));
  EXPECT_TRUE(holds("{never: collision, after: 6 s}"));
}

TEST_F(ExpectTest, Always) {
  EXPECT_TRUE(holds("{always: charge.min, above: 0.4}"));
  const ExpectationResult low = judge("{always: charge.min, above: 70 %}");
  EXPECT_FALSE(low.passed);
  EXPECT_NEAR(low.time->seconds(), 6, 0.21);
  EXPECT_NEAR(*low.value, 0.7, 0.02);
  EXPECT_TRUE(holds("{always: robots, equals: 1}"));
  EXPECT_TRUE(holds("{always: collisions, at_most: 2}"));
  EXPECT_FALSE(holds("{always: collisions, below: 2}"));
}

TEST_F(ExpectTest, AtEnd) {
  EXPECT_TRUE(holds("{at_end: charge.mean, above: 45 %, below: 55 %}"));
  EXPECT_FALSE(holds("{at_end: charge.mean, of: idler, above: 60 %}"));
  EXPECT_TRUE(holds("{at_end: {event: collision}, below: 5}"));
  EXPECT_TRUE(holds("{at_end: collision, equals: 2}"));
  EXPECT_TRUE(holds("{at_end: heartbeat, at_least: 9}"));
  const ExpectationResult odd = judge("{at_end: collision, above: 5}");
  EXPECT_FALSE(odd.passed);
  EXPECT_EQ(odd.detail, "is 2 times at the end");
  // The robot cannot touch anything: neither above nor below anything.
  EXPECT_FALSE(holds("{at_end: contacts.mean, at_least: 0}"));
  EXPECT_EQ(judge("{at_end: contacts.mean, at_most: 0}").detail, "there is nothing to measure");
}

TEST_F(ExpectTest, By) {
  EXPECT_TRUE(holds("{by: 3 s, event: collision}"));
  EXPECT_FALSE(holds("{by: 2 s, event: collision}"));
  EXPECT_FALSE(holds("{by: 3 s, event: collision, count: 2}"));
  const ExpectationResult both = judge("{by: 8 s, event: collision, count: 2}");
  EXPECT_TRUE(both.passed);
  EXPECT_NEAR(both.time->seconds(), 4.5, 0.11);
  EXPECT_TRUE(holds("{by: 5 s, metric: charge.mean, below: 90 %}"));
  EXPECT_FALSE(holds("{by: 1 s, metric: charge.mean, below: 90 %}"));
  EXPECT_THAT(judge("{by: 20 s, metric: charge.mean, below: 10 %}").detail, StartsWith("not by 20 s: is 0.5"));
}

TEST_F(ExpectTest, MistakesInTheGrammar) {
  EXPECT_EQ(wrong("{nver: overlap}"),
            "3: unknown key 'nver' | did you mean 'never'?\n3: nothing says when it is expected | use one of never, "
            "always, at_end, by");
  EXPECT_EQ(wrong("{never: overlap, always: x}"),
            "3: it is expected at several times | use one of never, always, at_end, by");
  EXPECT_EQ(wrong("{never: colision}"), "3: unknown metric or event 'colision' | did you mean 'collision'?");
  EXPECT_EQ(wrong("{at_end: distance.man, above: 1 m}"),
            "3: unknown metric or event 'distance.man' | did you mean 'distance.mean'?");
  EXPECT_EQ(wrong("{at_end: distance.mean, above: 20}"), "3: '20' needs a unit | write '20 m'");
  EXPECT_EQ(wrong("{at_end: distance.mean, above: 20 s}"), "3: '20 s' has the wrong unit | use a unit like m");
  EXPECT_EQ(wrong("{at_end: distance.mean}"),
            "3: nothing says how much is expected | add above, below, at_least, at_most or equals");
  EXPECT_THAT(wrong("{at_end: distance, above: 1 m}"), HasSubstr("unknown metric or event 'distance'"));
  EXPECT_EQ(
      wrong("{by: 30 s}"),
      "3: what is expected is not clear | name one metric or one event: {metric: distance.mean} or {event: collision}");
  EXPECT_EQ(wrong("{by: 30, event: collision}"), "3: '30' needs a unit of time | write for example '30 s'");
  EXPECT_THAT(wrong("{by: -1 s, event: collision}"), HasSubstr("negative"));
  EXPECT_THAT(wrong("{never: overlap, above: 3}"), HasSubstr("no amount"));
  EXPECT_THAT(wrong("{always: overlap}"), HasSubstr("only be expected never"));
  EXPECT_THAT(wrong("{at_end: distance.mean, count: 3}"), HasSubstr("'count' is for events"));
  EXPECT_THAT(wrong("{never: collision, between: [a]}"), HasSubstr("expected two names"));
  EXPECT_THAT(wrong("{at_end: robots, of: x, equals: 0}"), HasSubstr("about the whole world"));
  EXPECT_THAT(wrong("{at_end: collision, after: 3 s, equals: 0}"), HasSubstr("'after' makes no sense"));
  EXPECT_THAT(wrong("overlap"), HasSubstr("expected an expectation"));
  EXPECT_THAT(brief(errors_of("strata: 1\nexpect: {never: overlap}\n")), HasSubstr("expected a list"));
}

TEST_F(ExpectTest, AnExpectationAboutNobodyIsAMistake) {
  EXPECT_THAT(
      brief(errors_of("strata: 1\nrobots: {walker: {}}\nexpect:\n  - {never: overlap, between: [wlker, \"*\"]}\n")),
      HasSubstr("4: nothing is named 'wlker' | did you mean 'walker'?"));
}

}  // namespace
}  // namespace strata
