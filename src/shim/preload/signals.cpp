// Signals. Every handler is entered through ours: a signal that arrives while the thread does not hold the token, or is
// inside the shim, is delivered when it leaves. So handlers run in virtual time, in a fixed order, and interrupt waits.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "shim/core/futex_table.hpp"
#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

struct KernelAction {
  void* handler;
  std::uint64_t flags;
  void* restorer;
  std::uint64_t mask;
};

constexpr std::uint64_t kRestorerFlag = 0x04000000;
constexpr int kSignals = 65;
static_assert(SIGSYS == 31 && SIGSEGV == 11);
constexpr std::uint64_t kBreakCharge = 1000000;

KernelAction actions[kSignals];
thread_local siginfo_t kept[kSignals] __attribute__((tls_model("initial-exec")));
thread_local std::uint64_t redelivered __attribute__((tls_model("initial-exec"))) = 0;

bool is_default_or_ignored(const KernelAction& action) {
  return action.handler == reinterpret_cast<void*>(SIG_DFL) || action.handler == reinterpret_cast<void*>(SIG_IGN);
}

void enter_handler(int number, siginfo_t* info, void* context) {
  const KernelAction action = actions[number];
  if (self != nullptr) self->interrupted = 0;
  if ((action.flags & SA_RESETHAND) != 0) {
    KernelAction plain{reinterpret_cast<void*>(SIG_DFL), 0, nullptr, 0};
    call_sigaction(number, &plain, nullptr);
  }
  if (is_default_or_ignored(action)) return;
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(action.handler)(number, info, context);
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int before = errno;
  if (depth > 0) {
    deferred |= signal_bit(number);
    kept[number] = *info;
  } else if ((redelivered & signal_bit(number)) != 0) {
    redelivered &= ~signal_bit(number);
    siginfo_t first = kept[number];
    enter_handler(number, &first, context);
  } else {
    enter_handler(number, info, context);
  }
  errno = before;
}

// The processor's time-stamp counter: a clock too, read without asking anybody. Switched off, it faults, and counts
// virtual nanoseconds.
bool emulate_counter(void* opaque) {
  greg_t* registers = static_cast<ucontext_t*>(opaque)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  const bool plain = code[0] == 0x0F && code[1] == 0x31;
  const bool with_core = code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xF9;
  if ((!plain && !with_core) || self == nullptr || depth > 0) return false;
  const Inside inside;
  timespec time{};
  call_clock_gettime(CLOCK_MONOTONIC, &time);
  const std::uint64_t count = to_ns(time);
  registers[REG_RAX] = static_cast<greg_t>(count & 0xFFFFFFFF);
  registers[REG_RDX] = static_cast<greg_t>(count >> 32);
  if (with_core) registers[REG_RCX] = 0;
  registers[REG_RIP] += plain ? 2 : 3;
  return true;
}

void on_fault(int number, siginfo_t* info, void* context) {
  if (info->si_code == SI_KERNEL && emulate_counter(context)) return;
  if (!is_default_or_ignored(actions[number])) return on_signal(number, info, context);
  // As without us: the instruction faults again and ends the process.
  const KernelAction plain{reinterpret_cast<void*>(SIG_DFL), kRestorerFlag,
                           reinterpret_cast<void*>(&strata_raw_restorer), 0};
  raw(SYS_rt_sigaction, number, &plain, nullptr, 8);
  if (info->si_code <= 0) raise_here(number);
}

// The warden found this thread computing for long without a call: perhaps it waits for memory that another should
// write.
void on_break(int, siginfo_t*, void*) {
  if (self == nullptr || depth > 0 || here.host->current != self) return;
  const int before = errno;
  {
    const Inside inside;
    ++here.host->counters.spins_broken;
    charge(kBreakCharge);
    settle();
  }
  errno = before;
}

bool is_reserved(int number) { return number == SIGSYS || number == kBreakSignal || number == SIGSEGV; }

bool ends_by_default(int number) {
  return number != SIGCHLD && number != SIGURG && number != SIGWINCH && number != SIGCONT && number != SIGSTOP &&
         number != SIGTSTP && number != SIGTTIN && number != SIGTTOU;
}

