// What the language accepts, and how it answers to mistakes: exact lines and remedies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/yaml.hpp"
#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Language = ScenarioTest;

constexpr const char* kSmall = R"(strata: 1
name: small
duration: 5 s
step: 50 ms
seed: 7
world:
  walls:
    - {from: [0, 0], to: [20, 0], thickness: 0.1 m, height: 1 m}
  objects:
    - {name: pillar, shape: circle, radius: 0.5 m, at: [10, 10]}
robots:
  walker:
    count: 20
    place: {random: {area: [[1, 1], [19, 19]], clearance: 0.1 m}}
    body: {shape: circle, radius: 0.15 m, height: 0.3 m}
    motion: {kind: differential, max_speed: 0.8 m/s, max_turn: 2 rad/s}
    battery: {capacity: 20 Wh, idle: 2 W, per_metre: 5 J/m}
    behaviours: [random_walk, {kind: avoid, margin: 0.1 m}]
record: {poses: 10 Hz, events: all}
expect:
  - {never: overlap, between: [walker, "*"]}
  - {at_end: distance.mean, above: 0.1 m}
)";

TEST_F(Language, AcceptsTheSmallOne) {
  const Result<Scenario> scenario = load(kSmall);
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_EQ(scenario->spec.name, "small");
  EXPECT_EQ(scenario->spec.duration, Duration::from_seconds(5));
  EXPECT_EQ(scenario->spec.groups.front().count, 20U);
  EXPECT_EQ(scenario->spec.world.objects.size(), 2U);
  const auto built = build(*scenario, registry_);
  ASSERT_TRUE(built.ok()) << to_text(built.errors());
  EXPECT_EQ((*built)->robots.size(), 20U);
  EXPECT_TRUE((*built)->simulation->world().find("walker20").valid());
  EXPECT_TRUE((*built)->simulation->has_system("battery"));
}

TEST_F(Language, TheNameComesFromTheFolder) {
  const std::string file = files_.write("race/scenario.yaml", "strata: 1\n");
  EXPECT_EQ(load_scenario(files_.path("race"), {}, registry_)->spec.name, "race");
  EXPECT_EQ(load_scenario(file, {}, registry_)->spec.name, "race");
  EXPECT_EQ(load_scenario(files_.write("dash.yaml", "strata: 1\n"), {}, registry_)->spec.name, "dash");
}

TEST_F(Language, ChecksItsVersion) {
  EXPECT_EQ(brief(errors_of("")),
            "0: the file is empty | begin with 'strata: 1'; 'strata new scenario NAME' writes a start");
  EXPECT_EQ(brief(errors_of("name: x\n")),
            "1: 'strata' is missing | begin with 'strata: 1', the version of the language");
  EXPECT_EQ(brief(errors_of("name: x\nstrata: 2\nnew_things: 1\n")),
            "2: version 2 of the language is not known here | this program understands version 1: write 'strata: 1', "
            "or use a newer program");
  EXPECT_THAT(brief(errors_of("- a\n- b\n")), HasSubstr("expected a scenario, found a list"));
  EXPECT_THAT(brief(errors_of("strata: [1]\n")), HasSubstr("write 'strata: 1'"));
}

