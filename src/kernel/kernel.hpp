// The kernel: one virtual clock and the queue of everything that is to happen. Events run in the total order (time,
// phase, key, sequence); the sequence counts per key, so the order of events of different keys never depends on who was
// inserted first. If nothing is scheduled, time jumps. A kernel belongs to one thread at a time; several can live side
// by side.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/assert.hpp"
#include "base/time.hpp"
#include "kernel/callback.hpp"
#include "kernel/event_queue.hpp"
#include "kernel/phase.hpp"
#include "kernel/process.hpp"

namespace strata {

class Delay;

namespace detail {
template <class F>
concept ProcessMaker = std::is_invocable_r_v<Process, F&>;
}  // namespace detail

struct SpawnOptions {
  /// In which the process runs after a delay. Woken by others it runs in this phase or, if that has passed, at once.
  Phase phase = Phase::kPlan;
  /// Who it belongs to, say the stable id of an entity. Default: the process or event that spawns it.
  std::optional<Key> owner = std::nullopt;
};

class Kernel {
 public:
  explicit Kernel(std::uint64_t seed = 1);
  /// Calls finish() if nobody did; exceptions of clean-up hooks are then lost.
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  [[nodiscard]] Time now() const { return now_; }
  /// Of the running event; kDeliver between events.
  [[nodiscard]] Phase phase() const { return phase_; }
  /// Of the run, for random streams.
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // --- Events.

  /// Runs `fn` at (at, phase, key, next sequence of that key). `at` must not be in the past, nor, within an event, in
  /// an earlier phase of this instant. At Time::never() it never runs.
  EventId schedule(Time at, Phase phase, Key key, Callback fn);
  /// Takes an event back; false if it ran or was cancelled before.
  bool cancel(EventId id);
  [[nodiscard]] bool pending(EventId id) const { return queue_.pending(id); }
  /// Of the next event; never() if there is none.
  [[nodiscard]] Time next_time() const { return queue_.empty() ? Time::never() : Time::from_ns(queue_.first_time()); }
  [[nodiscard]] std::size_t pending_events() const { return queue_.size(); }
  [[nodiscard]] std::uint64_t events_executed() const { return executed_; }
  /// Something has run at now(); what comes from outside can then be delivered at a later instant only.
  [[nodiscard]] bool touched() const { return executed_ != 0 && last_event_ == now_; }

  // --- Running. Exceptions of events leave these functions as SimulationError; the kernel stays usable.

  /// Runs one event. False if there is none, or after stop().
  bool step();
  /// Runs all events with time <= end; then now() == end, unless stopped.
  void run_until(Time end);
  /// Runs all events with time < end; then now() == end with nothing run at it, unless stopped.
  void run_before(Time end);
  /// Runs until nothing is left to do; now() stays at the last event.
  void run();

  // --- Ending.

  /// The kill switch: the run ends after the current event. From any thread; the first reason stays.
  void stop(std::string reason);
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Empty if not stopped.
  [[nodiscard]] std::string stop_reason() const;
  /// Hooks run once, last added first, at finish() or destruction, after all processes were cancelled.
  void on_cleanup(std::function<void()> hook) { hooks_.push_back(std::move(hook)); }
  /// Cancels all processes (youngest first), drops all events, runs the clean-up hooks. Rethrows the first exception of
  /// a hook after all have run. Nothing runs afterwards.
  void finish();
  [[nodiscard]] bool finished() const { return finished_; }

  // --- Processes.

  /// Starts a process, at this instant. Its key comes from its owner and a counter: the same for any partition.
  /// Processes without owner spawned between events run, where all else is equal, in the order of spawning.
  ProcessRef spawn(std::string name, Process process, const SpawnOptions& options = {});
  /// The same for a function, usually a lambda, that makes the process; its captures live as long as the process.
  template <detail::ProcessMaker F>
  ProcessRef spawn(std::string name, F make, const SpawnOptions& options = {}) {
    auto callable = std::make_shared<F>(std::move(make));
    Process process = (*callable)();
    return spawn_owning(std::move(name), std::move(process), std::move(callable), options);
  }
  /// `co_await kernel.delay(100ms)`. Not negative.
  [[nodiscard]] Delay delay(Duration duration);
  /// `co_await kernel.until(time)`. Not in the past.
  [[nodiscard]] Delay until(Time time);
  /// The process that runs now; empty in a callback or outside.
  [[nodiscard]] ProcessRef current() const { return ProcessRef(current_ == nullptr ? nullptr : current_->control_); }
  [[nodiscard]] std::size_t live_processes() const { return live_count_; }

 private:
  friend class detail::ProcessCore;
  friend class Delay;
  friend class ProcessRef;
  class RunScope;

