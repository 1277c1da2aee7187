// Store: a place where things happen, for everybody who is interested. Each value put is seen by every process that
// waits for one like it at that moment; a value nobody waits for leaves no trace, so nothing accumulates unread.
//
//   const Collision hit = co_await collisions.get([&](const Collision& c) { return c.robot == me; });
//
// A process that must not miss a value between two waits subscribes: its own buffer then keeps what it has not read
// yet. A queue whose items are consumed by one getter each is in queue.hpp.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "kernel/intrusive_list.hpp"
#include "kernel/process.hpp"

namespace strata {

template <class T>
class Store;

/// Waits for the next matching value of a store.
template <class T>
class [[nodiscard]] StoreGet final : public Awaitable<StoreGet<T>>, private detail::ListNode {
 public:
  using Value = T;
  StoreGet(Store<T>& store, std::function<bool(const T&)> filter) : store_(&store), filter_(std::move(filter)) {}
  StoreGet(StoreGet&& other) noexcept
      : Awaitable<StoreGet<T>>(std::move(other)), ListNode(), store_(other.store_), filter_(std::move(other.filter_)) {}
  ~StoreGet() override { leave(); }
  void leave() noexcept override { unlink(); }
  T take() { return std::move(*value_); }

 private:
  friend class Store<T>;
  friend class detail::List<StoreGet>;
  bool begin() override {
    store_->gets_.push_back(*this);
    return false;
  }
  Store<T>* store_;
  std::function<bool(const T&)> filter_;
  std::optional<T> value_;
};

/// A reader's own buffer of the matching values it has not read yet. When full, the oldest goes and is counted as lost.
template <class T>
class StoreSubscription final : private detail::ListNode {
 public:
  StoreSubscription(Store<T>& store, std::function<bool(const T&)> filter, std::size_t limit)
      : filter_(std::move(filter)), limit_(limit) {
    STRATA_ASSERT(limit > 0, "a subscription needs room for one value");
    store.subscriptions_.push_back(*this);
  }

  /// Waits for the next matching value, or takes the oldest one not read.
  class [[nodiscard]] Next final : public Awaitable<Next>, private detail::ListNode {
   public:
    using Value = T;
    explicit Next(StoreSubscription& subscription) : subscription_(&subscription) {}
    Next(Next&& other) noexcept : Awaitable<Next>(std::move(other)), ListNode(), subscription_(other.subscription_) {}
    ~Next() override { leave(); }
    void leave() noexcept override { unlink(); }
    T take() { return std::move(*value_); }

   private:
    friend class StoreSubscription;
    friend class detail::List<Next>;
    bool begin() override {
      if (!subscription_->unread_.empty()) {
        value_ = std::move(subscription_->unread_.front());
        subscription_->unread_.pop_front();
        return true;
      }
      subscription_->waits_.push_back(*this);
      return false;
    }
    StoreSubscription* subscription_;
    std::optional<T> value_;
  };
  [[nodiscard]] Next next() { return Next(*this); }
  [[nodiscard]] std::size_t unread() const { return unread_.size(); }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  friend class Store<T>;
  friend class detail::List<StoreSubscription>;
  bool offer(const T& value) {
    if (filter_ && !filter_(value)) return false;
    if (Next* next = waits_.front()) {
      next->unlink();
      next->value_ = value;
      next->fulfil();
      return true;
    }
    if (unread_.size() == limit_) {
      unread_.pop_front();
      ++lost_;
    }
    unread_.push_back(value);
    return true;
  }

  std::function<bool(const T&)> filter_;
  std::size_t limit_;
  std::deque<T> unread_;
  std::uint64_t lost_ = 0;
  detail::List<Next> waits_;
};

template <class T>
class Store {
 public:
  using Filter = std::function<bool(const T&)>;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Shows `value` to every process that waits for one like it, and to every subscription. Returns how many saw it.
  std::size_t put(const T& value) {
    std::size_t seen = 0;
    for (StoreSubscription<T>* s = subscriptions_.front(); s != nullptr; s = subscriptions_.next(*s))
      seen += s->offer(value) ? 1 : 0;
    // Those that do not match go back in their order, even if a filter throws. Waking one may take others out, when
    // they are parts of one any_of.
    struct Rest {
      detail::List<StoreGet<T>>& home;
      detail::List<StoreGet<T>> gets;
      ~Rest() { home.take_all(gets); }
    } rest{gets_, {}};
    rest.gets.take_all(gets_);
    while (StoreGet<T>* get = rest.gets.front()) {
      const bool matches = !get->filter_ || get->filter_(value);
      get->unlink();
      if (matches) {
        get->value_ = value;
        get->fulfil();
        ++seen;
      } else {
        gets_.push_back(*get);
      }
    }
    return seen;
  }
  /// `co_await store.get(filter)`: the next value for which `filter` holds; any value without filter.
  [[nodiscard]] StoreGet<T> get(Filter filter = {}) { return StoreGet<T>(*this, std::move(filter)); }
  /// A buffer from now on: `StoreSubscription<T> hits = store.subscribe(filter);`. Must not outlive its use by a
  /// process.
  [[nodiscard]] StoreSubscription<T> subscribe(Filter filter = {}, std::size_t limit = 1024) {
    return StoreSubscription<T>(*this, std::move(filter), limit);
  }
  /// Somebody waits or has subscribed. If not, building the value can be skipped.
  [[nodiscard]] bool wanted() const { return !gets_.empty() || !subscriptions_.empty(); }

 private:
  friend class StoreGet<T>;
  friend class StoreSubscription<T>;
  detail::List<StoreGet<T>> gets_;
  detail::List<StoreSubscription<T>> subscriptions_;
};

}  // namespace strata
