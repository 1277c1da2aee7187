// `strata run` as a user meets it: results, exit codes, errors, the same hash whatever the circumstances.
#include <algorithm>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunTest : public CliTest {
 protected:
  // Runs and returns the summary.
  [[nodiscard]] json summary(Words words, int exit_code = 0) const {
    words.insert(words.begin(), "run");
    words.emplace_back("--json");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.all();
    return json::parse(outcome.out);
  }
  [[nodiscard]] std::string hash(const Words& words) const { return summary(words).at("hash"); }
};

TEST_F(RunTest, LeavesARunFolder) {
  write("a.yaml", walkers(9, 5));
  const Outcome outcome = run({"run", "a.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("5 s simulated"), HasSubstr("9 robots"), HasSubstr("hash "),
                                 HasSubstr("runs/walkers-1")));
  for (const char* file : {"summary.json", "scenario.resolved.yaml", "recording.mcap", "metrics.csv", "report.html"}) {
    EXPECT_TRUE(fs::exists(folder() / "runs/walkers-1" / file)) << file;
  }
}

TEST_F(RunTest, JsonHoldsTheSummary) {
  write("a.yaml", walkers(4, 2));
  const json result = summary({"a.yaml", "--seed", "7"});
  EXPECT_EQ(result.at("simulated_s"), 2.0);
  EXPECT_EQ(result.at("robots"), 4);
  EXPECT_EQ(result.at("seed"), 7);
  EXPECT_EQ(result.at("end"), "complete");
  EXPECT_THAT(result.at("hash").get<std::string>(), ::testing::MatchesRegex("[0-9a-f]{16}"));
  for (const char* key : {"wall_s", "speed", "events", "expectations", "warnings", "folder"})
    EXPECT_TRUE(result.contains(key)) << key;
}

