// The dispatcher alone, for a planner on another host: hands the planner's orders to the guardian and the guardian's
// reports to the planner. Keeps nothing itself; after any break it tells the planner all the guardian has.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/dispatcher/dispatcher.hpp"
#include "coordinator/service/socket.hpp"

namespace strata::coordinator {

struct RelaySpec {
  std::string planner{};  ///< address
  KeyPair keys{};
  std::string server_key{};
  std::filesystem::path folder{};
  std::vector<std::string> guardian_command{};
};

class Relay {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Relay>> open(const RelaySpec& spec);
  /// Until `stop`. Then ends what runs, unless `keep`.
  void run(const std::atomic<bool>& stop, bool keep);

 private:
  explicit Relay(const RelaySpec& spec);
  void say_hello();
  void report(const ProcessEvent& event);
  void receive();
  void obey(const Message& message);
  void send(Code code, TaskId id, int attempt, std::string data);

  RelaySpec spec_;
  ZmqContext context_;
  ZmqSocket socket_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::uint64_t planner_instance_ = 0;
};

}  // namespace strata::coordinator
