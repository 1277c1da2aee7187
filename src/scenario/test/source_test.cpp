#include "scenario/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/yaml.hpp"
#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::HasSubstr;

Value parse(const std::string& text) { return parse_yaml(text, "t.yaml").value(); }

TEST(Merge, MapsMergeListsReplace) {
  const Value out = merged(parse("a: {x: 1, y: 2}\nl: [1, 2]\ns: 1\n"), parse("a: {y: 3, z: 4}\nl: [9]\nn: new\n"));
  EXPECT_EQ(to_yaml_line(out), "{a: {x: 1, y: 3, z: 4}, l: [9], s: 1, n: new}");
}

TEST(Merge, RespectsKinds) {
  EXPECT_EQ(to_yaml_line(merged(parse("m: differential"), parse("m: {max_speed: 1 m/s}"))),
            "{m: {kind: differential, max_speed: 1 m/s}}");
  EXPECT_EQ(to_yaml_line(merged(parse("m: {kind: a, x: 1}"), parse("m: {kind: b, y: 2}"))), "{m: {kind: b, y: 2}}");
  EXPECT_EQ(to_yaml_line(merged(parse("m: {kind: a, x: 1}"), parse("m: {kind: a, y: 2}"))),
            "{m: {kind: a, x: 1, y: 2}}");
  EXPECT_EQ(to_yaml_line(merged(parse("m: {kind: a, x: 1}"), parse("m: b"))), "{m: b}");
}

TEST(Include, ComesFirstAndIsOverruled) {
  const TestFiles files;
  files.write("parts/base.yaml", "seed: 1\nrobots: {a: {count: 2, at: [0, 0]}}\n");
  files.write("parts/more.yaml", "include: base.yaml\nseed: 2\n");
  const std::string main =
      files.write("main.yaml", "strata: 1\ninclude: [parts/base.yaml, parts/more.yaml]\nrobots: {a: {count: 5}}\n");
  const Result<Value> root = read_with_includes(main);
  ASSERT_TRUE(root.ok()) << to_text(root.errors());
  EXPECT_EQ(to_yaml_line(*root), "{seed: 2, robots: {a: {count: 5, at: [0, 0]}}, strata: 1}");
  EXPECT_EQ(root->find("seed")->where().file, files.path("parts/more.yaml"));
}

TEST(Include, ACircleNamesItsFiles) {
  const TestFiles files;
  files.write("a.yaml", "include: b.yaml\n");
  files.write("b.yaml", "x: 1\ninclude: [c.yaml]\n");
  files.write("c.yaml", "include: ./a.yaml\n");
  const Result<Value> root = read_with_includes(files.path("a.yaml"));
  ASSERT_FALSE(root.ok());
  const Error& error = root.errors().front();
  EXPECT_THAT(error.problem, HasSubstr("run in a circle"));
  for (const char* name : {"a.yaml -> ", "b.yaml -> ", "c.yaml -> "}) EXPECT_THAT(error.problem, HasSubstr(name));
  EXPECT_EQ(error.where.file, files.path("c.yaml"));
  EXPECT_EQ(error.where.line, 1);
}

TEST(Include, AMissingFileIsTheFaultOfTheLineThatNamesIt) {
  const TestFiles files;
  const std::string main = files.write("main.yaml", "strata: 1\ninclude:\n  - gone.yaml\n  - bad.yaml\n");
  files.write("bad.yaml", "a: [1\n");
  const Result<Value> root = read_with_includes(main);
  ASSERT_FALSE(root.ok());
  ASSERT_EQ(root.errors().size(), 2U);
  EXPECT_EQ(root.errors()[0].where.file, main);
  EXPECT_EQ(root.errors()[0].where.line, 3);
  EXPECT_THAT(root.errors()[0].problem, HasSubstr("cannot include"));
  EXPECT_EQ(root.errors()[1].where.file, files.path("bad.yaml"));
}

TEST(Include, DoublingIncludesEnd) {
  const TestFiles files;
  for (int i = 0; i < 30; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    files.write(std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  files.write("30.yaml", "a: 1\n");
  const Result<Value> root = read_with_includes(files.path("0.yaml"));
  ASSERT_FALSE(root.ok());
  EXPECT_THAT(root.errors().front().problem, HasSubstr("files are included"));
}

std::string set(const std::string& text, const std::string& assignment) {
  Value root = parse(text);
  const Result<void> done = apply_set(root, assignment);
  return done.ok() ? to_yaml_line(root) : to_text(done.errors());
}

TEST(Set, ReplacesAndMakesValues) {
  EXPECT_EQ(set("robots: {w: {count: 1}}", "robots.w.count=20"), "{robots: {w: {count: 20}}}");
  EXPECT_EQ(set("a: 1", "record.poses=5 Hz"), "{a: 1, record: {poses: 5 Hz}}");
  EXPECT_EQ(set("world: {walls: [{height: 1 m}, {height: 2 m}]}", "world.walls.1.height=3 m"),
            "{world: {walls: [{height: 1 m}, {height: 3 m}]}}");
  EXPECT_EQ(set("a: 1", "expect=[{never: overlap}]"), "{a: 1, expect: [{never: overlap}]}");
  EXPECT_EQ(set("m: differential", "m.max_speed=1 m/s"), "{m: {kind: differential, max_speed: 1 m/s}}");
  EXPECT_EQ(set("b: [walk, {kind: avoid, margin: 1 m}]", "b.avoid.margin=2 m"),
            "{b: [walk, {kind: avoid, margin: 2 m}]}");
  EXPECT_EQ(set("o: [{name: pillar, radius: 1 m}]", "o.pillar.radius=2 m"), "{o: [{name: pillar, radius: 2 m}]}");
}

TEST(Set, MistakesPointToTheCommandLine) {
  EXPECT_EQ(set("robots: {walker: {count: 1}}", "robots.wlker.count=20"),
            "--set robots.wlker.count=20: there are no robots named 'wlker'\n  did you mean 'walker'?");
  EXPECT_THAT(set("a: 1", "novalue"), HasSubstr("sets nothing"));
  EXPECT_THAT(set("a: 1", "=1"), HasSubstr("sets nothing"));
  EXPECT_THAT(set("a: 1", "a="), HasSubstr("the value is missing"));
  EXPECT_THAT(set("a: 1", "a..b=1"), HasSubstr("empty part"));
  EXPECT_THAT(set("l: [1, 2]", "l.5=1"), HasSubstr("its entries are 0 .. 1"));
  EXPECT_THAT(set("a: 1", "a=[1"),
              HasSubstr("--set a=[1: a list or a map stands where a key is expected\n  is a bracket not closed?"));
  EXPECT_THAT(set("a: 1", "a" + std::string(100'000, '.') + "=1"), HasSubstr("--set"));
}

}  // namespace
}  // namespace strata
