// What users, the dispatcher and the world tell the scheduler.
#include <fmt/format.h>

#include "coordinator/core/scheduler.hpp"

namespace strata::coordinator {

namespace {

bool has_process(const LiveTask& task) {
  return task.parked || (task.state >= TaskState::kStarting && task.state <= TaskState::kEnding);
}

Error no_such_task(TaskId id, std::optional<TaskState> state) {
  if (!state) return {{}, fmt::format("there is no task {}", id), "see `strata task history` for all of them"};
  return {{}, fmt::format("task {} has ended already: {}", id, to_text(*state)), ""};
}

}  // namespace

Result<void> Scheduler::check_dependencies(const TaskSpec& spec) const {
  Errors errors;
  for (const std::vector<TaskId>* list : {&spec.after, &spec.after_success}) {
    for (const TaskId id : *list) {
      if (id >= fates_.size()) {
        errors.push_back({{}, fmt::format("it depends on task {}, which does not exist", id), "submit that one first"});
      }
    }
  }
  return errors;
}

Result<void> Scheduler::acceptable(const TaskSpec& spec) const {
  Errors errors;
  collect(check(spec), errors);
  collect(table_.claims_of(spec), errors);
  collect(check_dependencies(spec), errors);
  if (errors.empty() && tasks_.size() >= spec_.max_waiting) {
    errors.push_back({{},
                      fmt::format("the coordinator is full: {} tasks wait", tasks_.size()),
                      "try again later, or allow more with --max-waiting"});
  }
  return errors;
}

Result<TaskId> Scheduler::submit(Time now, TaskSpec spec) {
  if (const Result<void> fine = acceptable(spec); !fine.ok()) return fine.errors();
  const auto id = static_cast<TaskId>(fates_.size());
  restore(now, {.id = id, .spec = std::move(spec), .submitted = now});
  react(now);
  return id;
}

void Scheduler::restore(Time now, Restored given) {
  if (fates_.size() <= given.id) fates_.resize(given.id + 1, TaskState::kDiscarded);
  ++statistics_.tasks;
  if (given.attempts > 0) ++statistics_.executed;
  if (given.as == Restored::As::kFinal) {
    fates_[given.id] = given.final_state;
    ++statistics_.finished;
    return;
  }
  auto owned = std::make_unique<LiveTask>();
  LiveTask& task = *owned;
  task.id = given.id;
  task.spec = std::move(given.spec);
  task.claims = table_.claims_of(task.spec).value();
  task.submitted = given.submitted;
  task.started = given.started;
  task.attempts = given.attempts;
  task.timeout_left = task.spec.timeout;
  fates_[task.id] = TaskState::kHeld;
  tasks_.emplace(task.id, std::move(owned));
  if (!task.spec.group.empty()) groups_[task.spec.group].insert(task.id);
  if (task.spec.deadline > Duration{}) {
    arm(task, Timer::kDeadline, task.deadline_at, task.submitted + task.spec.deadline);
  }
  if (given.as == Restored::As::kRunning) {
    table_.hold(task);
    task.holding = true;
    if (task.spec.timeout > Duration{}) {
      arm(task, Timer::kTimeout, task.timeout_at, task.started + task.spec.timeout);
    }
    return note(task, TaskState::kRunning, now, "found again");
  }
  task.parked = given.as == Restored::As::kStopped;
  link_dependencies(task, now);
}

void Scheduler::restored(Time now) { react(now); }

// Counts what it waits for; discards it at once if that has failed already.
void Scheduler::link_dependencies(LiveTask& task, Time now) {
  for (const std::vector<TaskId>* list : {&task.spec.after, &task.spec.after_success}) {
    for (const TaskId id : *list) {
      if (tasks_.contains(id) && id != task.id) {
        dependents_[id].push_back(task.id);
        ++task.unmet;
      } else if (list == &task.spec.after_success && fates_[id] != TaskState::kDone) {
        to_discard_.emplace_back(task.id, fmt::format("task {} ended as {}", id, to_text(fates_[id])));
      }
    }
  }
  make_ready(task, now);
}

Result<void> Scheduler::kill(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr) return no_such_task(id, state_of(id));
  if (!has_process(*task)) {
    return Error{{},
                 fmt::format("task {} is not running: {}", id, to_text(task->state)),
                 fmt::format("to take it out of its queue: strata task discard {}", id)};
  }
  terminate(*task, TaskState::kKilled, now, "killed by the operator");
  react(now);
  return {};
}

Result<void> Scheduler::discard(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr) return no_such_task(id, state_of(id));
  if (has_process(*task)) {
    return Error{{},
                 fmt::format("task {} has started: {}", id, to_text(task->state)),
                 fmt::format("to end it: strata task kill {}", id)};
  }
  to_discard_.emplace_back(id, "discarded by the operator");
  react(now);
  return {};
}

