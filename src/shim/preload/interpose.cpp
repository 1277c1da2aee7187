// The calls programs make most, taken at the door of the C library: no trap needed. What is not here is trapped.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

#define STRATA_EXPORT extern "C" __attribute__((visibility("default")))

namespace strata::shim {

int create_thread(int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*), pthread_t* handle,
                  const pthread_attr_t* attributes, void* (*function)(void*), void* argument);

namespace {

template <class T>
T next_symbol(const char* name, const char* version = nullptr) {
  void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<T>(found);
}

long to_errno(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// Emulated if this thread lives in virtual time, the kernel's otherwise.
template <class A = long, class B = long, class C = long, class D = long, class E = long, class F = long>
long invoke(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  if (!active() || depth > 0) return raw(number, a, b, c, d, e, f);
  long result = 0;
  do {
    const Inside inside;
    result = call(number, word(a), word(b), word(c), word(d), word(e), word(f));
  } while (result == -ERESTART);
  return result;
}

template <class... Words>
long cancellable(long number, Words... words) {
  const long result = invoke(number, words...);
  if (result == -EINTR && active()) pthread_testcancel();
  return to_errno(result);
}

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                      char* const*);

// The path that a name means, as execvp finds it.
bool find_on_path(const char* name, char* to, std::size_t room) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): as libc does
  if (path == nullptr) path = "/bin:/usr/bin";
  while (*path != 0) {
    const char* end = std::strchr(path, ':');
    const std::size_t length = end != nullptr ? static_cast<std::size_t>(end - path) : std::strlen(path);
    if (length + std::strlen(name) + 2 < room) {
      std::memcpy(to, path, length);
      to[length] = '/';
      std::strcpy(to + length + (length > 0 ? 1 : 0), name);
      if (raw(SYS_access, to, X_OK) == 0) return true;
    }
    if (end == nullptr) break;
    path = end + 1;
  }
  return false;
}

int spawn(Spawn real, bool search, pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  if (!active() || depth > 0) return real(pid, file, actions, attributes, arguments, environment);
  const Inside inside;
  settle();
  char path[4096];
  const bool by_name = search && std::strchr(file, '/') == nullptr;
  if (by_name && !find_on_path(file, path, sizeof path)) return ENOENT;
  if (const long problem = check_program(by_name ? path : file); problem != 0) return static_cast<int>(-problem);
  Process* child = prepare_child();
  if (child == nullptr) return EAGAIN;
  std::size_t bytes = 0;
  char** full = guest_environment(environment, bytes);
  pid_t made = 0;
  int result = 0;
  {
    const Untrapped untrapped;
    trap_counter(false);
    result = real(&made, file, actions, attributes, arguments, full);
    trap_counter(true);
  }
  raw(SYS_munmap, full, bytes);
  if (result != 0) {
    abandon_child(*child);
    return result;
  }
  adopt_child(*child, made);
  if (pid != nullptr) *pid = made;
  return 0;
}

struct Pipeline {
  FILE* file;
  pid_t pid;
  Pipeline* next;
};
Pipeline* pipelines = nullptr;

}  // namespace
}  // namespace strata::shim

using namespace strata::shim;

