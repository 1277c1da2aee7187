// The beginning of every guest process and thread.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

extern "C" char** environ;

namespace strata::shim {

namespace {

bool map_region(const char* path) {
  const long file = raw(SYS_open, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const long mapped = raw(SYS_mmap, kRegionAddress, kRegionSize, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, 0);
  raw(SYS_close, file);
  if (mapped != static_cast<long>(kRegionAddress)) return false;
  here.region = reinterpret_cast<Region*>(kRegionAddress);
  return here.region->version == kAbiVersion;
}

// Our record: found by the process id, which whoever started us writes down.
Process* find_record(Host& host, long pid) {
  for (int tries = 0; tries < 200000; ++tries) {
    for (Process* p = host.processes; p != nullptr; p = p->next) {
      if (__atomic_load_n(&p->pid, __ATOMIC_SEQ_CST) == pid && p->life != Life::kZombie) return p;
    }
    raw(SYS_sched_yield);
  }
  return nullptr;
}

std::uint64_t tid_address() {
  std::uint64_t address = 0;
  constexpr int kGetTidAddress = 40;
  return raw(SYS_prctl, kGetTidAddress, &address) == 0 ? address : 0;
}

void read_mask(Thread& thread) { raw(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &thread.blocked_signals, 8); }

// The program was replaced by another one: same process, same turn, one thread.
void continue_after_exec(Process& process, Thread& current) {
  for (Thread* t = process.threads; t != nullptr;) {
    Thread* next = t->next;
    if (t != &current) retire(*here.host, *t);
    t = next;
  }
  self = &current;
  self->tid = process.pid;
  self->gone = 0;
  process.handled = process.restarting = process.ignored = 0;
  process.at_line_start = 3;
  review_descriptors();
}

void begin(Process& process, long pid) {
  self = process.threads;
  self->tid = static_cast<std::int32_t>(pid);
  Life running = Life::kRunning;
  __atomic_store(&process.life, &running, __ATOMIC_SEQ_CST);
  if (process.parent == nullptr) {
    __atomic_store_n(&here.region->programs[process.program].claimed, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&here.region->bell, 1, __ATOMIC_SEQ_CST);
    futex_rouse(&here.region->bell);
  }
  take_up();
  process.handled = process.restarting = process.ignored = 0;
  review_descriptors();
}

__attribute__((constructor)) void start() {
  const char* path = std::getenv(kRegionVariable);  // NOLINT(concurrency-mt-unsafe): before main
  const char* host = std::getenv(kHostVariable);    // NOLINT(concurrency-mt-unsafe): before main
  if (path == nullptr || host == nullptr) return;
  remember_environment(environ);
  if (!map_region(path)) {
    complain("this process cannot reach the shared memory of its run and ends");
    raw(SYS_exit_group, 127);
  }
  here.host = here.region->hosts[std::atoi(host)];
  const long pid = raw(SYS_getpid);
  Process* process = find_record(*here.host, pid);
  if (process == nullptr) {
    complain("a process appeared from nowhere and ends: it was started behind our back");
    raw(SYS_exit_group, 127);
  }
  depth = 1;
  here.process = process;
  if (process->life == Life::kRunning) {
    continue_after_exec(*process, *here.host->current);
  } else {
    begin(*process, pid);
  }
  inherit_actions();
  read_mask(*self);
  self->tid_address = tid_address();
  patch_vdso();
  install_traps();
  install_handlers();
  trap_counter(true);
  trap_this_thread();
  depth = 0;
}

struct Errand {
  void* (*function)(void*);
  void* argument;
  Thread* thread;
};

void* run_thread(void* opaque) {
  const Errand errand = *static_cast<Errand*>(opaque);
  self = errand.thread;
  depth = 1;
  self->tid = static_cast<std::int32_t>(raw(SYS_gettid));
  self->tid_address = tid_address();
  self->handle = static_cast<std::uint64_t>(pthread_self());
  take_up();
  read_mask(*self);
  release(*here.host, opaque);
  trap_this_thread();
  depth = 0;
  return errand.function(errand.argument);
}

// Records of threads that have left the kernel too.
void sweep() {
  for (Thread* t = here.process->threads; t != nullptr;) {
    Thread* next = t->next;
    if (t->gone != 0 && raw(SYS_tgkill, here.process->pid, t->tid, 0) == -ESRCH) retire(*here.host, *t);
    t = next;
  }
}

}  // namespace

int create_thread(int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*), pthread_t* handle,
                  const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  const Inside inside;
  settle();
  sweep();
  Host& host = *here.host;
  Thread* thread = new_thread(host, *here.process);
  auto* errand = static_cast<Errand*>(allocate(host, sizeof(Errand)));
  *errand = {function, argument, thread};
  int result = 0;
  {
    const Untrapped untrapped;
    result = real(handle, attributes, &run_thread, errand);
  }
  if (result != 0) {
    release(host, errand);
    retire(host, *thread);
    return result;
  }
  schedule(host, thread->entry, host.now);
  return 0;
}

}  // namespace strata::shim
