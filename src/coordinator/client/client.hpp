// Speaks to a coordinator: one question at a time, and the news it sends in between.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/messages/message.hpp"
#include "coordinator/service/socket.hpp"

namespace strata::coordinator {

struct ClientSpec {
  std::string address{};                         ///< see full_address()
  KeyPair keys{};                                ///< own; for network addresses
  std::string server_key{};                      ///< public key of the coordinator
  Duration patience = std::chrono::seconds(60);  ///< for an answer
};

class Client {
 public:
  /// Fails at once if nobody listens at a Unix socket; over the network the first question finds out.
  [[nodiscard]] static Result<std::unique_ptr<Client>> connect(const ClientSpec& spec);

  /// Sends a message and waits for its answer. The coordinator's refusals are errors.
  [[nodiscard]] Result<Message> ask(Code code, std::uint64_t id = 0, std::string data = {});
  /// Id of the first; the others follow it. Dependencies may count from the first, see kInFile.
  [[nodiscard]] Result<TaskId> submit(std::span<const TaskSpec> tasks);
  /// JSON text; `question` is a JSON object with `what`.
  [[nodiscard]] Result<std::string> query(const std::string& question);

  /// From now on starts and ends of tasks arrive as messages.
  [[nodiscard]] Result<void> subscribe();
  /// The next of them; nothing if none comes in time.
  [[nodiscard]] std::optional<Message> next_event(Duration patience);

 private:
  explicit Client(ClientSpec spec) : spec_(std::move(spec)), socket_(context_, ZmqSocket::Type::kDealer) {}

  ClientSpec spec_;
  ZmqContext context_;
  ZmqSocket socket_;
  std::uint32_t number_ = 0;
  std::deque<Message> events_;
};

}  // namespace strata::coordinator
