// Futexes: below mutexes, conditions, semaphores, futures and barriers of every language there is nothing else.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>

#include "shim/core/futex_table.hpp"
#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

// Mappings seen so far: a futex in a shared one is known by file and offset, in all processes alike.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t key = 0;  ///< of its first byte; 0 = private
};
constexpr int kMappings = 64;
Mapping mappings[kMappings];
int mapping_count = 0;

std::uint64_t read_hex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

// One line of /proc/self/maps: "start-end rwxs offset dev inode path".
Mapping read_mapping(const char* at) {
  Mapping mapping;
  mapping.start = read_hex(at);
  ++at;
  mapping.end = read_hex(at);
  const bool shared = at[4] == 's';
  at += 6;
  const std::uint64_t offset = read_hex(at);
  ++at;
  std::uint64_t device = read_hex(at);
  ++at;
  device = device << 8 | read_hex(at);
  ++at;
  std::uint64_t inode = 0;
  while (*at >= '0' && *at <= '9') inode = inode * 10 + static_cast<std::uint64_t>(*at++ - '0');
  if (shared && inode != 0) mapping.key = kSharedKey | (mix(device, inode) & 0x7FFFFF) << 40 | (offset & 0xFFFFFFFFFF);
  return mapping;
}

Mapping find_mapping(std::uint64_t address) {
  static char buffer[8192];
  Mapping found;
  const long file = raw(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return found;
  long kept = 0;
  for (;;) {
    const long got = raw(SYS_read, file, buffer + kept, static_cast<long>(sizeof buffer) - 1 - kept);
    if (got <= 0) break;
    const long size = kept + got;
    buffer[size] = 0;
    char* line = buffer;
    while (char* end = static_cast<char*>(std::memchr(line, '\n', static_cast<std::size_t>(buffer + size - line)))) {
      const Mapping mapping = read_mapping(line);
      if (address >= mapping.start && address < mapping.end) found = mapping;
      line = end + 1;
    }
    kept = buffer + size - line;
    std::memmove(buffer, line, static_cast<std::size_t>(kept));
    if (found.end != 0) break;
  }
  raw(SYS_close, file);
  return found;
}

std::uint64_t shared_key(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const Mapping* mapping = nullptr;
  for (int i = 0; i < mapping_count; ++i) {
    if (address >= mappings[i].start && address < mappings[i].end) mapping = &mappings[i];
  }
  if (mapping == nullptr) {
    static int next = 0;
    const int at = mapping_count < kMappings ? mapping_count++ : next++ % kMappings;
    mappings[at] = find_mapping(address);
    mapping = &mappings[at];
  }
  return mapping->key == 0 ? private_key(pointer) : mapping->key + (address - mapping->start);
}

std::uint64_t key_of(const void* address, int operation) {
  return (operation & FUTEX_PRIVATE_FLAG) != 0 ? private_key(address) : shared_key(address);
}

std::uint32_t load(const std::uint32_t* address) { return __atomic_load_n(address, __ATOMIC_SEQ_CST); }

// A thread that has left virtual time takes a moment to leave the kernel too: whoever joins it waits for real.
bool join_for_real(std::uint32_t* address, std::uint32_t value) {
  for (Thread* t = here.process->threads; t != nullptr; t = t->next) {
    if (t->gone == 0 || t->tid_address != reinterpret_cast<std::uint64_t>(address)) continue;
    while (load(address) == value) raw(SYS_futex, address, FUTEX_WAIT, value, nullptr);
    retire(*here.host, *t);
    return true;
  }
  return false;
}

long wait_on(std::uint32_t* address, std::uint32_t value, std::uint64_t key, std::uint64_t deadline,
             std::uint32_t bits) {
  settle();
  if (load(address) != value) return -EAGAIN;
  if (join_for_real(address, value)) return 0;
  ++here.host->counters.futex_waits;
  if (deadline != kNever && deadline <= here.host->now) {
    yield_token();
    return load(address) != value ? 0 : -ETIMEDOUT;
  }
  for (;;) {
    join_futex(*here.host, *self, key, bits);
    const Woke woke = block(deadline == kNever ? kNever : with_slack(deadline), Cause::kFutex);
    const bool still_waiting = self->key != 0;
    leave_futex(*here.host, *self);
    if (!still_waiting) return 0;
    if (woke == Woke::kSignal) return restarts() ? -ERESTART : -EINTR;
    if (woke == Woke::kTime) return -ETIMEDOUT;
    return 0;
  }
}

std::uint64_t deadline_of(int operation, const timespec* time) {
  if (time == nullptr) return kNever;
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAIT) return later(here.host->now, to_ns(*time));
  const bool real = (operation & FUTEX_CLOCK_REALTIME) != 0 || command == FUTEX_LOCK_PI;
  return from_clock(real ? CLOCK_REALTIME : CLOCK_MONOTONIC, to_ns(*time));
}

