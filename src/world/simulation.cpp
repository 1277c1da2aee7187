#include "world/simulation.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "world/components.hpp"
#include "world/footprint_server.hpp"

namespace strata {
namespace {

// Steps come before everything else of their phase, and the end of a step after everything.
constexpr Key kStepKey{0};
constexpr Key kEndKey{~std::uint64_t{0}};

// Moves every body. The only system that lets the world server write poses.
class MotionSystem final : public System {
 public:
  void start(Simulation& simulation) override { simulation_ = &simulation; }
  void step(World& world, const Step& step) override { simulation_->server().advance(world, step); }
  [[nodiscard]] Time due(const World& world, Time now) const override {
    for (const Velocity& velocity : world.pool<Velocity>().rows()) {
      if (velocity.linear != Vec3{} || velocity.angular != Vec3{}) return now;
    }
    return Time::never();
  }

 private:
  Simulation* simulation_ = nullptr;
};

}  // namespace

Simulation::Simulation(const SimulationSpec& spec)
    : spec_(spec),
      kernel_(spec.seed),
      world_(spec.seed),
      inbox_(kernel_),
      threads_(spec.threads),
      server_(std::make_unique<FootprintServer>()) {
  STRATA_ASSERT(spec.step > Duration{}, "a step takes time");
  register_components(world_);
  add_system("motion", Phase::kPhysics, 0, std::make_unique<MotionSystem>());
}

Simulation::~Simulation() {
  if (!finished_) kernel_.finish();
}

void Simulation::set_server(std::unique_ptr<WorldServer> server) {
  STRATA_ASSERT(!started_, "the world server is chosen before the start");
  server_ = std::move(server);
}

void Simulation::add_system(std::string name, Phase phase, int order, std::unique_ptr<System> system) {
  STRATA_ASSERT(!started_ && !has_system(name), "systems are added once, before the start: " + name);
  systems_.push_back({std::move(name), phase, order, std::move(system)});
}

bool Simulation::has_system(std::string_view name) const {
  return std::any_of(systems_.begin(), systems_.end(), [&](const Slot& slot) { return slot.name == name; });
}

System* Simulation::find_system(std::string_view name) {
  for (const Slot& slot : systems_) {
    if (slot.name == name) return slot.system.get();
  }
  return nullptr;
}

std::uint64_t Simulation::event_count(const std::string& name) const {
  const auto it = event_counts_.find(name);
  return it == event_counts_.end() ? 0 : it->second;
}

void Simulation::start() {
  STRATA_ASSERT(!started_, "a simulation starts once");
  started_ = true;
  std::stable_sort(systems_.begin(), systems_.end(), [](const Slot& a, const Slot& b) {
    return std::tie(a.phase, a.order, a.name) < std::tie(b.phase, b.order, b.name);
  });
  for (const Slot& slot : systems_) slot.system->start(*this);
  server_->refresh(world_);
  schedule_step(kernel_.now() + spec_.step);
  deliver_events();
}

// Each phase of a step is an event of its own, so that processes and messages of the same instant fall in between.
void Simulation::schedule_step(Time at) {
  scheduled_step_ = at;
  step_events_.clear();
  if (at == Time::never()) return;
  Phase last = Phase::kDeliver;
  for (const Slot& slot : systems_) {
    if (slot.phase == last && !step_events_.empty()) continue;
    last = slot.phase;
    step_events_.push_back(kernel_.schedule(at, last, kStepKey, [this, last] { run_phase(last); }));
  }
  // The end of the step is told apart from the last phase: it comes after everything of this instant.
  step_events_.push_back(kernel_.schedule(at, Phase::kRecord, kEndKey, [this] { end_step(); }));
}

void Simulation::run_phase(Phase phase) {
  const Step step{kernel_.now(), kernel_.now() - last_step_, step_index_ + 1, threads_};
  for (const Slot& slot : systems_) {
    if (slot.phase != phase) continue;
    assert_context().system = slot.name.c_str();
    try {
      slot.system->step(world_, step);
    } catch (const SimulationError&) {
      throw;
    } catch (...) {
      throw SimulationError("system '" + slot.name + "'", kernel_.now(), std::current_exception());
    }
    if (world_.has_events()) deliver_events();
  }
  assert_context().system = nullptr;
}

void Simulation::end_step() {
  ++step_index_;
  last_step_ = kernel_.now();
  hash_.add_sum(world_.hash_sum(threads_));
  hash_.end_step(kernel_.now());
  schedule_step(next_step_time());
}

void Simulation::deliver_events() {
  // Handlers may report further events: those go out too, after these.
  while (world_.has_events()) {
    for (const WorldEvent& event : world_.take_events()) {
      ++event_counts_[event.name];
      for (const auto& listener : listeners_) listener(event);
      events_.put(event);
    }
  }
}

Time Simulation::next_step_time() const {
  const Time next = last_step_ + spec_.step;
  Time due = Time::never();
  for (const Slot& slot : systems_) {
    due = std::min(due, slot.system->due(world_, last_step_));
    if (due <= next) return next;
  }
  if (due == Time::never()) return due;
  // On the grid of steps, so that skipping idle time does not shift later steps.
  const Duration ahead = due - last_step_;
  const std::int64_t steps = ahead / spec_.step + (ahead % spec_.step == Duration{} ? 0 : 1);
  return last_step_ + spec_.step * std::max<std::int64_t>(steps, 1);
}

// An event in between may have given a sleeping system something to do: the next step then comes earlier.
void Simulation::wake_if_early() {
  if (world_.has_events()) deliver_events();
  const Time now = kernel_.now();
  Time earliest = last_step_ + spec_.step;
  if (scheduled_step_ <= earliest) return;
  const Time wanted = next_step_time();
  if (wanted >= scheduled_step_) return;
  if (wanted <= now) {
    // Idle time has passed by: the systems catch up with it at the next point of the grid.
    earliest = last_step_ + spec_.step * ((now - last_step_) / spec_.step + 1);
  } else {
    earliest = wanted;
  }
  if (earliest >= scheduled_step_) return;
  for (const EventId id : step_events_) kernel_.cancel(id);
  schedule_step(earliest);
}

void Simulation::run_until(Time end) {
  STRATA_ASSERT(started_ && !finished_, "a simulation runs between start and finish");
  wake_if_early();
  while (!kernel_.stopped() && kernel_.next_time() <= end) {
    // While the next step is due anyway, whole stretches run without looking at the systems.
    if (scheduled_step_ <= last_step_ + spec_.step && scheduled_step_ <= end) {
      kernel_.run_until(scheduled_step_);
      if (world_.has_events()) deliver_events();
      continue;
    }
    kernel_.step();
    wake_if_early();
  }
  if (!kernel_.stopped()) kernel_.run_until(end);
}

void Simulation::finish() {
  if (finished_) return;
  finished_ = true;
  for (const Slot& slot : systems_) slot.system->finish(*this);
  deliver_events();
  kernel_.finish();
}

namespace {
constexpr std::uint64_t kSimulationMagic = 0x31534D4953525453;
}  // namespace

Result<std::vector<std::byte>> Simulation::save() const {
  if (kernel_.live_processes() != 0) {
    return Error{{},
                 "processes are waiting: their state cannot be saved",
                 "run the scenario again from the start instead (strata replay)"};
  }
  std::vector<std::byte> out;
  put(out, kSimulationMagic);
  put(out, kernel_.now());
  put(out, last_step_);
  put(out, step_index_);
  put(out, hash_.value());
  put(out, hash_.steps());
  put(out, static_cast<std::uint64_t>(event_counts_.size()));
  for (const auto& [name, count] : event_counts_) {
    put_text(out, name);
    put(out, count);
  }
  put_bytes(out, world_.save());
  for (const Slot& slot : systems_) {
    std::vector<std::byte> state;
    slot.system->save(state);
    put_bytes(out, state);
  }
  return out;
}

Result<void> Simulation::load(std::span<const std::byte> bytes) {
  STRATA_ASSERT(started_ && step_index_ == 0, "a snapshot is restored right after the start");
  const Error bad{{}, "the snapshot does not fit this scenario", "restore it into the scenario it was taken from"};
  std::uint64_t magic = 0;
  Time now;
  Time last_step;
  std::uint64_t index = 0;
  std::uint64_t hash = 0;
  std::uint64_t hash_steps = 0;
  std::uint64_t counts = 0;
  if (!take(bytes, magic) || magic != kSimulationMagic || !take(bytes, now) || !take(bytes, last_step) ||
      !take(bytes, index) || !take(bytes, hash) || !take(bytes, hash_steps) || !take(bytes, counts)) {
    return bad;
  }
  std::map<std::string, std::uint64_t> event_counts;
  for (std::uint64_t i = 0; i < counts; ++i) {
    std::string name;
    std::uint64_t count = 0;
    if (!take_text(bytes, name) || !take(bytes, count)) return bad;
    event_counts[name] = count;
  }
  std::span<const std::byte> world;
  if (!take_bytes(bytes, world)) return bad;
  std::vector<std::span<const std::byte>> states(systems_.size());
  for (auto& state : states) {
    if (!take_bytes(bytes, state)) return bad;
  }
  if (const Result<void> loaded = world_.load(world); !loaded.ok()) return loaded;
  for (std::size_t i = 0; i < systems_.size(); ++i) systems_[i].system->load(states[i]);
  for (const EventId id : step_events_) kernel_.cancel(id);
  kernel_.run_until(now);
  last_step_ = last_step;
  step_index_ = index;
  event_counts_ = std::move(event_counts);
  hash_.restore(hash, hash_steps);
  server_->refresh(world_);
  schedule_step(next_step_time());
  return {};
}

}  // namespace strata
