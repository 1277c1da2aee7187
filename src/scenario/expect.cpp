#include "scenario/expect.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "scenario/spec.hpp"
#include "world/components.hpp"
#include "world/simulation.hpp"

namespace strata {

/// One expectation and what has been seen of it.
class ExpectSystem::Watch {
 public:
  Watch(ExpectSpec spec, const std::vector<std::string>& groups) : spec_(std::move(spec)), groups_(groups) {}

  [[nodiscard]] const ExpectSpec& spec() const { return spec_; }

  void see(const World& world, const WorldEvent& event) {
    if (spec_.what != ExpectSpec::What::kEvent || event.name != spec_.event || event.time < spec_.after) return;
    if (!concerns(world, event.entity, event.other)) return;
    ++count_;
    judge(static_cast<double>(count_), event.time, describe(world, event));
  }

  void look(const Simulation& simulation, Time now) {
    if (settled_ || now < spec_.after || spec_.when == ExpectSpec::When::kAtEnd) return;
    switch (spec_.what) {
      case ExpectSpec::What::kOverlap:
        look_for_overlap(simulation, now);
        break;
      case ExpectSpec::What::kEvent:
        judge(static_cast<double>(count_), now, "");
        break;
      case ExpectSpec::What::kMetric:
        if (const std::optional<double> value = measure(simulation)) judge(*value, now, "");
        break;
    }
  }

  void finish(const Simulation& simulation) {
    if (settled_) return;
    passed_ = spec_.when == ExpectSpec::When::kNever || spec_.when == ExpectSpec::When::kAlways;
    if (passed_) return;
    const std::optional<double> value = spec_.what == ExpectSpec::What::kMetric
                                            ? measure(simulation)
                                            : std::optional<double>(static_cast<double>(count_));
    value_ = value;
    if (spec_.when == ExpectSpec::When::kAtEnd) {
      passed_ = value && spec_.bounds.hold(*value);
      time_ = simulation.now();
    }
    detail_ = value ? fmt::format("is {} at the end", amount(*value)) : "there is nothing to measure";
    if (!passed_ && spec_.when == ExpectSpec::When::kBy)
      detail_ = fmt::format("not by {}: {}", to_text(spec_.by), detail_);
  }

  [[nodiscard]] ExpectationResult result() const {
    const bool has_time = settled_ || spec_.when == ExpectSpec::When::kAtEnd;
    return {spec_.text, spec_.where, passed_, detail_, has_time ? std::optional<Time>(time_) : std::nullopt, value_};
  }

  void save(std::vector<std::byte>& out) const {
    put(out, count_);
    put(out, settled_);
    put(out, passed_);
    put(out, time_);
    put(out, value_.has_value());
    put(out, value_.value_or(0));
    put_text(out, detail_);
  }
  void load(std::span<const std::byte>& in) {
    bool has_value = false;
    double value = 0;
    const bool good = take(in, count_) && take(in, settled_) && take(in, passed_) && take(in, time_) &&
                      take(in, has_value) && take(in, value) && take_text(in, detail_);
    STRATA_ASSERT(good, "a snapshot of expectations is too short");
    value_ = has_value ? std::optional<double>(value) : std::nullopt;
  }

 private:
  [[nodiscard]] bool fits(const World& world, const std::string& pattern, EntityId entity) const {
    if (!entity.valid() || !world.alive(entity)) return pattern == "*";
    if (matches(pattern, world.name(entity))) return true;
    const Robot* robot = world.get<Robot>(entity);
    return robot != nullptr && robot->group < groups_.size() && groups_[robot->group] == pattern;
  }

  // `of: A` asks for one of the two, `between: [A, B]` for one each.
  [[nodiscard]] bool concerns(const World& world, EntityId a, EntityId b) const {
    if (spec_.of.empty()) return true;
    if (spec_.of.size() == 1) return fits(world, spec_.of[0], a) || (b.valid() && fits(world, spec_.of[0], b));
    return (fits(world, spec_.of[0], a) && fits(world, spec_.of[1], b)) ||
           (fits(world, spec_.of[0], b) && fits(world, spec_.of[1], a));
  }

