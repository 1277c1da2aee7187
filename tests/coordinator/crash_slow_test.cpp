// 500 times kill -9 of the service or its guardian at random moments: nothing that was acknowledged is lost, and no
// task runs more often than its record says.
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>

#include "base/random.hpp"
#include "harness.hpp"

namespace strata::coordinator {
namespace {

constexpr int kKills = 500;

// Every start of a task leaves a line.
std::map<TaskId, int> runs_in(const std::filesystem::path& file) {
  std::map<TaskId, int> runs;
  std::ifstream in(file);
  TaskId id = 0;
  while (in >> id) ++runs[id];
  return runs;
}

TEST_F(ServiceTest, SurvivesFiveHundredKills) {
  RandomStream random(3, 0, "kills");
  const std::filesystem::path runs = folder() / "runs";
  TaskId accepted = 0;
  serve();
  for (int kill = 0; kill < kKills; ++kill) {
    // Whatever was acknowledged counts from here on; what was not may be there or not.
    const auto made = Client::connect({.address = address(), .patience = std::chrono::seconds(20)});
    if (made.ok()) {
      for (int i = 0; i < 3; ++i) {
        std::ostringstream script;
        script << "echo ${STRATA_TASK#*:} >> " << runs.string() << "; sleep 0.0" << random.below(10);
        const TaskSpec spec = command({"sh", "-c", script.str()}, {static_cast<int>(random.below(14))});
        const auto id = (*made)->submit(std::span(&spec, 1));
        if (id.ok()) accepted = std::max(accepted, *id + 1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(40'000)));
    const pid_t process = random.chance(0.3) ? guardian() : 0;
    if (process > 0) ::kill(process, SIGKILL);
    if (process == 0 || random.chance(0.3)) {
      stop(SIGKILL);
      serve();
    }
  }
  ASSERT_TRUE(eventually([this] { return ask("stats").at("alive") == 0; }));
  ASSERT_GE(ask("stats").at("tasks").get<TaskId>(), accepted);
  const std::map<TaskId, int> counted = runs_in(runs);
  int repeated = 0;
  for (TaskId id = 0; id < accepted; ++id) {
    const Json record = task(id);
    EXPECT_EQ(record.at("state"), "done") << record;
    const int attempts = record.at("attempts");
    const auto found = counted.find(id);
    const int times = found == counted.end() ? 0 : found->second;
    EXPECT_GE(times, 1) << "task " << id << " never ran";
    EXPECT_LE(times, attempts) << "task " << id << " ran unnoticed";
    repeated += attempts > 1 ? 1 : 0;
  }
  RecordProperty("accepted", static_cast<int>(accepted));
  RecordProperty("repeated", repeated);
}

}  // namespace
}  // namespace strata::coordinator
