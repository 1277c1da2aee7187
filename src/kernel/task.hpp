// Tasks: coroutines called by a process and by each other, as functions that may take virtual time.
//
//   Task<bool> grab(Arm& arm) { ...; co_return true; }
//   Process robot(...) { if (co_await grab(arm)) ... }
//
// A task runs as a part of the process that awaits it: interruptions reach it where it waits, cancelling destroys it.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernel/process.hpp"

namespace strata {

template <class T = void>
class Task;

namespace detail {

struct TaskPromiseBase : PromiseBase {
  std::coroutine_handle<> parent;
  bool starting = false;
  std::exception_ptr failure;

  static std::suspend_always initial_suspend() noexcept { return {}; }
  struct End {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    static void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
      // Ended without having waited: who awaits it is still in await_suspend and goes on by itself. Else the kernel's
      // loop resumes it; a direct transfer would rely on tail calls, which unoptimised builds do not make.
      TaskPromiseBase& promise = handle.promise();
      if (promise.starting) return;
      promise.core->leaf_ = promise.parent;
      promise.core->set(ProcessCore::kContinue);
    }
    static void await_resume() noexcept {}
  };
  static End final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <std::convertible_to<T> U = T>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  static void return_void() noexcept {}
  static void take() noexcept {}
};

}  // namespace detail

/// The return type of a task's coroutine. Starts when awaited; await it once.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    promise_type& promise = handle_.promise();
    STRATA_ASSERT(promise.core == nullptr, "a task was awaited twice");
    promise.core = parent.promise().core;
    promise.parent = parent;
    promise.starting = true;
    handle_.resume();
    promise.starting = false;
    return !handle_.done();
  }
  T await_resume() {
    promise_type& promise = handle_.promise();
    if (promise.failure != nullptr) std::rethrow_exception(promise.failure);
    return promise.take();
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> detail::TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace strata
