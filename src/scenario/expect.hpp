// What must come true, so that a run is a test. One expectation is one line of `expect:` and has up to four parts:
//
//   when      never | always | at_end | by: TIME            exactly one of them
//   what      a metric, an event, or overlap                the value of never, always and at_end; beside `by` as
//                                                           `metric: NAME` or `event: NAME`
//   of whom   of: PATTERN, between: [PATTERN, PATTERN]      names, groups or patterns with *
//   how much  above, below, at_least, at_most, equals       with the unit of the metric; for events how often,
//                                                           also as `count: N`, at least N times
//   from when after: TIME                                   nothing counts before; not for at_end
//
//   {never: overlap, between: [walker, "*"]}                no two bodies share space, looked at after every step
//   {never: collision, of: "uav*"}                          the event does not happen
//   {always: battery.min, above: 100 J}                     true after every step
//   {at_end: distance.mean, of: walker, above: 20 m}        true when the run ends
//   {by: 30 s, metric: distance.mean, above: 5 m}           true at least once until then
//   {by: 5 min, event: arrived, count: 10}                  happened ten times until then
//
// Metrics of entities end in .mean, .min, .max or .sum; a metric nobody has yet is neither above nor below anything.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "base/value.hpp"
#include "world/metric.hpp"
#include "world/system.hpp"

namespace strata {

/// Bounds of a value; those not given hold for everything.
struct Bounds {
  double above = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
  std::optional<double> equals;
  [[nodiscard]] bool hold(double value) const {
    return value > above && value < below && value >= at_least && value <= at_most && (!equals || value == *equals);
  }
};

struct ExpectSpec {
  enum class When { kNever, kAlways, kAtEnd, kBy };
  enum class What { kOverlap, kEvent, kMetric };
  enum class Aggregate { kNone, kMean, kMin, kMax, kSum };

  When when = When::kNever;
  What what = What::kOverlap;
  Time by;
  Time after;
  std::string event;
  const MetricKind* metric = nullptr;
  Aggregate aggregate = Aggregate::kNone;
  std::vector<std::string> of;  ///< one or two patterns; none: everybody
  Bounds bounds;
  std::string text;  ///< as written
  Where where;
};

struct ExpectationResult {
  std::string text;
  Where where;
  bool passed = false;
  std::string detail;        ///< what was found: "overlap of walker3 and wall1 at 12.5 s", "is 17.3 m"
  std::optional<Time> time;  ///< of the first violation, or of the fulfilment of `by`
  std::optional<double> value;
};

/// Reads `expect:`. Unknown metrics and events are errors with a suggestion.
[[nodiscard]] Result<std::vector<ExpectSpec>> read_expectations(const Value& list, Registry& registry);

/// Watches the expectations while the simulation runs. Lives in Phase::kRecord and never asks to be stepped.
class ExpectSystem final : public System {
 public:
  /// `groups` are the names of robot groups by index, so that patterns can name groups.
  ExpectSystem(std::vector<ExpectSpec> specs, std::vector<std::string> groups);
  ~ExpectSystem() override;

  void start(Simulation& simulation) override;
  /// An event of the world: to be called with each of them.
  void see(const WorldEvent& event);
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& /*world*/, Time /*now*/) const override { return Time::never(); }
  void finish(Simulation& simulation) override;
  void save(std::vector<std::byte>& out) const override;
  void load(std::span<const std::byte>& in) override;

  /// After finish().
  [[nodiscard]] std::vector<ExpectationResult> results() const;

 private:
  class Watch;
  std::vector<std::string> groups_;
  std::vector<std::unique_ptr<Watch>> watches_;
  const Simulation* simulation_ = nullptr;
};

}  // namespace strata
