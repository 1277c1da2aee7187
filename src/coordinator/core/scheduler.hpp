// The coordinator's decisions as a pure state machine: what happened goes in, with the time; what to do comes out. It
// never waits, starts nothing itself and reads no clock, so the same code decides on a robot, in a test and in virtual
// time, and the same events give the same decisions.
//
// A task is issued when its resources are free for it. Within a queue's window nobody overtakes a waiting task that
// wants the same; between queues nobody waits for a queue above unless `reserve` is set. Completion is out of order.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/core/live_task.hpp"
#include "coordinator/core/resource_table.hpp"
#include "coordinator/core/settings.hpp"
#include "coordinator/core/task_queue.hpp"

namespace strata::coordinator {

class Planner;

/// What the dispatcher has to do.
struct Decision {
  enum class Kind : std::uint8_t {
    kStart,
    kTerminate,
    kKill,  ///< at once: it is stopped, has no resources, and must not run again
    kSuspend,
    kResume
  };
  Kind kind = Kind::kStart;
  TaskId id = 0;
  bool operator==(const Decision&) const = default;
};

/// How a process ended.
struct Ending {
  int exit_code = 0;
  int signal = 0;         ///< 0: it returned
  bool spawned = true;    ///< false: it could not be started
  std::string problem{};  ///< why not
  [[nodiscard]] bool good() const { return spawned && signal == 0 && exit_code == 0; }
};

/// A change of a task's state, for whoever keeps records.
struct Update {
  TaskId id = 0;
  TaskState state = TaskState::kHeld;
  Time at{};
  Time started = Time::never();
  int attempts = 0;
  std::string reason{};
};

/// As the original counts them.
struct Statistics {
  std::uint64_t tasks = 0;
  std::uint64_t executed = 0;
  std::uint64_t unfinished = 0;         ///< executed and not finished: pushed aside, killed, out of time
  std::uint64_t lack_of_resources = 0;  ///< attempts that failed because a resource was taken
  std::uint64_t lack_of_priority = 0;   ///< tasks that gave way to a higher priority, or had to if forcing were on
  std::uint64_t finished = 0;           ///< in any final state
  std::uint64_t failed = 0;
  std::uint64_t retried = 0;
  std::uint64_t expired = 0;
};

/// The answer to "request a task".
enum class RequestAnswer : std::uint8_t { kStarted, kEmpty, kNoResources, kNoPriority };

class Scheduler {
 public:
  /// Both are checked already.
  Scheduler(SchedulerSpec spec, std::vector<ResourceSpec> resources);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Somebody else's order instead of the queues'. Null: the queues'. Must outlive the scheduler.
  void set_planner(Planner* planner) { planner_ = planner; }

  // What users want.
  [[nodiscard]] Result<TaskId> submit(Time now, TaskSpec spec);
  /// Whether `submit` would accept it now.
  [[nodiscard]] Result<void> acceptable(const TaskSpec& spec) const;
  [[nodiscard]] Result<void> kill(Time now, TaskId id);
  [[nodiscard]] Result<void> discard(Time now, TaskId id);
  /// How many were discarded.
  std::size_t discard_group(Time now, const std::string& group);
  [[nodiscard]] Result<void> suspend(Time now, TaskId id);
  [[nodiscard]] Result<void> resume(Time now, TaskId id);
  RequestAnswer request(Time now);

  // What the dispatcher reports. Reports about tasks that are not in the state for it are ignored.
  void started(Time now, TaskId id);
  void ended(Time now, TaskId id, const Ending& ending);
  void suspended(Time now, TaskId id);
  void resumed(Time now, TaskId id);
  /// The process is gone and nobody knows how it ended.
  void interrupted(Time now, TaskId id);

  // What the world does.
  /// Lets time pass: time-outs, deadlines, ageing, retries, ticks.
  void advance(Time now);
  /// When `advance` has something to do; never() if nothing.
  [[nodiscard]] Time next_timer() const;
  void resource_lost(Time now, int resource);
  void resource_back(Time now, int resource);
  /// Something outside has changed the planner's mind.
  void replan(Time now) { schedule(now); }

  // After a restart: tasks by ascending id, then `resumed_from`.
  struct Restored {
    TaskId id = 0;
    TaskSpec spec{};
    Time submitted{};
    Time started = Time::never();
    int attempts = 0;
    enum class As : std::uint8_t { kWaiting, kRunning, kStopped, kFinal } as = As::kWaiting;
    TaskState final_state = TaskState::kDone;
  };
  void restore(Time now, Restored task);
  void restored(Time now);