  ProcessRef spawn_owning(std::string name, Process process, std::shared_ptr<void> callable,
                          const SpawnOptions& options);
  [[nodiscard]] std::uint64_t derive_key(const std::optional<Key>& owner);
  [[nodiscard]] std::uint32_t next_sequence(detail::ProcessCore& core) {
    if (core.sequence_ == EventQueue::kLastSequence) [[unlikely]]
      core.sequence_ = queue_.renumber(core.key_bits_);
    return core.sequence_++;
  }
  [[nodiscard]] std::uint32_t next_sequence(std::uint64_t key_bits);
  void schedule_resume(detail::ProcessCore& core, Time at, Phase phase) {
    core.slot_ = queue_.push(at.ns(), EventQueue::order(phase, core.key_bits_), next_sequence(core),
                             EventQueue::Kind::kResume, &core);
  }
  void cancel_resume(detail::ProcessCore& core) {
    if (core.slot_ != EventQueue::kNoSlot) queue_.cancel(std::exchange(core.slot_, EventQueue::kNoSlot));
  }
  /// The phase in which a process continues that is to run at `at`.
  [[nodiscard]] Phase resume_phase(const detail::ProcessCore& core, Time at) const {
    return at == now_ && phase_ > core.phase_ ? phase_ : core.phase_;
  }

  void run_while(std::int64_t last);
  void execute_next();
  void resume(detail::ProcessCore& core);
  void fire_timer(Wait& wait);
  void call(Callback* callback);
  bool cancel_process(detail::ProcessControl& control);
  void end_process(detail::ProcessControl& control, ProcessStatus status);
  Callback* keep_callback(Callback fn);
  void drop_callback(Callback* callback);

  Time now_;
  Phase phase_ = Phase::kDeliver;
  bool running_ = false;
  bool finished_ = false;
  std::atomic<bool> stopped_{false};
  std::uint64_t executed_ = 0;
  detail::ProcessCore* current_ = nullptr;
  std::uint64_t current_key_ = 0;  // of the running event
  AssertContext* context_ = nullptr;
  EventQueue queue_;
  std::uint64_t seed_;
  Time last_event_;

  std::unordered_map<std::uint64_t, std::uint32_t> sequences_;  // of keys that have scheduled callbacks
  std::size_t sequences_limit_ = 1024;
  std::unordered_map<std::uint64_t, std::uint64_t> children_;  // of keys that have spawned processes from callbacks
  std::vector<std::unique_ptr<Callback[]>> callback_blocks_;
  std::vector<Callback*> free_callbacks_;
  detail::List<detail::ProcessControl> live_;  // oldest first
  std::size_t live_count_ = 0;
  std::vector<std::function<void()>> hooks_;
  mutable std::mutex stop_mutex_;
  std::string stop_reason_;
};

/// Waits until a point in virtual time. Made by Kernel::delay() and Kernel::until().
class [[nodiscard]] Delay final : public Awaitable<Delay> {
 public:
  using Value = void;
  Delay(Kernel& kernel, Time at) : kernel_(&kernel), at_(at) {}
  Delay(Delay&& other) noexcept : Awaitable(std::move(other)), kernel_(other.kernel_), at_(other.at_) {}
  ~Delay() override {
    if (timer_ != EventQueue::kNoSlot) [[unlikely]]
      leave();
  }
  void leave() noexcept override;
  void take() const {}

 private:
  friend class Kernel;
  bool begin() override;

  Kernel* kernel_;
  Time at_;
  std::uint32_t timer_ = EventQueue::kNoSlot;  // when part of a composite; alone, the process' own slot serves
};

inline Delay Kernel::delay(Duration duration) {
  STRATA_ASSERT(duration >= Duration{}, "a delay is not negative");
  return {*this, now_ + duration};
}
inline Delay Kernel::until(Time time) {
  STRATA_ASSERT(time >= now_, "waiting for a time in the past");
  return {*this, time};
}

inline bool Delay::begin() {
  detail::ProcessCore& process = *core();
  STRATA_ASSERT(process.kernel_ == kernel_, "a process waits on another kernel's clock");
  STRATA_ASSERT(at_ >= kernel_->now_, "waiting for a time in the past");
  const Phase phase = kernel_->resume_phase(process, at_);
  if (parent() == nullptr) [[likely]] {
    kernel_->schedule_resume(process, at_, phase);
  } else {
    timer_ = kernel_->queue_.push(at_.ns(), EventQueue::order(phase, process.key_bits_),
                                  kernel_->next_sequence(process), EventQueue::Kind::kTimer, static_cast<Wait*>(this));
  }
  return false;
}

}  // namespace strata