  void judge(double value, Time now, const std::string& detail) {
    if (settled_ || spec_.when == ExpectSpec::When::kAtEnd) return;
    const bool holds = spec_.bounds.hold(value);
    switch (spec_.when) {
      case ExpectSpec::When::kNever:
        if (holds) settle(false, now, value, detail);
        break;
      case ExpectSpec::When::kAlways:
        if (!holds) settle(false, now, value, detail);
        break;
      case ExpectSpec::When::kBy:
        if (holds && now <= spec_.by) settle(true, now, value, detail);
        break;
      case ExpectSpec::When::kAtEnd:
        break;
    }
  }

  void settle(bool passed, Time now, double value, const std::string& detail) {
    settled_ = true;
    passed_ = passed;
    time_ = now;
    value_ = value;
    detail_ = fmt::format("{} at {}", detail.empty() ? "is " + amount(value) : detail, to_text(now));
  }

  void look_for_overlap(const Simulation& simulation, Time now) {
    const World& world = simulation.world();
    for (const auto& [a, b] : simulation.server().overlaps(world)) {
      if (!concerns(world, a, b)) continue;
      return settle(false, now, 1, fmt::format("{} and {} overlap", world.name(a), world.name(b)));
    }
  }

  [[nodiscard]] std::string describe(const World& world, const WorldEvent& event) const {
    std::string who = event.entity.valid() ? world.name(event.entity) : "";
    if (event.other.valid()) who += " and " + world.name(event.other);
    return fmt::format("{}{}{}{}", event.name, who.empty() ? "" : " of ", who,
                       count_ > 1 ? fmt::format(" (number {})", count_) : "");
  }

  [[nodiscard]] std::string amount(double value) const {
    if (spec_.what != ExpectSpec::What::kMetric) return fmt::format("{} times", value);
    return spec_.metric->unit.empty() ? fmt::format("{:.6g}", value)
                                      : fmt::format("{:.6g} {}", value, spec_.metric->unit);
  }

  [[nodiscard]] std::optional<double> measure(const Simulation& simulation) {
    if (!spec_.metric->per_entity) return spec_.metric->global(simulation);
    const World& world = simulation.world();
    update_members(world);
    const MetricSummary summary = summarise(spec_.metric->per_entity, world, members_, figures_);
    if (summary.count == 0) return std::nullopt;
    switch (spec_.aggregate) {
      case ExpectSpec::Aggregate::kMin:
        return summary.min;
      case ExpectSpec::Aggregate::kMax:
        return summary.max;
      case ExpectSpec::Aggregate::kSum:
        return summary.sum;
      default:
        return summary.mean;
    }
  }

  // The robots that count; looked up again only when entities or components came or went.
  void update_members(const World& world) {
    if (seen_structure_ == world.structure_version()) return;
    seen_structure_ = world.structure_version();
    members_.clear();
    for (const EntityId entity : world.pool<Robot>().owners()) {
      if (spec_.of.empty() || fits(world, spec_.of[0], entity)) members_.push_back(entity);
    }
  }

  ExpectSpec spec_;
  const std::vector<std::string>& groups_;
  std::uint64_t count_ = 0;
  bool settled_ = false;  // nothing that comes can change it
  bool passed_ = false;
  Time time_;
  std::optional<double> value_;
  std::string detail_;
  std::uint64_t seen_structure_ = 0;
  std::vector<EntityId> members_;
  std::vector<double> figures_;  // of the members
};

ExpectSystem::ExpectSystem(std::vector<ExpectSpec> specs, std::vector<std::string> groups)
    : groups_(std::move(groups)) {
  for (ExpectSpec& spec : specs) watches_.push_back(std::make_unique<Watch>(std::move(spec), groups_));
}

ExpectSystem::~ExpectSystem() = default;

void ExpectSystem::start(Simulation& simulation) { simulation_ = &simulation; }

void ExpectSystem::see(const WorldEvent& event) {
  for (const auto& watch : watches_) watch->see(simulation_->world(), event);
}

void ExpectSystem::step(World& /*world*/, const Step& step) {
  for (const auto& watch : watches_) watch->look(*simulation_, step.now);
}

void ExpectSystem::finish(Simulation& simulation) {
  for (const auto& watch : watches_) watch->finish(simulation);
}

void ExpectSystem::save(std::vector<std::byte>& out) const {
  for (const auto& watch : watches_) watch->save(out);
}

void ExpectSystem::load(std::span<const std::byte>& in) {
  for (const auto& watch : watches_) watch->load(in);
}

std::vector<ExpectationResult> ExpectSystem::results() const {
  std::vector<ExpectationResult> out;
  for (const auto& watch : watches_) out.push_back(watch->result());
  return out;
}

}  // namespace strata
