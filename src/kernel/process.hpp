// Processes: coroutines that live in virtual time.
//
//   Process blink(Kernel& kernel, Lamp& lamp) {
//     while (true) {
//       co_await kernel.delay(500ms);
//       lamp.toggle();
//     }
//   }
//   kernel.spawn("blink", blink(kernel, lamp));
//
// A process belongs to the kernel that spawned it and runs in that kernel's thread. ProcessRef refers to it from
// outside.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "kernel/event_queue.hpp"
#include "kernel/intrusive_list.hpp"
#include "kernel/phase.hpp"
#include "kernel/wait.hpp"

namespace strata {

/// Thrown inside a process, at the point where it waits, by ProcessRef::interrupt().
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& reason) : std::runtime_error(reason) {}
};

/// An exception that a process or a callback did not handle, with its name and time. Leaves Kernel::run_until().
class SimulationError : public std::runtime_error {
 public:
  SimulationError(std::string who, Time when, std::exception_ptr cause);
  [[nodiscard]] const std::string& who() const { return who_; }
  [[nodiscard]] Time when() const { return when_; }
  /// The exception as it was thrown.
  [[nodiscard]] std::exception_ptr cause() const { return cause_; }

 private:
  std::string who_;
  Time when_;
  std::exception_ptr cause_;
};

enum class ProcessStatus : std::uint8_t { kAlive, kFinished, kFailed, kCancelled };

class Process;
class ProcessRef;

namespace detail {

struct ProcessControl;

/// The part of a process that the kernel touches at each event. Lives in the frame of the process' outermost coroutine.
class ProcessCore {
 public:
  enum Flag : std::uint8_t {
    kContinue = 1,         // a task ended: go on with the coroutine that awaited it
    kEnded = 2,            // the outermost coroutine ran to its end
    kCancelRequested = 4,  // cancelled while running: destroy it when it waits next
    kDeliver = 8,          // the await throws the first pending interruption
    kTimerFires = 16,      // inside its own timer event: a wake-up needs no further event
    kWoken = 32,           // woken while kTimerFires
  };

  /// The process now waits for `wait`, in the coroutine `leaf`.
  void suspend(std::coroutine_handle<> leaf, Wait* wait) {
    leaf_ = leaf;
    wait_ = wait;
  }
  /// Schedules the process for this instant.
  void wake();
  void interrupt(std::exception_ptr reason);
  [[nodiscard]] bool interrupted() const { return interruptions_pending_ != 0; }
  [[nodiscard]] bool has(Flag flag) const { return (flags_ & flag) != 0; }
  void set(Flag flag) { flags_ = static_cast<std::uint8_t>(flags_ | flag); }
  void reset(Flag flag) { flags_ = static_cast<std::uint8_t>(flags_ & ~flag); }
  [[noreturn]] void throw_interruption();

  // A plain record shared by the kernel and the conditions; the comments above and below are its contract.
  Kernel* kernel_ = nullptr;
  std::uint64_t key_bits_ = 0;    // with the process bit
  std::coroutine_handle<> leaf_;  // the coroutine to resume: the innermost one that waits
  Wait* wait_ = nullptr;          // what it waits for; null when running or when woken
  ProcessControl* control_ = nullptr;
  std::uint32_t sequence_ = 0;                // counts its events
  std::uint32_t slot_ = EventQueue::kNoSlot;  // of the pending event that resumes it
  std::uint32_t children_ = 0;
  std::uint16_t interruptions_pending_ = 0;
  Phase phase_ = Phase::kPlan;
  std::uint8_t flags_ = 0;
  const char* name_ = "";
};

/// First base of every promise: leads from any coroutine of a process to the process.
struct PromiseBase {
  ProcessCore* core = nullptr;
};

/// What outlives the frame. Reference counted: by the kernel while alive, and by each ProcessRef.
struct ProcessControl : ListNode {
  ~ProcessControl() = default;
  std::uint64_t references = 0;
  ProcessCore* core = nullptr;  // null once ended
  Kernel* kernel = nullptr;
  std::coroutine_handle<> root;
  std::string name;
  std::uint64_t key_bits = 0;
  ProcessStatus status = ProcessStatus::kAlive;
  std::exception_ptr failure;
  std::vector<std::exception_ptr> interruptions;  // pending, oldest first
  List<class JoinNode> joiners;
  std::shared_ptr<void> callable;  // keeps a lambda's captures alive

  void release() {
    if (--references == 0) delete this;
  }
};

class JoinNode : public ListNode {
 public:
  virtual ~JoinNode() = default;
  virtual void ended() = 0;
};

}  // namespace detail

/// Waits for the end of a process. Its failure is thrown here.
class ProcessEnd;

