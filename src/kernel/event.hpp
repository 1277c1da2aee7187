// An event that happens once and wakes everybody who waits for it, with a value or a failure if wanted.
//
//   Event<int> arrived;
//   ... co_await arrived ...      // in any number of processes
//   arrived.trigger(7);
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "kernel/intrusive_list.hpp"
#include "kernel/process.hpp"

namespace strata {

namespace detail {
/// Values of conditions without value, where a value is needed.
template <class T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
}  // namespace detail

template <class T = void>
class Event;

/// Waits for an event. Who waits when the event is destroyed, waits for ever.
template <class T>
class [[nodiscard]] EventWait final : public Awaitable<EventWait<T>>, private detail::ListNode {
 public:
  using Value = T;
  explicit EventWait(Event<T>& event) : event_(&event) {}
  EventWait(EventWait&& other) noexcept : Awaitable<EventWait<T>>(std::move(other)), ListNode(), event_(other.event_) {}
  ~EventWait() override { leave(); }
  void leave() noexcept override { unlink(); }
  T take() {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  friend class Event<T>;
  friend class detail::List<EventWait>;
  bool begin() override;

  Event<T>* event_;
  std::optional<detail::NonVoid<T>> value_;
  std::exception_ptr failure_;
};

/// Used from the thread of the kernel whose processes wait.
template <class T>
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Wakes all who wait; who waits later goes on at once. Only once, unless reset.
  template <class... Args>
  void trigger(Args&&... value) {
    STRATA_ASSERT(!triggered(), "an event was triggered twice");
    value_.emplace(std::forward<Args>(value)...);
    wake_all();
  }
  /// The same, but the exception is thrown where they wait.
  void fail(std::exception_ptr failure) {
    STRATA_ASSERT(!triggered() && failure != nullptr, "an event was triggered twice, or failed without exception");
    failure_ = std::move(failure);
    wake_all();
  }
  template <class E>
  void fail(E exception) {
    fail(std::make_exception_ptr(std::move(exception)));
  }
  /// Happened, well or badly.
  [[nodiscard]] bool triggered() const { return value_.has_value() || failure_ != nullptr; }
  /// As if it had not happened yet.
  void reset() {
    value_.reset();
    failure_ = nullptr;
  }
  [[nodiscard]] std::size_t waiting() const { return waits_.size(); }
  [[nodiscard]] EventWait<T> wait() { return EventWait<T>(*this); }

 private:
  friend class EventWait<T>;
  void wake_all() {
    // Waking one may take others out, when they are parts of one any_of.
    detail::List<EventWait<T>> woken;
    woken.take_all(waits_);
    while (EventWait<T>* wait = woken.front()) {
      wait->unlink();
      wait->value_ = value_;
      wait->failure_ = failure_;
      wait->fulfil();
    }
  }

  std::optional<detail::NonVoid<T>> value_;
  std::exception_ptr failure_;
  detail::List<EventWait<T>> waits_;
};

template <class T>
bool EventWait<T>::begin() {
  if (event_->triggered()) {
    value_ = event_->value_;
    failure_ = event_->failure_;
    return true;
  }
  event_->waits_.push_back(*this);
  return false;
}

/// `co_await event`.
template <class T>
EventWait<T> operator co_await(Event<T>& event) {
  return event.wait();
}

}  // namespace strata