// The victim is gone for good when this returns, so that nobody sees it half dead.
void wait_for_death(Process& victim) {
  const long watch = raw(SYS_pidfd_open, victim.pid, 0);
  if (watch >= 0) {
    pollfd one{static_cast<int>(watch), POLLIN, 0};
    while (raw(SYS_poll, &one, 1, -1) == -EINTR) {
    }
    raw(SYS_close, watch);
  }
  bury(victim);
}

void after_signal(Process& process, Thread* chosen, int number) {
  if (process.life != Life::kRunning && process.life != Life::kStarting) return;
  const std::uint64_t bit = signal_bit(number);
  ++here.host->counters.signals;
  if ((process.ignored & bit) != 0) return;
  Thread* target = chosen != nullptr ? chosen : signal_target(process, number);
  if (target != nullptr && (target->blocked_signals & bit) != 0) target = nullptr;
  if (number == SIGKILL || ((process.handled & bit) == 0 && ends_by_default(number) && target != nullptr)) {
    if (&process != here.process) wait_for_death(process);
    return;
  }
  if (target != nullptr && (process.handled & bit) != 0) interrupt(*here.host, *target);
  wake_signal_waiters(*here.host, process);
}

bool concerns(const Process& process, long pid) {
  if (pid > 0) return process.pid == pid;
  if (pid == -1) return &process != here.process;
  const long group = pid == 0 ? raw(SYS_getpgid, 0) : -pid;
  return raw(SYS_getpgid, process.pid) == group;
}

long kill_processes(long pid, int number) {
  // Those it concerns are noted before anybody dies.
  Process* list[256];
  int count = 0;
  for (Process* p = here.host->processes; p != nullptr && count < 256; p = p->next) {
    if (p->life != Life::kZombie && concerns(*p, pid)) list[count++] = p;
  }
  long result = 0;
  if (pid > 0 && count == 1 && list[0] != here.process && signal_target(*list[0], number) != nullptr &&
      (list[0]->handled & signal_bit(number)) != 0) {
    // Which thread gets it must not depend on the kernel's mood.
    result = raw(SYS_tgkill, list[0]->pid, signal_target(*list[0], number)->tid, number);
  } else if (pid == here.host->warden_pid) {
    return -EPERM;
  } else {
    result = raw(SYS_kill, pid, number);
  }
  if (result < 0 || number == 0) return result;
  for (int i = 0; i < count; ++i) after_signal(*list[i], nullptr, number);
  return result;
}

}  // namespace

void deliver_deferred() {
  while (deferred != 0 && depth == 0) {
    const int number = __builtin_ctzll(deferred) + 1;
    deferred &= ~signal_bit(number);
    redelivered |= signal_bit(number);
    raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), number);
    // Still here and not delivered: it is blocked now and comes later.
  }
}

void raise_here(int number) { raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), number); }

bool restarts() { return (deferred & ~here.process->restarting) == 0; }

long call_sigaction(int number, const void* action, void* old) {
  if (number < 1 || number >= kSignals || number == SIGKILL || number == SIGSTOP) return -EINVAL;
  const KernelAction before = actions[number];
  if (action != nullptr) {
    KernelAction wanted{};
    std::memcpy(&wanted, action, sizeof wanted);
    wanted.mask &= ~kNeverBlocked;
    actions[number] = wanted;
    const std::uint64_t bit = signal_bit(number);
    Process& process = *here.process;
    process.handled &= ~bit;
    process.ignored &= ~bit;
    process.restarting &= ~bit;
    if (wanted.handler == reinterpret_cast<void*>(SIG_IGN)) process.ignored |= bit;
    if (!is_default_or_ignored(wanted)) process.handled |= bit;
    if ((wanted.flags & SA_RESTART) != 0) process.restarting |= bit;
    if (!is_reserved(number)) {
      KernelAction real = wanted;
      if (!is_default_or_ignored(wanted)) real.handler = reinterpret_cast<void*>(&on_signal);
      real.flags = (wanted.flags & ~static_cast<std::uint64_t>(SA_RESETHAND)) | SA_SIGINFO | kRestorerFlag;
      if (is_default_or_ignored(wanted)) real.flags = wanted.flags | kRestorerFlag;
      real.restorer = reinterpret_cast<void*>(&strata_raw_restorer);
      if (const long result = raw(SYS_rt_sigaction, number, &real, nullptr, 8); result < 0) {
        actions[number] = before;
        return result;
      }
    }
  }
  if (old != nullptr) std::memcpy(old, &before, sizeof before);
  return 0;
}

