#include "shim/core/futex_table.hpp"

#include "shim/core/host.hpp"

namespace strata::shim {

namespace {
std::uint32_t bucket(std::uint64_t key) { return static_cast<std::uint32_t>(mix(key, 7) % kFutexBuckets); }
}  // namespace

void join_futex(Host& host, Thread& thread, std::uint64_t key, std::uint32_t bits) {
  const std::uint32_t at = bucket(key);
  thread.key = key;
  thread.bits = bits;
  thread.next_waiter = nullptr;
  thread.previous_waiter = host.futex_last[at];
  (thread.previous_waiter != nullptr ? thread.previous_waiter->next_waiter : host.futex_first[at]) = &thread;
  host.futex_last[at] = &thread;
}

void leave_futex(Host& host, Thread& thread) {
  if (thread.key == 0) return;
  const std::uint32_t at = bucket(thread.key);
  (thread.previous_waiter != nullptr ? thread.previous_waiter->next_waiter : host.futex_first[at]) = thread.next_waiter;
  (thread.next_waiter != nullptr ? thread.next_waiter->previous_waiter : host.futex_last[at]) = thread.previous_waiter;
  thread.key = 0;
}

Thread* first_waiter(Host& host, std::uint64_t key, Thread* after) {
  Thread* at = after != nullptr ? after->next_waiter : host.futex_first[bucket(key)];
  while (at != nullptr && at->key != key) at = at->next_waiter;
  return at;
}

std::uint32_t wake_futex(Host& host, std::uint64_t key, std::uint32_t limit, std::uint32_t bits) {
  std::uint32_t count = 0;
  Thread* thread = first_waiter(host, key);
  while (thread != nullptr && count < limit) {
    Thread* next = first_waiter(host, key, thread);
    if ((thread->bits & bits) != 0) {
      leave_futex(host, *thread);
      wake(host, *thread);
      ++count;
    }
    thread = next;
  }
  return count;
}

std::uint32_t requeue_futex(Host& host, std::uint64_t from, std::uint64_t to, std::uint32_t limit) {
  std::uint32_t count = 0;
  while (count < limit) {
    Thread* thread = first_waiter(host, from);
    if (thread == nullptr || from == to) break;
    leave_futex(host, *thread);
    join_futex(host, *thread, to, thread->bits);
    ++count;
  }
  return count;
}

void wake_shared_futexes(Host& host) {
  for (Process* p = host.processes; p != nullptr; p = p->next) {
    for (Thread* t = p->threads; t != nullptr; t = t->next) {
      if ((t->key & kSharedKey) == 0) continue;
      leave_futex(host, *t);
      wake(host, *t);
    }
  }
}

void wake_signal_waiters(Host& host, Process& process) {
  for (Thread* t = process.threads; t != nullptr; t = t->next) {
    if (t->waits_signal != 0) wake(host, *t);
  }
}

}  // namespace strata::shim
