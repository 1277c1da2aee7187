// Clocks and sleeping.
#include <cerrno>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

bool is_virtual(int clock) { return clock >= 0 && clock <= CLOCK_TAI; }

long sleep_until(std::uint64_t deadline, timespec* rest) {
  ++here.host->counters.sleeps;
  const std::uint64_t end = with_slack(deadline);
  do {
    if (block(end, Cause::kSleep) == Woke::kSignal) {
      if (rest != nullptr) *rest = to_timespec(deadline > here.host->now ? deadline - here.host->now : 0);
      return -EINTR;
    }
  } while (here.host->now < deadline);
  return 0;
}

}  // namespace

long call_clock_gettime(int clock, timespec* time) {
  if (!is_virtual(clock)) {
    // Processor time of a thread or process: what its program was charged is the host's time.
    if (clock >= 0) return raw(SYS_clock_gettime, clock, time);
  }
  count_clock_read();
  *time = to_timespec(later(local_now(), clock_offset(clock)));
  return 0;
}

long call_gettimeofday(timeval* time) {
  timespec t{};
  call_clock_gettime(CLOCK_REALTIME, &t);
  if (time != nullptr) *time = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

long call_time(long* seconds) {
  timespec t{};
  call_clock_gettime(CLOCK_REALTIME, &t);
  if (seconds != nullptr) *seconds = t.tv_sec;
  return t.tv_sec;
}

long call_nanosleep(const timespec* span, timespec* rest) {
  if (span->tv_nsec < 0 || span->tv_nsec > 999999999 || span->tv_sec < 0) return -EINVAL;
  settle();
  if (span->tv_sec == 0 && span->tv_nsec == 0) {
    yield_token();
    return 0;
  }
  return sleep_until(later(here.host->now, to_ns(*span)), rest);
}

long call_clock_nanosleep(int clock, int flags, const timespec* span, timespec* rest) {
  if ((flags & TIMER_ABSTIME) == 0) return call_nanosleep(span, rest);
  if (span->tv_nsec < 0 || span->tv_nsec > 999999999) return -EINVAL;
  settle();
  const std::uint64_t deadline = from_clock(clock, to_ns(*span));
  if (deadline <= here.host->now) {
    count_unblocked();
    return 0;
  }
  return sleep_until(deadline, nullptr);
}

long call_getrusage(int who, rusage* use) {
  const long result = raw(SYS_getrusage, who, use);
  if (result == 0) {
    use->ru_utime = {static_cast<time_t>(local_now() / 1000000000),
                     static_cast<suseconds_t>(local_now() % 1000000000 / 1000)};
    use->ru_stime = {0, 0};
  }
  return result;
}

long call_times(tms* use) {
  const auto ticks = static_cast<clock_t>(local_now() / 10000000);
  if (use != nullptr) *use = {ticks, 0, 0, 0};
  return ticks + 100000;
}

}  // namespace strata::shim
