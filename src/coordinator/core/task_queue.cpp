#include "coordinator/core/task_queue.hpp"

namespace strata::coordinator {

void TaskQueue::enter(LiveTask& task, std::vector<LiveTask*>& woken) {
  const Entry entry{task.order, &task};
  inside_.insert(entry);
  task.in_window = true;
  for (const Claim& claim : task.claims) {
    Lane& lane = lanes_[claim.resource];
    (claim.use == Use::kRead ? lane.readers : lane.writers).insert(entry);
  }
  woken.push_back(&task);
}

void TaskQueue::leave(LiveTask& task) {
  const Entry entry{task.order, &task};
  inside_.erase(entry);
  task.in_window = false;
  for (const Claim& claim : task.claims) {
    Lane& lane = lanes_[claim.resource];
    (claim.use == Use::kRead ? lane.readers : lane.writers).erase(entry);
  }
}

LiveTask* TaskQueue::insert(LiveTask& task, std::vector<LiveTask*>& woken) {
  const Entry entry{task.order, &task};
  const bool full = inside_.size() >= window_;
  if (full && *inside_.rbegin() < entry) {
    outside_.insert(entry);
    return nullptr;
  }
  enter(task, woken);
  if (!full) return nullptr;
  // The last one gives way. Nobody of this queue stands behind it, so nobody here is woken.
  LiveTask* last = inside_.rbegin()->task;
  leave(*last);
  outside_.insert({last->order, last});
  return last;
}

void TaskQueue::erase(LiveTask& task, std::vector<LiveTask*>& woken) {
  if (!task.in_window) {
    outside_.erase({task.order, &task});
    return;
  }
  leave(task);
  if (outside_.empty()) return;
  LiveTask* next = outside_.begin()->task;
  outside_.erase(outside_.begin());
  enter(*next, woken);
}

void TaskQueue::front(std::size_t resource, int capacity, bool writers_only, std::vector<LiveTask*>& woken) const {
  const Lane& lane = lanes_[resource];
  const bool readers_first =
      !lane.readers.empty() && (lane.writers.empty() || *lane.readers.begin() < *lane.writers.begin());
  if (readers_first) {
    if (writers_only) return;
    for (const Entry& entry : lane.readers) {
      if (!lane.writers.empty() && *lane.writers.begin() < entry) break;
      woken.push_back(entry.task);
    }
    return;
  }
  for (const Entry& entry : lane.writers) {
    if (!lane.readers.empty() && *lane.readers.begin() < entry) break;
    woken.push_back(entry.task);
    // Whoever stands behind has room only if this one leaves some.
    if (--capacity <= 0) break;
  }
}

bool TaskQueue::overtakes(const Claim& claim, const Order& order, int room) const {
  const Lane& lane = lanes_[claim.resource];
  const auto before = [&order](const Entries& entries) { return !entries.empty() && entries.begin()->order < order; };
  if (claim.use == Use::kRead) return before(lane.writers);
  if (before(lane.readers)) return true;
  room -= claim.amount;
  for (const Entry& entry : lane.writers) {
    if (!(entry.order < order)) return false;
    for (const Claim& other : entry.task->claims) {
      if (other.resource == claim.resource) room -= other.amount;
    }
    if (room < 0) return true;
  }
  return false;
}

}  // namespace strata::coordinator
