// A doubly linked list whose links live in the elements: waiting processes join and leave queues without allocation,
// and an element leaves its list when it is destroyed, whoever destroys it.
#pragma once

#include "base/assert.hpp"

namespace strata::detail {

/// Base of list elements. Not copied and not moved while linked.
class ListNode {
 public:
  ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  [[nodiscard]] bool linked() const { return next_ != nullptr; }
  void unlink() noexcept {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

 protected:
  ~ListNode() { unlink(); }

 private:
  template <class T>
  friend class List;
  ListNode* previous_ = nullptr;
  ListNode* next_ = nullptr;
};

/// Does not own its elements; those left are unlinked when the list is destroyed.
template <class T>
class List {
 public:
  List() { head_.next_ = head_.previous_ = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() {
    while (!empty()) head_.next_->unlink();
    head_.next_ = head_.previous_ = nullptr;
  }

  [[nodiscard]] bool empty() const { return head_.next_ == &head_; }
  [[nodiscard]] T* front() { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  [[nodiscard]] T* back() { return empty() ? nullptr : static_cast<T*>(head_.previous_); }
  /// The element after `element`, or null at the end.
  [[nodiscard]] T* next(T& element) {
    ListNode* node = static_cast<ListNode&>(element).next_;
    return node == &head_ ? nullptr : static_cast<T*>(node);
  }
  void push_back(T& element) { insert(element, head_); }
  /// Puts `element` in front of `position`, or at the end if that is null.
  void insert_before(T* position, T& element) {
    insert(element, position == nullptr ? head_ : static_cast<ListNode&>(*position));
  }
  /// Moves all elements of `other` to the end of this list.
  void take_all(List& other) {
    while (T* element = other.front()) {
      element->unlink();
      push_back(*element);
    }
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (const ListNode* node = head_.next_; node != &head_; node = node->next_) ++count;
    return count;
  }

 private:
  struct Head : ListNode {
    ~Head() = default;
  };
  static void insert(ListNode& node, ListNode& before) {
    STRATA_ASSERT(!node.linked(), "element is in a list already");
    node.next_ = &before;
    node.previous_ = before.previous_;
    before.previous_->next_ = &node;
    before.previous_ = &node;
  }
  Head head_;
};

}  // namespace strata::detail
