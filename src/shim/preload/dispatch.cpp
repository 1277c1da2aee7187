// Every system call of a guest: emulated here, or passed on to the kernel. The same function serves the preloaded
// wrappers and, through syscall user dispatch, everything else.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

namespace strata::shim {

namespace {

template <class T>
T* at(long address) {
  return reinterpret_cast<T*>(address);
}

std::uint64_t milliseconds(long timeout) {
  return static_cast<int>(timeout) < 0 ? kNever : static_cast<std::uint64_t>(timeout) * 1000000U;
}
std::uint64_t span(long address) { return address != 0 ? to_ns(*at<timespec>(address)) : kNever; }
std::uint64_t span_of_timeval(long address) {
  if (address == 0) return kNever;
  const auto* t = at<timeval>(address);
  return static_cast<std::uint64_t>(t->tv_sec) * 1000000000U + static_cast<std::uint64_t>(t->tv_usec) * 1000U;
}
const std::uint64_t* mask_of_pselect(long address) {
  if (address == 0) return nullptr;
  return *at<const std::uint64_t*>(address);
}

long read_or_write(long number, long a, long b, long c) {
  bool handled = false;
  const iovec one{at<void>(b), static_cast<std::size_t>(c)};
  long result = 0;
  switch (number) {
    case SYS_read:
      result = call_read(static_cast<int>(a), &one, 1, handled);
      break;
    case SYS_write:
      result = call_write(static_cast<int>(a), &one, 1, handled);
      break;
    case SYS_readv:
      result = call_read(static_cast<int>(a), at<iovec>(b), static_cast<int>(c), handled);
      break;
    default:
      result = call_write(static_cast<int>(a), at<iovec>(b), static_cast<int>(c), handled);
      break;
  }
  return handled ? result : raw(number, a, b, c);
}

long send_to(long a, long b, long c, long d, long e, long f) {
  iovec part{at<void>(b), static_cast<std::size_t>(c)};
  msghdr message{};
  message.msg_name = at<void>(e);
  message.msg_namelen = static_cast<socklen_t>(f);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return call_sendmsg(static_cast<int>(a), &message, static_cast<int>(d));
}

long receive_from(long a, long b, long c, long d, long e, long f) {
  iovec part{at<void>(b), static_cast<std::size_t>(c)};
  msghdr message{};
  message.msg_name = at<void>(e);
  if (f != 0) message.msg_namelen = *at<socklen_t>(f);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const long result = call_recvmsg(static_cast<int>(a), &message, static_cast<int>(d));
  if (result >= 0 && f != 0) *at<socklen_t>(f) = message.msg_namelen;
  return result;
}

long flock_wait(long descriptor, long operation) {
  constexpr long kNonblocking = 4;
  for (std::uint64_t pause = 10000;; pause = pause < 1000000 ? pause * 2 : pause) {
    settle();
    const long result = raw(SYS_flock, descriptor, operation | kNonblocking);
    if (result != -EAGAIN || (operation & kNonblocking) != 0) return result;
    if (block(here.host->now + pause, Cause::kFile) == Woke::kSignal) return -EINTR;
  }
}

long call_files(long number, long a, long b, long c, long d, long e, bool& known) {
  known = true;
  const int fd = static_cast<int>(a);
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_readv:
    case SYS_writev:
      return read_or_write(number, a, b, c);
    case SYS_pipe:
      return call_pipe(at<int>(a), 0);
    case SYS_pipe2:
      return call_pipe(at<int>(a), static_cast<int>(b));
    case SYS_eventfd:
      return call_eventfd(static_cast<unsigned>(a), 0);
    case SYS_eventfd2:
      return call_eventfd(static_cast<unsigned>(a), static_cast<int>(b));
    case SYS_close:
      return call_close(fd);
    case SYS_close_range:
      return call_close_range(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c));
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
      return call_dup(number, a, b, c);
    case SYS_fcntl:
      return call_fcntl(fd, static_cast<int>(b), c);
    case SYS_ioctl:
      return call_ioctl(fd, static_cast<unsigned long>(b), at<void>(c));
    case SYS_flock:
      return flock_wait(a, b);
    case SYS_sendfile:
      return call_sendfile(fd, static_cast<int>(b), at<std::int64_t>(c), static_cast<std::size_t>(d));
    case SYS_poll:
      return call_poll(at<pollfd>(a), static_cast<unsigned long>(b), milliseconds(c), nullptr);
    case SYS_ppoll:
      return call_poll(at<pollfd>(a), static_cast<unsigned long>(b), span(c), at<std::uint64_t>(d));
    case SYS_select:
      return call_select(fd, at<fd_set>(b), at<fd_set>(c), at<fd_set>(d), span_of_timeval(e), nullptr);
    case SYS_epoll_create:
      return call_epoll_create(0);
    case SYS_epoll_create1:
      return call_epoll_create(fd);
    case SYS_epoll_ctl:
      return call_epoll_ctl(fd, static_cast<int>(b), static_cast<int>(c), at<epoll_event>(d));
    case SYS_epoll_wait:
      return call_epoll_wait(fd, at<epoll_event>(b), static_cast<int>(c), milliseconds(d), nullptr);
    case SYS_epoll_pwait:
      return call_epoll_wait(fd, at<epoll_event>(b), static_cast<int>(c), milliseconds(d), at<std::uint64_t>(e));
    case SYS_epoll_pwait2:
      return call_epoll_wait(fd, at<epoll_event>(b), static_cast<int>(c), span(d), at<std::uint64_t>(e));
    case SYS_io_uring_setup:
      return -ENOSYS;
    default:
      known = false;
      return 0;
  }
}

