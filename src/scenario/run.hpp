// From a scenario file to the outcome of a run: what `strata run`, `check`, `test`, `replay` and `sweep` have in
// common. load_scenario reads and checks, build makes the simulation, run does everything including the run folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "scenario/expect.hpp"
#include "scenario/spec.hpp"
#include "world/simulation.hpp"

namespace strata {

/// What the command line changes about a scenario.
struct LoadOptions {
  std::vector<std::string> sets;  ///< "robots.walker.count=20"
  std::optional<std::uint64_t> seed;
  std::optional<Duration> duration;
};

/// A scenario that was read and checked. Immutable; several runs may share it.
struct Scenario {
  std::string file;  ///< that was read
  ScenarioSpec spec;
};

/// Everything this program can name in scenarios, except for plugins, which scenarios load themselves.
void register_all_kinds(Registry& registry);

/// Reads a file, or scenario.yaml in a folder, with includes, overrides and plugins; checks everything but the
/// placement, which build() does. All errors at once. The registry must outlive the scenario.
[[nodiscard]] Result<Scenario> load_scenario(const std::string& path, const LoadOptions& options, Registry& registry);

/// A simulation ready to start.
struct Built {
  std::unique_ptr<Simulation> simulation;
  std::vector<EntityId> robots;
  ExpectSystem* expectations = nullptr;  ///< owned by the simulation; null if nothing is expected
};

/// Makes the world and its systems. Fails if robots stand in walls or in each other, or find no place.
[[nodiscard]] Result<std::unique_ptr<Built>> build(const Scenario& scenario, Registry& registry, int threads = 1);

struct RunOptions {
  int threads = 1;
  bool write_folder = true;                        ///< false: the outcome is all that remains
  std::string out;                                 ///< run folder; empty: the next free one below runs/
  bool record = true;                              ///< false: the folder holds no recording and no metrics
  bool strict = false;                             ///< a warning ends the run as failed
  double real_time = 0;                            ///< times real time; 0: as fast as possible
  std::string replay_inputs;                       ///< file with the inputs of an earlier run; empty: none
  std::string command;                             ///< how it was started: for the report
  const std::atomic<bool>* interrupted = nullptr;  ///< becomes true when the user wants to stop
};

/// A few times per second of wall time.
struct Progress {
  Time now;
  Time end;
  double wall_s = 0;
  double speed = 0;  ///< simulated seconds per second, of late
  double events_per_s = 0;
  double left_s = 0;  ///< wall time to go, estimated
};
using ProgressFn = std::function<void(const Progress&)>;

enum class RunEnd {
  kComplete,     ///< reached its duration
  kStopped,      ///< a system ended it on purpose
  kInterrupted,  ///< by the user
  kFailed,       ///< an exception of a system, or a warning under `strict`
};
[[nodiscard]] const char* to_text(RunEnd end);

struct RunOutcome {
  std::string scenario;
  std::string scenario_file;
  std::string description;
  std::string command;  ///< as in RunOptions
  std::uint64_t seed = 0;
  int threads = 1;
  RunEnd end = RunEnd::kComplete;
  std::string reason;  ///< why it ended, unless complete
  Time simulated;
  double wall_s = 0;
  double cpu_s = 0;
  double speed = 0;     ///< simulated seconds per second of wall time
  double behind_s = 0;  ///< how far it fell behind the wall clock, when paced
  std::uint64_t robots = 0;
  std::uint64_t entities = 0;
  std::uint64_t steps = 0;
  std::uint64_t events = 0;                           ///< executed by the kernel
  std::map<std::string, std::uint64_t> event_counts;  ///< of the world, by name
  std::map<std::string, double> metrics;              ///< at the end: "distance.mean"; without those of no value
  std::uint64_t hash = 0;
  std::vector<ExpectationResult> expectations;
  std::map<std::string, std::uint64_t> warnings;
  std::string folder;              ///< empty: none was written
  std::vector<std::string> files;  ///< in the folder
  std::uint64_t recorded_messages = 0;
  std::uint64_t recorded_bytes = 0;

  /// All that was expected came true, and the run was not broken off by a failure.
  [[nodiscard]] bool passed() const;
};

/// Builds, runs and closes everything properly, however the run ends. Errors are those of the input (exit 2); a run
/// that fails on the way is an outcome.
[[nodiscard]] Result<RunOutcome> run(const Scenario& scenario, const RunOptions& options, Registry& registry,
                                     const ProgressFn& progress = {});

/// The summary as JSON, as in summary.json and with --json.
[[nodiscard]] std::string to_json(const RunOutcome& outcome);

}  // namespace strata
