#include <csignal>

#include "shim/core/file.hpp"
#include "shim/core/futex_table.hpp"
#include "shim/core/host.hpp"
#include "shim/core/raw.hpp"

namespace strata::shim {

Thread* new_thread(Host& host, Process& process) {
  Thread* thread = host.free_threads;
  if (thread != nullptr) {
    host.free_threads = thread->next;
    *thread = Thread{};
  } else {
    thread = make<Thread>(host);
  }
  thread->process = &process;
  thread->number = host.next_thread++;
  thread->next = process.threads;
  process.threads = thread;
  if (here.region->settings.trace != 0) {
    auto* name = make<ThreadName>(host);
    *name = {host.names, thread->number, process.number, process.program};
    host.names = name;
  }
  return thread;
}

Process* new_process(Host& host, Process* parent, std::uint32_t program) {
  Process* process = host.free_processes;
  if (process != nullptr) {
    host.free_processes = process->next;
    *process = Process{};
  } else {
    process = make<Process>(host);
  }
  process->host = &host;
  process->parent = parent;
  process->program = program;
  process->number = host.next_process++;
  process->life = Life::kStarting;
  ++host.alive;
  // At the end: the order of processes is the order of creation.
  Process** end = &host.processes;
  while (*end != nullptr) end = &(*end)->next;
  *end = process;
  return process;
}

void retire(Host& host, Thread& thread) {
  forget(thread);
  for (Thread** at = &thread.process->threads; *at != nullptr; at = &(*at)->next) {
    if (*at == &thread) {
      *at = thread.next;
      break;
    }
  }
  thread.next = host.free_threads;
  host.free_threads = &thread;
}

void retire(Host& host, Process& process) {
  for (Process** at = &host.processes; *at != nullptr; at = &(*at)->next) {
    if (*at == &process) {
      *at = process.next;
      break;
    }
  }
  process.life = Life::kFree;
  process.next = host.free_processes;
  host.free_processes = &process;
}

void forget(Thread& thread) {
  Host& host = *thread.process->host;
  unschedule(host, thread.entry);
  leave_futex(host, thread);
  stop_waiting(thread);
}

Thread* signal_target(Process& process, int number) {
  Thread* oldest = nullptr;
  for (Thread* t = process.threads; t != nullptr; t = t->next) {
    if (t->gone != 0 || (t->blocked_signals & signal_bit(number)) != 0) continue;
    if (oldest == nullptr || t->number < oldest->number) oldest = t;
  }
  return oldest;
}

void interrupt(Host& host, Thread& thread) {
  thread.interrupted = 1;
  wake(host, thread);
}

void bury(Process& process) {
  if (process.life == Life::kZombie || process.life == Life::kFree) return;
  Host& host = *process.host;
  while (process.threads != nullptr) retire(host, *process.threads);
  close_all(process);
  drop_timers(process);
  process.life = Life::kZombie;
  --host.alive;
  cover(host, process.number, 0xDEAD);
  for (Process* p = host.processes; p != nullptr; p = p->next) {
    if (p->parent == &process) p->parent = nullptr;
  }
  // The kernel has marked the robust locks it held; whoever waits for one must look again.
  wake_shared_futexes(host);
  Process* parent = process.parent;
  if (parent == nullptr) return retire(host, process);
  wake_futex(host, child_key(*parent), ~0U, ~0U);
  if ((parent->handled & signal_bit(SIGCHLD)) != 0) {
    if (Thread* target = signal_target(*parent, SIGCHLD); target != nullptr) interrupt(host, *target);
  }
  wake_signal_waiters(host, *parent);
  if ((parent->ignored & signal_bit(SIGCHLD)) != 0) retire(host, process);
}

}  // namespace strata::shim
