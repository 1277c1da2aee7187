// The guest's side of virtual time: what a thread does while it holds the token, and how it waits for its turn.
#pragma once

#include <cstdint>
#include <ctime>

#include "shim/core/host.hpp"

namespace strata::shim {

/// Signals that must always reach us: the trap, faults of the time-stamp counter, the warden's.
inline constexpr std::uint64_t kNeverBlocked = signal_bit(31) | signal_bit(11) | signal_bit(kBreakSignal);

/// How deep this thread is inside the shim. Signals that arrive then are delivered on leaving.
extern thread_local int depth __attribute__((tls_model("initial-exec")));
/// Signals that arrived meanwhile.
extern thread_local std::uint64_t deferred __attribute__((tls_model("initial-exec")));
/// Syscall user dispatch looks here: 1 traps, 0 lets through.
extern thread_local char selector __attribute__((tls_model("initial-exec")));

/// Trapping was switched off to let the C library make a thread of its own; it goes on at the next occasion.
extern thread_local bool trap_again __attribute__((tls_model("initial-exec")));

void deliver_deferred();

/// Marks a stretch of shim code.
class Inside {
 public:
  Inside() {
    ++depth;
    if (trap_again) {
      trap_again = false;
      selector = 1;
    }
  }
  ~Inside() {
    if (--depth == 0 && deferred != 0) deliver_deferred();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// Lets the C library make system calls of its own.
class Untrapped {
 public:
  Untrapped() : before_(selector) { selector = 0; }
  ~Untrapped() { selector = before_; }
  Untrapped(const Untrapped&) = delete;
  Untrapped& operator=(const Untrapped&) = delete;

 private:
  char before_;
};

enum class Woke { kTime, kEvent, kSignal };
/// What a thread waits for, for statistics and the trace.
enum class Cause : std::uint32_t { kCompute, kSleep, kFutex, kFile, kChild, kSignal, kYield };

/// Whether this thread lives in virtual time.
[[nodiscard]] inline bool active() { return self != nullptr; }
/// This thread's time: the host's, or ahead of it by what it computed.
[[nodiscard]] std::uint64_t local_now();
/// Lets the host catch up with this thread's time, so that its effects come in order. Before every effect.
void settle();
/// This thread computed for that long.
void charge(std::uint64_t ns);
/// Hands the token over until `until` or until woken.
Woke block(std::uint64_t until, Cause cause);
/// Others that are due at this very time go first.
void yield_token();
/// Counts a call that did not block; a loop of only such calls is charged time, or it would never end.
void count_unblocked();
void count_lock();
void count_clock_read();
/// Waits for the token after a start, then begins to compute.
void take_up();

/// Sum that stops at kNever.
[[nodiscard]] inline std::uint64_t later(std::uint64_t time, std::uint64_t by) {
  return time + by < time ? kNever : time + by;
}
/// `deadline` plus Linux's timer slack.
[[nodiscard]] std::uint64_t with_slack(std::uint64_t deadline);
[[nodiscard]] std::uint64_t to_ns(const timespec& t);
[[nodiscard]] timespec to_timespec(std::uint64_t ns);
/// An absolute time of a clock as virtual time, and back.
[[nodiscard]] std::uint64_t clock_offset(int clock);
[[nodiscard]] std::uint64_t from_clock(int clock, std::uint64_t ns);

}  // namespace strata::shim
