// Open files that Strata holds itself: pipes, sockets, event and timer descriptors, epoll. The guest has a real
// descriptor for each, a place-holder of the same type that nothing is ever read from: numbers, dup, close-on-exec,
// O_NONBLOCK and passing on to children stay the kernel's business, and the inode number leads back to the file here.
#pragma once

#include <new>

#include "shim/core/host.hpp"

namespace strata::shim {

enum class FileKind : std::uint32_t { kPipeReader, kPipeWriter, kSocket, kEvent, kTimer, kEpoll };

/// Readiness as poll(2) tells it.
inline constexpr std::uint32_t kIn = 0x001;
inline constexpr std::uint32_t kPri = 0x002;
inline constexpr std::uint32_t kOut = 0x004;
inline constexpr std::uint32_t kError = 0x008;
inline constexpr std::uint32_t kHangUp = 0x010;
inline constexpr std::uint32_t kReadHangUp = 0x2000;

struct Watch;

struct File {
  FileKind kind = FileKind::kEvent;
  std::uint32_t references = 0;  ///< processes that hold it, and descriptors on their way
  std::uint64_t id = 0;
  std::uint64_t inode = 0;
  Host* host = nullptr;
  WaitNode* waiters = nullptr;
  Watch* watches = nullptr;
  File* next_by_inode = nullptr;
  File* next_by_id = nullptr;
};

/// Both ends of a pipe.
struct Pipe {
  PacketList data;
  File* reader = nullptr;
  File* writer = nullptr;
  std::uint64_t capacity = 65536;
};
struct PipeEnd : File {
  Pipe* pipe = nullptr;
};

struct EventFile : File {
  std::uint64_t count = 0;
  bool semaphore = false;
};

/// A timer of any kind: what happens when it expires depends on who owns it.
struct Timer {
  Entry entry;
  std::uint64_t interval = 0;
  std::uint64_t expirations = 0;
  File* file = nullptr;        ///< timerfd
  Process* process = nullptr;  ///< itimer, POSIX timer: the process that gets the signal
  Timer* next = nullptr;
  std::int32_t signal = 0;
  std::int32_t tid = 0;  ///< thread that gets it; 0 = any
  std::int32_t id = 0;
  std::int32_t clock = 0;
  std::int32_t overrun = 0;
  std::uint64_t value = 0;  ///< sigval
  [[nodiscard]] bool armed() const { return entry.place != 0; }
};
struct TimerFile : File {
  Timer timer;
};

/// One file in an epoll set.
struct Watch {
  Watch* next_of_file = nullptr;
  Watch* next_of_epoll = nullptr;
  Watch* next_ready = nullptr;
  struct EpollFile* epoll = nullptr;
  File* file = nullptr;  ///< null: a descriptor of the real world
  std::int32_t descriptor = -1;
  std::uint32_t events = 0;
  std::uint64_t data = 0;
  bool ready = false;  ///< in the ready list
  bool disabled = false;
};
struct EpollFile : File {
  Watch* all = nullptr;
  Watch* ready_first = nullptr;
  Watch* ready_last = nullptr;
  std::uint32_t real = 0;  ///< watches of the real world
};

/// The file behind a place-holder; null if it is not ours. `writer` tells the ends of a pipe apart.
[[nodiscard]] File* find_by_inode(Host& host, std::uint64_t inode, bool writer);
[[nodiscard]] File* find_by_id(Host& host, std::uint64_t id);

void hold(File& file);
/// The last one closes it.
void drop(File& file);
/// Enters `file` under a descriptor of `process`.
void set_file(Process& process, int descriptor, File* file);
[[nodiscard]] inline File* known_file(const Process& process, int descriptor) {
  return descriptor >= 0 && static_cast<std::uint32_t>(descriptor) < process.file_capacity ? process.files[descriptor]
                                                                                           : nullptr;
}
void clear_file(Process& process, int descriptor);
void close_all(Process& process);
/// A child starts with all of its parent's files.
void copy_files(const Process& from, Process& to);

[[nodiscard]] std::uint32_t readiness(File& file);

void wait_for(Thread& thread, WaitNode& node, File& file);
void stop_waiting(Thread& thread);

void mark_ready(Watch& watch);
void unlink_watch(Watch& watch);

void expire(Timer& timer);
void drop_timers(Process& process);

void push(PacketList& list, Packet& packet);
[[nodiscard]] Packet* pop(PacketList& list);
[[nodiscard]] Packet* new_packet(Host& host, std::uint32_t capacity);
void free_packet(Host& host, Packet& packet);
void free_packets(Host& host, PacketList& list);

/// Enters a new file under its place-holder's inode number.
void enter(Host& host, File& file, FileKind kind, std::uint64_t inode);
template <class T>
[[nodiscard]] T* make_file(Host& host, FileKind kind, std::uint64_t inode) {
  T* file = make<T>(host);
  enter(host, *file, kind, inode);
  return file;
}

}  // namespace strata::shim
