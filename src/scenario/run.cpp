#include "scenario/run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "kernel/pacing.hpp"
#include "scenario/run_output.hpp"
#include "scenario/yaml.hpp"
#include "world/components.hpp"
#include "world/metric.hpp"

namespace strata {
namespace {

/// Runs a built simulation piece by piece, so that it can be watched, paced and interrupted in between. The pieces
/// depend on the wall clock, what happens in them does not.
class Runner {
 public:
  Runner(Simulation& simulation, Time end, const RunOptions& options, const ProgressFn& progress)
      : simulation_(simulation), end_(end), options_(options), progress_(progress), piece_(simulation.spec().step) {
    if (options.real_time > 0) pacing_.set_factor(options.real_time);
    simulation.inbox().set_wake([this] { pacing_.wake(); });
  }
  ~Runner() { simulation_.inbox().set_wake({}); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void run(RunOutcome& outcome) {
    try {
      simulation_.start();
      while (go_on(outcome)) {
        simulation_.inbox().drain();
        advance();
        report();
      }
    } catch (const std::exception& error) {
      outcome.end = RunEnd::kFailed;
      outcome.reason = error.what();
    }
    outcome.simulated = simulation_.now();
    // What has begun is closed properly even after a failure.
    try {
      simulation_.finish();
    } catch (const std::exception& error) {
      if (outcome.end != RunEnd::kFailed) outcome.reason = error.what();
      outcome.end = RunEnd::kFailed;
    }
    outcome.behind_s = pacing_.lag().worst_s;
  }

 private:
  static constexpr double kShortPiece_s = 0.01;
  static constexpr double kLongPiece_s = 0.04;
  static constexpr double kBetweenReports_s = 0.2;

  bool go_on(RunOutcome& outcome) const {
    if (options_.interrupted != nullptr && options_.interrupted->load()) {
      outcome.end = RunEnd::kInterrupted;
      outcome.reason = "interrupted by the user";
      return false;
    }
    if (options_.strict && !simulation_.warnings().empty()) {
      outcome.end = RunEnd::kFailed;
      outcome.reason =
          fmt::format("a warning, which 'strict' does not allow: {}", simulation_.warnings().begin()->first);
      return false;
    }
    if (simulation_.kernel().stopped()) {
      outcome.end = RunEnd::kStopped;
      outcome.reason = simulation_.kernel().stop_reason();
      return false;
    }
    return simulation_.now() < end_;
  }

  void advance() {
    if (options_.real_time > 0) return advance_paced();
    const Stopwatch watch;
    simulation_.run_until(std::min(end_, simulation_.now() + piece_));
    const double took = watch.wall_seconds();
    if (took < kShortPiece_s) piece_ = std::min(piece_ * 2, end_.since_start());
    if (took > kLongPiece_s) piece_ = std::max(Duration::nanoseconds(piece_.ns() / 2), simulation_.spec().step);
  }

  void advance_paced() {
    // Short waits, so that an interruption is noticed.
    const Duration most = std::max(Duration::from_seconds(options_.real_time * kLongPiece_s), Duration::nanoseconds(1));
    const Time next =
        std::clamp(simulation_.kernel().next_time(), simulation_.now(), std::min(end_, simulation_.now() + most));
    const Pacing::Waited waited = pacing_.wait_until(next);
    simulation_.run_until(std::max(waited.now, simulation_.now()));
  }

  void report() {
    const double wall = watch_.wall_seconds();
    if (!progress_ || wall < reported_wall_ + kBetweenReports_s) return;
    Progress now;
    now.now = simulation_.now();
    now.end = end_;
    now.wall_s = wall;
    now.speed = (now.now - reported_time_).seconds() / (wall - reported_wall_);
    now.events_per_s =
        static_cast<double>(simulation_.kernel().events_executed() - reported_events_) / (wall - reported_wall_);
    now.left_s = now.speed > 0 ? (end_ - now.now).seconds() / now.speed : 0;
    reported_wall_ = wall;
    reported_time_ = now.now;
    reported_events_ = simulation_.kernel().events_executed();
    progress_(now);
  }

  Simulation& simulation_;
  Time end_;
  const RunOptions& options_;
  const ProgressFn& progress_;
  Duration piece_;
  Pacing pacing_;
  Stopwatch watch_;
  double reported_wall_ = 0;
  Time reported_time_;
  std::uint64_t reported_events_ = 0;
};

Result<void> feed_inputs(Simulation& simulation, const std::string& file) {
  if (file.empty()) return {};
  constexpr std::size_t kMostBytes = 1U << 30U;
  const Result<std::string> text = read_text_file(file, kMostBytes);
  if (!text.ok()) return text.errors();
  const Result<InboxLog> log = InboxLog::parse(*text, file);
  if (!log.ok()) return log.errors();
  return simulation.inbox().replay(log->messages);
}

void describe(const Scenario& scenario, const RunOptions& options, const Built& built, RunOutcome& outcome) {
  outcome.scenario = scenario.spec.name;
  outcome.scenario_file = scenario.file;
  outcome.description = scenario.spec.description;
  outcome.command = options.command;
  outcome.seed = scenario.spec.seed;
  outcome.threads = options.threads;
  outcome.robots = built.robots.size();
}

/// What the metrics of the catalog say about the end.
std::map<std::string, double> final_metrics(const Simulation& simulation, Registry& registry) {
  std::map<std::string, double> out;
  std::vector<double> scratch;
  const auto add = [&](const std::string& name, double value) {
    if (!std::isnan(value)) out[name] = value;
  };
  for (const auto& [name, kind] : registry.catalog<MetricKind>().kinds()) {
    if (kind.global) add(name, kind.global(simulation));
    if (!kind.per_entity) continue;
    const World& world = simulation.world();
    const MetricSummary summary = summarise(kind.per_entity, world, world.pool<Robot>().owners(), scratch);
    add(name + ".mean", summary.mean);
    add(name + ".min", summary.min);
    add(name + ".max", summary.max);
    add(name + ".sum", summary.sum);
  }
  return out;
}

void count(const Simulation& simulation, const Built& built, RunOutcome& outcome) {
  outcome.entities = simulation.world().entity_count();
  outcome.steps = simulation.steps();
  outcome.events = simulation.kernel().events_executed();
  outcome.event_counts = simulation.event_counts();
  outcome.hash = simulation.hash();
  outcome.warnings = simulation.warnings();
  outcome.speed = outcome.wall_s > 0 ? outcome.simulated.seconds() / outcome.wall_s : 0;
  if (built.expectations != nullptr) outcome.expectations = built.expectations->results();
}

}  // namespace

Result<RunOutcome> run(const Scenario& scenario, const RunOptions& options, Registry& registry,
                       const ProgressFn& progress) {
  const Result<std::unique_ptr<Built>> built = build(scenario, registry, options.threads);
  if (!built.ok()) return built.errors();
  Simulation& simulation = *(*built)->simulation;
  if (const Result<void> fed = feed_inputs(simulation, options.replay_inputs); !fed.ok()) return fed.errors();
  std::unique_ptr<RunOutput> output;
  if (options.write_folder) {
    Result<std::unique_ptr<RunOutput>> opened = RunOutput::open(scenario, options, registry, simulation);
    if (!opened.ok()) return opened.errors();
    output = std::move(opened).value();
  }

  RunOutcome outcome;
  describe(scenario, options, **built, outcome);
  const Stopwatch watch;
  Runner(simulation, Time{} + scenario.spec.duration, options, progress).run(outcome);
  outcome.wall_s = watch.wall_seconds();
  outcome.cpu_s = watch.cpu_seconds();
  count(simulation, **built, outcome);
  outcome.metrics = final_metrics(simulation, registry);
  if (output) {
    output->end_recording(outcome, simulation);
    output->close(outcome);
  }
  return outcome;
}

}  // namespace strata