long call_sockets(long number, long a, long b, long c, long d, long e, long f, bool& known) {
  known = true;
  const int fd = static_cast<int>(a);
  const auto length = static_cast<socklen_t>(c);
  switch (number) {
    case SYS_socket:
      return call_socket(fd, static_cast<int>(b), static_cast<int>(c));
    case SYS_socketpair:
      return call_socketpair(fd, static_cast<int>(b), static_cast<int>(c), at<int>(d));
    case SYS_bind:
      return call_bind(fd, at<sockaddr>(b), length);
    case SYS_listen:
      return call_listen(fd, static_cast<int>(b));
    case SYS_accept:
      return call_accept(fd, at<sockaddr>(b), at<socklen_t>(c), 0);
    case SYS_accept4:
      return call_accept(fd, at<sockaddr>(b), at<socklen_t>(c), static_cast<int>(d));
    case SYS_connect:
      return call_connect(fd, at<sockaddr>(b), length);
    case SYS_shutdown:
      return call_shutdown(fd, static_cast<int>(b));
    case SYS_getsockname:
      return call_name(false, fd, at<sockaddr>(b), at<socklen_t>(c));
    case SYS_getpeername:
      return call_name(true, fd, at<sockaddr>(b), at<socklen_t>(c));
    case SYS_setsockopt:
      return call_setsockopt(fd, static_cast<int>(b), static_cast<int>(c), at<void>(d), static_cast<socklen_t>(e));
    case SYS_getsockopt:
      return call_getsockopt(fd, static_cast<int>(b), static_cast<int>(c), at<void>(d), at<socklen_t>(e));
    case SYS_sendto:
      return send_to(a, b, c, d, e, f);
    case SYS_recvfrom:
      return receive_from(a, b, c, d, e, f);
    case SYS_sendmsg:
      return call_sendmsg(fd, at<msghdr>(b), static_cast<int>(c));
    case SYS_recvmsg:
      return call_recvmsg(fd, at<msghdr>(b), static_cast<int>(c));
    case SYS_sendmmsg:
      return call_sendmmsg(fd, at<mmsghdr>(b), static_cast<unsigned>(c), static_cast<int>(d));
    case SYS_recvmmsg:
      return call_recvmmsg(fd, at<mmsghdr>(b), static_cast<unsigned>(c), static_cast<int>(d), at<timespec>(e));
    default:
      known = false;
      return 0;
  }
}

