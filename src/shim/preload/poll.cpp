// Waiting for several files: poll, select, epoll.
#include <cerrno>
#include <cstring>

#include "shim/core/futex_table.hpp"
#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

constexpr std::uint64_t kRealStep = 10000000;  ///< the real world is looked at this often, in virtual time
constexpr std::uint32_t kAlways = kError | kHangUp;

// What Linux reports beside the plain bits.
std::uint32_t widen(std::uint32_t ready) {
  return ready | ((ready & kIn) != 0 ? 0x040 : 0) | ((ready & kOut) != 0 ? 0x100 : 0);
}

std::uint64_t real_step(std::uint64_t deadline) {
  ++here.host->counters.real_waits;
  const std::uint64_t step = here.host->now + kRealStep;
  return step < deadline ? step : deadline;
}

// Waits for files of ours and for descriptors of the real world. Among those are pidfds and signalfds, so the end of a
// child and signals wake us too.
Woke block_for_files(std::uint64_t until, bool real) {
  if (!real) return block(until, Cause::kFile);
  join_futex(*here.host, *self, child_key(*here.process), ~0U);
  self->waits_signal = 1;
  const Woke woke = block(real_step(until), Cause::kFile);
  self->waits_signal = 0;
  leave_futex(*here.host, *self);
  return woke;
}

struct PollScan {
  long ready = 0;
  bool real = false;
};

PollScan scan(pollfd* files, unsigned long count) {
  PollScan result;
  for (unsigned long i = 0; i < count; ++i) {
    pollfd& entry = files[i];
    entry.revents = 0;
    if (entry.fd < 0) continue;
    if (File* file = file_of(entry.fd)) {
      const std::uint32_t wanted = static_cast<std::uint16_t>(entry.events) | kAlways;
      entry.revents = static_cast<short>(widen(readiness(*file)) & wanted);
    } else {
      pollfd one{entry.fd, entry.events, 0};
      raw(SYS_poll, &one, 1, 0);
      entry.revents = one.revents;
      result.real = true;
    }
    if (entry.revents != 0) ++result.ready;
  }
  return result;
}

void wait_for_all(const pollfd* files, unsigned long count) {
  for (unsigned long i = 0; i < count; ++i) {
    if (files[i].fd < 0) continue;
    File* file = file_of(files[i].fd);
    if (file == nullptr) continue;
    wait_for(*self, self->nodes == nullptr ? self->node : *make<WaitNode>(*here.host), *file);
  }
}

std::uint64_t deadline_in(std::uint64_t timeout) { return timeout == kNever ? kNever : later(here.host->now, timeout); }

// The watch leaves the ready list if its file is not ready; edge-triggered and one-shot ones leave when reported.
int collect(EpollFile& epoll, epoll_event* events, int most) {
  int count = 0;
  Watch* at = epoll.ready_first;
  epoll.ready_first = epoll.ready_last = nullptr;
  Watch* again_first = nullptr;
  Watch** again_last = &again_first;
  while (at != nullptr) {
    Watch* next = at->next_ready;
    at->next_ready = nullptr;
    const std::uint32_t ready =
        at->disabled || at->file == nullptr ? 0 : widen(readiness(*at->file)) & (at->events | kAlways);
    bool keep = false;
    if (ready != 0 && count < most) {
      events[count].events = ready;
      events[count++].data.u64 = at->data;
      if ((at->events & EPOLLONESHOT) != 0) at->disabled = true;
      keep = (at->events & (EPOLLET | EPOLLONESHOT)) == 0;
    } else {
      keep = ready != 0;
    }
    at->ready = keep;
    if (keep) {
      *again_last = at;
      again_last = &at->next_ready;
      epoll.ready_last = at;
    }
    at = next;
  }
  epoll.ready_first = again_first;
  // What was reported goes behind what was not: every file gets its turn.
  return count;
}

