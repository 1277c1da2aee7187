// The heart: one token per host. The thread that blocks picks what comes next - a thread, a delivery, a timer - and
// carries it out or hands the token over. Used by guests and by the warden, which stands in for processes that died.
#pragma once

#include <new>

#include "shim_abi/layout.hpp"

namespace strata::shim {

/// Where this process and this thread stand. Set once at the start; `self` is null in the warden.
struct Here {
  Region* region = nullptr;
  Host* host = nullptr;
  Process* process = nullptr;
};
extern Here here;
extern thread_local Thread* self __attribute__((tls_model("initial-exec")));

/// Memory of the region, from the host's own store; zeroed. Never fails: a full region ends the run.
[[nodiscard]] void* allocate(Host& host, std::size_t bytes);
void release(Host& host, void* block);
template <class T>
[[nodiscard]] T* make(Host& host) {
  return new (allocate(host, sizeof(T))) T();
}

/// Ends the run: the launcher kills everybody. Does not return in guests.
void stop_run(Stop reason, const char* message);

/// 64 random bits of the host.
[[nodiscard]] std::uint64_t random_bits(Host& host);
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b);
/// Adds to the host's hash.
inline void cover(Host& host, std::uint64_t a, std::uint64_t b) { host.hash = mix(host.hash ^ a, b); }

/// Queues `entry` at `time`, or moves it there.
void schedule(Host& host, Entry& entry, std::uint64_t time);
void unschedule(Host& host, Entry& entry);

/// Makes a waiting thread run now.
void wake(Host& host, Thread& thread);
/// Wakes everybody who waits for or watches this file, because its readiness may have changed.
void notify(File& file);

/// Carries out what is due until a thread is; that thread holds the token then.
[[nodiscard]] Thread* next_thread(Host& host);
/// Hands the token to a thread that waits for it.
void give(Host& host, Thread& next);
/// Waits for the token.
void await_token(Thread& thread);
/// The last to arrive opens the next window; the others wait for it.
void leave_window(Host& host);

/// A process is gone, and the caller holds the token: everything it had is closed, whoever waits for it is told.
void bury(Process& process);
/// Takes a thread out of every queue it is in.
void forget(Thread& thread);
/// New and old records of threads and processes.
[[nodiscard]] Thread* new_thread(Host& host, Process& process);
[[nodiscard]] Process* new_process(Host& host, Process* parent, std::uint32_t program);
void retire(Host& host, Thread& thread);
void retire(Host& host, Process& process);

/// The number of a signal as a bit.
[[nodiscard]] constexpr std::uint64_t signal_bit(int number) { return std::uint64_t{1} << (number - 1); }
/// Chooses the thread that a signal to `process` interrupts; null if all block it.
[[nodiscard]] Thread* signal_target(Process& process, int number);
/// Wakes that thread from an interruptible wait.
void interrupt(Host& host, Thread& thread);

void trace(Host& host, const Thread& thread, std::uint32_t what);

}  // namespace strata::shim