  /// What to do, in order. Empties the list.
  [[nodiscard]] std::vector<Decision> take_decisions() { return std::exchange(decisions_, {}); }
  /// What changed, in order. Empties the list.
  [[nodiscard]] std::vector<Update> take_updates() { return std::exchange(updates_, {}); }

  // A look inside.
  [[nodiscard]] const SchedulerSpec& spec() const { return spec_; }
  [[nodiscard]] const ResourceTable& resources() const { return table_; }
  [[nodiscard]] const std::vector<TaskQueue>& queues() const { return queues_; }
  [[nodiscard]] const std::map<TaskId, std::unique_ptr<LiveTask>>& tasks() const { return tasks_; }
  [[nodiscard]] const LiveTask* find(TaskId id) const;
  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] TaskId next_id() const { return static_cast<TaskId>(fates_.size()); }
  /// The state of any task ever accepted; nothing if there is none of that id.
  [[nodiscard]] std::optional<TaskState> state_of(TaskId id) const;
  [[nodiscard]] std::size_t waiting() const;

 private:
  enum class Attempt : std::uint8_t { kIssued, kStalled, kNoResources, kNoPriority };
  enum class Timer : std::uint8_t { kDeadline, kTimeout, kAge, kRetry };
  struct Candidate {
    int queue;
    Order order;
    LiveTask* task;
    auto operator<=>(const Candidate& other) const {
      if (const auto by_queue = queue <=> other.queue; by_queue != 0) return by_queue;
      return order <=> other.order;
    }
    bool operator==(const Candidate& other) const { return queue == other.queue && order == other.order; }
  };

  [[nodiscard]] LiveTask* live(TaskId id);
  void note(LiveTask& task, TaskState state, Time now, std::string reason = {});
  void decide(Decision::Kind kind, TaskId id) { decisions_.push_back({kind, id}); }

  // Waiting.
  void place(LiveTask& task);
  void enqueue(LiveTask& task, Time now);
  void dequeue(LiveTask& task);
  void make_ready(LiveTask& task, Time now);
  void wake(const std::vector<LiveTask*>& woken);
  void wake_front(std::size_t resource, int from_queue, bool writers_only);
  void link_dependencies(LiveTask& task, Time now);
  [[nodiscard]] Result<void> check_dependencies(const TaskSpec& spec) const;

  // Deciding.
  void schedule(Time now, std::size_t limit = 0);
  void schedule_by_planner(Time now, std::size_t limit);
  [[nodiscard]] std::optional<RequestAnswer> issue_from_candidates(Time now, std::size_t limit);
  [[nodiscard]] bool must_stand_back(const LiveTask& task) const;
  Attempt attempt(LiveTask& task, Time now, bool in_order);
  Attempt push_aside(LiveTask& task, std::vector<LiveTask*> others, Time now);
  void displace(LiveTask& victim, Time now);
  void unclaim(LiveTask& task, Time now);
  void issue(LiveTask& task, Time now);
  void release(LiveTask& task, Time now);
  void claim_if_free(LiveTask& task, Time now);
  void react(Time now);

  // Ending.
  void terminate(LiveTask& task, TaskState as, Time now, std::string reason);
  void finish(LiveTask& task, TaskState state, Time now, std::string reason);
  void after_end(LiveTask& task, TaskState state, Time now, std::string reason);
  void retry(LiveTask& task, Time now);
  void settle_dependents(TaskId id, TaskState state, Time now);
  void discard_rest_of_group(const std::string& group, Time now);
  void sweep_discarded(Time now);

  // Timers.
  void arm(LiveTask& task, Timer timer, Time& slot, Time at);
  void disarm(LiveTask& task);
  void fire(LiveTask& task, Timer timer, Time now);

  SchedulerSpec spec_;
  ResourceTable table_;
  Planner* planner_ = nullptr;
  std::vector<TaskQueue> queues_;
  std::map<TaskId, std::unique_ptr<LiveTask>> tasks_;
  std::vector<TaskState> fates_;  ///< by id; live tasks count as held
  std::map<TaskId, std::vector<TaskId>> dependents_;
  std::map<std::string, std::set<TaskId>> groups_;
  std::set<Candidate> candidates_;
  std::set<TaskId> claiming_;
  std::set<std::tuple<Time, TaskId, Timer>> timers_;
  Time next_tick_ = Time::never();
  std::vector<std::pair<TaskId, std::string>> to_discard_;
  std::vector<LiveTask*> scratch_;
  std::size_t issued_ = 0;
  std::vector<Decision> decisions_;
  std::vector<Update> updates_;
  Statistics statistics_;
};

}  // namespace strata::coordinator