int collect_real(EpollFile& epoll, epoll_event* events, int most) {
  int count = 0;
  for (Watch* w = epoll.all; w != nullptr && count < most; w = w->next_of_epoll) {
    if (w->file != nullptr || w->disabled) continue;
    pollfd one{w->descriptor, static_cast<short>(w->events & 0xFFFF), 0};
    if (raw(SYS_poll, &one, 1, 0) <= 0 || one.revents == 0) continue;
    events[count].events = static_cast<std::uint16_t>(one.revents);
    events[count++].data.u64 = w->data;
    if ((w->events & EPOLLONESHOT) != 0) w->disabled = true;
  }
  return count;
}

Watch* find_watch(EpollFile& epoll, int descriptor, const File* file) {
  for (Watch* w = epoll.all; w != nullptr; w = w->next_of_epoll) {
    if (w->descriptor == descriptor && w->file == file) return w;
  }
  return nullptr;
}

}  // namespace

long wait_ready(File& file, std::uint32_t events, bool nonblocking, std::uint64_t timeout) {
  if ((readiness(file) & events) != 0) return 0;
  if (nonblocking) return -EAGAIN;
  const std::uint64_t deadline = timeout == 0 ? kNever : later(here.host->now, timeout);
  hold(file);
  long result = 0;
  while ((readiness(file) & events) == 0) {
    ++here.host->counters.file_waits;
    wait_for(*self, self->node, file);
    const Woke woke = block(deadline, Cause::kFile);
    stop_waiting(*self);
    if (woke == Woke::kSignal) result = restarts() ? -ERESTART : -EINTR;
    if (woke == Woke::kTime && here.host->now >= deadline) result = -EAGAIN;
    if (result != 0) break;
  }
  drop(file);
  return result;
}

long call_poll(pollfd* files, unsigned long count, std::uint64_t timeout, const std::uint64_t* mask) {
  settle();
  const MaskGuard guard(mask);
  const std::uint64_t deadline = deadline_in(timeout);
  for (;;) {
    const PollScan found = scan(files, count);
    if (found.ready > 0 || deadline <= here.host->now) {
      count_unblocked();
      return found.ready;
    }
    ++here.host->counters.file_waits;
    wait_for_all(files, count);
    const std::uint64_t until = deadline == kNever ? kNever : with_slack(deadline);
    const Woke woke = block_for_files(until, found.real);
    stop_waiting(*self);
    if (woke == Woke::kSignal) return -EINTR;
  }
}