TEST_F(Language, UnknownKeysAreErrorsWithASuggestion) {
  EXPECT_EQ(brief(errors_of("strata: 1\nwrold:\n  walls: []\n")),
            "2: unknown parameter 'wrold' | did you mean 'world'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nworld:\n  wals: []\n")), "3: unknown parameter 'wals' | did you mean 'walls'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    motoin: differential\n")),
            "4: unknown key 'motoin' | did you mean 'motion'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    batery: {}\n")),
            "4: unknown key 'batery' | did you mean 'battery'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    motion:\n      kind: diferential\n")),
            "4: unknown motion 'diferential' | did you mean 'differential'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    motion: {kind: differential, max_sped: 1 m/s}\n")),
            "4: unknown parameter 'max_sped' | did you mean 'max_speed'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    place: {grd: {}}\n")),
            "4: unknown placement 'grd' | did you mean 'grid'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a:\n    body: {shape: cirle, radius: 1 m}\n")),
            "4: unknown shape 'cirle' | did you mean 'circle'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nworld: {server: fotprint}\n")),
            "2: unknown world_server 'fotprint' | did you mean 'footprint'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nsystems: {hartbeat: {}}\n")),
            "2: unknown system 'hartbeat' | did you mean 'heartbeat'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrecord: {sinks: [mcp]}\n")), "2: unknown sink 'mcp' | did you mean 'mcap'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nrecord: {events: [colision]}\n")),
            "2: unknown event 'colision' | did you mean 'collision'?");
}

TEST_F(Language, LaterCapabilitiesSaySo) {
  for (const char* key : {"boards", "stations", "links", "radio"}) {
    EXPECT_THAT(brief(errors_of(std::string("strata: 1\n") + key + ": {x: 1}\n")),
                StartsWith(std::string("2: '") + key + "' is not available in this version"));
  }
  for (const char* key : {"model", "software", "detail", "computer"}) {
    EXPECT_THAT(brief(errors_of(std::string("strata: 1\nrobots:\n  a:\n    ") + key + ": x\n")),
                StartsWith(std::string("4: '") + key + "' is not available in this version"));
  }
}

TEST_F(Language, TeamsAndScriptsAreChecked) {
  const std::string robot = "strata: 1\nrobots: {a: {at: [0, 0], motion: holonomic, script: [";
  EXPECT_EQ(errors_of(robot + "go 1 2, wait 5 s, {repeat: 2, do: [say hi]}]}}\n").size(), 0U);
  EXPECT_THAT(brief(errors_of(robot + "go nowhere]}}\n")), StartsWith("2: there is no place 'nowhere'"));
  EXPECT_THAT(brief(errors_of(robot + "fly 1 2]}}\n")), StartsWith("2: unknown instruction 'fly'"));
  const std::string team = "strata: 1\nrobots: {a: {at: [0, 0], motion: holonomic}}\nteam: {members: [a], ";
  EXPECT_EQ(errors_of(team + "strategy: optimal, tasks: [{do: [go 1 2]}]}\n").size(), 0U);
  EXPECT_EQ(errors_of(team + "tasks: {do: [go 1 2], arrive: {every: 5 s, random: poisson, count: 3}}}\n").size(), 0U);
  EXPECT_THAT(brief(errors_of(team + "strategy: bets, tasks: [{do: [go 1 2]}]}\n")),
              StartsWith("3: unknown allocation 'bets'"));
  EXPECT_THAT(brief(errors_of(team + "tasks: []}\n")), StartsWith("3: there are no tasks"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots: {a: {}}\nteam: {members: [b], tasks: [{do: [wait 1 s]}]}\n")),
              StartsWith("3: no robot is named 'b'"));
  EXPECT_THAT(brief(errors_of("strata: 1\non_error: {path_not_fund: stop}\n")),
              StartsWith("2: unknown error 'path_not_fund' | did you mean 'path_not_found'?"));
}

TEST_F(Language, FaultsHaveATimeOrARate) {
  const std::string faults = "strata: 1\nrobots: {a: {count: 3, place: grid, battery: {}}}\nfaults:\n  - {";
  EXPECT_EQ(errors_of(faults + "rate: 1 per h, remove: a*.battery}\n").size(), 0U);
  EXPECT_THAT(brief(errors_of(faults + "rate: 1 per h, at: 3 s, remove: a*.battery}\n")),
              StartsWith("4: a fault has a time or"));
  EXPECT_THAT(brief(errors_of(faults + "remove: a*.battery}\n")), StartsWith("4: nothing says when"));
}

TEST_F(Language, QuantitiesAreChecked) {
  EXPECT_EQ(brief(errors_of("strata: 1\nduration: 60\n")), "2: '60' needs a unit | write '60 s'");
  EXPECT_EQ(brief(errors_of("strata: 1\nduration: -1 s\n")), "2: '-1 s' is out of range | must be more than 0 s");
  EXPECT_EQ(brief(errors_of("strata: 1\nduration: nan s\n")), "2: 'nan s' is not a finite number | ");
  EXPECT_EQ(brief(errors_of("strata: 1\nstep: 5 m\n")), "2: '5 m' has the wrong unit | use a unit like s");
  EXPECT_EQ(brief(errors_of("strata: 1\nstep: 5 mss\n")), "2: unknown unit 'mss' | did you mean 'ms'?");
  EXPECT_EQ(brief(errors_of("strata: 1\nseed: -3\n")), "2: '-3' is out of range | must be at least 0");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a: {count: many}\n")),
            "3: expected a whole number, found 'many' | ");
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a: {count: 0}\n")), "3: '0' is out of range | must be at least 1");
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a: {count: 1e12}\n")), HasSubstr("must be at most"));
  EXPECT_EQ(brief(errors_of("strata: 1\nrobots:\n  a: {body: {shape: circle, radius: -1 m}}\n")),
            "3: '-1 m' is out of range | must be more than 0 m");
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  walls:\n    - {from: [0, .nan], to: [1, 1]}\n")),
              HasSubstr("expected a coordinate in metres"));
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  walls:\n    - {from: [0, 1e300], to: [1, 1]}\n")),
              HasSubstr("out of range"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrecord: {poses: 10}\n")), HasSubstr("write '10 Hz'"));
}

