#include "coordinator/dispatcher/output_log.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace strata::coordinator {

OutputLog::OutputLog(int pipe, std::filesystem::path file, std::uint64_t limit_bytes)
    : pipe_(pipe), path_(std::move(file)), left_(limit_bytes) {
  ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

OutputLog& OutputLog::operator=(OutputLog&& other) noexcept {
  if (this == &other) return *this;
  close();
  pipe_ = std::exchange(other.pipe_, -1);
  file_ = std::exchange(other.file_, -1);
  path_ = std::move(other.path_);
  left_ = other.left_;
  dropped_ = std::exchange(other.dropped_, 0);
  return *this;
}

void OutputLog::close() {
  if (file_ >= 0 && dropped_ > 0) {
    const std::string mark = fmt::format("\n[{} further bytes were dropped]\n", dropped_);
    static_cast<void>(::write(file_, mark.data(), mark.size()) == 0);
  }
  if (pipe_ >= 0) ::close(pipe_);
  if (file_ >= 0) ::close(file_);
  pipe_ = file_ = -1;
}

void OutputLog::read() {
  char buffer[16384];
  // A task that writes without end must not keep us from the others.
  for (int round = 0; pipe_ >= 0 && round < 64; ++round) {
    const ssize_t count = ::read(pipe_, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    if (count == 0) return close();
    write(buffer, static_cast<std::size_t>(count));
  }
}

void OutputLog::write(const char* bytes, std::size_t count) {
  if (file_ < 0) {
    std::error_code ignored;
    std::filesystem::create_directories(path_.parent_path(), ignored);
    // A second attempt of the task goes on where the first one ended.
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  const std::size_t kept = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
  const ssize_t written = file_ < 0 || kept == 0 ? 0 : ::write(file_, bytes, kept);
  const std::size_t done = written > 0 ? static_cast<std::size_t>(written) : 0;
  left_ -= done;
  dropped_ += count - done;
}

}  // namespace strata::coordinator
