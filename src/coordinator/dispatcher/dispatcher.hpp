// Runs tasks through a guardian: starts it when there is none, finds it again after a crash, and turns what it says
// into events. One thread; whoever owns it watches `fd`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/task.hpp"
#include "coordinator/dispatcher/message_stream.hpp"
#include "coordinator/messages/message.hpp"

namespace strata::coordinator {

struct DispatcherSpec {
  std::filesystem::path folder;               ///< of the coordinator's state; exists
  std::string mark;                           ///< of the coordinator, unique
  std::vector<std::string> guardian_command;  ///< program and arguments that run a guardian
};

struct ProcessEvent {
  enum class Kind : std::uint8_t { kStarted, kStopped, kContinued, kEnded } kind = Kind::kStarted;
  TaskId id = 0;
  int attempt = 0;
  int pid = 0;
  bool stopped = false;
  Report report{};
};

/// Whoever runs tasks for the planner, here or on another host.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void execute(TaskId id, int attempt, const TaskSpec& task) = 0;
  /// kFinish, kKill, kStop, kContinue or kForget.
  virtual void tell(Code code, TaskId id) = 0;
  /// Ends all tasks.
  virtual void shut_down() = 0;
};

class Dispatcher final : public Executor {
 public:
  explicit Dispatcher(DispatcherSpec spec) : spec_(std::move(spec)) {}
  ~Dispatcher() override;
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Finds or starts the guardian, and appends what it already has: a start or end for every task it knows. A task it
  /// does not know does not run any more: what a dead guardian left behind is killed first.
  [[nodiscard]] Result<void> connect(std::vector<ProcessEvent>& known);
  [[nodiscard]] bool connected() const { return guardian_.open(); }
  [[nodiscard]] int fd() const { return guardian_.fd(); }
  [[nodiscard]] bool wants_to_send() const { return guardian_.wants_to_send(); }

  void execute(TaskId id, int attempt, const TaskSpec& task) override;
  void tell(Code code, TaskId id) override;
  /// Ends the guardian too.
  void shut_down() override;

  /// Sends what waits and reads what is there. False: the guardian is gone, and `connect` is needed.
  [[nodiscard]] bool exchange(std::vector<ProcessEvent>& events);
  [[nodiscard]] bool flush();

 private:
  [[nodiscard]] bool attach();
  [[nodiscard]] Result<void> start_guardian();
  void reap_guardian();
  [[nodiscard]] bool take_messages(std::vector<ProcessEvent>& events, bool& hello);

  DispatcherSpec spec_;
  MessageStream guardian_;
  pid_t guardian_pid_ = 0;  ///< if we started it
};

}  // namespace strata::coordinator