TEST_F(Language, GeometryIsChecked) {
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  walls:\n    - {from: [1, 1], to: [1, 1]}\n")),
              StartsWith("4: the wall has no length"));
  EXPECT_THAT(brief(errors_of("strata: 1\nworld: {border: {from: [0, 0], to: [0, 9]}}\n")), HasSubstr("no area"));
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  objects:\n    - {at: [0, 0]}\n")),
              StartsWith("4: 'shape' is missing | one of: box, circle"));
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  objects:\n    - {shape: polygon, at: [0, 0], points: [[0, 0], [1, "
                              "0], [0.5, 0.1], [1, 1], [0, 1]]}\n")),
              StartsWith("4: "));
  EXPECT_THAT(brief(errors_of(
                  "strata: 1\nworld:\n  objects:\n    - {shape: circle, radius: 1 m, at: [0, 0], turn: 1 rad/s}\n")),
              HasSubstr("stands still"));
}

TEST_F(Language, AllMistakesAreShownAtOnce) {
  const Errors errors = errors_of(R"(strata: 1
duration: 60
world:
  walls:
    - {from: [0, 0]}
robots:
  a: {count: 3, motion: differental}
  b: {body: {shape: circle}}
record: {poses: often}
expect:
  - {never: colision}
)");
  EXPECT_EQ(brief(errors),
            "2: '60' needs a unit | write '60 s'\n"
            "5: 'to' is missing | the other end\n"
            "7: unknown motion 'differental' | did you mean 'differential'?\n"
            "7: nothing says where the 3 robots start | add for example place: {grid: {spacing: 1 m}}\n"
            "8: 'radius' is missing | of the circle\n"
            "9: 'often' is not a quantity | write a number and a unit, for example '0.5 m/s'\n"
            "11: unknown metric or event 'colision' | did you mean 'collision'?");
  for (const Error& error : errors) EXPECT_EQ(error.where.file, files_.path("scenario.yaml"));
  EXPECT_EQ(errors[2].where.path, "robots.a.motion");
}

TEST_F(Language, AnEndlessListOfMistakesIsCut) {
  std::string text = "strata: 1\n";
  for (int i = 0; i < 1000; ++i) text += "bad" + std::to_string(i) + ": 1\n";
  const Errors errors = errors_of(text);
  EXPECT_EQ(errors.size(), 51U);
  EXPECT_EQ(errors.back().problem, "and 950 more errors");
}

