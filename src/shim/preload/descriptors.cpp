// Which descriptors are ours, and what happens to them: dup, close, fcntl, exec.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include "shim/core/raw.hpp"
#include "shim/preload/calls.hpp"
#include "shim/preload/guest.hpp"

namespace strata::shim {

namespace {

// Descriptors known to be the kernel's: no need to ask again.
constexpr int kRemembered = 4096;
bool known_real[kRemembered];

File* look_up(int descriptor) {
  struct stat status {};
  if (raw(SYS_fstat, descriptor, &status) < 0) return nullptr;
  if (!S_ISSOCK(status.st_mode) && !S_ISFIFO(status.st_mode)) return nullptr;
  const bool writer = S_ISFIFO(status.st_mode) && (raw(SYS_fcntl, descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY;
  return find_by_inode(*here.host, status.st_ino, writer);
}

}  // namespace

File* file_of(int descriptor) {
  if (File* file = known_file(*here.process, descriptor)) return file;
  if (descriptor < 0 || (descriptor < kRemembered && known_real[descriptor])) return nullptr;
  File* file = look_up(descriptor);
  if (file != nullptr) {
    set_file(*here.process, descriptor, file);
  } else if (descriptor < kRemembered) {
    known_real[descriptor] = true;
  }
  return file;
}

void forget_descriptor(int descriptor) {
  if (descriptor >= 0 && descriptor < kRemembered) known_real[descriptor] = false;
  clear_file(*here.process, descriptor);
}

void review_descriptors() {
  Process& process = *here.process;
  for (std::uint32_t i = 0; i < process.file_capacity || i < 64; ++i) {
    const auto descriptor = static_cast<int>(i);
    File* actual = look_up(descriptor);
    if (actual != nullptr) {
      if (known_file(process, descriptor) != actual) set_file(process, descriptor, actual);
    } else {
      clear_file(process, descriptor);
    }
  }
}

bool is_nonblocking(int descriptor) { return (raw(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) != 0; }

std::uint64_t inode_of(int descriptor) {
  struct stat status {};
  raw(SYS_fstat, descriptor, &status);
  return status.st_ino;
}

long call_close(int descriptor) {
  if (known_file(*here.process, descriptor) != nullptr) {
    settle();
    // The place-holder goes first: a new file may get its number at once.
    const long result = raw(SYS_close, descriptor);
    forget_descriptor(descriptor);
    return result;
  }
  forget_descriptor(descriptor);
  return raw(SYS_close, descriptor);
}

long call_close_range(unsigned first, unsigned last, unsigned flags) {
  constexpr unsigned kCloseOnExec = 4;
  if ((flags & kCloseOnExec) == 0) {
    settle();
    for (int i = 0; i < kRemembered; ++i) {
      if (static_cast<unsigned>(i) >= first && static_cast<unsigned>(i) <= last) known_real[i] = false;
    }
    for (std::uint32_t i = 0; i < here.process->file_capacity; ++i) {
      if (i >= first && i <= last) clear_file(*here.process, static_cast<int>(i));
    }
  }
  return raw(SYS_close_range, first, last, flags);
}

long call_dup(long number, long a, long b, long c) {
  settle();
  File* file = file_of(static_cast<int>(a));
  const long result = raw(number, a, b, c);
  if (result < 0 || result == a) return result;
  forget_descriptor(static_cast<int>(result));
  if (file != nullptr) set_file(*here.process, static_cast<int>(result), file);
  return result;
}

long call_fcntl(int descriptor, int command, long argument) {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
    settle();
    File* file = file_of(descriptor);
    const long result = raw(SYS_fcntl, descriptor, command, argument);
    if (result >= 0) {
      forget_descriptor(static_cast<int>(result));
      if (file != nullptr) set_file(*here.process, static_cast<int>(result), file);
    }
    return result;
  }
  if (command == F_SETPIPE_SZ || command == F_GETPIPE_SZ) {
    File* file = file_of(descriptor);
    const bool pipe = file != nullptr && (file->kind == FileKind::kPipeReader || file->kind == FileKind::kPipeWriter);
    const long result = raw(SYS_fcntl, descriptor, command, argument);
    if (pipe && result > 0) static_cast<PipeEnd*>(file)->pipe->capacity = static_cast<std::uint64_t>(result);
    return result;
  }
  if (command == F_SETLKW || command == F_OFD_SETLKW) {
    // Locks between guests: try, and let others go on until it works.
    const int attempt = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
    for (std::uint64_t pause = 10000;; pause = pause < 1000000 ? pause * 2 : pause) {
      settle();
      const long result = raw(SYS_fcntl, descriptor, attempt, argument);
      if (result != -EAGAIN && result != -EACCES) return result;
      if (block(here.host->now + pause, Cause::kFile) == Woke::kSignal) return -EINTR;
    }
  }
  return raw(SYS_fcntl, descriptor, command, argument);
}

long call_ioctl(int descriptor, unsigned long request, void* argument) {
  if (request != FIONREAD) return raw(SYS_ioctl, descriptor, request, argument);
  File* file = file_of(descriptor);
  if (file == nullptr) return raw(SYS_ioctl, descriptor, request, argument);
  settle();
  int bytes = 0;
  if (file->kind == FileKind::kPipeReader) bytes = static_cast<int>(static_cast<PipeEnd*>(file)->pipe->data.bytes);
  if (file->kind == FileKind::kSocket) {
    const auto& socket = static_cast<Socket&>(*file);
    if (is_stream(socket)) {
      bytes = static_cast<int>(socket.in.bytes);
    } else if (socket.in.first != nullptr) {
      bytes = static_cast<int>(socket.in.first->size);
    }
  }
  std::memcpy(argument, &bytes, sizeof bytes);
  return 0;
}

}  // namespace strata::shim
