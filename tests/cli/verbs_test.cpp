// The verbs around running: check, test, replay, report, list, describe, new, bench.
#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class VerbTest : public CliTest {
 protected:
  const std::string good_ = walkers(4, 1, "expect:\n  - {never: overlap}\n");
  const std::string failing_ = walkers(4, 1, "expect:\n  - {at_end: distance.mean, above: \"1000 m\"}\n");
  const std::string wrong_ = "strata: 1\nrobots: {a: {cuont: 2}}\nduration: 5\n";
};

TEST_F(VerbTest, CheckDoesNotRun) {
  write("a.yaml", good_);
  const Outcome outcome = run({"check", "a.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("a.yaml"), HasSubstr("4 robots")));
  EXPECT_FALSE(fs::exists(folder() / "runs"));
}

TEST_F(VerbTest, CheckReportsEverythingOfEveryFile) {
  write("a.yaml", good_);
  write("b.yaml", wrong_);
  write("c.yaml",
        walkers(1, 1, "world:\n  objects:\n    - {name: rock, shape: circle, radius: 1 m, height: 1 m, at: [1, 1]}\n"));
  const Outcome outcome = run({"check", "a.yaml", "b.yaml", "c.yaml", "d.yaml", "--json=r.json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("a.yaml"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("b.yaml:2"), HasSubstr("b.yaml:3"), HasSubstr("rock"), HasSubstr("d.yaml")));
  const json result = json::parse(read("r.json"));
  EXPECT_FALSE(result.at("ok").get<bool>());
  ASSERT_EQ(result.at("scenarios").size(), 4U);
  EXPECT_TRUE(result["scenarios"][0].at("ok").get<bool>());
  EXPECT_EQ(result["scenarios"][1].at("errors").size(), 2U);
  EXPECT_EQ(result["scenarios"][1]["errors"][0].at("file"), "b.yaml");
}

TEST_F(VerbTest, TestRunsWhatItFinds) {
  write("t/one/scenario.yaml", good_);
  write("t/two.yaml", good_);
  write("t/part.yaml", "robots: {}\n");
  write("t/.hidden/x.yaml", failing_);
  write("t/notes.txt", "strata: 1\n");
  ASSERT_EQ(run({"run", "t/two.yaml", "--out", "t/run"}).exit_code, 0);
  const Outcome outcome = run({"test", "t", "--jobs", "2", "--junit", "r.xml", "--json=r.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("passed  t/one/scenario.yaml"), HasSubstr("passed  t/two.yaml"),
                                 HasSubstr("2 passed, 0 failed")));
  EXPECT_EQ(xml_problem(read("r.xml")), "");
  EXPECT_THAT(read("r.xml"), AllOf(HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\""), HasSubstr("t/two.yaml")));
  EXPECT_EQ(json::parse(read("r.json")).at("passed"), 2);
}

TEST_F(VerbTest, TestTellsFailuresFromErrors) {
  write("t/a.yaml", good_);
  write("t/b.yaml", failing_);
  write("t/c.yaml", wrong_);
  const Outcome outcome = run({"test", "t", "--junit", "r.xml"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("failed  t/b.yaml"), HasSubstr("error  t/c.yaml"),
                                 HasSubstr("distance.mean"), HasSubstr("1 passed, 2 failed")));
  EXPECT_EQ(xml_problem(read("r.xml")), "");
  EXPECT_THAT(read("r.xml"), AllOf(HasSubstr("tests=\"3\" failures=\"1\" errors=\"1\""), HasSubstr("<failure message="),
                                   HasSubstr("<error message=")));
  EXPECT_EQ(run({"test", "t/c.yaml"}).exit_code, 2);
  EXPECT_EQ(run({"test", "t/a.yaml"}).exit_code, 0);
}

TEST_F(VerbTest, TestOfNothingIsAnError) {
  fs::create_directories(folder() / "empty");
  const Outcome outcome = run({"test", "empty", "missing"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("empty"), HasSubstr("missing")));
}

TEST_F(VerbTest, ReplayVerifiesTheHash) {
  write("a.yaml", good_);
  ASSERT_EQ(run({"run", "a.yaml", "--out", "out", "--set", "robots.walker.count=5", "--seed", "4"}).exit_code, 0);
  // The run folder is enough: the scenario may be gone or changed.
  fs::remove(folder() / "a.yaml");
  const Outcome same = run({"replay", "out", "--threads", "2"});
  EXPECT_EQ(same.exit_code, 0) << same.all();
  EXPECT_THAT(same.out, HasSubstr("the same hash"));

  json summary = json::parse(read("out/summary.json"));
  summary["hash"] = "0123456789abcdef";
  write("out/summary.json", summary.dump());
  const Outcome other = run({"replay", "out", "--json=r.json"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out, AllOf(HasSubstr("the hash differs"), HasSubstr("0123456789abcdef")));
  EXPECT_FALSE(json::parse(read("r.json")).at("same").get<bool>());
}

TEST_F(VerbTest, ReplayAndReportWantARunFolder) {
  fs::create_directories(folder() / "plain");
  for (const char* verb : {"replay", "report"}) {
    for (const char* place : {"plain", "missing"}) {
      const Outcome outcome = run({verb, place});
      EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
      EXPECT_THAT(outcome.err, HasSubstr(place));
    }
  }
}

TEST_F(VerbTest, ReportIsWrittenAgain) {
  write("a.yaml", good_);
  ASSERT_EQ(run({"run", "a.yaml", "--out", "out"}).exit_code, 0);
  fs::remove(folder() / "out/report.html");
  const Outcome outcome = run({"report", "out"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out, "out/report.html\n");
  EXPECT_THAT(read("out/report.html"), AllOf(HasSubstr("<html"), HasSubstr("walkers"), Not(HasSubstr("src=\"http"))));
}

TEST_F(VerbTest, ListShowsCategories) {
  const Outcome all = run({"list"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("motion\n"), HasSubstr("  differential "), HasSubstr("system\n"), HasSubstr("sensor\n")));
  for (const char* word : {"motion", "motions"}) {
    const Outcome some = run({"list", word});
    EXPECT_EQ(some.exit_code, 0);
    EXPECT_THAT(some.out, AllOf(HasSubstr("differential"), Not(HasSubstr("system\n"))));
  }
  const json result = json::parse(run({"list", "motion", "--json"}).out);
  EXPECT_EQ(result.at("categories")[0].at("category"), "motion");
  const Outcome wrong = run({"list", "moton"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'motion'"));
}

TEST_F(VerbTest, DescribeShowsParameters) {
  const Outcome outcome = run({"describe", "differential"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("max_speed"), HasSubstr("m/s"), HasSubstr("0.5 m/s"), HasSubstr("> 0"),
                                 HasSubstr("motion: {kind: differential")));
  EXPECT_EQ(run({"describe", "motion/differential"}).out, outcome.out);
  const json result = json::parse(run({"describe", "differential", "--json"}).out);
  EXPECT_EQ(result.at("category"), "motion");
  EXPECT_EQ(result.at("params")[0].at("unit"), "m/s");
}

TEST_F(VerbTest, DescribeHelpsWhenItCannotTell) {
  const Outcome unknown = run({"describe", "diferential"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'differential'"));
  const Outcome several = run({"describe", "circle"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, AllOf(HasSubstr("placement/circle"), HasSubstr("shape/circle")));
  // A behaviour and the system that serves it: scenarios name the behaviour.
  EXPECT_EQ(run({"describe", "random_walk"}).out, run({"describe", "behaviour/random_walk"}).out);
}

// Every example that `describe` shows must be right.
TEST_F(VerbTest, EverythingListedIsDescribed) {
  const json all = json::parse(run({"list", "--json"}).out);
  for (const json& category : all.at("categories")) {
    for (const json& kind : category.at("kinds")) {
      const std::string name = category.at("category").get<std::string>() + "/" + kind.at("name").get<std::string>();
      EXPECT_EQ(run({"describe", name}).exit_code, 0) << name;
      EXPECT_NE(kind.at("summary"), "") << name;
    }
  }
}

TEST_F(VerbTest, NewScenarioRuns) {
  const Outcome made = run({"new", "scenario", "mine"});
  EXPECT_EQ(made.exit_code, 0) << made.all();
  EXPECT_THAT(made.out, AllOf(HasSubstr("mine.yaml"), HasSubstr("strata run mine.yaml")));
  const Outcome tested = run({"test", "mine.yaml"});
  EXPECT_EQ(tested.exit_code, 0) << tested.all();
  const Outcome again = run({"new", "scenario", "mine.yaml"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
}

TEST_F(VerbTest, NewChecksItsNames) {
  const Outcome outcome = run({"new", "systm", "9lives"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("'system'"), HasSubstr("'9lives'")));
}

class NewPluginTest : public VerbTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(NewPluginTest, BuildsAndRuns) {
  const std::string what = GetParam();
  ASSERT_EQ(run({"new", what, "my_part"}).exit_code, 0);
  const std::string home = (folder() / "my_part").string();
  const std::string log = (folder() / "log").string();
  const std::string build = "(cmake -S " + home + " -B " + home +
                            "/build -Dstrata_DIR=" STRATA_BUILD_DIR " -DCMAKE_CXX_COMPILER=" STRATA_CXX_COMPILER
                            " && cmake --build " +
                            home + "/build) >" + log + " 2>&1";
  ASSERT_EQ(std::system(build.c_str()), 0) << read("log");

  const Outcome described = run({"describe", what + "/my_part", "--plugin", "my_part/build/my_part.so"});
  EXPECT_EQ(described.exit_code, 0) << described.all();
  EXPECT_THAT(described.out, HasSubstr("my_part"));
  const Outcome tested = run({"test", "my_part"});
  EXPECT_EQ(tested.exit_code, 0) << tested.all();
  const Outcome ran = run({"run", "my_part", "--out", "out"});
  EXPECT_EQ(ran.exit_code, 0) << ran.all();
  EXPECT_EQ(run({"replay", "out"}).exit_code, 0);
}
INSTANTIATE_TEST_SUITE_P(All, NewPluginTest, ::testing::Values("system", "sensor"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(VerbTest, WrongPluginIsAnError) {
  write("no.so", "not a library");
  const Outcome outcome = run({"list", "--plugin", "no.so", "--plugin", "missing.so"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no.so"), HasSubstr("missing.so")));
}

TEST_F(VerbTest, BenchesAreListedAndMeasured) {
  const Outcome list = run({"bench", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("startup"), HasSubstr("recording"), HasSubstr("events"), HasSubstr("robots")));
  for (const char* name : {"startup", "recording"}) {
    const Outcome outcome = run({"bench", name, "--quick", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result.at("bench"), name);
    EXPECT_TRUE(result.at("machine").contains("cpu"));
    ASSERT_GE(result.at("results").size(), 1U);
    for (const json& row : result["results"]) {
      for (const char* key : {"case", "metric", "value", "unit", "target", "met"})
        EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  const Outcome wrong = run({"bench", "recodring", "--count", "0"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("'recording'"), HasSubstr("--count")));
}

}  // namespace
}  // namespace strata::cli
