#include "scenario/run.hpp"

#include <atomic>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "record/run_folder.hpp"
#include "scenario_files.hpp"

namespace strata {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kFleet = R"(strata: 1
name: fleet
description: a small fleet
duration: 5 s
world: {border: {from: [0, 0], to: [6, 6]}}
robots:
  walker:
    count: 20
    place: {random: {area: [[0.3, 0.3], [5.7, 5.7]], clearance: 0.02 m}}
    motion: {kind: differential, max_speed: 1 m/s}
    battery: {capacity: 1 Wh, idle: 1 W, per_metre: 5 J/m}
    behaviours: [{kind: random_walk, max_speed: 1 m/s}, avoid]
faults:
  - {at: 2 s, remove: walker3.battery}
  - {at: 3 s, remove: walker4}
expect:
  - {never: overlap}
  - {at_end: robots, equals: 19}
)";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream out;
  out << stream.rdbuf();
  return out.str();
}

class RunTest : public ScenarioTest {
 protected:
  Result<RunOutcome> run_fleet(RunOptions options, const LoadOptions& load_options = {}) {
    const Result<Scenario> scenario = load(kFleet, load_options);
    if (!scenario.ok()) return scenario.errors();
    return run(*scenario, options, registry_);
  }
  static RunOptions bare() {
    RunOptions options;
    options.write_folder = false;
    return options;
  }
};

TEST_F(RunTest, TellsWhatHappened) {
  const Result<RunOutcome> outcome = run_fleet(bare());
  ASSERT_TRUE(outcome.ok()) << to_text(outcome.errors());
  EXPECT_EQ(outcome->end, RunEnd::kComplete);
  EXPECT_TRUE(outcome->passed()) << to_json(*outcome);
  EXPECT_EQ(outcome->robots, 20U);
  EXPECT_EQ(outcome->steps, 100U);
  EXPECT_EQ(outcome->simulated, Time::from_seconds(5));
  EXPECT_EQ(outcome->event_counts.at("fault"), 2U);
  EXPECT_EQ(outcome->event_counts.at("battery_empty"), 1U);
  EXPECT_GT(outcome->speed, 1);
  EXPECT_EQ(outcome->expectations.size(), 2U);
  EXPECT_THAT(to_json(*outcome), HasSubstr("\"hash\": \"" + hex16(outcome->hash) + "\""));
}

TEST_F(RunTest, TheHashDependsOnTheSeedOnly) {
  const std::uint64_t hash = run_fleet(bare())->hash;
  RunOptions options = bare();
  options.threads = 3;
  EXPECT_EQ(run_fleet(options)->hash, hash);
  options.write_folder = true;
  options.out = files_.path("run");
  EXPECT_EQ(run_fleet(options)->hash, hash);
  options.record = false;
  EXPECT_EQ(run_fleet(options)->hash, hash);
  LoadOptions other;
  other.seed = 2;
  EXPECT_NE(run_fleet(bare(), other)->hash, hash);
}

TEST_F(RunTest, LeavesAFolderThatRunsAgain) {
  RunOptions options;
  options.out = files_.path("run");
  options.command = "strata run fleet";
  const Result<RunOutcome> outcome = run_fleet(options);
  ASSERT_TRUE(outcome.ok()) << to_text(outcome.errors());
  EXPECT_EQ(outcome->end, RunEnd::kComplete) << outcome->reason;
  for (const char* name : {RunFolder::kScenario, RunFolder::kSummary, RunFolder::kInputs, RunFolder::kMetrics,
                           RunFolder::kRecording, RunFolder::kReport}) {
    EXPECT_TRUE(std::filesystem::exists(files_.folder() / "run" / name)) << name;
    EXPECT_THAT(outcome->files, Contains(name));
  }
  EXPECT_GT(outcome->recorded_messages, 50U);
  EXPECT_EQ(text_of(files_.folder() / "run" / RunFolder::kSummary), to_json(*outcome));
  EXPECT_THAT(text_of(files_.folder() / "run" / RunFolder::kReport), HasSubstr(hex16(outcome->hash)));
  EXPECT_THAT(text_of(files_.folder() / "run" / RunFolder::kMetrics), HasSubstr("distance.mean"));

  const Result<Scenario> again =
      load_scenario((files_.folder() / "run" / RunFolder::kScenario).string(), {}, registry_);
  ASSERT_TRUE(again.ok()) << to_text(again.errors());
  RunOptions replay = bare();
  replay.replay_inputs = (files_.folder() / "run" / RunFolder::kInputs).string();
  const Result<RunOutcome> second = run(*again, replay, registry_);
  ASSERT_TRUE(second.ok()) << to_text(second.errors());
  EXPECT_EQ(second->hash, outcome->hash);
  EXPECT_EQ(second->scenario, "fleet");
}