STRATA_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!active() || depth > 0) return static_cast<int>(to_errno(raw(SYS_clock_gettime, clock, time)));
  const Inside inside;
  return static_cast<int>(to_errno(call_clock_gettime(clock, time)));
}
STRATA_EXPORT int gettimeofday(timeval* time, void*) noexcept {
  return static_cast<int>(to_errno(invoke(SYS_gettimeofday, time)));
}
STRATA_EXPORT time_t time(time_t* seconds) noexcept { return invoke(SYS_time, seconds); }
STRATA_EXPORT int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC) return 0;
  invoke(SYS_clock_gettime, CLOCK_REALTIME, time);
  return base;
}
STRATA_EXPORT int nanosleep(const timespec* span, timespec* rest) {
  return static_cast<int>(cancellable(SYS_nanosleep, span, rest));
}
STRATA_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* span, timespec* rest) {
  const long result = invoke(SYS_clock_nanosleep, clock, flags, span, rest);
  if (result == -EINTR && active()) pthread_testcancel();
  return static_cast<int>(-result);
}
STRATA_EXPORT int usleep(useconds_t micros) {
  const timespec span{static_cast<time_t>(micros / 1000000), static_cast<long>(micros % 1000000) * 1000};
  return static_cast<int>(cancellable(SYS_nanosleep, &span, nullptr));
}
STRATA_EXPORT unsigned sleep(unsigned seconds) {
  const timespec span{static_cast<time_t>(seconds), 0};
  timespec rest{};
  const int before = errno;
  if (cancellable(SYS_nanosleep, &span, &rest) == 0) return 0;
  errno = before;
  return static_cast<unsigned>(rest.tv_sec + (rest.tv_nsec > 0 ? 1 : 0));
}
STRATA_EXPORT int sched_yield() noexcept { return static_cast<int>(to_errno(invoke(SYS_sched_yield))); }
STRATA_EXPORT int poll(pollfd* files, nfds_t count, int timeout) {
  return static_cast<int>(cancellable(SYS_poll, files, count, timeout));
}
STRATA_EXPORT int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return static_cast<int>(cancellable(SYS_ppoll, files, count, timeout, mask, 8));
}
STRATA_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* special, timeval* timeout) {
  return static_cast<int>(cancellable(SYS_select, count, in, out, special, timeout));
}
STRATA_EXPORT int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  return static_cast<int>(cancellable(SYS_epoll_wait, epoll, events, most, timeout));
}
STRATA_EXPORT int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  return static_cast<int>(cancellable(SYS_epoll_pwait, epoll, events, most, timeout, mask, 8));
}
STRATA_EXPORT int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  return static_cast<int>(to_errno(invoke(SYS_epoll_ctl, epoll, operation, descriptor, event)));
}
STRATA_EXPORT ssize_t read(int descriptor, void* data, size_t size) {
  return cancellable(SYS_read, descriptor, data, size);
}
STRATA_EXPORT ssize_t write(int descriptor, const void* data, size_t size) {
  return cancellable(SYS_write, descriptor, data, size);
}
STRATA_EXPORT ssize_t recv(int descriptor, void* data, size_t size, int flags) {
  return cancellable(SYS_recvfrom, descriptor, data, size, flags);
}
STRATA_EXPORT ssize_t recvfrom(int descriptor, void* data, size_t size, int flags, sockaddr* from, socklen_t* length) {
  return cancellable(SYS_recvfrom, descriptor, data, size, flags, from, length);
}
STRATA_EXPORT ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  return cancellable(SYS_recvmsg, descriptor, message, flags);
}
STRATA_EXPORT ssize_t send(int descriptor, const void* data, size_t size, int flags) {
  return cancellable(SYS_sendto, descriptor, data, size, flags);
}
STRATA_EXPORT ssize_t sendto(int descriptor, const void* data, size_t size, int flags, const sockaddr* to,
                             socklen_t length) {
  return cancellable(SYS_sendto, descriptor, data, size, flags, to, length);
}
STRATA_EXPORT ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  return cancellable(SYS_sendmsg, descriptor, message, flags);
}
STRATA_EXPORT int kill(pid_t pid, int number) noexcept {
  return static_cast<int>(to_errno(invoke(SYS_kill, pid, number)));
}
STRATA_EXPORT ssize_t getrandom(void* data, size_t size, unsigned flags) {
  return to_errno(invoke(SYS_getrandom, data, size, flags));
}
STRATA_EXPORT int getentropy(void* data, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return invoke(SYS_getrandom, data, size, 0) < 0 ? -1 : 0;
}
STRATA_EXPORT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long words[6];
  for (long& w : words) w = va_arg(list, long);
  va_end(list);
  // Threads and children on stacks of their own, and masks, need the trap's context.
  if (number == SYS_clone || number == SYS_clone3 || number == SYS_rt_sigprocmask || number == SYS_vfork) {
    if (number == SYS_rt_sigprocmask) {
      return to_errno(strata_raw_call(number, words[0], words[1], words[2], words[3], 0, 0));
    }
    if (number != SYS_clone || (words[0] & 0x100) == 0) return to_errno(invoke(SYS_fork));
  }
  return to_errno(invoke(number, words[0], words[1], words[2], words[3], words[4], words[5]));
}

