#include "scenario/run_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "record/report.hpp"
#include "scenario/yaml.hpp"

namespace strata {
namespace {

Duration period_of(double hertz) { return std::max(Duration::from_seconds(1 / hertz), Duration::nanoseconds(1)); }

}  // namespace

Result<std::unique_ptr<RunOutput>> RunOutput::open(const Scenario& scenario, const RunOptions& options,
                                                   Registry& registry, Simulation& simulation) {
  Result<RunFolder> folder = RunFolder::create(options.out, scenario.spec.name);
  if (!folder.ok()) return folder.errors();
  std::unique_ptr<RunOutput> out(new RunOutput(std::move(folder).value()));
  if (const Result<void> hooked = out->hook(scenario, options, registry, simulation); !hooked.ok())
    return hooked.errors();
  return out;
}

Result<void> RunOutput::hook(const Scenario& scenario, const RunOptions& options, Registry& registry,
                             Simulation& simulation) {
  Errors errors;
  facts_ = {{"scenario", scenario.spec.name}, {"seed", std::to_string(scenario.spec.seed)}};
  collect(folder_.write(RunFolder::kScenario, to_yaml(scenario.spec.resolved)), errors);
  collect(open_inputs(simulation), errors);
  map_ = map_of(simulation.world());
  if (!options.record || !errors.empty()) return errors;

  // The names have a dot, which those of a scenario cannot have.
  const RecordSpec& record = scenario.spec.record;
  if (record.poses_hz > 0) {
    simulation.add_system("record.poses", Phase::kRecord, 0,
                          std::make_unique<PosePublisher>(period_of(record.poses_hz), &trajectories_));
  }
  if (record.battery_hz > 0) {
    simulation.add_system("record.battery", Phase::kRecord, 0,
                          std::make_unique<BatteryPublisher>(period_of(record.battery_hz)));
  }
  if (record.metrics_hz > 0) {
    auto metrics = std::make_unique<MetricSystem>(registry.catalog<MetricKind>(), period_of(record.metrics_hz),
                                                  folder_.file(RunFolder::kMetrics));
    metrics_ = metrics.get();
    simulation.add_system("record.metrics", Phase::kRecord, 0, std::move(metrics));
  }
  if (record.all_events || !record.events.empty())
    events_ = std::make_unique<EventPublisher>(simulation, record.events);
  collect(open_sinks(scenario, simulation), errors);
  return errors;
}

Result<void> RunOutput::open_sinks(const Scenario& scenario, Simulation& simulation) {
  Errors errors;
  for (const Use<SinkKind>& use : scenario.spec.record.sinks) {
    Result<std::unique_ptr<Sink>> sink = use.kind->make(use.config);
    if (!collect(sink, errors)) continue;
    if (!collect((*sink)->open(simulation.channels(), folder_, facts_), errors)) continue;
    (*sink)->attach(MapData::kAttachment, "application/json", to_json(map_));
    sinks_.push_back(std::move(sink).value());
  }
  return errors;
}

Result<void> RunOutput::open_inputs(Simulation& simulation) {
  const std::string path = folder_.file(RunFolder::kInputs).string();
  inputs_.open(path, std::ios::binary | std::ios::trunc);
  if (!inputs_) return Error{{path, 0, 0, ""}, "cannot be written", "check the disk and the permissions of the folder"};
  simulation.inbox().set_log([this](const InboxMessage& message) {
    inputs_ << InboxLog::line(message) << std::flush;
    inputs_failed_ = inputs_failed_ || !inputs_;
  });
  return {};
}

void RunOutput::fail(RunOutcome& outcome, const Errors& errors) {
  if (errors.empty() || outcome.end == RunEnd::kFailed) return;
  outcome.end = RunEnd::kFailed;
  outcome.reason = to_text(errors.front());
}

void RunOutput::end_recording(RunOutcome& outcome, const Simulation& simulation) {
  facts_["hash"] = hex16(simulation.hash());
  facts_["simulated_s"] = format_number(simulation.now().seconds());
  for (const auto& sink : sinks_) {
    const Result<SinkReport> report = sink->close(facts_);
    if (!report.ok()) {
      fail(outcome, report.errors());
      continue;
    }
    outcome.recorded_messages += report->messages;
    outcome.recorded_bytes += report->bytes;
    for (const std::string& warning : report->warnings) ++outcome.warnings[warning];
  }
  sinks_.clear();
  events_.reset();
  if (metrics_ != nullptr) {
    fail(outcome, metrics_->errors());
    table_ = metrics_->table();
    metrics_ = nullptr;
  }
  if (inputs_failed_)
    fail(outcome, {{{folder_.file(RunFolder::kInputs).string(), 0, 0, ""}, "cannot be written", "check the disk"}});
}

void RunOutput::close(RunOutcome& outcome) {
  Errors errors;
  inputs_.close();
  outcome.folder = folder_.path().string();
  outcome.files.clear();
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path(), code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) outcome.files.push_back(name);
  }
  for (const char* name : {RunFolder::kSummary, RunFolder::kReport}) outcome.files.emplace_back(name);
  std::sort(outcome.files.begin(), outcome.files.end());

  ReportInput report;
  report.summary_json = to_json(outcome);
  report.map = &map_;
  if (!trajectories_.names().empty()) report.trajectories = &trajectories_;
  if (!table_.times().empty()) report.metrics = &table_;
  collect(folder_.write(RunFolder::kReport, render_report(report)), errors);
  collect(folder_.write(RunFolder::kSummary, report.summary_json), errors);
  fail(outcome, errors);
}

}  // namespace strata