TEST_F(RunTest, JsonIntoAFile) {
  write("a.yaml", walkers(4, 1));
  const Outcome outcome = run({"run", "a.yaml", "--json=result.json", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(json::parse(read("result.json")).at("robots"), 4);
}

TEST_F(RunTest, OptionsChangeTheRun) {
  write("a.yaml", walkers(4, 100));
  const json result = summary(
      {"a.yaml", "--duration", "3 s", "--set", "robots.walker.count=6", "--set", "name=other", "--out", "here"});
  EXPECT_EQ(result.at("simulated_s"), 3.0);
  EXPECT_EQ(result.at("robots"), 6);
  EXPECT_EQ(result.at("scenario"), "other");
  EXPECT_TRUE(fs::exists(folder() / "here/summary.json"));
  EXPECT_EQ(summary({"a.yaml", "--duration=2s"}).at("simulated_s"), 2.0);
}

TEST_F(RunTest, SameHashWhateverTheCircumstances) {
  // More robots than fit into one chunk of parallel work.
  write("a.yaml", walkers(5000, 1));
  const std::string expected = hash({"a.yaml"});
  for (const char* threads : {"1", "2", "8"}) EXPECT_EQ(hash({"a.yaml", "--threads", threads}), expected) << threads;
  EXPECT_EQ(hash({"a.yaml", "--no-record"}), expected);
  EXPECT_NE(hash({"a.yaml", "--seed", "99"}), expected);
}

TEST_F(RunTest, WithoutRecordingThereIsNone) {
  write("a.yaml", walkers(4, 1));
  EXPECT_EQ(run({"run", "a.yaml", "--no-record", "--out", "out"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder() / "out/recording.mcap"));
  EXPECT_TRUE(fs::exists(folder() / "out/summary.json"));
}

TEST_F(RunTest, RealTimeTakesItsTime) {
  write("a.yaml", walkers(2, 0.5));
  EXPECT_GE(summary({"a.yaml", "--real-time"}).at("wall_s").get<double>(), 0.45);
  EXPECT_LT(summary({"a.yaml", "--real-time=50"}).at("wall_s").get<double>(), 0.45);
}

TEST_F(RunTest, FailedExpectationIsOne) {
  write("a.yaml", walkers(4, 2, "expect:\n  - {at_end: distance.mean, above: 1000 m}\n  - {never: overlap}\n"));
  const Outcome outcome = run({"run", "a.yaml"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 of 2"), HasSubstr("FALSE"), HasSubstr("distance.mean")));
  // Quiet means no chatter, not no errors.
  const Outcome quiet = run({"run", "a.yaml", "--quiet"});
  EXPECT_EQ(quiet.exit_code, 1);
  EXPECT_EQ(quiet.out, "");
  EXPECT_THAT(quiet.err, HasSubstr("distance.mean"));
  EXPECT_FALSE(summary({"a.yaml"}, 1).at("passed").get<bool>());
}

TEST_F(RunTest, AllMistakesOfAFileAtOnce) {
  write("bad.yaml",
        "strata: 1\nduration: 5\nrobots:\n  walker:\n    cuont: 3\n    motion: {kind: diferential, max_speed: 2 kg}\n");
  const Outcome outcome = run({"run", "bad.yaml"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_EQ(outcome.out, "");
  for (const char* part : {"bad.yaml:2", "bad.yaml:5", "bad.yaml:6", "'count'", "'differential'"})
    EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_FALSE(fs::exists(folder() / "runs"));
}

TEST_F(RunTest, UnknownScenarioSuggestsExamples) {
  const Outcome near = run({"run", "crosing"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_THAT(near.err, AllOf(HasSubstr("crosing"), HasSubstr("strata run crossing")));
  const Outcome far = run({"run", "missing/file.yaml"});
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_THAT(far.err, AllOf(HasSubstr("missing/file.yaml"), HasSubstr("crossing"), HasSubstr("idle")));
}

TEST_F(RunTest, AForgottenExtensionIsSuggested) {
  write("mine.yaml", walkers(1, 1));
  const Outcome outcome = run({"run", "mine"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'mine.yaml'?"));
}

TEST_F(RunTest, ExamplesRunByTheirName) {
  const Outcome outcome = run({"run", "idle"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no 'idle' here"), HasSubstr("examples/idle/scenario.yaml")));
  // What the user has of that name comes first.
  write("idle", walkers(3, 1));
  EXPECT_EQ(summary({"idle"}).at("robots"), 3);
}

TEST_F(RunTest, WithoutArgumentsTheDefaultExampleRuns) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("crossing"), HasSubstr("runs/crossing-1"), HasSubstr("next:"),
                                 HasSubstr("strata new scenario")));
  EXPECT_TRUE(fs::exists(folder() / "runs/crossing-1/report.html"));
}

TEST_F(RunTest, ParallelRunsDoNotCollide) {
  write("a.yaml", walkers(50, 5));
  std::vector<std::unique_ptr<Running>> all;
  for (int i = 0; i < 6; ++i) all.push_back(std::make_unique<Running>(Words{"run", "a.yaml", "--json"}, here()));
  std::set<std::string> folders;
  std::set<std::string> hashes;
  for (const auto& one : all) {
    const Outcome outcome = one->wait();
    ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
    const json result = json::parse(outcome.out);
    folders.insert(result.at("folder").get<std::string>());
    hashes.insert(result.at("hash").get<std::string>());
  }
  EXPECT_EQ(folders.size(), 6U);
  EXPECT_EQ(hashes.size(), 1U);
}

TEST_F(RunTest, AFolderOfTheUserIsNotOverwritten) {
  write("a.yaml", walkers(2, 1));
  write("precious/thesis.txt", "do not lose");
  const Outcome outcome = run({"run", "a.yaml", "--out", "precious"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_THAT(outcome.err, HasSubstr("precious"));
  EXPECT_EQ(read("precious/thesis.txt"), "do not lose");
}

TEST_F(RunTest, StartsQuickly) {
  write("a.yaml", walkers(10, 1));
  double best_s = 1e9;
  for (int i = 0; i < 5; ++i) best_s = std::min(best_s, run({"run", "a.yaml", "--quiet"}).cpu_s);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers are slow";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers are slow";
#endif
#endif
  EXPECT_LT(best_s, 0.05);
}

}  // namespace
}  // namespace strata::cli
