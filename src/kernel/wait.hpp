// What processes wait for. A Wait is one condition (a delay, an event, an item of a queue, ...) as seen by one waiting
// process: it is awaited directly, or as a part of any_of, all_of and with_timeout. It lives in the frame of the
// waiting coroutine, so destroying the frame takes it out of every queue it stands in.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "base/assert.hpp"

namespace strata {

class Kernel;

namespace detail {
class ProcessCore;
}

/// Base of all conditions. A derived class has `using Value = ...`, `Value take()`, and a destructor that calls
/// leave().
class Wait {
 public:
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  Wait& operator=(Wait&&) = delete;
  virtual ~Wait() = default;

  /// For composites and the await machinery: starts waiting for `core`, told to `parent` if that is not null. True if
  /// fulfilled at once.
  bool start(detail::ProcessCore& core, Wait* parent) {
    core_ = &core;
    parent_ = parent;
    return begin();
  }
  /// Stops waiting, wherever it stands. Harmless if it never started.
  virtual void leave() noexcept = 0;
  /// Fulfilled: tells the parent, or wakes the process.
  void fulfil();
  [[nodiscard]] detail::ProcessCore* core() const { return core_; }

 protected:
  Wait() = default;
  /// Only before it starts: conditions move into composites.
  Wait(Wait&& other) noexcept {
    STRATA_ASSERT(other.core_ == nullptr, "a condition was moved while a process waits for it");
  }

  /// Joins the queues; true if fulfilled at once, then nothing was joined.
  virtual bool begin() = 0;
  /// Of composites: one of the parts was fulfilled.
  virtual void part_fulfilled(Wait& /*part*/) {}
  [[nodiscard]] Wait* parent() const { return parent_; }
  void attach(detail::ProcessCore& core) { core_ = &core; }

 private:
  detail::ProcessCore* core_ = nullptr;
  Wait* parent_ = nullptr;
};

/// Makes a condition awaitable: `class Delay final : public Awaitable<Delay>`.
template <class Derived>
class Awaitable : public Wait {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle);
  decltype(auto) await_resume();

 protected:
  Awaitable() = default;
  Awaitable(Awaitable&&) noexcept = default;
};

}  // namespace strata
