#include "kernel/kernel.hpp"

#include <algorithm>
#include <unordered_set>

namespace strata {

namespace {

// Set in the keys of processes, which count their own sequence: apart from the keys given to schedule().
constexpr std::uint64_t kProcessBit = Key::kLimit;

std::string cause_text(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

// The virtual time and name that a failing assert shows, for as long as this kernel runs.
class Kernel::RunScope {
 public:
  explicit RunScope(Kernel& kernel) : kernel_(kernel), context_(assert_context()), saved_(context_) {
    STRATA_ASSERT(!kernel.running_, "the kernel was run from within one of its events");
    STRATA_ASSERT(!kernel.finished_, "the kernel has finished");
    kernel.running_ = true;
    kernel.context_ = &context_;
    context_.now_ns = kernel.now_.ns();
  }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;
  ~RunScope() {
    kernel_.running_ = false;
    kernel_.phase_ = Phase::kDeliver;
    kernel_.current_key_ = 0;
    kernel_.current_ = nullptr;
    kernel_.context_ = nullptr;
    context_ = saved_;
  }

 private:
  Kernel& kernel_;
  AssertContext& context_;
  AssertContext saved_;
};

Kernel::Kernel(std::uint64_t seed) : seed_(seed) {}

Kernel::~Kernel() {
  try {
    finish();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

// --- Events.

EventId Kernel::schedule(Time at, Phase phase, Key key, Callback fn) {
  STRATA_ASSERT(at >= now_, "an event was scheduled in the past, at " + to_text(at));
  STRATA_ASSERT(at > now_ || phase >= phase_, "an event was scheduled in an earlier phase of this instant");
  STRATA_ASSERT(static_cast<bool>(fn), "an event needs a callback");
  const std::uint32_t sequence = next_sequence(key.value());
  const std::uint32_t slot = queue_.push(at.ns(), EventQueue::order(phase, key.value()), sequence,
                                         EventQueue::Kind::kCallback, keep_callback(std::move(fn)));
  return queue_.id_of(slot);
}

bool Kernel::cancel(EventId id) {
  if (!queue_.pending(id)) return false;
  STRATA_ASSERT(queue_.kind_of(id.slot) == EventQueue::Kind::kCallback, "not an event of schedule()");
  auto* callback = static_cast<Callback*>(queue_.target_of(id.slot));
  queue_.cancel(id.slot);
  // Last, because destroying the captures may come back here.
  drop_callback(callback);
  return true;
}

std::uint32_t Kernel::next_sequence(std::uint64_t key_bits) {
  if (sequences_.size() >= sequences_limit_) [[unlikely]] {
    // A key without pending events may start again at 0. Forget those, so that fresh keys do not pile up.
    const std::vector<std::uint64_t> keys = queue_.pending_keys();
    const std::unordered_set<std::uint64_t> pending(keys.begin(), keys.end());
    std::erase_if(sequences_, [&](const auto& entry) { return !pending.contains(entry.first); });
    sequences_limit_ = std::max<std::size_t>(1024, 2 * sequences_.size());
  }
  std::uint32_t& next = sequences_[key_bits];
  if (next == EventQueue::kLastSequence) [[unlikely]]
    next = queue_.renumber(key_bits);
  return next++;
}

Callback* Kernel::keep_callback(Callback fn) {
  if (free_callbacks_.empty()) {
    constexpr std::size_t kBlock = 64;
    callback_blocks_.push_back(std::make_unique<Callback[]>(kBlock));
    free_callbacks_.reserve(callback_blocks_.size() * kBlock);
    for (std::size_t i = kBlock; i-- > 0;) free_callbacks_.push_back(&callback_blocks_.back()[i]);
  }
  Callback* callback = free_callbacks_.back();
  free_callbacks_.pop_back();
  *callback = std::move(fn);
  return callback;
}

void Kernel::drop_callback(Callback* callback) {
  callback->reset();
  free_callbacks_.push_back(callback);
}

// --- Running.

bool Kernel::step() {
  if (stopped() || next_time() == Time::never()) return false;
  const RunScope scope(*this);
  execute_next();
  return true;
}

void Kernel::run_until(Time end) {
  if (end == Time::never()) return run();
  STRATA_ASSERT(end >= now_, "running until a time in the past");
  run_while(end.ns());
  if (!stopped()) now_ = end;
}

void Kernel::run_before(Time end) {
  STRATA_ASSERT(end >= now_, "running until a time in the past");
  STRATA_ASSERT(end != Time::never(), "there is nothing before never: use run()");
  run_while(end.ns() - 1);
  if (!stopped()) now_ = end;
}

void Kernel::run() { run_while(Time::never().ns() - 1); }

void Kernel::run_while(std::int64_t last) {
  const RunScope scope(*this);
  while (!stopped() && !queue_.empty() && queue_.first_time() <= last) execute_next();
}

void Kernel::execute_next() {
  const EventQueue::Taken event = queue_.pop();
  now_ = last_event_ = Time::from_ns(event.entry.time);
  phase_ = static_cast<Phase>(event.entry.order >> 56);
  current_key_ = event.entry.order & EventQueue::kKeyMask;
  ++executed_;
  context_->now_ns = event.entry.time;
  if (event.kind == EventQueue::Kind::kResume) [[likely]] {
    resume(*static_cast<detail::ProcessCore*>(event.target));
  } else if (event.kind == EventQueue::Kind::kTimer) {
    fire_timer(*static_cast<Wait*>(event.target));
  } else {
    call(static_cast<Callback*>(event.target));
  }
}

void Kernel::call(Callback* callback) {
  context_->system = nullptr;
  const std::uint64_t key = current_key_;
  try {
    (*callback)();
  } catch (const SimulationError&) {
    drop_callback(callback);
    throw;
  } catch (...) {
    const std::string who = context_->system != nullptr
                                ? std::string("system '") + context_->system + "'"
                                : "event of key " + std::to_string(key) + " in phase " + std::string(to_text(phase_));
    drop_callback(callback);
    throw SimulationError(who, now_, std::current_exception());
  }
  drop_callback(callback);
}

void Kernel::resume(detail::ProcessCore& core) {
  using Core = detail::ProcessCore;
  core.slot_ = EventQueue::kNoSlot;
  core.wait_ = nullptr;
  current_ = &core;
  context_->system = core.name_;
  // A task that ends hands over to whoever awaited it through this loop, so the stack does not grow with their number.
  do {
    core.reset(Core::kContinue);
    core.leaf_.resume();
  } while (core.has(Core::kContinue));
  current_ = nullptr;
  if (core.has(Core::kEnded)) [[unlikely]] {
    end_process(*core.control_, core.control_->failure != nullptr ? ProcessStatus::kFailed : ProcessStatus::kFinished);
  } else if (core.has(Core::kCancelRequested)) [[unlikely]] {
    end_process(*core.control_, ProcessStatus::kCancelled);
  }
}

void Kernel::fire_timer(Wait& wait) {
  using Core = detail::ProcessCore;
  Core& core = *wait.core();
  static_cast<Delay&>(wait).timer_ = EventQueue::kNoSlot;
  core.set(Core::kTimerFires);
  wait.fulfil();
  core.reset(Core::kTimerFires);
  if (core.has(Core::kWoken)) {
    core.reset(Core::kWoken);
    resume(core);
  }
}

void Delay::leave() noexcept {
  if (timer_ != EventQueue::kNoSlot) {
    kernel_->queue_.cancel(std::exchange(timer_, EventQueue::kNoSlot));
  } else if (core() != nullptr && parent() == nullptr) {
    kernel_->cancel_resume(*core());
  }
}

// --- Ending.

void Kernel::stop(std::string reason) {
  const std::lock_guard lock(stop_mutex_);
  if (stopped_.load(std::memory_order_relaxed)) return;
  stop_reason_ = std::move(reason);
  stopped_.store(true, std::memory_order_relaxed);
}

std::string Kernel::stop_reason() const {
  const std::lock_guard lock(stop_mutex_);
  return stop_reason_;
}

void Kernel::finish() {
  if (finished_) return;
  STRATA_ASSERT(!running_, "the kernel was finished from within one of its events");
  finished_ = true;
  while (detail::ProcessControl* youngest = live_.back()) end_process(*youngest, ProcessStatus::kCancelled);
  std::exception_ptr failure;
  while (!hooks_.empty()) {
    const std::function<void()> hook = std::move(hooks_.back());
    hooks_.pop_back();
    try {
      hook();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  // Destroying captures may schedule or cancel: take the callbacks out first.
  std::vector<Callback*> callbacks;
  queue_.for_each_live([&](EventQueue::Kind kind, void* target) {
    if (kind == EventQueue::Kind::kCallback) callbacks.push_back(static_cast<Callback*>(target));
  });
  queue_.clear();
  for (Callback* callback : callbacks) drop_callback(callback);
  if (failure != nullptr) std::rethrow_exception(failure);
}

// --- Processes.

ProcessRef Kernel::spawn(std::string name, Process process, const SpawnOptions& options) {
  return spawn_owning(std::move(name), std::move(process), nullptr, options);
}

ProcessRef Kernel::spawn_owning(std::string name, Process process, std::shared_ptr<void> callable,
                                const SpawnOptions& options) {
  STRATA_ASSERT(!finished_, "the kernel has finished");
  STRATA_ASSERT(process.handle_ != nullptr, "an empty process was spawned");
  auto* control = new detail::ProcessControl;
  const ProcessRef ref(control);
  control->kernel = this;
  control->name = std::move(name);
  control->key_bits = derive_key(options.owner);
  control->callable = std::move(callable);
  const auto handle = std::exchange(process.handle_, nullptr);
  control->root = handle;
  detail::ProcessCore& core = handle.promise();
  control->core = &core;
  core.kernel_ = this;
  core.key_bits_ = control->key_bits;
  core.phase_ = options.phase;
  core.leaf_ = handle;
  core.control_ = control;
  core.name_ = control->name.c_str();
  ++control->references;
  live_.push_back(*control);
  ++live_count_;
  schedule_resume(core, now_, resume_phase(core, now_));
  return ref;
}

std::uint64_t Kernel::derive_key(const std::optional<Key>& owner) {
  std::uint64_t parent = current_key_;
  std::uint64_t counter = 0;
  if (owner.has_value()) {
    parent = mix(owner->value(), kProcessBit);
    counter = children_[parent]++;
  } else if (current_ != nullptr) {
    counter = current_->children_++;
  } else {
    counter = children_[parent]++;
    // Those spawned while setting up run in the order of spawning.
    if (parent == 0) return kProcessBit | counter;
  }
  return kProcessBit | mix(parent, counter) >> 9;
}

bool Kernel::cancel_process(detail::ProcessControl& control) {
  if (control.core == nullptr) return false;
  if (control.core == current_) {
    control.core->set(detail::ProcessCore::kCancelRequested);
  } else {
    end_process(control, ProcessStatus::kCancelled);
  }
  return true;
}

void Kernel::end_process(detail::ProcessControl& control, ProcessStatus status) {
  // Whatever the destructors in the frame do, they meet a process that has ended.
  const ProcessRef keep(&control);
  cancel_resume(*control.core);
  control.core = nullptr;
  control.status = status;
  control.unlink();
  --live_count_;
  control.root.destroy();
  control.callable.reset();
  const bool awaited = !control.joiners.empty();
  while (detail::JoinNode* joiner = control.joiners.front()) joiner->ended();
  control.release();
  if (status == ProcessStatus::kFailed && !awaited)
    throw SimulationError("process '" + control.name + "'", now_, control.failure);
}

SimulationError::SimulationError(std::string who, Time when, std::exception_ptr cause)
    : std::runtime_error(who + " failed at " + to_text(when) + ": " + cause_text(cause)),
      who_(std::move(who)),
      when_(when),
      cause_(std::move(cause)) {}

void detail::ProcessCore::wake() {
  if (has(kTimerFires)) {
    set(kWoken);
  } else {
    kernel_->schedule_resume(*this, kernel_->now_, kernel_->resume_phase(*this, kernel_->now_));
  }
}

void detail::ProcessCore::interrupt(std::exception_ptr reason) {
  control_->interruptions.push_back(std::move(reason));
  ++interruptions_pending_;
  STRATA_ASSERT(interruptions_pending_ != 0, "too many interruptions of a process that does not wait");
  if (wait_ == nullptr) return;
  std::exchange(wait_, nullptr)->leave();
  set(kDeliver);
  wake();
}

void detail::ProcessCore::throw_interruption() {
  reset(kDeliver);
  --interruptions_pending_;
  const std::exception_ptr reason = control_->interruptions.front();
  control_->interruptions.erase(control_->interruptions.begin());
  std::rethrow_exception(reason);
}

bool ProcessRef::interrupt(std::exception_ptr exception) {
  if (!alive()) return false;
  control_->core->interrupt(std::move(exception));
  return true;
}

bool ProcessRef::cancel() { return alive() && control_->kernel->cancel_process(*control_); }

}  // namespace strata
