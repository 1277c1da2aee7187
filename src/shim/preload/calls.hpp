// The emulated system calls: arguments as the kernel's, results or negative error numbers. The caller is inside the
// shim and holds the token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "shim/core/net.hpp"

struct rusage;
struct timeval;
struct tms;

namespace strata::shim {

/// Any call by its number.
long call(long number, long a, long b, long c, long d, long e, long f);

long call_clock_gettime(int clock, timespec* time);
long call_gettimeofday(timeval* time);
long call_time(long* seconds);
long call_nanosleep(const timespec* span, timespec* rest);
long call_clock_nanosleep(int clock, int flags, const timespec* span, timespec* rest);
long call_getrusage(int who, rusage* use);
long call_times(tms* use);

long call_futex(std::uint32_t* address, int operation, std::uint32_t value, const timespec* time, std::uint32_t* second,
                std::uint32_t third);
long call_futex_waitv(void* waiters, unsigned count, const timespec* deadline, int clock);
void forget_mappings();
/// The key of a futex that is private to this process.
[[nodiscard]] std::uint64_t private_key(const void* address);

/// The file behind a descriptor; null if the kernel holds it.
[[nodiscard]] File* file_of(int descriptor);
/// The descriptor is closed or replaced.
void forget_descriptor(int descriptor);
[[nodiscard]] bool is_nonblocking(int descriptor);
/// Makes a place-holder's inode number known.
[[nodiscard]] std::uint64_t inode_of(int descriptor);
/// Waits until `file` is ready for one of `events`, a signal comes or time runs out: 0, -EINTR, -EAGAIN.
long wait_ready(File& file, std::uint32_t events, bool nonblocking, std::uint64_t timeout = 0);
/// After exec: which files are still there?
void review_descriptors();

long call_read(int descriptor, const iovec* parts, int count, bool& handled);
long call_write(int descriptor, const iovec* parts, int count, bool& handled);
long call_pipe(int* ends, int flags);
long call_eventfd(unsigned count, int flags);
long call_close(int descriptor);
long call_close_range(unsigned first, unsigned last, unsigned flags);
long call_dup(long number, long a, long b, long c);
long call_fcntl(int descriptor, int command, long argument);
long call_ioctl(int descriptor, unsigned long request, void* argument);
long call_sendfile(int out, int in, std::int64_t* offset, std::size_t count);

long call_poll(pollfd* files, unsigned long count, std::uint64_t timeout, const std::uint64_t* mask);
long call_select(int count, fd_set* in, fd_set* out, fd_set* special, std::uint64_t timeout, const std::uint64_t* mask);
long call_epoll_create(int flags);
long call_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event);
long call_epoll_wait(int epoll, epoll_event* events, int most, std::uint64_t timeout, const std::uint64_t* mask);

long call_timerfd_create(int clock, int flags);
long call_timerfd_settime(int descriptor, int flags, const itimerspec* value, itimerspec* old);
long call_timerfd_gettime(int descriptor, itimerspec* value);
long call_setitimer(int which, const void* value, void* old);
long call_getitimer(int which, void* value);
long call_alarm(unsigned seconds);
long call_timer_create(int clock, const void* event, int* id);
long call_timer_settime(int id, int flags, const itimerspec* value, itimerspec* old);
long call_timer_gettime(int id, itimerspec* value);
long call_timer_delete(int id);
void take_expirations(TimerFile& file);

long call_socket(int domain, int type, int protocol);
long call_socketpair(int domain, int type, int protocol, int* ends);
long call_bind(int descriptor, const sockaddr* address, socklen_t length);
long call_listen(int descriptor, int backlog);
long call_accept(int descriptor, sockaddr* address, socklen_t* length, int flags);
long call_connect(int descriptor, const sockaddr* address, socklen_t length);
long call_shutdown(int descriptor, int how);
long call_name(bool peer, int descriptor, sockaddr* address, socklen_t* length);
long call_setsockopt(int descriptor, int level, int option, const void* value, socklen_t length);
long call_getsockopt(int descriptor, int level, int option, void* value, socklen_t* length);
long call_sendmsg(int descriptor, const msghdr* message, int flags);
long call_recvmsg(int descriptor, msghdr* message, int flags);
long call_sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags);
long call_recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags, const timespec* timeout);

long call_wait4(int pid, int* status, int options, rusage* use);
long call_waitid(int kind, int id, void* info, int options, rusage* use);
long call_fork();
long call_execve(const char* path, char* const* arguments, char* const* environment);
/// 0, or why this program cannot run as a guest; explains it on the standard error.
long check_program(const char* path);
/// The environment with what guests need; allocated with mmap, `bytes` long.
char** guest_environment(char* const* environment, std::size_t& bytes);
[[noreturn]] void call_exit_group(int status);
[[noreturn]] void call_exit_thread(int status);
/// A child that was made by other means than fork: its record, with a first thread, ready to be claimed.
Process* prepare_child();
/// In the child: takes the record over and waits for its turn.
void become_child(Process& child);
/// Keeps the variables that every child needs, whatever its parent does to the environment.
void remember_environment(const char* const* environment);
void adopt_child(Process& child, int pid);
void abandon_child(Process& child);

/// What the process was started with.
void inherit_actions();
/// Faults and the warden's signal come to us first.
void install_handlers();
/// Whether reading the time-stamp counter faults, for this thread and those it makes. Never across exec: the loader
/// reads it.
void trap_counter(bool on);
long call_sigaction(int number, const void* action, void* old);
long call_kill(long number, long a, long b, long c, long d);
long call_sigtimedwait(const std::uint64_t* set, void* info, const timespec* timeout);
long call_sigsuspend(const std::uint64_t* mask);
/// Raises a signal for this thread; it is delivered on leaving the shim.
void raise_here(int number);
/// Whether an interrupted call that may restart does so: all signals that came have SA_RESTART.
[[nodiscard]] bool restarts();
/// Sets the signal mask for the time of a call.
class MaskGuard {
 public:
  explicit MaskGuard(const std::uint64_t* mask);
  ~MaskGuard();
  MaskGuard(const MaskGuard&) = delete;
  MaskGuard& operator=(const MaskGuard&) = delete;

 private:
  bool set_ = false;
  std::uint64_t before_ = 0;
};
void install_traps();
/// Switches syscall user dispatch on for this thread.
void trap_this_thread();
void patch_vdso();

void fill_random(void* data, std::size_t bytes);

}  // namespace strata::shim
