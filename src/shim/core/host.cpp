#include "shim/core/host.hpp"

#include <csignal>
#include <cstring>
#include <new>

#include "shim/core/file.hpp"
#include "shim/core/net.hpp"
#include "shim/core/raw.hpp"

namespace strata::shim {

Here here;
thread_local Thread* self = nullptr;

namespace {

constexpr std::uint64_t kExtent = std::uint64_t{1} << 18;
constexpr std::uint64_t kHeader = 16;

// Blocks are powers of two from 64 bytes; the header holds the exponent.
unsigned class_of(std::uint64_t bytes) {
  unsigned exponent = 6;
  while ((std::uint64_t{1} << exponent) < bytes) ++exponent;
  return exponent;
}

std::uint64_t take_extent(std::uint64_t bytes) {
  const std::uint64_t at = __atomic_fetch_add(&here.region->used, bytes, __ATOMIC_RELAXED);
  if (at + bytes > kRegionSize) stop_run(Stop::kFailed, "the shared memory of the run is full");
  return kRegionAddress + at;
}

std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

// Virtual time is held back to the wall clock; how far behind we are is counted.
void pace(Host& host, std::uint64_t time) {
  const double factor = here.region->settings.pace;
  if (factor <= 0) return;
  const std::uint64_t due = here.region->wall_start_ns + static_cast<std::uint64_t>(static_cast<double>(time) / factor);
  const std::uint64_t wall = wall_now();
  if (wall < due) return wall_sleep_until(due);
  if (wall - due > host.counters.late_ns) host.counters.late_ns = wall - due;
}

void advance(Host& host, std::uint64_t time) {
  if (time <= host.now) return;
  if (time >= here.region->window_end) stop_run(Stop::kFailed, "a host's clock left its window: a mistake of ours");
  if (here.region->host_count == 1) pace(host, time);
  host.now = time;
}

void tend_to_the_dead(Host& host) {
  __atomic_store_n(&host.attention, 0, __ATOMIC_SEQ_CST);
  for (Process* p = host.processes; p != nullptr; p = p->next) {
    if (p->died_alone != 0 && p->life != Life::kZombie) bury(*p);
  }
}

void signal_program(Host& host, Process& process, int number) {
  if (process.parent != nullptr || process.life != Life::kRunning) return;
  raw(SYS_kill, process.pid, number);
  if (Thread* target = signal_target(process, number); target != nullptr) interrupt(host, *target);
}

// The duration is over: first a polite request, then the end.
void stop_programs(Host& host) {
  if (host.stopping++ != 0) return stop_run(Stop::kDuration, "");
  schedule(host, host.stop, host.now + here.region->settings.grace_ns);
  for (Process* p = host.processes; p != nullptr; p = p->next) {
    if (p != here.process) signal_program(host, *p, SIGTERM);
  }
  // Ourselves last: it may be the end of us.
  if (here.process != nullptr) signal_program(host, *here.process, SIGTERM);
}

// Lookahead is over for this host: deliver what others sent and open the next window. Everybody else is parked.
void open_window() {
  Region& region = *here.region;
  deliver_outboxes();
  std::uint64_t start = kNever;
  for (std::uint32_t i = 0; i < region.host_count; ++i) {
    const Entry* first = region.hosts[i]->queue.first();
    if (first != nullptr && first->time < start) start = first->time;
  }
  if (start == kNever) return stop_run(Stop::kBlocked, "");
  pace(*region.hosts[0], start);
  region.window_end =
      region.lookahead == kNever || start + region.lookahead < start ? kNever : start + region.lookahead;
  std::uint32_t count = 0;
  const auto works = [&](const Host& h) {
    return h.queue.first() != nullptr && h.queue.first()->time < region.window_end;
  };
  for (std::uint32_t i = 0; i < region.host_count; ++i) count += works(*region.hosts[i]) ? 1 : 0;
  __atomic_store_n(&region.active, count, __ATOMIC_SEQ_CST);
  // A host that has been opened may run at once and change its queue: decide for all before waking the first.
  Host* woken[kMaxHosts];
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < region.host_count; ++i) {
    if (works(*region.hosts[i])) woken[at++] = region.hosts[i];
  }
  for (std::uint32_t i = 0; i < at; ++i) {
    ++woken[i]->counters.windows;
    __atomic_store_n(&woken[i]->parked, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&woken[i]->go, 1, __ATOMIC_SEQ_CST);
    futex_rouse(&woken[i]->go);
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15U) * (rotate(b, 29) ^ 0xD6E8FEB86659FD93U);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ rotate(a, 17);
}

std::uint64_t random_bits(Host& host) {
  return mix(mix(here.region->settings.seed + 0x632BE59BD9B4E019U, host.index + 1), ++host.draws);
}

void* allocate(Host& host, std::size_t bytes) {
  const unsigned exponent = class_of(bytes + kHeader);
  void*& list = host.free_blocks[exponent];
  std::uint8_t* block = nullptr;
  if (list != nullptr) {
    block = static_cast<std::uint8_t*>(list);
    std::memcpy(&list, block + kHeader, sizeof list);
    std::memset(block + kHeader, 0, bytes);
  } else {
    const std::uint64_t size = std::uint64_t{1} << exponent;
    if (size >= kExtent) {
      block = reinterpret_cast<std::uint8_t*>(take_extent(size));
    } else {
      if (host.extent + size > host.extent_end) {
        host.extent = take_extent(kExtent);
        host.extent_end = host.extent + kExtent;
      }
      block = reinterpret_cast<std::uint8_t*>(host.extent);
      host.extent += size;
    }
  }
  std::memcpy(block, &exponent, sizeof exponent);
  return block + kHeader;
}

void release(Host& host, void* block) {
  if (block == nullptr) return;
  std::uint8_t* start = static_cast<std::uint8_t*>(block) - kHeader;
  unsigned exponent = 0;
  std::memcpy(&exponent, start, sizeof exponent);
  std::memcpy(block, &host.free_blocks[exponent], sizeof(void*));
  host.free_blocks[exponent] = start;
}

void stop_run(Stop reason, const char* message) {
  Region& region = *here.region;
  Stop expected = Stop::kNo;
  if (__atomic_compare_exchange(&region.stop, &expected, &reason, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    std::strncpy(region.message, message, sizeof region.message - 1);
  }
  __atomic_add_fetch(&region.bell, 1, __ATOMIC_SEQ_CST);
  futex_rouse(&region.bell);
  // The launcher ends this process; until then it does nothing any more.
  for (;;) raw(SYS_pause);
}

void schedule(Host& host, Entry& entry, std::uint64_t time) {
  Queue& queue = host.queue;
  queue.remove(entry);
  if (queue.full()) {
    const std::uint32_t capacity = queue.capacity == 0 ? 64 : queue.capacity * 2;
    auto** items = static_cast<Entry**>(allocate(host, capacity * sizeof(void*)));
    if (queue.size > 0) std::memcpy(items, queue.items, queue.size * sizeof(void*));
    release(host, queue.items);
    queue.items = items;
    queue.capacity = capacity;
  }
  entry.time = time < host.now ? host.now : time;
  entry.sequence = ++host.sequence;
  queue.add(entry);
}

void unschedule(Host& host, Entry& entry) { host.queue.remove(entry); }

void wake(Host& host, Thread& thread) {
  if (thread.waiting == 0) return;
  thread.woken = 1;
  if (thread.entry.place == 0 || thread.entry.time > host.now) schedule(host, thread.entry, host.now);
}

void notify(File& file) {
  for (WaitNode* node = file.waiters; node != nullptr; node = node->next) {
    wake(*file.host, *node->thread);
  }
  for (Watch* watch = file.watches; watch != nullptr; watch = watch->next_of_file) mark_ready(*watch);
}

Thread* next_thread(Host& host) {
  for (;;) {
    if (__atomic_load_n(&host.attention, __ATOMIC_RELAXED) != 0) tend_to_the_dead(host);
    Entry* first = host.queue.first();
    if (first == nullptr || first->time >= here.region->window_end) {
      leave_window(host);
      continue;
    }
    advance(host, first->time);
    host.queue.remove(*first);
    switch (first->kind) {
      case EntryKind::kThread: {
        auto* thread = reinterpret_cast<Thread*>(first);
        cover(host, thread->number, host.now);
        return thread;
      }
      case EntryKind::kPacket:
        ++host.counters.packets;
        deliver(*reinterpret_cast<Packet*>(first));
        break;
      case EntryKind::kTimer:
        ++host.counters.timers;
        expire(*reinterpret_cast<Timer*>(first));
        break;
      case EntryKind::kStop:
        stop_programs(host);
        break;
      case EntryKind::kParticipant:
        break;
    }
  }
}

void give(Host& host, Thread& next) {
  ++host.counters.switches;
  host.current = &next;
  if (here.region->settings.trace != 0) trace(host, next, 0);
  __atomic_store_n(&next.go, 1, __ATOMIC_SEQ_CST);
  futex_rouse(&next.go);
}

void await_token(Thread& thread) {
  while (__atomic_load_n(&thread.go, __ATOMIC_ACQUIRE) == 0) futex_sleep(&thread.go, 0);
  __atomic_store_n(&thread.go, 0, __ATOMIC_RELAXED);
}

void leave_window(Host& host) {
  if (__atomic_exchange_n(&host.parked, 1, __ATOMIC_SEQ_CST) == 0) {
    if (__atomic_sub_fetch(&here.region->active, 1, __ATOMIC_SEQ_CST) == 0) open_window();
  }
  while (__atomic_load_n(&host.go, __ATOMIC_ACQUIRE) == 0) futex_sleep(&host.go, 0);
  __atomic_store_n(&host.go, 0, __ATOMIC_RELAXED);
}

void trace(Host& host, const Thread& thread, std::uint32_t what) {
  TraceBlock* block = host.trace_last;
  if (block == nullptr || block->used == sizeof block->records / sizeof block->records[0]) {
    auto* fresh = make<TraceBlock>(host);
    (block == nullptr ? host.trace_first : block->next) = fresh;
    host.trace_last = block = fresh;
  }
  block->records[block->used++] = {host.now, thread.number, what};
}

}  // namespace strata::shim
