#include "kernel/event_queue.hpp"

#include <algorithm>

namespace strata {

void EventQueue::sift_down(std::size_t hole) {
  // Walk the hole down to a leaf along the smallest children, then let the entry rise: it came from the bottom and mostly
  // returns there, which saves one comparison per level.
  Entry* const heap = heap_.data();
  const std::size_t size = heap_.size();
  const Entry entry = heap[hole];
  const std::size_t start = hole;
  for (std::size_t child = 4 * hole + 1; child < size; child = 4 * hole + 1) {
    std::size_t best = child;
    if (child + 4 <= size) [[likely]] {
      const std::size_t left = child + static_cast<std::size_t>(before(heap[child + 1], heap[child]));
      const std::size_t right = child + 2 + static_cast<std::size_t>(before(heap[child + 3], heap[child + 2]));
      best = before(heap[right], heap[left]) ? right : left;
    } else {
      for (std::size_t other = child + 1; other < size; ++other) best = before(heap[other], heap[best]) ? other : best;
    }
    heap[hole] = heap[best];
    hole = best;
  }
  while (hole > start) {
    const std::size_t parent = (hole - 1) / 4;
    if (!before(entry, heap[parent])) break;
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = entry;
}

void EventQueue::grow() {
  const std::size_t old = slots_.size();
  const std::size_t size = std::max<std::size_t>(64, old * 2);
  STRATA_ASSERT(size < kNoSlot, "too many pending events");
  slots_.resize(size);
  // Lower slots first: neighbours in use share cache lines.
  for (std::size_t i = size; i-- > old;) {
    slots_[i].state = std::uint64_t{1} << kKindBits;
    slots_[i].target = reinterpret_cast<void*>(static_cast<std::uintptr_t>(free_));
    free_ = static_cast<std::uint32_t>(i);
  }
}

void EventQueue::cancel(std::uint32_t slot) {
  STRATA_ASSERT(slots_[slot].kind() > Kind::kCancelled, "cancelled an event that is not pending");
  slots_[slot].set_kind(Kind::kCancelled);
  slots_[slot].target = nullptr;
  ++cancelled_;
  drop_cancelled();
  if (cancelled_ > 64 && cancelled_ > heap_.size() / 2) compact();
}

void EventQueue::compact() {
  std::erase_if(heap_, [this](const Entry& entry) {
    if (slots_[entry.slot].kind() != Kind::kCancelled) return false;
    release(entry.slot);
    return true;
  });
  cancelled_ = 0;
  if (heap_.size() < 2) return;
  for (std::size_t i = (heap_.size() - 2) / 4 + 1; i-- > 0;) sift_down(i);
}

std::uint32_t EventQueue::renumber(std::uint64_t key_bits) {
  std::vector<Entry*> mine;
  for (Entry& entry : heap_) {
    if ((entry.order & kKeyMask) == key_bits) mine.push_back(&entry);
  }
  // The order among a key's events stays as it was, so the heap stays a heap.
  std::sort(mine.begin(), mine.end(), [](const Entry* a, const Entry* b) { return a->sequence < b->sequence; });
  std::uint32_t next = 0;
  for (Entry* entry : mine) entry->sequence = next++;
  return next;
}

std::vector<std::uint64_t> EventQueue::pending_keys() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(heap_.size());
  for (const Entry& entry : heap_) keys.push_back(entry.order & kKeyMask);
  return keys;
}

void EventQueue::clear() {
  for (const Entry& entry : heap_) release(entry.slot);
  heap_.clear();
  cancelled_ = 0;
}

}  // namespace strata