long call_select(int count, fd_set* in, fd_set* out, fd_set* special, std::uint64_t timeout,
                 const std::uint64_t* mask) {
  constexpr short kWanted[3] = {POLLIN, POLLOUT, POLLPRI};
  constexpr short kMeans[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
  if (count < 0 || count > 65536) return -EINVAL;
  fd_set* const sets[3] = {in, out, special};
  auto* files = static_cast<pollfd*>(allocate(*here.host, sizeof(pollfd) * static_cast<std::size_t>(count + 1)));
  unsigned long used = 0;
  // Sets may be longer than fd_set: go by words.
  const auto has = [](const fd_set* set, int i) {
    return (reinterpret_cast<const std::uint64_t*>(set)[i / 64] >> (i % 64) & 1) != 0;
  };
  for (int i = 0; i < count; ++i) {
    short wanted = 0;
    for (int s = 0; s < 3; ++s) {
      if (sets[s] != nullptr && has(sets[s], i)) wanted = static_cast<short>(wanted | kWanted[s]);
    }
    if (wanted != 0) files[used++] = {i, wanted, 0};
  }
  long result = call_poll(files, used, timeout, mask);
  if (result >= 0) {
    for (fd_set* set : sets) {
      if (set != nullptr) std::memset(set, 0, (static_cast<std::size_t>(count) + 63) / 64 * 8);
    }
    result = 0;
    for (unsigned long i = 0; i < used && result >= 0; ++i) {
      if ((files[i].revents & POLLNVAL) != 0) {
        result = -EBADF;
        break;
      }
      for (int s = 0; s < 3; ++s) {
        if (sets[s] == nullptr || (files[i].events & kWanted[s]) == 0 || (files[i].revents & kMeans[s]) == 0) continue;
        reinterpret_cast<std::uint64_t*>(sets[s])[files[i].fd / 64] |= std::uint64_t{1} << (files[i].fd % 64);
        ++result;
      }
    }
  }
  release(*here.host, files);
  return result;
}

long call_epoll_create(int flags) {
  const long descriptor = raw(SYS_socket, AF_UNIX, SOCK_DGRAM | ((flags & EPOLL_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0), 0);
  if (descriptor < 0) return descriptor;
  forget_descriptor(static_cast<int>(descriptor));
  auto* epoll = make_file<EpollFile>(*here.host, FileKind::kEpoll, inode_of(static_cast<int>(descriptor)));
  set_file(*here.process, static_cast<int>(descriptor), epoll);
  return descriptor;
}

long call_epoll_ctl(int epoll_descriptor, int operation, int descriptor, epoll_event* event) {
  settle();
  File* set = file_of(epoll_descriptor);
  if (set == nullptr || set->kind != FileKind::kEpoll) {
    return raw(SYS_epoll_ctl, epoll_descriptor, operation, descriptor, event);
  }
  auto& epoll = static_cast<EpollFile&>(*set);
  File* file = file_of(descriptor);
  if (file == set) return -EINVAL;
  if (file == nullptr) {
    // Whether the kernel would take it: regular files are refused.
    pollfd one{descriptor, 0, 0};
    raw(SYS_poll, &one, 1, 0);
    if ((one.revents & POLLNVAL) != 0) return -EBADF;
    std::uint8_t status[256];
    raw(SYS_fstat, descriptor, status);
    std::uint32_t mode = 0;
    std::memcpy(&mode, status + 24, sizeof mode);
    if ((mode & 0170000) == 0100000 || (mode & 0170000) == 0040000) return -EPERM;
  }
  Watch* watch = find_watch(epoll, descriptor, file);
  if (operation == EPOLL_CTL_DEL) {
    if (watch == nullptr) return -ENOENT;
    unlink_watch(*watch);
    return 0;
  }
  if (operation == EPOLL_CTL_ADD) {
    if (watch != nullptr) return -EEXIST;
    watch = make<Watch>(*here.host);
    watch->epoll = &epoll;
    watch->file = file;
    watch->descriptor = descriptor;
    Watch** end = &epoll.all;
    while (*end != nullptr) end = &(*end)->next_of_epoll;
    *end = watch;
    if (file != nullptr) {
      watch->next_of_file = file->watches;
      file->watches = watch;
    } else {
      ++epoll.real;
      notify(epoll);
    }
  } else if (watch == nullptr) {
    return -ENOENT;
  }
  watch->events = event->events;
  watch->data = event->data.u64;
  watch->disabled = false;
  if (file != nullptr && (widen(readiness(*file)) & (watch->events | kAlways)) != 0) mark_ready(*watch);
  return 0;
}

long call_epoll_wait(int epoll_descriptor, epoll_event* events, int most, std::uint64_t timeout,
                     const std::uint64_t* mask) {
  settle();
  File* set = file_of(epoll_descriptor);
  if (set == nullptr) return -EBADF;
  if (set->kind != FileKind::kEpoll || most <= 0) return -EINVAL;
  auto& epoll = static_cast<EpollFile&>(*set);
  const MaskGuard guard(mask);
  const std::uint64_t deadline = deadline_in(timeout);
  while (known_file(*here.process, epoll_descriptor) == set) {
    int count = collect(epoll, events, most);
    if (epoll.real > 0 && count < most) count += collect_real(epoll, events + count, most - count);
    if (count > 0 || deadline <= here.host->now) {
      count_unblocked();
      return count;
    }
    ++here.host->counters.file_waits;
    wait_for(*self, self->node, epoll);
    const std::uint64_t until = deadline == kNever ? kNever : with_slack(deadline);
    const Woke woke = block_for_files(until, epoll.real > 0);
    stop_waiting(*self);
    if (woke == Woke::kSignal) return -EINTR;
  }
  return -EBADF;  // closed by another thread meanwhile
}

}  // namespace strata::shim