long wake_operation(std::uint32_t* second, std::uint32_t code, std::uint64_t key, std::uint32_t first_limit,
                    std::uint64_t second_key, std::uint32_t second_limit) {
  const std::uint32_t operation = code >> 28 & 7;
  const std::uint32_t comparison = code >> 24 & 15;
  auto argument = static_cast<std::int32_t>(code >> 12 & 0xFFF);
  const auto bound = static_cast<std::int32_t>(code & 0xFFF);
  if ((code >> 31) != 0) argument = 1 << argument;
  const auto old = static_cast<std::int32_t>(*second);
  const std::int32_t results[] = {argument, old + argument, old | argument, old & ~argument, old ^ argument};
  if (operation < 5) *second = static_cast<std::uint32_t>(results[operation]);
  const bool matches[] = {old == bound, old != bound, old<bound, old <= bound, old> bound, old >= bound};
  std::uint32_t count = wake_futex(*here.host, key, first_limit, ~0U);
  if (comparison < 6 && matches[comparison]) count += wake_futex(*here.host, second_key, second_limit, ~0U);
  return count;
}

long lock_pi(std::uint32_t* address, int operation, std::uint64_t key, const timespec* time) {
  settle();
  const std::uint32_t owner = *address & FUTEX_TID_MASK;
  if (owner == 0) {
    *address = static_cast<std::uint32_t>(self->tid) | (*address & FUTEX_WAITERS);
    return 0;
  }
  if (owner == static_cast<std::uint32_t>(self->tid)) return -EDEADLK;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_TRYLOCK_PI) return -EAGAIN;
  *address |= FUTEX_WAITERS;
  ++here.host->counters.futex_waits;
  join_futex(*here.host, *self, key, ~0U);
  const Woke woke = block(deadline_of(operation, time), Cause::kFutex);
  const bool still_waiting = self->key != 0;
  leave_futex(*here.host, *self);
  if (!still_waiting) return 0;
  return woke == Woke::kSignal ? -EINTR : -ETIMEDOUT;
}

long unlock_pi(std::uint32_t* address, std::uint64_t key) {
  settle();
  Thread* heir = first_waiter(*here.host, key);
  if (heir == nullptr) {
    *address = 0;
    return 0;
  }
  const bool more = first_waiter(*here.host, key, heir) != nullptr;
  *address = static_cast<std::uint32_t>(heir->tid) | (more ? FUTEX_WAITERS : 0);
  leave_futex(*here.host, *heir);
  wake(*here.host, *heir);
  return 0;
}

}  // namespace

std::uint64_t private_key(const void* address) {
  return (std::uint64_t{here.process->number} % 32767 + 1) << 48 | reinterpret_cast<std::uint64_t>(address);
}

void forget_mappings() { mapping_count = 0; }

long call_futex(std::uint32_t* address, int operation, std::uint32_t value, const timespec* time, std::uint32_t* second,
                std::uint32_t third) {
  const std::uint64_t key = key_of(address, operation);
  const auto second_limit = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(time));
  Host& host = *here.host;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait_on(address, value, key, deadline_of(operation, time), ~0U);
    case FUTEX_WAIT_BITSET:
      return wait_on(address, value, key, deadline_of(operation, time), third);
    case FUTEX_WAKE:
      settle();
      count_unblocked();
      return wake_futex(host, key, value, ~0U);
    case FUTEX_WAKE_BITSET:
      settle();
      return wake_futex(host, key, value, third);
    case FUTEX_CMP_REQUEUE:
      if (load(address) != third) return -EAGAIN;
      [[fallthrough]];
    case FUTEX_REQUEUE: {
      settle();
      const std::uint32_t woken = wake_futex(host, key, value, ~0U);
      return woken + requeue_futex(host, key, key_of(second, operation), second_limit);
    }
    case FUTEX_WAKE_OP:
      settle();
      return wake_operation(second, third, key, value, key_of(second, operation), second_limit);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
      return lock_pi(address, operation, key, time);
    case FUTEX_UNLOCK_PI:
      return unlock_pi(address, key);
    default:
      return -ENOSYS;
  }
}

long call_futex_waitv(void* waiters, unsigned count, const timespec* deadline, int clock) {
  struct Waiter {
    std::uint64_t value;
    std::uint64_t address;
    std::uint32_t flags;
    std::uint32_t reserved;
  };
  // One futex is all the C library and its users ask for; more are polled in short steps of virtual time.
  const auto* list = static_cast<const Waiter*>(waiters);
  const std::uint64_t end = deadline != nullptr ? from_clock(clock, to_ns(*deadline)) : kNever;
  settle();
  for (;;) {
    for (unsigned i = 0; i < count; ++i) {
      const auto* address = reinterpret_cast<const std::uint32_t*>(list[i].address);
      if (load(address) != static_cast<std::uint32_t>(list[i].value)) return -EAGAIN;
    }
    if (end <= here.host->now) return -ETIMEDOUT;
    auto* first = reinterpret_cast<std::uint32_t*>(list[0].address);
    const int flag = (list[0].flags & 128) != 0 ? FUTEX_PRIVATE_FLAG : 0;
    const std::uint64_t step = count == 1 ? end : (later(here.host->now, 100000) < end ? here.host->now + 100000 : end);
    const long result = wait_on(first, static_cast<std::uint32_t>(list[0].value), key_of(first, flag), step, ~0U);
    if (result != -ETIMEDOUT) return result == -EAGAIN ? 0 : result;
  }
}

}  // namespace strata::shim
