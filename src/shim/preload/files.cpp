// Reading and writing pipes and event descriptors; output with a prefix.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "shim/core/raw.hpp"
#include "shim/preload/bytes.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

constexpr std::uint64_t kAtomicWrite = 4096;

long read_pipe(PipeEnd& end, int descriptor, const iovec* parts, int count) {
  Pipe& pipe = *end.pipe;
  if (total(parts, count) == 0) return 0;
  while (pipe.data.bytes == 0) {
    if (pipe.writer == nullptr) return 0;
    if (const long problem = wait_ready(end, kIn | kHangUp, is_nonblocking(descriptor)); problem != 0) return problem;
  }
  const bool was_full = pipe.data.bytes + kAtomicWrite > pipe.capacity;
  const long got = static_cast<long>(take_bytes(*end.host, pipe.data, parts, count));
  if (was_full && pipe.writer != nullptr) notify(*pipe.writer);
  return got;
}

long write_pipe(PipeEnd& end, int descriptor, const iovec* parts, int count) {
  Pipe& pipe = *end.pipe;
  const std::size_t size = total(parts, count);
  std::size_t done = 0;
  while (done < size || size == 0) {
    if (pipe.reader == nullptr) {
      if (done > 0) break;
      raise_here(SIGPIPE);
      return -EPIPE;
    }
    if (size == 0) return 0;
    const std::uint64_t room = pipe.capacity > pipe.data.bytes ? pipe.capacity - pipe.data.bytes : 0;
    // Small writes go in whole or not at all.
    if (room < (size <= kAtomicWrite ? size : 1)) {
      const bool nonblocking = is_nonblocking(descriptor);
      if (nonblocking && done > 0) break;
      const long problem = wait_ready(end, kOut | kError, nonblocking);
      if (problem != 0) return done > 0 ? static_cast<long>(done) : problem;
      continue;
    }
    const std::size_t now = size - done < room ? size - done : room;
    const bool was_empty = pipe.data.bytes == 0;
    put_bytes(*end.host, pipe.data, parts, count, done, now);
    done += now;
    if (was_empty || pipe.reader->watches != nullptr) notify(*pipe.reader);
  }
  return static_cast<long>(done);
}

long read_event(EventFile& event, int descriptor, const iovec* parts, int count) {
  if (total(parts, count) < 8) return -EINVAL;
  while (event.count == 0) {
    if (const long problem = wait_ready(event, kIn, is_nonblocking(descriptor)); problem != 0) return problem;
  }
  const std::uint64_t value = event.semaphore ? 1 : event.count;
  event.count -= value;
  std::memcpy(parts[0].iov_base, &value, sizeof value);
  notify(event);
  return sizeof value;
}

long write_event(EventFile& event, int descriptor, const iovec* parts, int count) {
  if (total(parts, count) < 8) return -EINVAL;
  std::uint64_t value = 0;
  std::memcpy(&value, parts[0].iov_base, sizeof value);
  if (value == ~std::uint64_t{0}) return -EINVAL;
  while (event.count + value < event.count || event.count + value == ~std::uint64_t{0}) {
    if (const long problem = wait_ready(event, kOut, is_nonblocking(descriptor)); problem != 0) return problem;
  }
  event.count += value;
  notify(event);
  return sizeof value;
}

long read_timer(TimerFile& file, int descriptor, const iovec* parts, int count) {
  if (total(parts, count) < 8) return -EINVAL;
  while (file.timer.expirations == 0) {
    if (const long problem = wait_ready(file, kIn, is_nonblocking(descriptor)); problem != 0) return problem;
  }
  std::memcpy(parts[0].iov_base, &file.timer.expirations, 8);
  file.timer.expirations = 0;
  return 8;
}

// "[name 12.345678] " at the start of every line.
std::size_t write_prefix(char* to) {
  const Program& program = here.region->programs[here.process->program];
  char* at = to;
  *at++ = '[';
  for (const char* c = program.name; *c != 0; ++c) *at++ = *c;
  *at++ = ' ';
  char digits[24];
  int length = 0;
  std::uint64_t micros = here.host->now / 1000;
  for (int i = 0; i < 6 || micros > 0 || i == 6; ++i) {
    if (i == 6) digits[length++] = '.';
    digits[length++] = static_cast<char>('0' + micros % 10);
    micros /= 10;
  }
  while (length > 0) *at++ = digits[--length];
  *at++ = ']';
  *at++ = ' ';
  return static_cast<std::size_t>(at - to);
}

long write_prefixed(int descriptor, const char* text, std::size_t size) {
  std::uint32_t& starts = here.process->at_line_start;
  const std::uint32_t bit = 1U << (descriptor - 1);
  std::size_t done = 0;
  while (done < size) {
    if ((starts & bit) != 0) {
      char prefix[128];
      raw(SYS_write, descriptor, prefix, write_prefix(prefix));
      starts &= ~bit;
    }
    const void* end = std::memchr(text + done, '\n', size - done);
    const std::size_t length =
        end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - text) + 1 - done : size - done;
    for (std::size_t sent = 0; sent < length;) {
      const long result = raw(SYS_write, descriptor, text + done + sent, length - sent);
      if (result < 0 && result != -EINTR && result != -EAGAIN)
        return done + sent > 0 ? static_cast<long>(done + sent) : result;
      if (result > 0) sent += static_cast<std::size_t>(result);
    }
    done += length;
    if (end != nullptr) starts |= bit;
  }
  return static_cast<long>(size);
}

bool is_random_device(int descriptor) {
  struct stat status {};
  return raw(SYS_fstat, descriptor, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev >> 8 == 1 &&
         ((status.st_rdev & 0xFF) == 8 || (status.st_rdev & 0xFF) == 9);
}

}  // namespace

