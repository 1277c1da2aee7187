// Processes: fork, exec, wait, exit. A process that ends keeps the token; the warden buries it and passes the token on,
// so that its end is seen at one moment by everybody.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "shim/core/futex_table.hpp"
#include "shim/core/program_file.hpp"
#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

extern "C" char** environ;

namespace strata::shim {

namespace {

// A dead child of this process that `pid` means; `any` tells whether there is a living one.
Process* find_dead_child(long pid, bool& any) {
  any = false;
  for (Process* p = here.host->processes; p != nullptr; p = p->next) {
    if (p->parent != here.process) continue;
    if (pid > 0 && p->pid != pid) continue;
    if (pid < -1 && raw(SYS_getpgid, p->pid) != -pid) continue;
    if (pid == 0 && raw(SYS_getpgid, p->pid) != raw(SYS_getpgid, 0)) continue;
    any = true;
    if (p->life == Life::kZombie) return p;
  }
  return nullptr;
}

// Waits until a child that `pid` means has ended: the child, or null with an error.
Process* await_child(long pid, bool nonblocking, long& error) {
  settle();
  for (;;) {
    bool any = false;
    Process* dead = find_dead_child(pid, any);
    error = 0;
    if (dead != nullptr) return dead;
    if (!any) error = -ECHILD;
    if (!any || nonblocking) {
      count_unblocked();
      return nullptr;
    }
    join_futex(*here.host, *self, child_key(*here.process), ~0U);
    const Woke woke = block(kNever, Cause::kChild);
    leave_futex(*here.host, *self);
    // The end of the child itself is a signal too: it counts as the answer.
    if (woke == Woke::kSignal && find_dead_child(pid, any) == nullptr) {
      error = restarts() ? -ERESTART : -EINTR;
      return nullptr;
    }
  }
}

void explain(const char* path, const char* why) {
  char text[512];
  std::size_t length = 0;
  for (const char* part : {path, ": ", why}) {
    for (; *part != 0 && length + 1 < sizeof text; ++part) text[length++] = *part;
  }
  text[length] = 0;
  complain(text);
}

bool is_ours(const char* variable) {
  for (const char* name : {"LD_PRELOAD", kRegionVariable, kHostVariable, kPreloadVariable}) {
    const std::size_t length = std::strlen(name);
    if (std::strncmp(variable, name, length) == 0 && variable[length] == '=') return true;
  }
  return false;
}

}  // namespace

char guest_variables[4][512];
void remember_environment(const char* const* environment) {
  int at = 0;
  for (const char* const* e = environment; e != nullptr && *e != nullptr && at < 4; ++e) {
    if (is_ours(*e)) std::strncpy(guest_variables[at++], *e, sizeof guest_variables[0] - 1);
  }
}

char** guest_environment(char* const* environment, std::size_t& bytes) {
  std::size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  bytes = (count + 5) * sizeof(char*);
  const long memory = raw(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto** result = reinterpret_cast<char**>(memory);
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_ours(environment[i])) result[at++] = environment[i];
  }
  for (char* variable : guest_variables) {
    if (variable[0] != 0) result[at++] = variable;
  }
  result[at] = nullptr;
  return result;
}

long check_program(const char* path) {
  char culprit[256];
  switch (inspect(path, culprit, sizeof culprit)) {
    case ProgramKind::kStatic:
      explain(culprit, "is linked statically and cannot run in virtual time; use a dynamically linked build");
      return -ENOEXEC;
    case ProgramKind::kForeign:
      explain(culprit, "is not a 64-bit x86 program and cannot run in virtual time");
      return -ENOEXEC;
    case ProgramKind::kRaised:
      explain(culprit, "changes its user or group when it starts, which the loader does not allow in virtual time");
      return -EPERM;
    case ProgramKind::kFine:
      break;
  }
  return 0;
}

Process* prepare_child() {
  Host& host = *here.host;
  if (host.alive >= here.region->settings.process_limit) return nullptr;
  Process* child = new_process(host, here.process, here.process->program);
  child->handled = here.process->handled;
  child->ignored = here.process->ignored;
  child->restarting = here.process->restarting;
  copy_files(*here.process, *child);
  Thread* thread = new_thread(host, *child);
  thread->blocked_signals = self->blocked_signals;
  return child;
}

void adopt_child(Process& child, int pid) {
  child.threads->tid = pid;
  __atomic_store_n(&child.pid, pid, __ATOMIC_SEQ_CST);
  schedule(*here.host, child.threads->entry, here.host->now);
  raw(SYS_kill, here.host->warden_pid, SIGUSR1);
}

