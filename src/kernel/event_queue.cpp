#include "kernel/event_queue.hpp"

#include <algorithm>

namespace strata {

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
  if (cancelled_ > 64 && cancelled_ > entries_.size() / 2) compact();
}

void EventQueue::compact() {
  entries_.erase_if([this](const Entry& entry) {
    if (slots_[entry.slot].kind() != Kind::kCancelled) return false;
    release(entry.slot);
    return true;
  });
  cancelled_ = 0;
}

std::uint32_t EventQueue::renumber(std::uint64_t key_bits) {
  std::vector<Entry*> mine;
  entries_.for_each([&](Entry& entry) {
    if ((entry.order & kKeyMask) == key_bits) mine.push_back(&entry);
  });
  // The order among a key's events stays as it was.
  std::sort(mine.begin(), mine.end(), [](const Entry* a, const Entry* b) { return a->sequence < b->sequence; });
  std::uint32_t next = 0;
  for (Entry* entry : mine) entry->sequence = next++;
  return next;
}

std::vector<std::uint64_t> EventQueue::pending_keys() {
  std::vector<std::uint64_t> keys;
  keys.reserve(entries_.size());
  entries_.for_each([&](const Entry& entry) { keys.push_back(entry.order & kKeyMask); });
  return keys;
}

void EventQueue::clear() {
  entries_.for_each([this](const Entry& entry) { release(entry.slot); });
  entries_.clear();
  cancelled_ = 0;
}

}  // namespace strata
