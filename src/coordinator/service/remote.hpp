// A dispatcher on another host, as the planner sees it: a peer of the service's socket. Orders given while there is
// none wait for it.
#pragma once

#include <string>
#include <vector>

#include "coordinator/service/service.hpp"

namespace strata::coordinator {

class Service::Remote final : public Executor {
 public:
  explicit Remote(ZmqSocket& socket) : socket_(socket) {}

  void execute(TaskId id, int attempt, const TaskSpec& task) override {
    Message message{Code::kExecute, MessageKind::kTask, static_cast<std::uint32_t>(attempt), id, {}};
    encode_task(task, message.data);
    send(message);
  }
  void tell(Code code, TaskId id) override { send({code, MessageKind::kSynchronisation, 0, id, {}}); }
  void shut_down() override { send({Code::kShutdown, MessageKind::kProtocol, 0, 0, {}}); }

  [[nodiscard]] const std::string& peer() const { return peer_; }
  /// A dispatcher begins to tell what it has; what follows comes from it.
  void begin(const std::string& peer) {
    peer_ = peer;
    ready_ = false;
    known.clear();
  }
  /// It has told everything: it may have its orders.
  void ready() {
    ready_ = true;
    for (const Message& message : std::exchange(waiting_, {})) send(message);
  }
  /// Tasks whose start it has not been told yet.
  [[nodiscard]] std::set<TaskId> not_sent() const {
    std::set<TaskId> ids;
    for (const Message& message : waiting_) {
      if (message.code == Code::kExecute) ids.insert(message.id);
    }
    return ids;
  }
  [[nodiscard]] bool is_ready() const { return ready_; }

  std::vector<ProcessEvent> known;  ///< told since `begin`

 private:
  void send(const Message& message) {
    if (!ready_) {
      waiting_.push_back(message);
    } else if (socket_.send(peer_, true)) {
      socket_.send(encode(message));
    }
  }

  ZmqSocket& socket_;
  std::string peer_;
  bool ready_ = false;
  std::vector<Message> waiting_;
};

}  // namespace strata::coordinator
