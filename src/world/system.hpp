// Systems: logic over the world's entities, called by the simulation in fixed phases. And the kinds through which
// scenarios name systems and what robots carry.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "kernel/phase.hpp"
#include "kernel/thread_pool.hpp"
#include "world/world.hpp"

namespace strata {

class Simulation;

/// One step of the world, as systems see it.
struct Step {
  Time now;     ///< at the end of the step
  Duration dt;  ///< since the previous step: the nominal step, or more after idle time was skipped
  std::uint64_t index = 0;
  ThreadPool& threads;  ///< for data-parallel work: write only your own rows
};

class System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  /// Once, before the first step: register components, spawn processes, declare channels.
  virtual void start(Simulation& /*simulation*/) {}
  virtual void step(World& world, const Step& step) = 0;
  /// When this system must be stepped next at the latest; `now` = at every step, Time::never() = only if others step.
  /// When all systems allow it, time jumps.
  [[nodiscard]] virtual Time due(const World& /*world*/, Time now) const { return now; }
  /// Once, after the last step.
  virtual void finish(Simulation& /*simulation*/) {}
  /// State that is not in components, for snapshots. Most systems have none.
  virtual void save(std::vector<std::byte>& /*out*/) const {}
  /// Reads back what save wrote, from the front of `in`.
  virtual void load(std::span<const std::byte>& /*in*/) {}
};

struct SystemKind : KindInfo {
  static constexpr const char* kCategory = "system";
  Phase phase = Phase::kPlan;
  int order = 0;  ///< within the phase; equal orders run by name
  std::function<Result<std::unique_ptr<System>>(const Config&)> make;
};

/// Something an entity can carry: adds components to it and names the systems that serve them.
struct PartKind : KindInfo {
  std::function<Result<void>(World&, EntityId, const Config&)> attach;
  std::vector<std::string> systems;
  /// Makes the components known to a world, so that an entity can get one later too.
  std::function<void(World&)> declare;
};
struct ComponentKind : PartKind {
  static constexpr const char* kCategory = "component";
  std::string main_param;  ///< what is meant when something else than a map is given: `script: [go home]`
};
struct MotionKind : PartKind {
  static constexpr const char* kCategory = "motion";
};
struct BehaviourKind : PartKind {
  static constexpr const char* kCategory = "behaviour";
};
struct SensorKind : PartKind {
  static constexpr const char* kCategory = "sensor";
};

/// Adds everything this module offers to the catalogs.
void register_world_kinds(Registry& registry);

}  // namespace strata
