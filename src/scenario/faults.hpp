// Faults: takes components away from robots, or robots out of the world, when their time has come.
#pragma once

#include <vector>

#include "scenario/spec.hpp"

namespace strata {

/// Lives in Phase::kDeliver: what breaks has broken for the whole step. Reports an event `fault` for each robot.
class FaultSystem final : public System {
 public:
  explicit FaultSystem(std::vector<FaultSpec> faults) : faults_(std::move(faults)) {}

  void start(Simulation& simulation) override { simulation_ = &simulation; }
  void step(World& world, const Step& step) override;
  /// The next fault: an idle world wakes up for it.
  [[nodiscard]] Time due(const World& world, Time now) const override;

 private:
  void apply(World& world, const FaultSpec& fault, Time now);

  std::vector<FaultSpec> faults_;
  Simulation* simulation_ = nullptr;
};

/// Robots that a name or pattern means, by id.
[[nodiscard]] std::vector<EntityId> robots_named(const World& world, std::string_view pattern);

/// Faults at a rate as faults at times, each robot's drawn from a stream of its own; those after `end` are left out.
[[nodiscard]] std::vector<FaultSpec> timed_faults(const World& world, const std::vector<FaultSpec>& faults, Time end);

/// Fails for a fault that cannot have an effect: nobody it means has the component.
[[nodiscard]] Result<void> check_fault(const World& world, const FaultSpec& fault);

}  // namespace strata
