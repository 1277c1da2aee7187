// The queue of pending events: small entries in the total order (time, phase, key, sequence), and a table of slots that
// say what each entry starts. Knows nothing of processes or callbacks: a slot holds a kind and a pointer. Cancelled
// entries stay until they surface or dominate; the top is never a cancelled one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "base/time.hpp"
#include "kernel/entry_queue.hpp"
#include "kernel/phase.hpp"

namespace strata {

/// Orders events of one instant and phase that have different owners: usually the stable id of an entity. Small values
/// keep their order; larger than 55 bits are mixed down.
class Key {
 public:
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 55;

  constexpr Key() = default;
  constexpr Key(std::uint64_t value)  // NOLINT(google-explicit-constructor)
      : bits_(value < kLimit ? value : shrink(value)) {}
  /// For several kinds of events of one owner.
  Key(std::uint64_t owner, std::uint64_t purpose) : Key(mix(owner, purpose)) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return bits_; }
  constexpr auto operator<=>(const Key&) const = default;

 private:
  static constexpr std::uint64_t shrink(std::uint64_t value) {
    return (value * 0x9E3779B97F4A7C15U ^ value >> 32) >> 9;
  }
  std::uint64_t bits_ = 0;
};

/// Names a scheduled event, for cancel(). Stays safe to use after the event ran.
struct EventId {
  std::uint32_t slot = 0;
  std::uint64_t generation = 0;  ///< 0 = no event
  [[nodiscard]] bool valid() const { return generation != 0; }
  bool operator==(const EventId&) const = default;
};

class EventQueue {
 public:
  /// What an entry starts; the meaning is the kernel's.
  enum class Kind : std::uint8_t { kFree, kCancelled, kResume, kTimer, kCallback };
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
  static constexpr std::uint32_t kLastSequence = 0xFFFFFFFFU;
  static constexpr std::uint64_t kKeyMask = (std::uint64_t{1} << 56) - 1;

  /// Where an event stands among those of its time: phase and 56 bits of key.
  [[nodiscard]] static constexpr std::uint64_t order(Phase phase, std::uint64_t key_bits) {
    return static_cast<std::uint64_t>(phase) << 56 | key_bits;
  }

  using Entry = detail::EventEntry;
  struct Taken {
    Entry entry;
    Kind kind;
    void* target;
  };

  /// Live events.
  [[nodiscard]] std::size_t size() const { return entries_.size() - cancelled_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Of the first event; the queue must not be empty.
  [[nodiscard]] std::int64_t first_time() const { return entries_.top().time; }

  /// Adds an event and returns its slot. Equal (time, order, sequence) must not be pending twice.
  std::uint32_t push(std::int64_t time, std::uint64_t order, std::uint32_t sequence, Kind kind, void* target) {
    const std::uint32_t slot = allocate(kind, target);
    entries_.push({time, order, sequence, slot});
    return slot;
  }
  /// Removes the first event. The queue must not be empty.
  Taken pop() {
    const Entry first = entries_.top();
    const Slot& slot = slots_[first.slot];
    const Taken taken{first, slot.kind(), slot.target};
    release(first.slot);
    entries_.pop();
    drop_cancelled();
    prefetch();
    return taken;
  }

  [[nodiscard]] EventId id_of(std::uint32_t slot) const { return {slot, slots_[slot].state >> kKindBits}; }
  /// The event is still to come.
  [[nodiscard]] bool pending(EventId id) const {
    return id.generation != 0 && id.slot < slots_.size() && slots_[id.slot].state >> kKindBits == id.generation &&
           slots_[id.slot].kind() > Kind::kCancelled;
  }
  [[nodiscard]] Kind kind_of(std::uint32_t slot) const { return slots_[slot].kind(); }
  [[nodiscard]] void* target_of(std::uint32_t slot) const { return slots_[slot].target; }
  /// Takes back the pending event of a slot.
  void cancel(std::uint32_t slot);

  /// Numbers the pending events of a key afresh from 0, in their order, and returns the next number: for the rare
  /// moment when a counter has run through.
  [[nodiscard]] std::uint32_t renumber(std::uint64_t key_bits);
  /// Keys (without phase) of all entries.
  [[nodiscard]] std::vector<std::uint64_t> pending_keys();
  /// Calls visit(kind, target) for every live event, in no particular order: for taking a queue down.
  template <class Visit>
  void for_each_live(Visit visit) {
    entries_.for_each([&](const Entry& entry) {
      if (slots_[entry.slot].kind() != Kind::kCancelled) visit(slots_[entry.slot].kind(), slots_[entry.slot].target);
    });
  }
  void clear();

 private:
  static constexpr int kKindBits = 3;
  struct Slot {
    void* target;         // next free slot as a number when free
    std::uint64_t state;  // generation << kKindBits | kind
    [[nodiscard]] Kind kind() const { return static_cast<Kind>(state & ((1U << kKindBits) - 1)); }
    void set_kind(Kind kind) {
      state = (state & ~std::uint64_t{(1U << kKindBits) - 1}) | static_cast<std::uint64_t>(kind);
    }
  };

  std::uint32_t allocate(Kind kind, void* target) {
    if (free_ == kNoSlot) [[unlikely]]
      grow();
    const std::uint32_t index = free_;
    Slot& slot = slots_[index];
    free_ = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(slot.target));
    slot.target = target;
    slot.set_kind(kind);
    return index;
  }
  void release(std::uint32_t index) {
    Slot& slot = slots_[index];
    // A new generation, so that ids of the old event find nothing.
    slot.state = ((slot.state >> kKindBits) + 1) << kKindBits;
    slot.target = reinterpret_cast<void*>(static_cast<std::uintptr_t>(free_));
    free_ = index;
  }
  void grow();

  void drop_cancelled() {
    while (cancelled_ != 0 && slots_[entries_.top().slot].kind() == Kind::kCancelled) {
      release(entries_.top().slot);
      --cancelled_;
      entries_.pop();
    }
  }
  void compact();
  /// What comes next is known: fetch it into the cache while the current event runs.
  /// Inlined by force: a function that only prefetches counts as one without effect, and its calls are dropped.
  [[gnu::always_inline]] void prefetch() const {
    if (const Entry* entry = entries_.upcoming(8)) __builtin_prefetch(&slots_[entry->slot], 1);
    const Entry* entry = entries_.upcoming(3);
    if (entry == nullptr) entry = entries_.upcoming(0);
    if (entry == nullptr) return;
    // As a number: the target may be null, or end before that.
    const auto target = reinterpret_cast<std::uintptr_t>(slots_[entry->slot].target);
    __builtin_prefetch(reinterpret_cast<const void*>(target), 1);
    __builtin_prefetch(reinterpret_cast<const void*>(target + 64), 1);
    __builtin_prefetch(reinterpret_cast<const void*>(target + 128), 1);
  }

  detail::EntryQueue entries_;
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNoSlot;
  std::size_t cancelled_ = 0;
};

}  // namespace strata
