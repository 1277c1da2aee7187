// What a run leaves behind: the run folder with the scenario, recording, metrics, inputs, summary and report. Opened
// before the run, closed after it, however it ended.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/map_data.hpp"
#include "record/metrics.hpp"
#include "record/publishers.hpp"
#include "record/run_folder.hpp"
#include "record/sink.hpp"
#include "record/trajectories.hpp"
#include "scenario/run.hpp"

namespace strata {

class RunOutput {
 public:
  /// Makes the folder and hooks the recording into the simulation, which has not started.
  [[nodiscard]] static Result<std::unique_ptr<RunOutput>> open(const Scenario& scenario, const RunOptions& options,
                                                               Registry& registry, Simulation& simulation);

  /// Writes everything that is known only now into the folder and names it in `outcome`. What cannot be written makes
  /// the outcome a failure.
  void close(RunOutcome& outcome);
  /// Ends the recording: nothing more is taken from the simulation.
  void end_recording(RunOutcome& outcome, const Simulation& simulation);

  [[nodiscard]] const std::string path() const { return folder_.path().string(); }

 private:
  explicit RunOutput(RunFolder folder) : folder_(std::move(folder)) {}
  Result<void> hook(const Scenario& scenario, const RunOptions& options, Registry& registry, Simulation& simulation);
  Result<void> open_sinks(const Scenario& scenario, Simulation& simulation);
  Result<void> open_inputs(Simulation& simulation);
  static void fail(RunOutcome& outcome, const Errors& errors);

  RunFolder folder_;
  Trajectories trajectories_;
  MapData map_;
  MetricSystem* metrics_ = nullptr;  // owned by the simulation
  MetricTable table_;
  std::unique_ptr<EventPublisher> events_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  RunFacts facts_;
  std::ofstream inputs_;
  bool inputs_failed_ = false;
};

}  // namespace strata
