// The coordinator's memory: every task and what became of it, in SQLite. A change is safe against the death of the
// program as soon as `commit` returns, and against the death of the machine as soon as `sync` has. `sync` may run in
// another thread, so that the disk's slowness delays acknowledgements only, never decisions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/core/scheduler.hpp"
#include "coordinator/core/task.hpp"
#include "coordinator/messages/message.hpp"

namespace strata::coordinator {

/// One task as it is kept.
struct Record {
  TaskId id = 0;
  TaskSpec spec{};
  TaskState state = TaskState::kWaiting;
  Time submitted{};
  Time started = Time::never();
  Time ended = Time::never();
  int attempts = 0;
  std::optional<int> exit_code{};
  int signal = 0;
  Duration cpu{};
  std::uint64_t peak_bytes = 0;
  std::string reason{};
};

class Store {
 public:
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Opens or makes the store in a folder. One program at a time: a second one gets an error.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::filesystem::path& folder);

  /// Wall time of the store's birth in nanoseconds since 1970: zero of the coordinator's clock.
  [[nodiscard]] std::int64_t born_ns() const { return born_ns_; }

  // Changes; they begin a transaction that `commit` ends.
  void add(TaskId id, const TaskSpec& spec, Time submitted);
  /// With what its process reported, if it had one.
  void update(const Update& update, const Report* report = nullptr);
  /// True if there was anything to commit.
  bool commit();
  /// Writes through to the disk. May be called from one other thread.
  void sync();
  /// Moves the log into the database when it has grown. May be called from the thread of `sync`.
  void tidy();

  /// Tasks by ascending id: the states of all, and whole records of those that are not final.
  void restore(const std::function<void(TaskId, TaskState, int attempts)>& final_task,
               const std::function<void(Record)>& live_task);
  /// The last `limit` tasks before `before`, ascending. Limit 0: all.
  [[nodiscard]] std::vector<Record> history(std::size_t limit, TaskId before = ~TaskId{0} >> 1U);
  [[nodiscard]] std::optional<Record> find(TaskId id);

 private:
  struct Database;
  explicit Store(std::unique_ptr<Database> database);
  void begin();

  std::unique_ptr<Database> database_;
  std::int64_t born_ns_ = 0;
};

}  // namespace strata::coordinator