void inherit_actions() {
  for (int number = 1; number < kSignals; ++number) {
    KernelAction current{};
    if (is_reserved(number) || raw(SYS_rt_sigaction, number, nullptr, &current, 8) != 0) continue;
    actions[number] = current;
    const std::uint64_t bit = signal_bit(number);
    if (current.handler == reinterpret_cast<void*>(SIG_IGN)) here.process->ignored |= bit;
  }
}

void install_handlers() {
  KernelAction action{reinterpret_cast<void*>(&on_fault), SA_SIGINFO | SA_NODEFER | SA_ONSTACK | kRestorerFlag,
                      reinterpret_cast<void*>(&strata_raw_restorer), 0};
  raw(SYS_rt_sigaction, SIGSEGV, &action, nullptr, 8);
  action.handler = reinterpret_cast<void*>(&on_break);
  action.flags = SA_SIGINFO | SA_RESTART | kRestorerFlag;
  raw(SYS_rt_sigaction, kBreakSignal, &action, nullptr, 8);
}

void trap_counter(bool on) { raw(SYS_prctl, PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE); }

long call_kill(long call_number, long a, long b, long c, long d) {
  settle();
  switch (call_number) {
    case SYS_kill:
      return kill_processes(a, static_cast<int>(b));
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo: {
      const long result = raw(call_number, a, b, c, d);
      const long tid = call_number == SYS_tkill ? a : b;
      const int number = static_cast<int>(call_number == SYS_tkill ? b : c);
      if (result < 0 || number == 0) return result;
      for (Process* p = here.host->processes; p != nullptr; p = p->next) {
        for (Thread* t = p->threads; t != nullptr; t = t->next) {
          if (t->tid != tid || t->gone != 0) continue;
          after_signal(*p, t, number);
          return result;
        }
      }
      return result;
    }
    default: {  // rt_sigqueueinfo
      const long result = raw(call_number, a, b, c, d);
      if (result < 0) return result;
      for (Process* p = here.host->processes; p != nullptr; p = p->next) {
        if (p->pid == a) {
          after_signal(*p, nullptr, static_cast<int>(b));
          break;
        }
      }
      return result;
    }
  }
}

long call_sigtimedwait(const std::uint64_t* set, void* info, const timespec* timeout) {
  settle();
  const std::uint64_t deadline = timeout != nullptr ? later(here.host->now, to_ns(*timeout)) : kNever;
  for (;;) {
    const timespec none{0, 0};
    const long result = raw(SYS_rt_sigtimedwait, set, info, &none, 8);
    if (result != -EAGAIN) return result;
    if (deadline <= here.host->now) return -EAGAIN;
    self->waits_signal = 1;
    const Woke woke = block(deadline, Cause::kSignal);
    self->waits_signal = 0;
    if (woke == Woke::kSignal) return -EINTR;
  }
}

MaskGuard::MaskGuard(const std::uint64_t* mask) {
  if (mask == nullptr) return;
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, mask, sizeof wanted);
  wanted &= ~kNeverBlocked;
  set_ = true;
  before_ = self->blocked_signals;
  self->blocked_signals = wanted;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &wanted, nullptr, 8);
}

MaskGuard::~MaskGuard() {
  if (!set_) return;
  // Handlers run with the mask of the call.
  if (deferred != 0) {
    const int inside = depth;
    depth = 0;
    deliver_deferred();
    depth = inside;
  }
  self->blocked_signals = before_;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, 8);
}

long call_sigsuspend(const std::uint64_t* mask) {
  settle();
  const MaskGuard guard(mask);
  while (block(kNever, Cause::kSignal) != Woke::kSignal) {
  }
  return -EINTR;
}

}  // namespace strata::shim
