#include "shim/core/file.hpp"

#include <csignal>
#include <cstring>

#include "shim/core/futex_table.hpp"
#include "shim/core/host.hpp"
#include "shim/core/net.hpp"
#include "shim/core/raw.hpp"

namespace strata::shim {

namespace {

void unlink_inode(Host& host, File& file) {
  for (File** at = &host.by_inode[file.inode % kFileBuckets]; *at != nullptr; at = &(*at)->next_by_inode) {
    if (*at != &file) continue;
    *at = file.next_by_inode;
    break;
  }
  for (File** at = &host.by_id[file.id % kFileBuckets]; *at != nullptr; at = &(*at)->next_by_id) {
    if (*at != &file) continue;
    *at = file.next_by_id;
    break;
  }
}

void close_pipe_end(PipeEnd& end) {
  Pipe& pipe = *end.pipe;
  (end.kind == FileKind::kPipeReader ? pipe.reader : pipe.writer) = nullptr;
  File* other = end.kind == FileKind::kPipeReader ? pipe.writer : pipe.reader;
  if (other != nullptr) return notify(*other);
  free_packets(*end.host, pipe.data);
  release(*end.host, &pipe);
}

void close_epoll(EpollFile& epoll) {
  while (epoll.all != nullptr) unlink_watch(*epoll.all);
}

// The last reference is gone: what the file stood for ends, and whoever is at the other side is told.
void close_file(File& file) {
  Host& host = *file.host;
  unlink_inode(host, file);
  while (file.watches != nullptr) unlink_watch(*file.watches);
  switch (file.kind) {
    case FileKind::kPipeReader:
    case FileKind::kPipeWriter:
      close_pipe_end(static_cast<PipeEnd&>(file));
      break;
    case FileKind::kSocket:
      close_socket(static_cast<Socket&>(file));
      break;
    case FileKind::kTimer:
      unschedule(host, static_cast<TimerFile&>(file).timer.entry);
      break;
    case FileKind::kEpoll:
      close_epoll(static_cast<EpollFile&>(file));
      break;
    case FileKind::kEvent:
      break;
  }
  release(host, &file);
}

std::uint32_t pipe_readiness(const PipeEnd& end) {
  const Pipe& pipe = *end.pipe;
  if (end.kind == FileKind::kPipeReader)
    return (pipe.data.bytes > 0 ? kIn : 0) | (pipe.writer == nullptr ? kHangUp : 0);
  // Linux calls a pipe writable when a whole page fits.
  return (pipe.data.bytes + 4096 <= pipe.capacity ? kOut : 0) | (pipe.reader == nullptr ? kError : 0);
}

// Whoever holds the token when a timer expires sends its signal, to any process of the host.
void send_timer_signal(Timer& timer) {
  Process& process = *timer.process;
  Thread* target = nullptr;
  for (Thread* t = process.threads; t != nullptr && timer.tid != 0; t = t->next) {
    if (t->tid == timer.tid && t->gone == 0) target = t;
  }
  if (timer.tid == 0) target = signal_target(process, timer.signal);
  siginfo_t info{};
  info.si_signo = timer.signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = reinterpret_cast<void*>(timer.value);
  ++process.host->counters.signals;
  // SI_TIMER may only be sent to oneself; the rest of the information is as the kernel's.
  if (target != nullptr) {
    raw(SYS_rt_tgsigqueueinfo, process.pid, target->tid, timer.signal, &info);
    interrupt(*process.host, *target);
  } else {
    raw(SYS_rt_sigqueueinfo, process.pid, timer.signal, &info);
  }
  wake_signal_waiters(*process.host, process);
}

}  // namespace

void enter(Host& host, File& file, FileKind kind, std::uint64_t inode) {
  file.kind = kind;
  file.inode = inode;
  file.host = &host;
  file.id = (std::uint64_t{host.index} << 40) + ++host.next_file;
  file.next_by_inode = host.by_inode[inode % kFileBuckets];
  host.by_inode[inode % kFileBuckets] = &file;
  file.next_by_id = host.by_id[file.id % kFileBuckets];
  host.by_id[file.id % kFileBuckets] = &file;
}

File* find_by_inode(Host& host, std::uint64_t inode, bool writer) {
  for (File* file = host.by_inode[inode % kFileBuckets]; file != nullptr; file = file->next_by_inode) {
    if (file->inode != inode) continue;
    if (file->kind == FileKind::kPipeReader && writer) continue;
    if (file->kind == FileKind::kPipeWriter && !writer) continue;
    return file;
  }
  return nullptr;
}

File* find_by_id(Host& host, std::uint64_t id) {
  File* file = host.by_id[id % kFileBuckets];
  while (file != nullptr && file->id != id) file = file->next_by_id;
  return file;
}

void hold(File& file) { ++file.references; }

void drop(File& file) {
  if (--file.references == 0) close_file(file);
}

void set_file(Process& process, int descriptor, File* file) {
  const auto at = static_cast<std::uint32_t>(descriptor);
  if (at >= process.file_capacity) {
    std::uint32_t capacity = process.file_capacity == 0 ? 64 : process.file_capacity;
    while (capacity <= at) capacity *= 2;
    auto** files = static_cast<File**>(allocate(*process.host, capacity * sizeof(void*)));
    if (process.file_capacity > 0) std::memcpy(files, process.files, process.file_capacity * sizeof(void*));
    release(*process.host, process.files);
    process.files = files;
    process.file_capacity = capacity;
  }
  if (file != nullptr) hold(*file);
  File* old = process.files[at];
  process.files[at] = file;
  if (old != nullptr) drop(*old);
}

void clear_file(Process& process, int descriptor) {
  if (known_file(process, descriptor) == nullptr) return;
  File* file = process.files[descriptor];
  process.files[descriptor] = nullptr;
  drop(*file);
}

void close_all(Process& process) {
  for (std::uint32_t i = 0; i < process.file_capacity; ++i) clear_file(process, static_cast<int>(i));
  release(*process.host, process.files);
  process.files = nullptr;
  process.file_capacity = 0;
}

void copy_files(const Process& from, Process& to) {
  for (std::uint32_t i = from.file_capacity; i-- > 0;) {
    if (from.files[i] != nullptr) set_file(to, static_cast<int>(i), from.files[i]);
  }
}

std::uint32_t readiness(File& file) {
  switch (file.kind) {
    case FileKind::kPipeReader:
    case FileKind::kPipeWriter:
      return pipe_readiness(static_cast<PipeEnd&>(file));
    case FileKind::kSocket:
      return socket_readiness(static_cast<Socket&>(file));
    case FileKind::kEvent: {
      const auto& event = static_cast<EventFile&>(file);
      return (event.count > 0 ? kIn : 0) | (event.count < ~std::uint64_t{0} - 1 ? kOut : 0);
    }
    case FileKind::kTimer:
      return static_cast<TimerFile&>(file).timer.expirations > 0 ? kIn : 0;
    case FileKind::kEpoll:
      break;
  }
  for (Watch* w = static_cast<EpollFile&>(file).ready_first; w != nullptr; w = w->next_ready) {
    if (!w->disabled && w->file != nullptr && (readiness(*w->file) & (w->events | kError | kHangUp)) != 0) return kIn;
  }
  return 0;
}

void wait_for(Thread& thread, WaitNode& node, File& file) {
  // First come, first served. The file stays while somebody waits for it, even if it is closed meanwhile.
  hold(file);
  WaitNode* last = file.waiters;
  while (last != nullptr && last->next != nullptr) last = last->next;
  node = {&thread, &file, nullptr, last, thread.nodes};
  (last != nullptr ? last->next : file.waiters) = &node;
  thread.nodes = &node;
}

void stop_waiting(Thread& thread) {
  WaitNode* node = thread.nodes;
  thread.nodes = nullptr;
  while (node != nullptr) {
    WaitNode* next = node->next_of_thread;
    (node->previous != nullptr ? node->previous->next : node->file->waiters) = node->next;
    if (node->next != nullptr) node->next->previous = node->previous;
    File* file = node->file;
    if (node != &thread.node) release(*thread.process->host, node);
    drop(*file);
    node = next;
  }
}

void mark_ready(Watch& watch) {
  if (!watch.ready) {
    watch.ready = true;
    watch.next_ready = nullptr;
    EpollFile& epoll = *watch.epoll;
    (epoll.ready_last != nullptr ? epoll.ready_last->next_ready : epoll.ready_first) = &watch;
    epoll.ready_last = &watch;
  }
  notify(*watch.epoll);
}

void unlink_watch(Watch& watch) {
  EpollFile& epoll = *watch.epoll;
  Watch* last = nullptr;
  for (Watch** at = &epoll.ready_first; *at != nullptr;) {
    if (*at == &watch) {
      *at = watch.next_ready;
      continue;
    }
    last = *at;
    at = &(*at)->next_ready;
  }
  epoll.ready_last = last;
  for (Watch** at = &epoll.all; *at != nullptr; at = &(*at)->next_of_epoll) {
    if (*at != &watch) continue;
    *at = watch.next_of_epoll;
    break;
  }
  if (watch.file != nullptr) {
    for (Watch** at = &watch.file->watches; *at != nullptr; at = &(*at)->next_of_file) {
      if (*at != &watch) continue;
      *at = watch.next_of_file;
      break;
    }
  } else {
    --epoll.real;
  }
  release(*epoll.host, &watch);
}

void expire(Timer& timer) {
  Host& host = timer.file != nullptr ? *timer.file->host : *timer.process->host;
  ++timer.expirations;
  if (timer.interval > 0) schedule(host, timer.entry, timer.entry.time + timer.interval);
  if (timer.file != nullptr) return notify(*timer.file);
  if (timer.signal != 0) send_timer_signal(timer);
}

void drop_timers(Process& process) {
  Host& host = *process.host;
  if (process.alarm != nullptr) unschedule(host, process.alarm->entry);
  release(host, process.alarm);
  process.alarm = nullptr;
  while (process.timers != nullptr) {
    Timer* timer = process.timers;
    process.timers = timer->next;
    unschedule(host, timer->entry);
    release(host, timer);
  }
}

void push(PacketList& list, Packet& packet) {
  packet.next = nullptr;
  (list.last != nullptr ? list.last->next : list.first) = &packet;
  list.last = &packet;
  list.bytes += packet.size - packet.offset;
  ++list.count;
}

Packet* pop(PacketList& list) {
  Packet* packet = list.first;
  if (packet == nullptr) return nullptr;
  list.first = packet->next;
  if (list.first == nullptr) list.last = nullptr;
  list.bytes -= packet->size - packet->offset;
  --list.count;
  return packet;
}

Packet* new_packet(Host& host, std::uint32_t capacity) {
  auto* packet = new (allocate(host, sizeof(Packet) + capacity)) Packet();
  packet->entry.kind = EntryKind::kPacket;
  packet->capacity = capacity;
  packet->from_host = host.index;
  packet->to_host = host.index;
  return packet;
}

void free_packet(Host& host, Packet& packet) {
  for (std::uint32_t i = 0; i < packet.rights; ++i) drop(*packet.carried[i]);
  release(host, packet.carried);
  release(host, &packet);
}

void free_packets(Host& host, PacketList& list) {
  while (Packet* packet = pop(list)) free_packet(host, *packet);
}

}  // namespace strata::shim