long call_read(int descriptor, const iovec* parts, int count, bool& handled) {
  File* file = file_of(descriptor);
  handled = true;
  if (file == nullptr) {
    if (descriptor > 2 && is_random_device(descriptor)) {
      for (int i = 0; i < count; ++i) fill_random(parts[i].iov_base, parts[i].iov_len);
      return static_cast<long>(total(parts, count));
    }
    handled = false;
    return 0;
  }
  settle();
  count_unblocked();
  switch (file->kind) {
    case FileKind::kPipeReader:
      return read_pipe(static_cast<PipeEnd&>(*file), descriptor, parts, count);
    case FileKind::kEvent:
      return read_event(static_cast<EventFile&>(*file), descriptor, parts, count);
    case FileKind::kTimer:
      return read_timer(static_cast<TimerFile&>(*file), descriptor, parts, count);
    case FileKind::kSocket: {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(parts);
      message.msg_iovlen = static_cast<std::size_t>(count);
      return call_recvmsg(descriptor, &message, 0);
    }
    case FileKind::kPipeWriter:
    case FileKind::kEpoll:
      break;
  }
  return file->kind == FileKind::kEpoll ? -EINVAL : -EBADF;
}

long call_write(int descriptor, const iovec* parts, int count, bool& handled) {
  File* file = file_of(descriptor);
  handled = true;
  if (file == nullptr) {
    if ((descriptor == 1 || descriptor == 2)) {
      settle();
      if (here.region->settings.prefix != 0) {
        long sum = 0;
        for (int i = 0; i < count; ++i) {
          const long result = write_prefixed(descriptor, static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
          if (result < 0) return sum > 0 ? sum : result;
          sum += result;
        }
        return sum;
      }
    }
    handled = false;
    return 0;
  }
  settle();
  count_unblocked();
  switch (file->kind) {
    case FileKind::kPipeWriter:
      return write_pipe(static_cast<PipeEnd&>(*file), descriptor, parts, count);
    case FileKind::kEvent:
      return write_event(static_cast<EventFile&>(*file), descriptor, parts, count);
    case FileKind::kSocket: {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(parts);
      message.msg_iovlen = static_cast<std::size_t>(count);
      return call_sendmsg(descriptor, &message, 0);
    }
    case FileKind::kPipeReader:
      return -EBADF;
    case FileKind::kTimer:
    case FileKind::kEpoll:
      break;
  }
  return -EINVAL;
}

long call_pipe(int* ends, int flags) {
  const long result = raw(SYS_pipe2, ends, flags);
  if (result < 0) return result;
  Host& host = *here.host;
  const std::uint64_t inode = inode_of(ends[0]);
  Pipe* pipe = make<Pipe>(host);
  auto* reader = make_file<PipeEnd>(host, FileKind::kPipeReader, inode);
  auto* writer = make_file<PipeEnd>(host, FileKind::kPipeWriter, inode);
  reader->pipe = writer->pipe = pipe;
  pipe->reader = reader;
  pipe->writer = writer;
  for (int i = 0; i < 2; ++i) forget_descriptor(ends[i]);
  set_file(*here.process, ends[0], reader);
  set_file(*here.process, ends[1], writer);
  return 0;
}

long call_eventfd(unsigned count, int flags) {
  int type = SOCK_DGRAM;
  if ((flags & EFD_NONBLOCK) != 0) type |= SOCK_NONBLOCK;
  if ((flags & EFD_CLOEXEC) != 0) type |= SOCK_CLOEXEC;
  const long descriptor = raw(SYS_socket, AF_UNIX, type, 0);
  if (descriptor < 0) return descriptor;
  forget_descriptor(static_cast<int>(descriptor));
  auto* event = make_file<EventFile>(*here.host, FileKind::kEvent, inode_of(static_cast<int>(descriptor)));
  event->count = count;
  event->semaphore = (flags & EFD_SEMAPHORE) != 0;
  set_file(*here.process, static_cast<int>(descriptor), event);
  return descriptor;
}

long call_sendfile(int out, int in, std::int64_t* offset, std::size_t count) {
  if (file_of(out) == nullptr && file_of(in) == nullptr) return raw(SYS_sendfile, out, in, offset, count);
  char buffer[16384];
  std::size_t sum = 0;
  while (sum < count) {
    const std::size_t want = count - sum < sizeof buffer ? count - sum : sizeof buffer;
    const long got = offset != nullptr ? raw(SYS_pread64, in, buffer, want, *offset) : raw(SYS_read, in, buffer, want);
    if (got <= 0) return sum > 0 ? static_cast<long>(sum) : got;
    const iovec part{buffer, static_cast<std::size_t>(got)};
    bool handled = false;
    const long put = call_write(out, &part, 1, handled);
    if (put < 0) {
      if (offset == nullptr) raw(SYS_lseek, in, -got, SEEK_CUR);
      return sum > 0 ? static_cast<long>(sum) : put;
    }
    if (offset != nullptr) {
      *offset += put;
    } else if (put < got) {
      raw(SYS_lseek, in, put - got, SEEK_CUR);
    }
    sum += static_cast<std::size_t>(put);
    if (put < got) break;
  }
  return static_cast<long>(sum);
}

void fill_random(void* data, std::size_t bytes) {
  auto* at = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::uint64_t word = random_bits(*here.host);
    const std::size_t now = bytes < 8 ? bytes : 8;
    std::memcpy(at, &word, now);
    at += now;
    bytes -= now;
  }
}

}  // namespace strata::shim
