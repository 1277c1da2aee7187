// Queue: items go in at one end and each is consumed by exactly one getter. First in, first out, among items and among
// those who wait; getters may ask for items of a certain kind; putters wait while it is full.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "kernel/intrusive_list.hpp"
#include "kernel/process.hpp"

namespace strata {

template <class T>
class Queue;

/// Waits for room for an item. Given up, the item is discarded.
template <class T>
class [[nodiscard]] QueuePut final : public Awaitable<QueuePut<T>>, private detail::ListNode {
 public:
  using Value = void;
  QueuePut(Queue<T>& queue, T item) : queue_(&queue), item_(std::move(item)) {}
  QueuePut(QueuePut&& other) noexcept
      : Awaitable<QueuePut<T>>(std::move(other)), ListNode(), queue_(other.queue_), item_(std::move(other.item_)) {}
  ~QueuePut() override { leave(); }
  void leave() noexcept override { unlink(); }
  void take() const {}

 private:
  friend class Queue<T>;
  friend class detail::List<QueuePut>;
  bool begin() override {
    if (queue_->try_put_item(item_)) return true;
    queue_->puts_.push_back(*this);
    return false;
  }
  Queue<T>* queue_;
  T item_;
};

/// Waits for an item. Given up after the item was handed over, the item goes back to the front.
template <class T>
class [[nodiscard]] QueueGet final : public Awaitable<QueueGet<T>>, private detail::ListNode {
 public:
  using Value = T;
  QueueGet(Queue<T>& queue, std::function<bool(const T&)> filter) : queue_(&queue), filter_(std::move(filter)) {}
  QueueGet(QueueGet&& other) noexcept
      : Awaitable<QueueGet<T>>(std::move(other)), ListNode(), queue_(other.queue_), filter_(std::move(other.filter_)) {}
  ~QueueGet() override { leave(); }
  void leave() noexcept override {
    unlink();
    if (item_.has_value() && queue_ != nullptr) {
      queue_->items_.push_front(std::move(*item_));
      item_.reset();
      queue_->settle();
    }
  }
  T take() {
    unlink();
    T item = std::move(*item_);
    item_.reset();
    return item;
  }

 private:
  friend class Queue<T>;
  friend class detail::List<QueueGet>;
  bool begin() override {
    queue_->gets_.push_back(*this);
    starting_ = true;
    queue_->settle();
    starting_ = false;
    return item_.has_value();
  }
  void receive(T item) {
    unlink();
    item_.emplace(std::move(item));
    queue_->received_.push_back(*this);
    if (!starting_) this->fulfil();
  }
  Queue<T>* queue_;  // null once the queue is gone
  std::function<bool(const T&)> filter_;
  std::optional<T> item_;
  bool starting_ = false;
};

/// Used from the thread of the kernel whose processes wait. Who waits when it is destroyed, waits for ever.
template <class T>
class Queue {
 public:
  using Filter = std::function<bool(const T&)>;

  explicit Queue(std::size_t capacity = std::numeric_limits<std::size_t>::max()) : capacity_(capacity) {
    STRATA_ASSERT(capacity > 0, "a queue needs room for one item");
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    for (QueueGet<T>* get = received_.front(); get != nullptr; get = received_.next(*get)) get->queue_ = nullptr;
  }

  /// `co_await queue.put(item)`.
  [[nodiscard]] QueuePut<T> put(T item) { return QueuePut<T>(*this, std::move(item)); }
  /// `co_await queue.get()`, or the first item for which `filter` holds.
  [[nodiscard]] QueueGet<T> get(Filter filter = {}) { return QueueGet<T>(*this, std::move(filter)); }
  /// False if it is full or others wait to put.
  bool try_put(T item) { return try_put_item(item); }
  /// Nothing if no item matches.
  std::optional<T> try_get(const Filter& filter = {}) {
    for (auto it = items_.begin(); it != items_.end(); ++it) {
      if (filter && !filter(*it)) continue;
      std::optional<T> item(std::move(*it));
      items_.erase(it);
      settle();
      return item;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t waiting_gets() const { return gets_.size(); }
  [[nodiscard]] std::size_t waiting_puts() const { return puts_.size(); }

 private:
  friend class QueuePut<T>;
  friend class QueueGet<T>;

  bool try_put_item(T& item) {
    if (items_.size() >= capacity_ || !puts_.empty()) return false;
    items_.push_back(std::move(item));
    settle();
    return true;
  }
  /// Serves getters and lets putters in until neither is possible.
  void settle() {
    if (settling_) return;  // a part of an any_of that is taken out comes back here; the loop below goes on anyway
    struct Settling {       // a filter may throw
      bool& flag;
      ~Settling() { flag = false; }
    } const settling{settling_ = true};
    while (serve_one() || admit_one()) {
    }
  }
  bool serve_one() {
    for (QueueGet<T>* get = gets_.front(); get != nullptr && !items_.empty(); get = gets_.next(*get)) {
      for (auto it = items_.begin(); it != items_.end(); ++it) {
        if (get->filter_ && !get->filter_(*it)) continue;
        T item = std::move(*it);
        items_.erase(it);
        get->receive(std::move(item));
        return true;
      }
    }
    return false;
  }
  bool admit_one() {
    if (items_.size() >= capacity_ || puts_.empty()) return false;
    QueuePut<T>* put = puts_.front();
    put->unlink();
    items_.push_back(std::move(put->item_));
    put->fulfil();
    return true;
  }

  std::size_t capacity_;
  bool settling_ = false;
  std::deque<T> items_;
  detail::List<QueueGet<T>> gets_;
  detail::List<QueueGet<T>> received_;  // have an item, did not take it yet
  detail::List<QueuePut<T>> puts_;
};

}  // namespace strata