TEST_F(Language, NamesAreUsedOnce) {
  EXPECT_THAT(
      brief(errors_of(
          "strata: 1\nrobots:\n  uav: {count: 11, place: grid}\n  uav1: {count: 2, place: {grid: {from: [50, 0]}}}\n")),
      AllOf(StartsWith("4: a name of uav11 ... uav12 is used already"), HasSubstr("scenario.yaml:3")));
  EXPECT_THAT(brief(errors_of("strata: 1\nworld:\n  objects:\n    - {name: a2, shape: circle, radius: 1 m, at: [5, "
                              "5]}\nrobots:\n  a: {count: 3, place: grid}\n")),
              StartsWith("6: a name of a1 ... a3 is used already"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  a.b: {}\n")), StartsWith("3: 'a.b' cannot be a name"));
  EXPECT_THAT(brief(errors_of("strata: 1\nrobots:\n  \"*\": {}\n")), StartsWith("3: '*' cannot be a name"));
}

TEST_F(Language, OverridesChangeSingleRobots) {
  const Result<Scenario> scenario = load(R"(strata: 1
robots:
  w: {count: 4, place: {grid: {}}, motion: differential, battery: {capacity: 10 J}}
override:
  w3: {motion: {max_speed: 2 m/s}, at: [9, 9]}
  "w*": {battery: {idle: 1 W}}
)");
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  const GroupSpec& group = scenario->spec.groups.front();
  EXPECT_DOUBLE_EQ(group.robot(2).motion->config.quantity("max_speed"), 2);
  EXPECT_DOUBLE_EQ(group.robot(1).motion->config.quantity("max_speed"), 0.5);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(group.robot(i).components.front().config.quantity("idle"), 1);
    EXPECT_DOUBLE_EQ(group.robot(i).components.front().config.quantity("capacity"), 10);
  }
  const auto built = build(*scenario, registry_);
  ASSERT_TRUE(built.ok()) << to_text(built.errors());
  const World& world = (*built)->simulation->world();
  EXPECT_EQ(world.get<Pose>(world.find("w3"))->position, (Vec3{9, 9, 0}));
  EXPECT_EQ(world.get<Pose>(world.find("w4"))->position, (Vec3{1, 1, 0}));
}

TEST_F(Language, OverridesAreChecked) {
  const std::string robots = "strata: 1\nrobots:\n  walker: {count: 4, place: grid, motion: differential}\noverride:\n";
  EXPECT_EQ(brief(errors_of(robots + "  wlker3: {motion: holonomic}\n")),
            "5: no robot is named 'wlker3' | did you mean 'walker3'?");
  EXPECT_EQ(brief(errors_of(robots + "  walker9: {motion: holonomic}\n")),
            "5: no robot is named 'walker9' | did you mean 'walker1'?");
  EXPECT_THAT(brief(errors_of(robots + "  walker1: {count: 3}\n")),
              StartsWith("5: 'count' belongs to the whole group"));
  EXPECT_EQ(brief(errors_of(robots + "  walker1: {motion: {max_sped: 1 m/s}}\n")),
            "5: unknown parameter 'max_sped' | did you mean 'max_speed'?");
  EXPECT_THAT(brief(errors_of(robots + "  walker1: 5\n")), StartsWith("5: expected what is different"));
}

TEST_F(Language, TheCommandLineOverridesTheFile) {
  LoadOptions options;
  options.sets = {"robots.walker.count=5", "record.poses=none", "robots.walker.motion.max_speed=2 m/s"};
  options.seed = 99;
  options.duration = Duration::from_seconds(1);
  const Result<Scenario> scenario = load(kSmall, options);
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  EXPECT_EQ(scenario->spec.groups.front().count, 5U);
  EXPECT_EQ(scenario->spec.record.poses_hz, 0);
  EXPECT_EQ(scenario->spec.seed, 99U);
  EXPECT_EQ(scenario->spec.duration, Duration::from_seconds(1));
  EXPECT_DOUBLE_EQ(scenario->spec.groups.front().variants.front().motion->config.quantity("max_speed"), 2);
}

TEST_F(Language, MistakesOnTheCommandLineAreFoundThere) {
  LoadOptions options;
  options.sets = {"robots.walker.cuont=5", "wrold.walls=[]", "robots.wlker.count=2"};
  const Result<Scenario> scenario = load(kSmall, options);
  ASSERT_FALSE(scenario.ok());
  EXPECT_EQ(to_text(scenario.errors()),
            "--set robots.wlker.count=2: there are no robots named 'wlker'\n  did you mean 'walker'?\n"
            "--set wrold.walls=[]: wrold: unknown parameter 'wrold'\n  did you mean 'world'?\n"
            "--set robots.walker.cuont=5: robots.walker.cuont: unknown key 'cuont'\n  did you mean 'count'?");
}

TEST_F(Language, ResolvedScenariosReadBackToThemselves) {
  const std::string texts[] = {kSmall, R"(strata: 1
description: "quoted: text"
world:
  border: {from: [-5, -5], to: [5, 5]}
  walls: [{from: [-1, 0], to: [1, 0], name: bar}]
  objects:
    - {body: [{shape: circle, radius: 0.2 m}, {shape: box, length: 1 m, width: 0.2 m, at: [0.5, 0], heading: 90 deg}], at: [3, 3]}
    - {name: cart, shape: polygon, points: [[0, 0], [1, 0], [0, 1]], at: [-3, -3], velocity: [0.1, 0], turn: 0.1 rad/s}
robots:
  a: {at: [2, -2], heading: 45 deg, body: none}
  b: {at: [[0, 2], [0, 3]], sensors: [range_scan], motion: holonomic}
  c: {count: 3, place: {circle: {centre: [0, -3], radius: 1 m, heading: inward}}, motion: {ackermann: {max_speed: 1 m/s}}, battery: }
override:
  c2: {motion: {max_speed: 3 m/s}, body: {shape: box, length: 0.2 m, width: 0.1 m}}
  b1: {motion: {point: {max_speed: 3 m/s}}}
systems:
  - heartbeat
  - {kind: heartbeat, name: slow, every: 10 s}
faults:
  - {at: 1 s, remove: "c*.battery"}
record: {poses: none, events: [collision, fault], sinks: []}
expect:
  - {by: 2 s, event: fault, count: 3}
)"};
  for (const std::string& text : texts) {
    const Result<Scenario> first = load(text);
    ASSERT_TRUE(first.ok()) << to_text(first.errors());
    const std::string resolved = to_yaml(first->spec.resolved);
    const Result<Scenario> second = load_scenario(files_.write("resolved.yaml", resolved), {}, registry_);
    ASSERT_TRUE(second.ok()) << to_text(second.errors()) << "\n" << resolved;
    EXPECT_EQ(to_yaml(second->spec.resolved), resolved);
    RunOptions options;
    options.write_folder = false;
    const Result<RunOutcome> a = run(*first, options, registry_);
    const Result<RunOutcome> b = run(*second, options, registry_);
    ASSERT_TRUE(a.ok()) << to_text(a.errors());
    ASSERT_TRUE(b.ok()) << to_text(b.errors());
    EXPECT_EQ(a->hash, b->hash);
    EXPECT_GT(a->steps, 0U);
  }
}

TEST(Matches, StarsStandForAnything) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("uav*", "uav12"));
  EXPECT_TRUE(matches("*a*b", "xxaxxab"));
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("uav*", "nuav"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_FALSE(matches("a*b", "ac"));
}

}  // namespace
}  // namespace strata