TEST_F(RunTest, AnInterruptedRunIsClosedProperly) {
  std::atomic<bool> interrupted = false;
  RunOptions options;
  options.out = files_.path("run");
  options.interrupted = &interrupted;
  options.real_time = 20;
  const Result<Scenario> scenario = load(kFleet);
  ASSERT_TRUE(scenario.ok());
  int reports = 0;
  const Result<RunOutcome> outcome = run(*scenario, options, registry_, [&](const Progress& progress) {
    ++reports;
    EXPECT_GT(progress.wall_s, 0);
    interrupted = true;
  });
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, RunEnd::kInterrupted);
  EXPECT_EQ(reports, 1);
  EXPECT_LT(outcome->simulated, Time::from_seconds(5));
  EXPECT_TRUE(std::filesystem::exists(files_.folder() / "run" / RunFolder::kReport));

  // Up to where it came, it runs again to the bit.
  LoadOptions shorter;
  shorter.duration = outcome->simulated.since_start();
  EXPECT_EQ(run_fleet(bare(), shorter)->hash, outcome->hash);
}

TEST_F(RunTest, AFailedExpectationFailsTheRun) {
  LoadOptions options;
  options.sets = {"expect=[{at_end: robots, equals: 20}]"};
  const Result<RunOutcome> outcome = run_fleet(bare(), options);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->passed());
  EXPECT_EQ(outcome->expectations.front().detail, "is 19 at the end");
}

// A system that throws, and one that ends the run.
class TroubleSystem final : public System {
 public:
  explicit TroubleSystem(bool stops) : stops_(stops) {}
  void start(Simulation& simulation) override { simulation_ = &simulation; }
  void step(World& /*world*/, const Step& step) override {
    if (step.index < 10) return;
    if (!stops_) throw std::runtime_error("it broke");
    simulation_->kernel().stop("all done");
  }

 private:
  bool stops_;
  Simulation* simulation_ = nullptr;
};

void add_trouble(Registry& registry) {
  SystemKind kind;
  kind.name = "trouble";
  kind.summary = "makes trouble";
  kind.params = {param::flag("stops", false, "ends the run instead of throwing")};
  kind.make = [](const Config& config) -> Result<std::unique_ptr<System>> {
    return std::unique_ptr<System>(std::make_unique<TroubleSystem>(config.flag("stops")));
  };
  registry.catalog<SystemKind>().add(std::move(kind));
}

TEST_F(RunTest, AnExceptionEndsTheRunNamed) {
  add_trouble(registry_);
  LoadOptions load_options;
  load_options.sets = {"systems.trouble={}"};
  RunOptions options;
  options.out = files_.path("run");
  const Result<RunOutcome> outcome = run_fleet(options, load_options);
  ASSERT_TRUE(outcome.ok()) << to_text(outcome.errors());
  EXPECT_EQ(outcome->end, RunEnd::kFailed);
  EXPECT_THAT(outcome->reason, HasSubstr("it broke"));
  EXPECT_THAT(outcome->reason, HasSubstr("trouble"));
  EXPECT_FALSE(outcome->passed());
  EXPECT_TRUE(std::filesystem::exists(files_.folder() / "run" / RunFolder::kReport));
}

