#include "shim/preload/guest.hpp"

#include "shim/core/raw.hpp"

namespace strata::shim {

thread_local int depth = 0;
thread_local std::uint64_t deferred = 0;
thread_local char selector = 0;
thread_local bool trap_again = false;

namespace {

constexpr std::uint64_t kSecond = 1000000000;
constexpr std::uint64_t kDoublings = 10;  ///< a call costs at most about a thousand times the first charge
constexpr std::uint64_t kMonotonicStart = 1000 * kSecond;  ///< a machine that has been up for a while

const Program& program() { return here.region->programs[here.process->program]; }

// Real time that this thread used, for the measuring time functions.
std::uint64_t meter(TimeFunction function) {
  if (function == TimeFunction::kWall) return wall_now();
  timespec t{};
  raw(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
  return to_ns(t);
}

void measure() {
  const Program& p = program();
  if (p.function != TimeFunction::kCpu && p.function != TimeFunction::kWall) return;
  const std::uint64_t mark = meter(p.function);
  const auto used = static_cast<double>(mark - self->cost_mark);
  self->cost_mark = mark;
  self->local += static_cast<std::uint64_t>(used * p.factor);
  ++here.host->counters.measured;
}

// The thread has the token again: its computing starts now.
void resume() {
  const Program& p = program();
  self->local = here.host->now;
  if (p.function == TimeFunction::kNone) return;
  if (p.function == TimeFunction::kConstant) {
    self->local += p.constant_ns;
  } else {
    self->cost_mark = meter(p.function);
  }
}

// The core of every wait: the least entry of the queue comes next, and often that is ourselves.
void run_others() {
  Host& host = *here.host;
  ++host.counters.syncs;
  self->waiting = 1;
  Thread* next = next_thread(host);
  if (next == self) {
    host.current = self;
  } else {
    give(host, *next);
    await_token(*self);
  }
  self->waiting = 0;
}

void forget_counts() {
  self->counted_at = here.host->now;
  self->unblocked_calls = self->unblocked_reads = self->unblocked_locks = 0;
}

// One more thing done without blocking. Past the limit it costs time, or a loop of such things would never end.
// What it costs grows with `steps`: a loop that waits for a second must not take a million calls.
bool exceeds(std::uint64_t& count, std::uint64_t limit, std::uint64_t steps) {
  // Time that went on by other means than our charges ends the count; once we charge, only a wait does.
  if (self->counted_at != kNever && self->counted_at != here.host->now) forget_counts();
  if (++count <= limit) return false;
  self->counted_at = kNever;
  ++here.host->counters.spins_charged;
  const std::uint64_t doublings = (count - limit) / 1000;
  charge(here.region->settings.spin_charge_ns << (doublings < steps ? doublings : steps));
  return true;
}

void trace_wait(Cause cause) {
  if (here.region->settings.trace != 0) trace(*here.host, *self, 16 + static_cast<std::uint32_t>(cause));
}

}  // namespace

std::uint64_t to_ns(const timespec& t) {
  if (t.tv_sec < 0) return 0;
  if (t.tv_sec > 9000000000) return kNever / 2;
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

timespec to_timespec(std::uint64_t ns) { return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)}; }

std::uint64_t clock_offset(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return here.region->settings.epoch_ns;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return kMonotonicStart;
    default:
      return 0;
  }
}

std::uint64_t from_clock(int clock, std::uint64_t ns) {
  const std::uint64_t offset = clock_offset(clock);
  return ns > offset ? ns - offset : 0;
}

std::uint64_t with_slack(std::uint64_t deadline) { return later(deadline, here.region->settings.timer_slack_ns); }

std::uint64_t local_now() {
  measure();
  return self->local > here.host->now ? self->local : here.host->now;
}

void charge(std::uint64_t ns) {
  if (self->local < here.host->now) self->local = here.host->now;
  self->local += ns;
}

void settle() {
  measure();
  Host& host = *here.host;
  while (self->local > host.now) {
    const std::uint64_t mine = self->local;
    const Entry* first = host.queue.first();
    // Nobody acts before: no need to go through the queue.
    if (mine < here.region->window_end && (first == nullptr || first->time > mine) && here.region->settings.pace <= 0) {
      host.now = mine;
      break;
    }
    schedule(host, self->entry, mine);
    trace_wait(Cause::kCompute);
    run_others();
    self->local = mine;
    const Program& p = program();
    if (p.function == TimeFunction::kCpu || p.function == TimeFunction::kWall) self->cost_mark = meter(p.function);
  }
}

Woke block(std::uint64_t until, Cause cause) {
  Thread& me = *self;
  if (deferred != 0 || me.interrupted != 0) {
    me.interrupted = 0;
    return Woke::kSignal;
  }
  Host& host = *here.host;
  me.woken = 0;
  const std::uint64_t before = host.now;
  if (until != kNever) schedule(host, me.entry, until);
  trace_wait(cause);
  run_others();
  if (here.region->settings.trace != 0 && host.current == self) trace(host, me, 0);
  resume();
  if (host.now > before) forget_counts();
  if (me.interrupted != 0 || deferred != 0) {
    me.interrupted = 0;
    return Woke::kSignal;
  }
  return me.woken != 0 ? Woke::kEvent : Woke::kTime;
}

void yield_token() {
  settle();
  count_unblocked();
  block(here.host->now, Cause::kYield);
}

void count_unblocked() {
  if (exceeds(self->unblocked_calls, here.region->settings.call_limit, kDoublings)) settle();
}

void count_lock() {
  if (exceeds(self->unblocked_locks, here.region->settings.lock_limit, kDoublings)) settle();
}

void count_clock_read() {
  const Settings& settings = here.region->settings;
  ++here.host->counters.clock_reads;
  // Others are let in now and then only: a switch per reading would be slow.
  if (exceeds(self->unblocked_reads, settings.clock_limit, 0) &&
      self->local > here.host->now + 10 * settings.spin_charge_ns) {
    settle();
  }
}

void take_up() {
  await_token(*self);
  resume();
}

}  // namespace strata::shim
