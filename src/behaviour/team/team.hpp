// A team: tasks arrive, a strategy shares them out to members that can do them, and a monitor gives a task to somebody
// else when its robot fails. Tasks are entities, members carry a component: all of it is state of the world.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "behaviour/script/script.hpp"
#include "behaviour/team/allocation.hpp"

namespace strata {

struct TeamTask {
  enum State : std::uint32_t { kWaiting, kGiven, kDone, kFailed };
  std::int64_t arrived_ns = 0;
  std::int64_t ended_ns = 0;
  std::uint32_t program = 0;
  std::uint32_t state = kWaiting;
  std::uint32_t robot_slot = 0;
  std::uint32_t robot_generation = 0;
  std::uint32_t attempts = 0;
  std::uint32_t number = 0;  ///< in the order of arrival, from 1
  [[nodiscard]] EntityId robot() const { return {robot_slot, robot_generation}; }
};

struct TeamMember {
  std::uint32_t task_slot = 0;
  std::uint32_t task_generation = 0;  ///< 0: free
  std::uint32_t done = 0;
  std::uint32_t failed = 0;
};

/// Where the arrivals are; on the environment.
struct TeamArrivals {
  std::int64_t next_ns = 0;
  std::uint64_t draws = 0;
  std::uint64_t arrived = 0;
};

/// Tasks of one sort.
struct TaskSource {
  std::vector<std::uint32_t> programs;  ///< taken in turn
  Time first;
  Duration every;           ///< mean time between arrivals; zero: all at once
  bool random = false;      ///< Poisson
  std::uint64_t count = 0;  ///< in all; 0 = no end
};

struct TeamSpec {
  std::vector<EntityId> members;
  std::function<Allocation(const CostTable&)> strategy;
  TaskSource tasks;
  std::uint32_t attempts = 3;  ///< before a task counts as failed
  bool by_way = false;         ///< costs are lengths of ways instead of distances
};

/// Lives in Phase::kPlan before scripts.
class TeamSystem final : public System {
 public:
  explicit TeamSystem(TeamSpec spec) : spec_(std::move(spec)) {}
  void start(Simulation& simulation) override;
  void step(World& world, const Step& step) override;
  [[nodiscard]] Time due(const World& world, Time now) const override;

 private:
  void take_arrivals(World& world, Time now);
  void watch(World& world, Time now);
  void share_out(World& world, Time now);
  void give_back(World& world, EntityId task, Time now, const std::string& why);
  [[nodiscard]] double cost(World& world, EntityId robot, const Program& program) const;

  TeamSpec spec_;
  Simulation* simulation_ = nullptr;
};

void declare_team(World& world);
void register_team(Registry& registry);

}  // namespace strata
