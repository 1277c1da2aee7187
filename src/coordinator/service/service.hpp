// The coordinator as a service: takes messages, lets the scheduler decide, keeps the store, has tasks run, and answers.
// One thread decides; another writes through to the disk. An answer to a change leaves only when the change is on disk.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/planner.hpp"
#include "coordinator/core/scheduler.hpp"
#include "coordinator/dispatcher/dispatcher.hpp"
#include "coordinator/service/gate.hpp"
#include "coordinator/service/socket.hpp"
#include "coordinator/service/syncer.hpp"
#include "coordinator/store/store.hpp"

namespace strata::coordinator {

struct ServiceSpec {
  SchedulerSpec scheduler{};
  std::vector<ResourceSpec> resources{};
  std::filesystem::path folder{};               ///< state: store, logs, guardian
  std::vector<std::string> addresses{};         ///< where it listens
  KeyPair keys{};                               ///< for network addresses
  std::vector<std::string> allowed{};           ///< public keys of peers that may connect over the network
  std::vector<std::string> guardian_command{};  ///< empty: tasks run where a dispatcher connects from
  std::unique_ptr<Planner> planner{};           ///< null: priority
};

class Service final {
 public:
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Opens the store, finds what still runs, and listens.
  [[nodiscard]] static Result<std::unique_ptr<Service>> open(ServiceSpec spec);
  /// Serves until `stop` is true. Then ends what runs, unless `keep` says to leave it to the guardian.
  [[nodiscard]] Result<void> run(const std::atomic<bool>& stop, bool keep);

 private:
  struct Peer {
    std::uint32_t last_number = 0;
    std::uint64_t last_seen = 0;
    bool subscribed = false;
  };
  struct Answer {
    std::uint64_t ticket = 0;  ///< leaves when the syncer has reached it
    std::string peer;
    Message message;
  };
  class Remote;

  explicit Service(ServiceSpec spec);
  [[nodiscard]] Result<void> start();
  void restore();
  [[nodiscard]] Time now() const;

  // Messages.
  void receive();
  void handle(const std::string& peer, const std::string& bytes);
  void handle_terminal(const std::string& peer, const Message& message);
  void handle_dispatcher(const std::string& peer, const Message& message);
  void new_tasks(const std::string& peer, const Message& message);
  void request(const std::string& peer, const Message& message);
  void change_task(const std::string& peer, const Message& message);
  [[nodiscard]] Result<std::string> query(const Message& message, std::uint64_t& id);
  void answer(const std::string& peer, const Message& to, Code code, std::uint64_t id, std::string data = {});
  void refuse(const std::string& peer, const Message& to, Code code, const Errors& errors);
  void send(const std::string& peer, const Message& message);
  void send_answers();
  void notify(const Update& update);
  [[nodiscard]] bool in_sequence(const std::string& peer, const Message& message);

  // Processes.
  void exchange_with_guardian();
  /// `waiting`: tasks whose start has not been told to anybody yet.
  void reconcile(const std::vector<ProcessEvent>& known, const std::set<TaskId>& waiting = {});
  void put_right(const ProcessEvent& event);
  void happened(const ProcessEvent& event);
  void settle();
  void carry_out(const Decision& decision);
  [[nodiscard]] bool is_kept(const Update& update) const;
  void wait_for_work();
  void leave(bool keep);

  ServiceSpec spec_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Syncer> syncer_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Dispatcher> dispatcher_;  ///< null: a remote one
  std::unique_ptr<Remote> remote_;
  Executor* executor_ = nullptr;
  ZmqContext context_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<ZmqSocket> socket_;
  std::map<std::string, Peer> peers_;
  std::uint64_t seen_ = 0;
  std::deque<Answer> answers_;
  std::map<TaskId, Report> reports_;  ///< of processes that have ended, until the task's state is stored
  std::map<TaskId, int> pids_;
  std::vector<TaskId> to_forget_;
  std::set<TaskId> stopped_by_operator_;  ///< before a restart
  std::uint64_t instance_ = 0;
  std::int64_t start_steady_ns_ = 0;
  Time start_;
};

}  // namespace strata::coordinator
