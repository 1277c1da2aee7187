// One queue of waiting tasks with its window: the first tasks, which may be examined. For each resource the window
// keeps who wants to read and who wants to write it, in order, so that "who could go now that this is free" is a look
// at the front and not a walk through the queue.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <vector>

#include "coordinator/core/live_task.hpp"

namespace strata::coordinator {

class TaskQueue {
 public:
  struct Entry {
    Order order;
    LiveTask* task = nullptr;
    auto operator<=>(const Entry& other) const { return order <=> other.order; }
    bool operator==(const Entry& other) const { return order == other.order; }
  };
  using Entries = std::set<Entry>;

  /// Window 0: all waiting tasks.
  TaskQueue(std::size_t resources, std::size_t window)
      : window_(window == 0 ? std::numeric_limits<std::size_t>::max() : window), lanes_(resources) {}

  /// Adds a task; appends to `woken` who may have become able to start. Returns who had to leave the window for it.
  LiveTask* insert(LiveTask& task, std::vector<LiveTask*>& woken);
  void erase(LiveTask& task, std::vector<LiveTask*>& woken);

  /// Appends the tasks of the window that come first for `resource`: the leading readers, or the leading writers as far
  /// as `capacity` goes. After a reader has left only writers can have come to the front: `writers_only`.
  void front(std::size_t resource, int capacity, bool writers_only, std::vector<LiveTask*>& woken) const;

  /// Whether a task with that claim and order would overtake somebody of this window who wants the same. `room` is what
  /// writers may still take, the task's own amount included.
  [[nodiscard]] bool overtakes(const Claim& claim, const Order& order, int room) const;

  [[nodiscard]] const Entries& window() const { return inside_; }
  [[nodiscard]] const Entries& beyond() const { return outside_; }
  [[nodiscard]] std::size_t size() const { return inside_.size() + outside_.size(); }

 private:
  /// Who wants one resource.
  struct Lane {
    Entries readers;
    Entries writers;
  };
  void enter(LiveTask& task, std::vector<LiveTask*>& woken);
  void leave(LiveTask& task);

  std::size_t window_;
  std::vector<Lane> lanes_;
  Entries inside_;
  Entries outside_;
};

}  // namespace strata::coordinator