/// std::random_device would ask the processor.
STRATA_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void*) {
  unsigned value = 0;
  invoke(SYS_getrandom, &value, sizeof value, 0);
  return value;
}

STRATA_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                                 void* argument) noexcept {
  static const auto kReal =
      next_symbol<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (!active() || depth > 0) return kReal(handle, attributes, function, argument);
  return create_thread(kReal, handle, attributes, function, argument);
}

/// The C library interrupts only those of its own cancellation points; a thread in one of ours looks when it is woken.
STRATA_EXPORT int pthread_cancel(pthread_t handle) {
  static const auto kReal = next_symbol<int (*)(pthread_t)>("pthread_cancel");
  const int result = kReal(handle);
  if (!active() || depth > 0 || result != 0) return result;
  const Inside inside;
  settle();
  for (Thread* t = here.process->threads; t != nullptr; t = t->next) {
    if (t->handle == static_cast<std::uint64_t>(handle) && t->gone == 0 && t != self) interrupt(*here.host, *t);
  }
  return result;
}

/// A loop that only takes free locks never enters the kernel: count them, or it would never end.
STRATA_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto kReal = next_symbol<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  if (active() && depth == 0) {
    const Inside inside;
    count_lock();
  }
  return kReal(mutex);
}

STRATA_EXPORT pid_t fork() noexcept {
  static const auto kReal = next_symbol<pid_t (*)()>("fork");
  if (!active() || depth > 0) return kReal();
  const Inside inside;
  settle();
  Process* child = prepare_child();
  if (child == nullptr) {
    errno = EAGAIN;
    return -1;
  }
  pid_t pid = 0;
  {
    const Untrapped untrapped;
    pid = kReal();
  }
  if (pid == 0) {
    become_child(*child);
  } else if (pid < 0) {
    abandon_child(*child);
  } else {
    adopt_child(*child, pid);
  }
  return pid;
}
STRATA_EXPORT pid_t vfork() noexcept { return fork(); }

STRATA_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  static const auto kReal = next_symbol<Spawn>("posix_spawn", "GLIBC_2.15");
  return spawn(kReal, false, pid, path, actions, attributes, arguments, environment);
}
STRATA_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  static const auto kReal = next_symbol<Spawn>("posix_spawnp", "GLIBC_2.15");
  return spawn(kReal, true, pid, file, actions, attributes, arguments, environment);
}

STRATA_EXPORT int system(const char* command) {
  if (command == nullptr) return 1;
  const char* arguments[] = {"sh", "-c", command, nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) return 127 << 8;
  int status = -1;
  while (invoke(SYS_wait4, pid, &status, 0, nullptr) == -EINTR) {
  }
  return status;
}

STRATA_EXPORT FILE* popen(const char* command, const char* mode) {
  const bool reads = mode[0] == 'r';
  int ends[2];
  if (to_errno(invoke(SYS_pipe2, ends, O_CLOEXEC)) < 0) return nullptr;
  const int ours = reads ? ends[0] : ends[1];
  const int theirs = reads ? ends[1] : ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, reads ? 1 : 0);
  const char* arguments[] = {"sh", "-c", command, nullptr};
  pid_t pid = 0;
  const int problem = posix_spawn(&pid, "/bin/sh", &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  invoke(SYS_close, theirs);
  if (problem != 0) {
    invoke(SYS_close, ours);
    errno = problem;
    return nullptr;
  }
  if (std::strchr(mode, 'e') == nullptr) invoke(SYS_fcntl, ours, F_SETFD, 0);
  FILE* file = fdopen(ours, reads ? "r" : "w");
  auto* entry = static_cast<Pipeline*>(std::malloc(sizeof(Pipeline)));
  *entry = {file, pid, pipelines};
  pipelines = entry;
  return file;
}

STRATA_EXPORT int pclose(FILE* file) {
  pid_t pid = -1;
  for (Pipeline** at = &pipelines; *at != nullptr; at = &(*at)->next) {
    if ((*at)->file != file) continue;
    Pipeline* found = *at;
    pid = found->pid;
    *at = found->next;
    std::free(found);
    break;
  }
  std::fclose(file);
  if (pid < 0) return -1;
  int status = -1;
  while (invoke(SYS_wait4, pid, &status, 0, nullptr) == -EINTR) {
  }
  return status;
}
