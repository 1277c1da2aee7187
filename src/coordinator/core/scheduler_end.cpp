// How tasks end, and what time does to them.
#include <algorithm>

#include <fmt/format.h>

#include "coordinator/core/scheduler.hpp"

namespace strata::coordinator {

void Scheduler::terminate(LiveTask& task, TaskState as, Time now, std::string reason) {
  if (task.state == TaskState::kEnding) return;
  if (task.queue >= 0) dequeue(task);
  task.end_as = as;
  decide(task.parked ? Decision::Kind::kKill : Decision::Kind::kTerminate, task.id);
  note(task, TaskState::kEnding, now, std::move(reason));
}

// The process is gone: tries again if its rules say so, else it is over.
void Scheduler::after_end(LiveTask& task, TaskState state, Time now, std::string reason) {
  if (task.queue >= 0) dequeue(task);
  task.parked = false;
  release(task, now);
  arm(task, Timer::kTimeout, task.timeout_at, Time::never());
  if (state != TaskState::kDone && state != TaskState::kFailed) ++statistics_.unfinished;
  const bool failed = state == TaskState::kFailed || state == TaskState::kTimedOut;
  if (failed && task.attempts <= task.spec.retries) {
    ++statistics_.retried;
    if (task.spec.retry_delay > Duration{}) arm(task, Timer::kRetry, task.retry_at, now + task.spec.retry_delay);
    return retry(task, now);
  }
  const bool again = (state == TaskState::kPreempted && task.spec.on_preempt == Policy::kRequeue) ||
                     (state == TaskState::kInterrupted && task.spec.on_interrupt == Policy::kRequeue);
  if (again) return retry(task, now);
  finish(task, state, now, std::move(reason));
}

void Scheduler::retry(LiveTask& task, Time now) {
  task.started = Time::never();
  task.timeout_left = task.spec.timeout;
  make_ready(task, now);
}

void Scheduler::finish(LiveTask& task, TaskState state, Time now, std::string reason) {
  if (task.queue >= 0) dequeue(task);
  if (task.state == TaskState::kClaiming) {
    table_.unbook(task);
    claiming_.erase(task.id);
    for (const Claim& claim : task.claims) wake_front(claim.resource, -1, false);
  }
  disarm(task);
  note(task, state, now, std::move(reason));
  fates_[task.id] = state;
  ++statistics_.finished;
  if (state == TaskState::kFailed || state == TaskState::kTimedOut) ++statistics_.failed;
  if (state == TaskState::kExpired) ++statistics_.expired;
  if (!task.spec.group.empty()) {
    const auto group = groups_.find(task.spec.group);
    group->second.erase(task.id);
    const bool cancelled =
        state == TaskState::kKilled || state == TaskState::kDiscarded || state == TaskState::kPreempted;
    if (cancelled) discard_rest_of_group(task.spec.group, now);
    if (group->second.empty()) groups_.erase(group);
  }
  const TaskId id = task.id;
  tasks_.erase(id);
  settle_dependents(id, state, now);
}

// Of a group one of which was cancelled, what has not started is discarded; what runs may end.
void Scheduler::discard_rest_of_group(const std::string& group, Time) {
  for (const TaskId id : groups_[group]) to_discard_.emplace_back(id, "one of its group was cancelled");
}

void Scheduler::settle_dependents(TaskId id, TaskState state, Time now) {
  const auto found = dependents_.find(id);
  if (found == dependents_.end()) return;
  const std::vector<TaskId> waiting = std::move(found->second);
  dependents_.erase(found);
  for (const TaskId dependent : waiting) {
    LiveTask* task = live(dependent);
    if (task == nullptr) continue;
    const auto& strict = task->spec.after_success;
    if (state != TaskState::kDone && std::find(strict.begin(), strict.end(), id) != strict.end()) {
      to_discard_.emplace_back(dependent, fmt::format("task {} ended as {}", id, to_text(state)));
    }
    if (--task->unmet == 0 && task->state == TaskState::kHeld) make_ready(*task, now);
  }
}

// A list and not a recursion: chains of dependent tasks can be long.
void Scheduler::sweep_discarded(Time now) {
  for (std::size_t i = 0; i < to_discard_.size(); ++i) {
    LiveTask* task = live(to_discard_[i].first);
    const bool waits =
        task != nullptr && !task->parked &&
        (task->state == TaskState::kHeld || task->state == TaskState::kWaiting || task->state == TaskState::kClaiming);
    if (waits) finish(*task, TaskState::kDiscarded, now, std::string(to_discard_[i].second));
  }
  to_discard_.clear();
}

// --- Time.

void Scheduler::arm(LiveTask& task, Timer timer, Time& slot, Time at) {
  if (slot == at) return;
  if (slot != Time::never()) timers_.erase({slot, task.id, timer});
  slot = at;
  if (at != Time::never()) timers_.insert({at, task.id, timer});
}

void Scheduler::disarm(LiveTask& task) {
  arm(task, Timer::kDeadline, task.deadline_at, Time::never());
  arm(task, Timer::kTimeout, task.timeout_at, Time::never());
  arm(task, Timer::kAge, task.age_at, Time::never());
  arm(task, Timer::kRetry, task.retry_at, Time::never());
}

Time Scheduler::next_timer() const {
  const Time first = timers_.empty() ? Time::never() : std::get<0>(*timers_.begin());
  const bool ticks = spec_.mode == Mode::kInterval && waiting() > 0;
  return ticks ? std::min(first, next_tick_) : first;
}

void Scheduler::advance(Time now) {
  while (true) {
    const Time at = next_timer();
    if (at > now || at == Time::never()) break;
    if (!timers_.empty() && std::get<0>(*timers_.begin()) == at) {
      const auto [when, id, timer] = *timers_.begin();
      fire(*live(id), timer, when);
      continue;
    }
    next_tick_ = at + spec_.interval;
    for (const TaskQueue& queue : queues_) {
      if (!queue.window().empty()) wake({queue.window().begin()->task});
    }
    schedule(at, spec_.one_per_tick ? 1 : 0);
  }
  // Without anybody waiting, ticks pass unseen.
  if (next_tick_ != Time::never() && next_tick_ <= now) {
    next_tick_ += spec_.interval * ((now - next_tick_) / spec_.interval + 1);
  }
}

void Scheduler::fire(LiveTask& task, Timer timer, Time now) {
  const bool waits =
      task.state == TaskState::kHeld || task.state == TaskState::kWaiting || task.state == TaskState::kClaiming;
  switch (timer) {
    case Timer::kDeadline:
      arm(task, timer, task.deadline_at, Time::never());
      if (waits && !task.parked) {
        finish(task, TaskState::kExpired, now, "its deadline passed while it waited");
      } else {
        terminate(task, TaskState::kExpired, now, "its deadline passed");
      }
      break;
    case Timer::kTimeout:
      arm(task, timer, task.timeout_at, Time::never());
      terminate(task, TaskState::kTimedOut, now, "it ran longer than its time-out");
      break;
    case Timer::kAge:
      dequeue(task);
      ++task.aged_by;
      enqueue(task, now);
      break;
    case Timer::kRetry:
      arm(task, timer, task.retry_at, Time::never());
      make_ready(task, now);
      break;
  }
  react(now);
}

}  // namespace strata::coordinator
