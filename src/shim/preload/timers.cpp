// timerfd, setitimer, alarm and POSIX timers: entries of the host's queue.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

std::uint64_t to_ns(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000U + static_cast<std::uint64_t>(t.tv_usec) * 1000U;
}
timeval to_timeval(std::uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000U), static_cast<suseconds_t>(ns % 1000000000U / 1000)};
}

std::uint64_t remaining(const Timer& timer) {
  if (!timer.armed()) return 0;
  return timer.entry.time > here.host->now ? timer.entry.time - here.host->now : 1;
}

void read_out(const Timer& timer, itimerspec& value) {
  value.it_value = to_timespec(remaining(timer));
  value.it_interval = to_timespec(timer.interval);
}

void arm(Timer& timer, std::uint64_t first, std::uint64_t interval) {
  timer.entry.kind = EntryKind::kTimer;
  timer.expirations = 0;
  timer.interval = interval;
  if (first == kNever) return unschedule(*here.host, timer.entry);
  schedule(*here.host, timer.entry, first);
}

long set_timer(Timer& timer, bool absolute, const itimerspec& value, itimerspec* old) {
  if (value.it_value.tv_nsec < 0 || value.it_value.tv_nsec > 999999999) return -EINVAL;
  settle();
  if (old != nullptr) read_out(timer, *old);
  const std::uint64_t first = strata::shim::to_ns(value.it_value);
  const std::uint64_t due =
      first == 0 ? kNever : (absolute ? from_clock(timer.clock, first) : later(here.host->now, first));
  arm(timer, due, strata::shim::to_ns(value.it_interval));
  return 0;
}

TimerFile* timer_of(int descriptor) {
  File* file = file_of(descriptor);
  return file != nullptr && file->kind == FileKind::kTimer ? static_cast<TimerFile*>(file) : nullptr;
}

Timer* find_timer(int id) {
  Timer* timer = here.process->timers;
  while (timer != nullptr && timer->id != id) timer = timer->next;
  return timer;
}

Timer& alarm_of(Process& process) {
  if (process.alarm == nullptr) {
    process.alarm = make<Timer>(*here.host);
    process.alarm->process = &process;
    process.alarm->signal = SIGALRM;
  }
  return *process.alarm;
}

}  // namespace

long call_timerfd_create(int clock, int flags) {
  int type = SOCK_DGRAM;
  if ((flags & TFD_NONBLOCK) != 0) type |= SOCK_NONBLOCK;
  if ((flags & TFD_CLOEXEC) != 0) type |= SOCK_CLOEXEC;
  const long descriptor = raw(SYS_socket, AF_UNIX, type, 0);
  if (descriptor < 0) return descriptor;
  forget_descriptor(static_cast<int>(descriptor));
  auto* file = make_file<TimerFile>(*here.host, FileKind::kTimer, inode_of(static_cast<int>(descriptor)));
  file->timer.file = file;
  file->timer.clock = clock;
  set_file(*here.process, static_cast<int>(descriptor), file);
  return descriptor;
}

long call_timerfd_settime(int descriptor, int flags, const itimerspec* value, itimerspec* old) {
  TimerFile* file = timer_of(descriptor);
  if (file == nullptr) return -EINVAL;
  return set_timer(file->timer, (flags & TFD_TIMER_ABSTIME) != 0, *value, old);
}

long call_timerfd_gettime(int descriptor, itimerspec* value) {
  TimerFile* file = timer_of(descriptor);
  if (file == nullptr) return -EINVAL;
  settle();
  read_out(file->timer, *value);
  return 0;
}

long call_setitimer(int which, const void* value, void* old) {
  if (which != ITIMER_REAL) return raw(SYS_setitimer, which, value, old);
  settle();
  Timer& timer = alarm_of(*here.process);
  itimerval now{to_timeval(timer.interval), to_timeval(remaining(timer))};
  if (value != nullptr) {
    itimerval next{};
    std::memcpy(&next, value, sizeof next);
    const std::uint64_t first = to_ns(next.it_value);
    arm(timer, first == 0 ? kNever : later(here.host->now, first), to_ns(next.it_interval));
  }
  if (old != nullptr) std::memcpy(old, &now, sizeof now);
  return 0;
}

long call_getitimer(int which, void* value) {
  if (which != ITIMER_REAL) return raw(SYS_getitimer, which, value);
  settle();
  const Timer& timer = alarm_of(*here.process);
  const itimerval now{to_timeval(timer.interval), to_timeval(remaining(timer))};
  std::memcpy(value, &now, sizeof now);
  return 0;
}

long call_alarm(unsigned seconds) {
  itimerval next{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval old{};
  call_setitimer(ITIMER_REAL, &next, &old);
  return old.it_value.tv_sec + (old.it_value.tv_usec > 0 ? 1 : 0);
}

long call_timer_create(int clock, const void* event, int* id) {
  settle();
  Timer* timer = make<Timer>(*here.host);
  timer->process = here.process;
  timer->id = here.process->timer_ids++;
  timer->clock = clock;
  timer->signal = SIGALRM;
  timer->value = static_cast<std::uint64_t>(timer->id);
  if (event != nullptr) {
    sigevent how{};
    std::memcpy(&how, event, sizeof how);
    timer->signal = how.sigev_notify == SIGEV_NONE ? 0 : how.sigev_signo;
    timer->value = reinterpret_cast<std::uint64_t>(how.sigev_value.sival_ptr);
    if (how.sigev_notify == SIGEV_THREAD_ID) std::memcpy(&timer->tid, static_cast<const char*>(event) + 16, 4);
  }
  timer->next = here.process->timers;
  here.process->timers = timer;
  *id = timer->id;
  return 0;
}

long call_timer_settime(int id, int flags, const itimerspec* value, itimerspec* old) {
  Timer* timer = find_timer(id);
  if (timer == nullptr) return -EINVAL;
  return set_timer(*timer, (flags & TIMER_ABSTIME) != 0, *value, old);
}

long call_timer_gettime(int id, itimerspec* value) {
  const Timer* timer = find_timer(id);
  if (timer == nullptr) return -EINVAL;
  settle();
  read_out(*timer, *value);
  return 0;
}

long call_timer_delete(int id) {
  for (Timer** at = &here.process->timers; *at != nullptr; at = &(*at)->next) {
    if ((*at)->id != id) continue;
    Timer* timer = *at;
    *at = timer->next;
    unschedule(*here.host, timer->entry);
    release(*here.host, timer);
    return 0;
  }
  return -EINVAL;
}

}  // namespace strata::shim
