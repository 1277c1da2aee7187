// What a run leaves when it does not come to its end: Ctrl-C, kill, a disk that is full.
#include <csignal>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "record/mcap_reader.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class DisasterTest : public CliTest {
 protected:
  // Long enough that nobody waits for its end.
  void SetUp() override { write("long.yaml", walkers(500, 1e6)); }

  [[nodiscard]] bool is_recording(std::uintmax_t bytes) const {
    std::error_code problem;
    const auto size = fs::file_size(folder() / "out/recording.mcap", problem);
    return !problem && size > bytes;
  }
  // Messages in the recording, by reading all of it.
  [[nodiscard]] std::uint64_t messages(bool complete) const {
    auto reader = McapReader::open(folder() / "out/recording.mcap");
    EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : to_text(reader.errors()));
    if (!reader.ok()) return 0;
    EXPECT_EQ(reader->complete(), complete);
    std::uint64_t sum = 0;
    for (const auto& [topic, count] : reader->count()) sum += count;
    return sum;
  }
};

TEST_F(DisasterTest, InterruptedRunIsWhole) {
  for (const int number : {SIGINT, SIGTERM}) {
    Running running({"run", "long.yaml", "--out", "out", "--json"}, here());
    ASSERT_TRUE(eventually([&] { return is_recording(100'000); }));
    running.signal(number);
    const Outcome outcome = running.wait();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.all();
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result.at("end"), "interrupted");
    EXPECT_GT(result.at("simulated_s").get<double>(), 0);
    EXPECT_EQ(json::parse(read("out/summary.json")).at("hash"), result.at("hash"));
    EXPECT_GT(messages(true), 0U);
    EXPECT_TRUE(fs::exists(folder() / "out/report.html"));
    fs::remove_all(folder() / "out");
  }
}

TEST_F(DisasterTest, InterruptedRunReplaysToTheSameHash) {
  Running running({"run", "long.yaml", "--out", "out", "--quiet"}, here());
  ASSERT_TRUE(eventually([&] { return is_recording(100'000); }));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  const Outcome replay = run({"replay", "out"});
  EXPECT_EQ(replay.exit_code, 0) << replay.all();
  EXPECT_THAT(replay.out, HasSubstr("the same hash"));
}

TEST_F(DisasterTest, PacedRunIsInterruptedAtOnce) {
  Running running({"run", "long.yaml", "--out", "out", "--real-time=0.001"}, here());
  ASSERT_TRUE(eventually([&] { return fs::exists(folder() / "out/recording.mcap"); }));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
}

TEST_F(DisasterTest, KilledRunLeavesAReadableRecording) {
  Running running({"run", "long.yaml", "--out", "out"}, here());
  ASSERT_TRUE(eventually([&] { return is_recording(3'000'000); }));
  running.signal(SIGKILL);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  EXPECT_GT(messages(false), 0U);
  // There is nothing to verify, and it says so.
  const Outcome replay = run({"replay", "out"});
  EXPECT_EQ(replay.exit_code, 2) << replay.all();
  EXPECT_THAT(replay.err, HasSubstr("summary.json"));
}

TEST_F(DisasterTest, FullDiskLeavesAReadableRecording) {
  Setting setting = here();
  setting.file_limit_bytes = 4'000'000;
  const Outcome outcome = run({"run", "long.yaml", "--out", "out", "--duration", "2000s"}, setting);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.all();
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("recording.mcap"));
  EXPECT_THAT(outcome.out + outcome.err, AnyOf(HasSubstr("space"), HasSubstr("large"), HasSubstr("limit")));
  EXPECT_LE(fs::file_size(folder() / "out/recording.mcap"), 4'000'000U);
  EXPECT_GT(messages(false), 0U);
}

}  // namespace
}  // namespace strata::cli