std::size_t Scheduler::discard_group(Time now, const std::string& group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return 0;
  std::size_t count = 0;
  for (const TaskId id : found->second) {
    if (has_process(*live(id))) continue;
    to_discard_.emplace_back(id, "discarded with its group");
    ++count;
  }
  react(now);
  return count;
}

Result<void> Scheduler::suspend(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr) return no_such_task(id, state_of(id));
  if (task->state == TaskState::kRunning) {
    task->by_operator = true;
    decide(Decision::Kind::kSuspend, id);
    note(*task, TaskState::kStopping, now, "stopped by the operator");
    return {};
  }
  if (task->state == TaskState::kWaiting || task->state == TaskState::kParked || task->state == TaskState::kHeld) {
    task->held_by_operator = true;
    if (task->queue >= 0) dequeue(*task);
    note(*task, TaskState::kHeld, now, "held by the operator");
    react(now);
    return {};
  }
  return Error{{}, fmt::format("task {} cannot be suspended now: {}", id, to_text(task->state)), "try again"};
}

Result<void> Scheduler::resume(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr) return no_such_task(id, state_of(id));
  if (task->state == TaskState::kSuspended) {
    decide(Decision::Kind::kResume, id);
    note(*task, TaskState::kResuming, now);
    return {};
  }
  if (task->state == TaskState::kHeld && task->held_by_operator) {
    task->held_by_operator = false;
    make_ready(*task, now);
    react(now);
    return {};
  }
  return Error{{}, fmt::format("task {} is not suspended: {}", id, to_text(task->state)), ""};
}

void Scheduler::started(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr || task->started != Time::never()) return;
  task->started = now;
  if (task->state == TaskState::kStarting) {
    if (task->spec.timeout > Duration{}) arm(*task, Timer::kTimeout, task->timeout_at, now + task->timeout_left);
    note(*task, TaskState::kRunning, now);
  }
}

void Scheduler::suspended(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr || task->state != TaskState::kStopping) return;
  if (task->timeout_at != Time::never()) {
    task->timeout_left = task->timeout_at - now;
    arm(*task, Timer::kTimeout, task->timeout_at, Time::never());
  }
  if (task->by_operator) return note(*task, TaskState::kSuspended, now);
  task->parked = true;
  release(*task, now);
  make_ready(*task, now);
  react(now);
}

void Scheduler::resumed(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr || task->state != TaskState::kResuming) return;
  if (task->spec.timeout > Duration{}) arm(*task, Timer::kTimeout, task->timeout_at, now + task->timeout_left);
  note(*task, TaskState::kRunning, now);
}

void Scheduler::ended(Time now, TaskId id, const Ending& ending) {
  LiveTask* task = live(id);
  if (task == nullptr || !has_process(*task)) return;
  TaskState state = ending.good() ? TaskState::kDone : TaskState::kFailed;
  std::string reason = ending.problem;
  if (task->state == TaskState::kEnding && ending.spawned) {
    state = task->end_as;
  } else if (ending.signal != 0) {
    reason = fmt::format("ended by signal {}", ending.signal);
  } else if (ending.spawned && ending.exit_code != 0) {
    reason = fmt::format("exit code {}", ending.exit_code);
  }
  after_end(*task, state, now, std::move(reason));
  react(now);
}

void Scheduler::interrupted(Time now, TaskId id) {
  LiveTask* task = live(id);
  if (task == nullptr || !has_process(*task)) return;
  const bool wanted = task->state == TaskState::kEnding;
  after_end(*task, wanted ? task->end_as : TaskState::kInterrupted, now, "its process was lost");
  react(now);
}

void Scheduler::resource_lost(Time now, int resource) {
  const int index = table_.find(resource);
  if (index < 0) return;
  const auto& row = table_.rows()[static_cast<std::size_t>(index)];
  table_.set_lost(static_cast<std::size_t>(index), true);
  const std::vector<ResourceTable::Holder> holders = row.holders;
  const std::vector<ResourceTable::Holder> booked = row.booked;
  for (const auto& holder : booked) unclaim(*holder.task, now);
  for (const auto& holder : holders) {
    if (holder.task->state == TaskState::kEnding) continue;
    terminate(*holder.task, TaskState::kInterrupted, now, fmt::format("resource {} has failed", resource));
  }
  react(now);
}

void Scheduler::resource_back(Time now, int resource) {
  const int index = table_.find(resource);
  if (index < 0) return;
  table_.set_lost(static_cast<std::size_t>(index), false);
  wake_front(static_cast<std::size_t>(index), -1, false);
  react(now);
}

}  // namespace strata::coordinator
