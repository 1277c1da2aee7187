// Waiting for several things: the first of them, all of them, or one of them for a limited time.
//
//   auto first = co_await any_of(arrived, kernel.delay(5s));      // std::variant; first.index() says which
//   auto [a, b] = co_await all_of(left, right);                   // std::tuple
//   std::optional<Item> item = co_await with_timeout(queue.get(), 5s);
//
// What lost is given up at the instant the winner happens: it consumes nothing. Conditions without a value count as
// std::monostate. Parts are conditions, events and processes; a task is spawned as a process first.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/event.hpp"
#include "kernel/kernel.hpp"

namespace strata {

namespace detail {

template <std::derived_from<Wait> W>
W to_wait(W&& wait) {
  return std::move(wait);
}
template <class T>
EventWait<T> to_wait(Event<T>& event) {
  return event.wait();
}
inline ProcessEnd to_wait(const ProcessRef& process) { return process.ended(); }

template <class W>
NonVoid<typename W::Value> take_value(W& wait) {
  if constexpr (std::is_void_v<typename W::Value>) {
    wait.take();
    return {};
  } else {
    return wait.take();
  }
}

/// The part of any_of and all_of that does not depend on the types: `parts` in order, done after one or after all.
class Group {
 public:
  explicit Group(bool any) : any_(any) {}

  template <class Parts>
  bool begin(const Parts& parts, Wait& whole) {
    starting_ = true;
    left_ = any_ ? 1 : parts.size();
    std::size_t index = 0;
    for (Wait* part : parts) {
      if (left_ == 0) break;
      if (part->start(*whole.core(), &whole)) fulfilled(parts, index);
      ++index;
    }
    starting_ = false;
    return left_ == 0;
  }
  /// True if now the whole is fulfilled.
  template <class Parts>
  bool part_fulfilled(const Parts& parts, const Wait& part) {
    for (std::size_t index = 0; index < parts.size(); ++index) {
      if (parts[index] == &part) fulfilled(parts, index);
    }
    return left_ == 0 && !starting_;
  }
  [[nodiscard]] std::size_t winner() const { return winner_; }

 private:
  template <class Parts>
  void fulfilled(const Parts& parts, std::size_t index) {
    if (left_ == 0) return;
    if (--left_ > 0 || !any_) return;
    winner_ = index;
    for (std::size_t other = 0; other < parts.size(); ++other) {
      if (other != index) parts[other]->leave();
    }
  }
  bool any_;
  bool starting_ = false;
  std::size_t left_ = 0;
  std::size_t winner_ = 0;
};

}  // namespace detail

template <class... Ws>
class [[nodiscard]] AnyOf final : public Awaitable<AnyOf<Ws...>> {
 public:
  using Value = std::variant<detail::NonVoid<typename Ws::Value>...>;
  explicit AnyOf(Ws&&... parts) : parts_(std::move(parts)...) {}
  AnyOf(AnyOf&& other) noexcept : Awaitable<AnyOf>(std::move(other)), parts_(std::move(other.parts_)) {}
  ~AnyOf() override = default;
  void leave() noexcept override {
    for (Wait* part : pointers()) part->leave();
  }
  Value take() { return take_winner(std::index_sequence_for<Ws...>{}); }

 private:
  bool begin() override { return group_.begin(pointers(), *this); }
  void part_fulfilled(Wait& part) override {
    if (group_.part_fulfilled(pointers(), part)) this->fulfil();
  }
  [[nodiscard]] std::array<Wait*, sizeof...(Ws)> pointers() {
    return std::apply([](auto&... parts) { return std::array<Wait*, sizeof...(Ws)>{&parts...}; }, parts_);
  }
  template <std::size_t... I>
  Value take_winner(std::index_sequence<I...> /*indices*/) {
    std::optional<Value> value;
    static_cast<void>(((I == group_.winner() &&
                        (value.emplace(std::in_place_index<I>, detail::take_value(std::get<I>(parts_))), true)) ||
                       ...));
    return std::move(*value);
  }
  std::tuple<Ws...> parts_;
  detail::Group group_{true};
};

template <class... Ws>
class [[nodiscard]] AllOf final : public Awaitable<AllOf<Ws...>> {
 public:
  using Value = std::tuple<detail::NonVoid<typename Ws::Value>...>;
  explicit AllOf(Ws&&... parts) : parts_(std::move(parts)...) {}
  AllOf(AllOf&& other) noexcept : Awaitable<AllOf>(std::move(other)), parts_(std::move(other.parts_)) {}
  ~AllOf() override = default;
  void leave() noexcept override {
    for (Wait* part : pointers()) part->leave();
  }
  Value take() {
    return std::apply([](auto&... parts) { return Value{detail::take_value(parts)...}; }, parts_);
  }