long call_times_and_timers(long number, long a, long b, long c, long d, bool& known) {
  known = true;
  const int id = static_cast<int>(a);
  switch (number) {
    case SYS_clock_gettime:
      return call_clock_gettime(id, at<timespec>(b));
    case SYS_gettimeofday:
      return call_gettimeofday(at<timeval>(a));
    case SYS_time:
      return call_time(at<long>(a));
    case SYS_nanosleep:
      return call_nanosleep(at<timespec>(a), at<timespec>(b));
    case SYS_clock_nanosleep:
      return call_clock_nanosleep(id, static_cast<int>(b), at<timespec>(c), at<timespec>(d));
    case SYS_getrusage:
      return call_getrusage(id, at<rusage>(b));
    case SYS_times:
      return call_times(at<tms>(a));
    case SYS_sched_yield:
      yield_token();
      return 0;
    case SYS_timerfd_create:
      return call_timerfd_create(id, static_cast<int>(b));
    case SYS_timerfd_settime:
      return call_timerfd_settime(id, static_cast<int>(b), at<itimerspec>(c), at<itimerspec>(d));
    case SYS_timerfd_gettime:
      return call_timerfd_gettime(id, at<itimerspec>(b));
    case SYS_setitimer:
      return call_setitimer(id, at<void>(b), at<void>(c));
    case SYS_getitimer:
      return call_getitimer(id, at<void>(b));
    case SYS_alarm:
      return call_alarm(static_cast<unsigned>(a));
    case SYS_timer_create:
      return call_timer_create(id, at<void>(b), at<int>(c));
    case SYS_timer_settime:
      return call_timer_settime(id, static_cast<int>(b), at<itimerspec>(c), at<itimerspec>(d));
    case SYS_timer_gettime:
      return call_timer_gettime(id, at<itimerspec>(b));
    case SYS_timer_delete:
      return call_timer_delete(id);
    case SYS_timer_getoverrun:
      return 0;
    case SYS_getrandom:
      fill_random(at<void>(a), static_cast<std::size_t>(b));
      return b;
    default:
      known = false;
      return 0;
  }
}

long call_processes(long number, long a, long b, long c, long d, long e, bool& known) {
  known = true;
  switch (number) {
    case SYS_wait4:
      return call_wait4(static_cast<int>(a), at<int>(b), static_cast<int>(c), at<rusage>(d));
    case SYS_waitid:
      return call_waitid(static_cast<int>(a), static_cast<int>(b), at<void>(c), static_cast<int>(d), at<rusage>(e));
    case SYS_fork:
    case SYS_vfork:
      return call_fork();
    case SYS_execve:
      return call_execve(at<char>(a), at<char*>(b), at<char*>(c));
    case SYS_exit_group:
      call_exit_group(static_cast<int>(a));
    case SYS_exit:
      call_exit_thread(static_cast<int>(a));
    case SYS_rt_sigaction:
      return call_sigaction(static_cast<int>(a), at<void>(b), at<void>(c));
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
      return call_kill(number, a, b, c, d);
    case SYS_rt_sigtimedwait:
      return call_sigtimedwait(at<std::uint64_t>(a), at<void>(b), at<timespec>(c));
    case SYS_rt_sigsuspend:
      return call_sigsuspend(at<std::uint64_t>(a));
    case SYS_pause:
      settle();
      while (block(kNever, Cause::kSignal) != Woke::kSignal) {
      }
      return -EINTR;
    default:
      known = false;
      return 0;
  }
}

// The mask changes when the handler returns: the kernel restores it from there.
long change_mask(ucontext_t& context, long how, const std::uint64_t* set, std::uint64_t* old) {
  std::uint64_t mask = 0;
  std::memcpy(&mask, &context.uc_sigmask, sizeof mask);
  const std::uint64_t before = mask;
  if (set != nullptr) {
    std::uint64_t given = 0;
    std::memcpy(&given, set, sizeof given);
    switch (how) {
      case SIG_BLOCK:
        mask |= given;
        break;
      case SIG_UNBLOCK:
        mask &= ~given;
        break;
      case SIG_SETMASK:
        mask = given;
        break;
      default:
        return -EINVAL;
    }
    mask &= ~kNeverBlocked;
    std::memcpy(&context.uc_sigmask, &mask, sizeof mask);
    if (self != nullptr) self->blocked_signals = mask;
  }
  if (old != nullptr) std::memcpy(old, &before, sizeof before);
  return 0;
}