/// Refers to a process, also after its end. Copies are cheap. Must not outlive the kernel while the process is alive.
class ProcessRef {
 public:
  ProcessRef() = default;
  explicit ProcessRef(detail::ProcessControl* control) : control_(control) {
    if (control_ != nullptr) ++control_->references;
  }
  ProcessRef(const ProcessRef& other) : ProcessRef(other.control_) {}
  ProcessRef(ProcessRef&& other) noexcept : control_(std::exchange(other.control_, nullptr)) {}
  ProcessRef& operator=(ProcessRef other) noexcept {
    std::swap(control_, other.control_);
    return *this;
  }
  ~ProcessRef() {
    if (control_ != nullptr) control_->release();
  }

  [[nodiscard]] bool valid() const { return control_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return control().name; }
  [[nodiscard]] std::uint64_t key() const { return control().key_bits; }
  [[nodiscard]] ProcessStatus status() const { return control().status; }
  [[nodiscard]] bool alive() const { return control_ != nullptr && control_->status == ProcessStatus::kAlive; }
  bool operator==(const ProcessRef&) const = default;

  /// Throws Interrupted where the process waits; at its next wait if what it waits for has happened already. False if
  /// it has ended.
  bool interrupt(const std::string& reason) { return interrupt(std::make_exception_ptr(Interrupted(reason))); }
  bool interrupt(std::exception_ptr exception);
  /// Destroys the process where it waits: destructors of its variables run, it leaves every queue. A process that
  /// cancels itself ends when it waits next. False if it has ended.
  bool cancel();
  /// `co_await ref.ended()` or as part of any_of: waits for the end and says how it ended.
  [[nodiscard]] ProcessEnd ended() const;

 private:
  friend class Kernel;
  friend class ProcessEnd;
  [[nodiscard]] detail::ProcessControl& control() const {
    STRATA_ASSERT(control_ != nullptr, "empty ProcessRef");
    return *control_;
  }
  detail::ProcessControl* control_ = nullptr;
};

class [[nodiscard]] ProcessEnd final : public Awaitable<ProcessEnd>, private detail::JoinNode {
 public:
  using Value = ProcessStatus;
  explicit ProcessEnd(ProcessRef process) : process_(std::move(process)) {}
  ProcessEnd(ProcessEnd&& other) noexcept
      : Awaitable(std::move(other)), JoinNode(), process_(std::move(other.process_)) {}
  ~ProcessEnd() override { leave(); }
  void leave() noexcept override { unlink(); }
  [[nodiscard]] ProcessStatus take() const {
    const detail::ProcessControl& control = process_.control();
    if (control.status == ProcessStatus::kFailed) std::rethrow_exception(control.failure);
    return control.status;
  }

 private:
  bool begin() override {
    if (!process_.alive()) return true;
    process_.control().joiners.push_back(*this);
    return false;
  }
  void ended() override {
    unlink();
    fulfil();
  }
  ProcessRef process_;
};

inline ProcessEnd ProcessRef::ended() const { return ProcessEnd(*this); }
/// `co_await ref`: waits for its end.
inline ProcessEnd operator co_await(const ProcessRef& process) { return process.ended(); }

/// The return type of a process' coroutine. Starts when spawned; never spawned, it is destroyed unused.
class [[nodiscard]] Process {
 public:
  struct promise_type : detail::PromiseBase, detail::ProcessCore {
    promise_type() { core = this; }
    Process get_return_object() { return Process(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    struct End {
      static bool await_ready() noexcept { return false; }
      static void await_suspend(std::coroutine_handle<promise_type> handle) noexcept { handle.promise().set(kEnded); }
      static void await_resume() noexcept {}
    };
    static End final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    void unhandled_exception() noexcept { control_->failure = std::current_exception(); }
  };

  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Process() {
    if (handle_) handle_.destroy();
  }

 private:
  friend class Kernel;
  explicit Process(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// --- How a coroutine of a process waits.

template <class Derived>
template <class Promise>
bool Awaitable<Derived>::await_suspend(std::coroutine_handle<Promise> handle) {
  detail::ProcessCore& core = *handle.promise().core;
  if (core.interrupted()) [[unlikely]] {
    // Came while it was running, or together with the end of its last wait.
    core.set(detail::ProcessCore::kDeliver);
    attach(core);
    return false;
  }
  if (start(core, nullptr)) return false;
  core.suspend(handle, this);
  return true;
}

template <class Derived>
decltype(auto) Awaitable<Derived>::await_resume() {
  if (core()->has(detail::ProcessCore::kDeliver)) [[unlikely]]
    core()->throw_interruption();
  return static_cast<Derived*>(this)->take();
}

inline void Wait::fulfil() {
  if (parent_ != nullptr) {
    parent_->part_fulfilled(*this);
  } else {
    core_->wait_ = nullptr;
    core_->wake();
  }
}

}  // namespace strata