void abandon_child(Process& child) {
  Host& host = *here.host;
  while (child.threads != nullptr) retire(host, *child.threads);
  close_all(child);
  --host.alive;
  retire(host, child);
}

long call_wait4(int pid, int* status, int options, rusage* use) {
  long error = 0;
  Process* dead = await_child(pid, (options & WNOHANG) != 0, error);
  if (dead == nullptr) return error;
  const int gone = dead->pid;
  long result = 0;
  do {
    result = raw(SYS_wait4, gone, status, options & ~(WNOHANG | WUNTRACED | WCONTINUED), use);
  } while (result == -EINTR);
  if (use != nullptr && result > 0) {
    use->ru_utime = {0, 0};
    use->ru_stime = {0, 0};
  }
  retire(*here.host, *dead);
  return result;
}

long call_waitid(int kind, int id, void* info, int options, rusage* use) {
  if ((options & WEXITED) == 0) return raw(SYS_waitid, kind, id, info, options, use);
  long pid = -1;
  if (kind == P_PID) pid = id;
  if (kind == P_PGID) pid = id == 0 ? 0 : -static_cast<long>(id);
  if (kind == P_PIDFD) {
    // The kernel knows whom the descriptor means: ask without taking.
    siginfo_t who{};
    for (;;) {
      settle();
      const long result = raw(SYS_waitid, kind, id, &who, WEXITED | WNOWAIT | WNOHANG, nullptr);
      if (result < 0) return result;
      if (who.si_pid != 0 || (options & WNOHANG) != 0) break;
      join_futex(*here.host, *self, child_key(*here.process), ~0U);
      const Woke woke = block(kNever, Cause::kChild);
      leave_futex(*here.host, *self);
      if (woke == Woke::kSignal) return -EINTR;
    }
    pid = who.si_pid != 0 ? who.si_pid : -1;
    if (who.si_pid == 0) return raw(SYS_waitid, kind, id, info, options, use);
  }
  long error = 0;
  Process* dead = await_child(pid, (options & WNOHANG) != 0, error);
  if (dead == nullptr) {
    if (error == 0 && info != nullptr) std::memset(info, 0, sizeof(siginfo_t));
    return error;
  }
  long result = 0;
  do {
    result = raw(SYS_waitid, P_PID, dead->pid, info, options & ~WNOHANG, use);
  } while (result == -EINTR);
  if ((options & WNOWAIT) == 0) retire(*here.host, *dead);
  return result;
}

// A plain copy of this process, made without the C library's help.
long call_fork() {
  settle();
  Process* child = prepare_child();
  if (child == nullptr) return -EAGAIN;
  const long pid = raw(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    become_child(*child);
    return 0;
  }
  if (pid < 0) {
    abandon_child(*child);
    return pid;
  }
  adopt_child(*child, static_cast<int>(pid));
  return pid;
}

void become_child(Process& child) {
  here.process = &child;
  self = child.threads;
  deferred = 0;
  forget_mappings();
  self->tid = static_cast<std::int32_t>(raw(SYS_getpid));
  Life running = Life::kRunning;
  __atomic_store(&child.life, &running, __ATOMIC_SEQ_CST);
  trap_this_thread();
  take_up();
}

long call_execve(const char* path, char* const* arguments, char* const* environment) {
  settle();
  if (const long problem = check_program(path); problem != 0) return problem;
  std::size_t bytes = 0;
  char** full = guest_environment(environment, bytes);
  trap_counter(false);
  const long result = raw(SYS_execve, path, arguments, full);
  trap_counter(true);
  raw(SYS_munmap, full, bytes);
  return result;
}

void call_exit_group(int status) {
  settle();
  cover(*here.host, here.process->number, static_cast<std::uint64_t>(status) + 0x100);
  for (;;) raw(SYS_exit_group, status);
}

void call_exit_thread(int status) {
  settle();
  Host& host = *here.host;
  bool last = true;
  for (Thread* t = here.process->threads; t != nullptr; t = t->next) last = last && (t == self || t->gone != 0);
  if (last) {
    for (;;) raw(SYS_exit, status);
  }
  Thread& me = *self;
  forget(me);
  wake_futex(host, private_key(reinterpret_cast<void*>(me.tid_address)), ~0U, ~0U);
  me.gone = 1;
  Thread* next = next_thread(host);
  // From here on this thread must not touch what is shared.
  give(host, *next);
  for (;;) raw(SYS_exit, status);
}

}  // namespace strata::shim
