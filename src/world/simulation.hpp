// A simulation: one kernel, one world, the systems that step it, and what they publish. Several can live side by side
// in one process. The periodic step is an event of the kernel like any other, one per phase that has systems.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/channels.hpp"
#include "kernel/inbox.hpp"
#include "kernel/kernel.hpp"
#include "kernel/state_hash.hpp"
#include "kernel/store.hpp"
#include "kernel/thread_pool.hpp"
#include "world/server.hpp"
#include "world/system.hpp"
#include "world/world.hpp"

namespace strata {

struct SimulationSpec {
  Duration step = Duration::nanoseconds(50'000'000);
  std::uint64_t seed = 1;
  int threads = 1;
};

class Simulation {
 public:
  explicit Simulation(const SimulationSpec& spec);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] const SimulationSpec& spec() const { return spec_; }
  [[nodiscard]] Kernel& kernel() { return kernel_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] Channels& channels() { return channels_; }
  [[nodiscard]] Inbox& inbox() { return inbox_; }
  [[nodiscard]] ThreadPool& threads() { return threads_; }
  [[nodiscard]] WorldServer& server() { return *server_; }
  [[nodiscard]] const WorldServer& server() const { return *server_; }
  /// Every event of the world passes here: `co_await events().get(filter)`.
  [[nodiscard]] Store<WorldEvent>& events() { return events_; }
  /// Calls `listener` with every event, in order, before processes see it. Before start().
  void on_event(std::function<void(const WorldEvent&)> listener) { listeners_.push_back(std::move(listener)); }
  [[nodiscard]] Time now() const { return kernel_.now(); }

  void set_server(std::unique_ptr<WorldServer> server);
  /// Systems of one phase run by (order, name). Before start().
  void add_system(std::string name, Phase phase, int order, std::unique_ptr<System> system);
  [[nodiscard]] bool has_system(std::string_view name) const;
  [[nodiscard]] System* find_system(std::string_view name);

  /// Calls start() of all systems and schedules the first step. Once.
  void start();
  /// Runs until virtual time `end` or until stopped. An exception of a system or process is a SimulationError naming
  /// it.
  void run_until(Time end);
  /// Calls finish() of all systems, then the clean-up hooks. Once.
  void finish();

  /// State hash chained over all steps so far.
  [[nodiscard]] std::uint64_t hash() const { return hash_.value(); }
  [[nodiscard]] std::uint64_t steps() const { return step_index_; }
  /// How often each event name was reported.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& event_counts() const { return event_counts_; }
  [[nodiscard]] std::uint64_t event_count(const std::string& name) const;

  /// Lost fidelity: counted, shown in the report, fatal under --strict.
  void warn(const std::string& warning) { ++warnings_[warning]; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& warnings() const { return warnings_; }

  /// Everything needed to continue bit for bit. Only between run_until calls, and only for simulations driven by
  /// systems: processes that wait inside coroutines cannot be saved, and are an error.
  [[nodiscard]] Result<std::vector<std::byte>> save() const;
  /// Into a simulation set up from the same scenario and started, but not run.
  [[nodiscard]] Result<void> load(std::span<const std::byte> bytes);

 private:
  struct Slot {
    std::string name;
    Phase phase;
    int order;
    std::unique_ptr<System> system;
  };
  void schedule_step(Time at);
  void run_phase(Phase phase);
  void end_step();
  void deliver_events();
  /// The step after now() that the systems ask for.
  [[nodiscard]] Time next_step_time() const;
  void wake_if_early();

  SimulationSpec spec_;
  Kernel kernel_;
  World world_;
  Channels channels_;
  Inbox inbox_;
  ThreadPool threads_;
  std::unique_ptr<WorldServer> server_;
  Store<WorldEvent> events_;
  std::vector<std::function<void(const WorldEvent&)>> listeners_;
  std::vector<Slot> systems_;
  std::map<std::string, std::uint64_t> event_counts_;
  std::map<std::string, std::uint64_t> warnings_;
  StateHash hash_;
  std::uint64_t step_index_ = 0;
  Time last_step_;
  Time scheduled_step_ = Time::never();
  std::vector<EventId> step_events_;
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace strata