// A thread or a child on a stack of its own cannot be made from inside a handler: the instruction is run again,
// untrapped.
bool runs_again(long number, long flags) {
  if (number == SYS_clone3) return true;
  return number == SYS_clone && (static_cast<unsigned long>(flags) & CLONE_VM) != 0;
}

void on_trap(int, siginfo_t* info, void* opaque) {
  const int before = errno;
  auto& context = *static_cast<ucontext_t*>(opaque);
  greg_t* registers = context.uc_mcontext.gregs;
  const long number = info->si_syscall;
  const long a = registers[REG_RDI];
  const long b = registers[REG_RSI];
  const long c = registers[REG_RDX];
  if (number == SYS_rt_sigreturn) {
    registers[REG_RIP] = reinterpret_cast<greg_t>(&strata_raw_restorer);
    return;
  }
  if (runs_again(number, a)) {
    if (self != nullptr) ++here.host->counters.unknown_threads;
    selector = 0;
    trap_again = self != nullptr;
    registers[REG_RAX] = number;
    registers[REG_RIP] -= 2;
    return;
  }
  long result = 0;
  do {
    const Inside inside;
    if (number == SYS_rt_sigprocmask) {
      result = change_mask(context, a, at<std::uint64_t>(b), at<std::uint64_t>(c));
    } else if (self == nullptr || depth > 1) {
      result = raw(number, a, b, c, registers[REG_R10], registers[REG_R8], registers[REG_R9]);
    } else {
      ++here.host->counters.traps;
      if (number >= 0 && number < 512) ++here.host->traps_by_call[number];
      count_unblocked();
      result = call(number, a, b, c, registers[REG_R10], registers[REG_R8], registers[REG_R9]);
    }
    registers[REG_RAX] = result;
  } while (result == -ERESTART);
  errno = before;
}

}  // namespace

long call(long number, long a, long b, long c, long d, long e, long f) {
  bool known = false;
  long result = 0;
  if (number == SYS_futex) {
    return call_futex(at<std::uint32_t>(a), static_cast<int>(b), static_cast<std::uint32_t>(c), at<timespec>(d),
                      at<std::uint32_t>(e), static_cast<std::uint32_t>(f));
  }
  if (result = call_files(number, a, b, c, d, e, known); known) return result;
  if (result = call_sockets(number, a, b, c, d, e, f, known); known) return result;
  if (result = call_times_and_timers(number, a, b, c, d, known); known) return result;
  if (result = call_processes(number, a, b, c, d, e, known); known) return result;
  switch (number) {
    case SYS_pselect6:
      return call_select(static_cast<int>(a), at<fd_set>(b), at<fd_set>(c), at<fd_set>(d), span(e), mask_of_pselect(f));
    case 449:  // futex_waitv
      return call_futex_waitv(at<void>(a), static_cast<unsigned>(b), at<timespec>(d), static_cast<int>(e));
    case SYS_clone:
      return call_fork();
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mmap:
      forget_mappings();
      break;
    default:
      break;
  }
  return raw(number, a, b, c, d, e, f);
}

void trap_this_thread() {
  selector = 0;
  const long size = strata_gate_end - strata_gate;
  if (raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, strata_gate, size, &selector) != 0) {
    stop_run(Stop::kFailed, "the kernel refuses syscall user dispatch; see `strata doctor`");
  }
  selector = 1;
}

void install_traps() {
  struct {
    void* handler;
    std::uint64_t flags;
    void* restorer;
    std::uint64_t mask;
  } action = {reinterpret_cast<void*>(&on_trap), SA_SIGINFO | SA_NODEFER | 0x04000000,
              reinterpret_cast<void*>(&strata_raw_restorer), 0};
  raw(SYS_rt_sigaction, SIGSYS, &action, nullptr, 8);
  const std::uint64_t mask = kNeverBlocked;
  raw(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, nullptr, 8);
}

}  // namespace strata::shim
