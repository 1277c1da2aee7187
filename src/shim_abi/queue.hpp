// The queue of one virtual host: everything that will happen there, ordered by (time, sequence). It lies in memory
// shared by all processes of a run, at the same address in each, hence plain pointers. Whoever holds the host's token
// may touch it. An entry is a member of what it stands for: a thread's wake-up, a packet's delivery, a timer, a
// simulation step.
#pragma once

#include <cstdint>

namespace strata::shim {

/// Later than everything.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

enum class EntryKind : std::uint32_t { kThread, kPacket, kTimer, kStop, kParticipant };

struct Entry {
  std::uint64_t time = 0;      ///< virtual nanoseconds
  std::uint64_t sequence = 0;  ///< of the host, given when queued
  std::uint32_t place = 0;     ///< position in the heap + 1; 0 = not queued
  EntryKind kind = EntryKind::kThread;
};

inline bool before(const Entry& a, const Entry& b) {
  return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
}

/// A binary heap over memory that its owner provides.
struct Queue {
  Entry** items = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;

  [[nodiscard]] Entry* first() const { return size > 0 ? items[0] : nullptr; }
  [[nodiscard]] bool full() const { return size == capacity; }

  /// There must be room.
  void add(Entry& entry) {
    items[size] = &entry;
    entry.place = ++size;
    rise(entry.place - 1);
  }

  void remove(Entry& entry) {
    if (entry.place == 0) return;
    const std::uint32_t at = entry.place - 1;
    entry.place = 0;
    Entry* last = items[--size];
    if (last == &entry) return;
    items[at] = last;
    last->place = at + 1;
    rise(at);
    sink(last->place - 1);
  }

 private:
  void put(std::uint32_t at, Entry* entry) {
    items[at] = entry;
    entry->place = at + 1;
  }
  void rise(std::uint32_t at) {
    Entry* moving = items[at];
    while (at > 0 && before(*moving, *items[(at - 1) / 2])) {
      put(at, items[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, moving);
  }
  void sink(std::uint32_t at) {
    Entry* moving = items[at];
    for (;;) {
      std::uint32_t child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && before(*items[child + 1], *items[child])) ++child;
      if (!before(*items[child], *moving)) break;
      put(at, items[child]);
      at = child;
    }
    put(at, moving);
  }
};

}  // namespace strata::shim
