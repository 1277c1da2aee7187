#include "coordinator/dispatcher/message_stream.hpp"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

namespace strata::coordinator {

namespace {
constexpr std::size_t kChunk = 64U << 10U;
}

MessageStream& MessageStream::operator=(MessageStream&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  in_ = std::exchange(other.in_, {});
  taken_ = std::exchange(other.taken_, 0);
  out_ = std::exchange(other.out_, {});
  sent_ = std::exchange(other.sent_, 0);
  return *this;
}

void MessageStream::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  in_.clear();
  out_.clear();
  taken_ = sent_ = 0;
}

bool MessageStream::flush() {
  while (sent_ < out_.size()) {
    const ssize_t count = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    sent_ += static_cast<std::size_t>(count);
  }
  out_.clear();
  sent_ = 0;
  return true;
}

bool MessageStream::fill() {
  while (true) {
    const std::size_t before = in_.size();
    in_.resize(before + kChunk);
    const ssize_t count = ::recv(fd_, in_.data() + before, kChunk, 0);
    in_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    if (static_cast<std::size_t>(count) < kChunk) return true;
  }
}

Result<std::optional<Message>> MessageStream::next() {
  const std::string_view rest = std::string_view(in_).substr(taken_);
  const Result<std::size_t> length = length_of(rest);
  if (!length.ok()) return length.errors();
  if (*length == 0 || rest.size() < *length) {
    in_.erase(0, taken_);
    taken_ = 0;
    return std::optional<Message>();
  }
  Result<Message> message = decode(rest.substr(0, *length));
  if (!message.ok()) return message.errors();
  taken_ += *length;
  return std::optional<Message>(std::move(message).value());
}

}  // namespace strata::coordinator