TEST_F(RunTest, ASystemMayEndTheRun) {
  add_trouble(registry_);
  const Result<RunOutcome> outcome = run_text("strata: 1\nsystems: {trouble: {stops: true}}\n");
  ASSERT_TRUE(outcome.ok()) << to_text(outcome.errors());
  EXPECT_EQ(outcome->end, RunEnd::kStopped);
  EXPECT_EQ(outcome->reason, "all done");
  EXPECT_EQ(outcome->simulated, Time::from_seconds(0.5));
}

TEST_F(RunTest, StrictTurnsWarningsIntoFailures) {
  const std::string text = "strata: 1\nrobots: {a: {behaviours: [random_walk]}}\n";
  const Result<Scenario> scenario = load(text);
  ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
  RunOptions options = bare();
  const Result<RunOutcome> lenient = run(*scenario, options, registry_);
  ASSERT_TRUE(lenient.ok()) << to_text(lenient.errors());
  EXPECT_EQ(lenient->end, RunEnd::kComplete);
  EXPECT_EQ(lenient->warnings.size(), 1U);
  options.strict = true;
  const Result<RunOutcome> strict = run(*scenario, options, registry_);
  EXPECT_EQ(strict->end, RunEnd::kFailed);
  EXPECT_THAT(strict->reason, HasSubstr("behaviours but no motion"));
}

TEST_F(RunTest, AYearOfNothingTakesAMoment) {
  const Result<RunOutcome> outcome = run_text(
      "strata: 1\nduration: 365 days\nsystems: {heartbeat: {every: 6 h}}\nexpect: [{at_end: heartbeat, equals: "
      "1460}]\n");
  ASSERT_TRUE(outcome.ok()) << to_text(outcome.errors());
  EXPECT_TRUE(outcome->passed()) << to_json(*outcome);
  EXPECT_LT(outcome->steps, 1500U);
  EXPECT_LT(outcome->cpu_s, 2);
}

TEST_F(RunTest, FaultsAreChecked) {
  const std::string robots = "strata: 1\nrobots:\n  walker: {count: 2, place: grid, battery: {}}\nfaults:\n";
  EXPECT_THAT(brief(errors_of(robots + "  - {at: 1 s, remove: wlker1.battery}\n")),
              HasSubstr("5: no robot is named 'wlker1' | did you mean 'walker1'?"));
  EXPECT_THAT(brief(errors_of(robots + "  - {at: 1 s, remove: walker1.batery}\n")),
              HasSubstr("5: 'walker1' has no component 'batery' that could fail | did you mean 'battery'?"));
  EXPECT_THAT(brief(errors_of(robots + "  - {at: 1, remove: walker1.battery}\n")), HasSubstr("write '1 s'"));
  EXPECT_THAT(brief(errors_of(robots + "  - {remove: walker1.battery}\n")),
              StartsWith("5: nothing says when it happens"));
  EXPECT_EQ(brief(errors_of(robots + "  - {at: 0 s, remove: \"walker*.battery\"}\n")), "");
}

TEST_F(RunTest, FoldersAndInputsThatCannotBeUsedAreErrors) {
  RunOptions options;
  files_.write("mine/precious.txt", "do not delete");
  options.out = files_.path("mine");
  const Result<RunOutcome> refused = run_fleet(options);
  EXPECT_FALSE(refused.ok());
  EXPECT_TRUE(std::filesystem::exists(files_.path("mine/precious.txt")));
  RunOptions inputs = bare();
  inputs.replay_inputs = files_.path("none.jsonl");
  EXPECT_FALSE(run_fleet(inputs).ok());
}

// Every example is checked here; the program's own tests run them.
TEST_F(RunTest, ExamplesAreValid) {
  for (const char* name : {"crossing", "idle", "navigation", "drone_swarm", "warehouse"}) {
    const auto folder = std::filesystem::path(STRATA_SOURCE_DIR) / "examples" / name;
    const Result<Scenario> scenario = load_scenario(folder.string(), {}, registry_);
    ASSERT_TRUE(scenario.ok()) << to_text(scenario.errors());
    const auto built = build(*scenario, registry_);
    EXPECT_TRUE(built.ok()) << to_text(built.errors());
    EXPECT_FALSE(scenario->spec.expect.empty()) << name;
  }
}

}  // namespace
}  // namespace strata