 private:
  bool begin() override { return group_.begin(pointers(), *this); }
  void part_fulfilled(Wait& part) override {
    if (group_.part_fulfilled(pointers(), part)) this->fulfil();
  }
  [[nodiscard]] std::array<Wait*, sizeof...(Ws)> pointers() {
    return std::apply([](auto&... parts) { return std::array<Wait*, sizeof...(Ws)>{&parts...}; }, parts_);
  }
  std::tuple<Ws...> parts_;
  detail::Group group_{false};
};

/// Any number of conditions of one type.
template <class W>
class [[nodiscard]] AnyOfList final : public Awaitable<AnyOfList<W>> {
 public:
  struct Value {
    std::size_t index;
    detail::NonVoid<typename W::Value> value;
  };
  explicit AnyOfList(std::vector<W> parts) : parts_(std::move(parts)) {
    STRATA_ASSERT(!parts_.empty(), "the first of nothing never happens");
  }
  AnyOfList(AnyOfList&& other) noexcept : Awaitable<AnyOfList>(std::move(other)), parts_(std::move(other.parts_)) {}
  ~AnyOfList() override = default;
  void leave() noexcept override {
    for (W& part : parts_) part.leave();
  }
  Value take() { return {group_.winner(), detail::take_value(parts_[group_.winner()])}; }

 private:
  bool begin() override {
    for (W& part : parts_) pointers_.push_back(&part);
    return group_.begin(pointers_, *this);
  }
  void part_fulfilled(Wait& part) override {
    if (group_.part_fulfilled(pointers_, part)) this->fulfil();
  }
  std::vector<W> parts_;
  std::vector<Wait*> pointers_;
  detail::Group group_{true};
};

template <class W>
class [[nodiscard]] AllOfList final : public Awaitable<AllOfList<W>> {
 public:
  using Value = std::vector<detail::NonVoid<typename W::Value>>;
  explicit AllOfList(std::vector<W> parts) : parts_(std::move(parts)) {}
  AllOfList(AllOfList&& other) noexcept : Awaitable<AllOfList>(std::move(other)), parts_(std::move(other.parts_)) {}
  ~AllOfList() override = default;
  void leave() noexcept override {
    for (W& part : parts_) part.leave();
  }
  Value take() {
    Value values;
    values.reserve(parts_.size());
    for (W& part : parts_) values.push_back(detail::take_value(part));
    return values;
  }

 private:
  bool begin() override {
    for (W& part : parts_) pointers_.push_back(&part);
    return group_.begin(pointers_, *this);
  }
  void part_fulfilled(Wait& part) override {
    if (group_.part_fulfilled(pointers_, part)) this->fulfil();
  }
  std::vector<W> parts_;
  std::vector<Wait*> pointers_;
  detail::Group group_{false};
};

template <class W>
class [[nodiscard]] WithTimeout final : public Awaitable<WithTimeout<W>> {
 public:
  /// Nothing (false for conditions without value) when the time was up.
  using Value =
      std::conditional_t<std::is_void_v<typename W::Value>, bool, std::optional<detail::NonVoid<typename W::Value>>>;
  WithTimeout(W&& part, Duration limit) : part_(std::move(part)), limit_(limit) {
    STRATA_ASSERT(limit >= Duration{}, "a time limit is not negative");
  }
  WithTimeout(WithTimeout&& other) noexcept
      : Awaitable<WithTimeout>(std::move(other)), part_(std::move(other.part_)), limit_(other.limit_) {}
  ~WithTimeout() override = default;
  void leave() noexcept override {
    part_.leave();
    if (timer_.has_value()) timer_->leave();
  }
  Value take() {
    if (!in_time_) return Value{};
    if constexpr (std::is_void_v<typename W::Value>) {
      part_.take();
      return true;
    } else {
      return Value(part_.take());
    }
  }

 private:
  bool begin() override {
    if (part_.start(*this->core(), this)) {
      in_time_ = true;
      return true;
    }
    timer_.emplace(this->core()->kernel_->delay(limit_));
    timer_->start(*this->core(), this);
    return false;
  }
  void part_fulfilled(Wait& part) override {
    in_time_ = &part == &part_;
    if (in_time_) {
      timer_->leave();
    } else {
      part_.leave();
    }
    this->fulfil();
  }
  W part_;
  Duration limit_;
  std::optional<Delay> timer_;
  bool in_time_ = false;
};

/// Waits for the first of several; the earlier argument wins when two have happened already.
template <class... Ws>
auto any_of(Ws&&... parts) {
  static_assert(sizeof...(Ws) > 0);
  return AnyOf<decltype(detail::to_wait(std::forward<Ws>(parts)))...>(detail::to_wait(std::forward<Ws>(parts))...);
}
/// Of a list: which one, and its value.
template <class W>
AnyOfList<W> any_of(std::vector<W>&& parts) {
  return AnyOfList<W>(std::move(parts));
}
/// Waits for all; failures among them are thrown when all have happened, the first by position.
template <class... Ws>
auto all_of(Ws&&... parts) {
  return AllOf<decltype(detail::to_wait(std::forward<Ws>(parts)))...>(detail::to_wait(std::forward<Ws>(parts))...);
}
template <class W>
AllOfList<W> all_of(std::vector<W>&& parts) {
  return AllOfList<W>(std::move(parts));
}
/// Waits for at most `limit`.
template <class W>
auto with_timeout(W&& part, Duration limit) {
  return WithTimeout<decltype(detail::to_wait(std::forward<W>(part)))>(detail::to_wait(std::forward<W>(part)), limit);
}

}  // namespace strata
