// Messages over a stream socket, without blocking: what cannot be sent yet is kept, what has not arrived whole waits.
#pragma once

#include <optional>
#include <string>

#include "coordinator/messages/message.hpp"

namespace strata::coordinator {

class MessageStream {
 public:
  MessageStream() = default;
  /// Takes over the descriptor, which must not block.
  explicit MessageStream(int fd) : fd_(fd) {}
  ~MessageStream() { close(); }
  MessageStream(MessageStream&& other) noexcept { *this = std::move(other); }
  MessageStream& operator=(MessageStream&& other) noexcept;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  void close();

  /// Queues a message; `flush` sends.
  void send(const Message& message) { encode(message, out_); }
  /// Sends what can be sent. False: the other side is gone.
  [[nodiscard]] bool flush();
  [[nodiscard]] bool wants_to_send() const { return sent_ < out_.size(); }
  /// Reads what is there. False: the other side is gone; what came before can still be taken.
  [[nodiscard]] bool fill();
  /// The next whole message; an error if the stream makes no sense.
  [[nodiscard]] Result<std::optional<Message>> next();

 private:
  int fd_ = -1;
  std::string in_;
  std::size_t taken_ = 0;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace strata::coordinator
