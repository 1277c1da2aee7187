#include "coordinator/core/scheduler.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "coordinator/core/planner.hpp"

namespace strata::coordinator {

namespace {

constexpr Order kBehindAll{std::numeric_limits<int>::max(), Time::never(), std::numeric_limits<std::uint64_t>::max()};

int queue_count(const SchedulerSpec& spec) {
  return spec.strategy == Strategy::kFifo || spec.strategy == Strategy::kPriority ? 1 : spec.queues;
}

}  // namespace

Scheduler::Scheduler(SchedulerSpec spec, std::vector<ResourceSpec> resources)
    : spec_(spec), table_(std::move(resources)) {
  for (int i = 0; i < queue_count(spec_); ++i) queues_.emplace_back(table_.size(), spec_.window);
}

Scheduler::~Scheduler() = default;

LiveTask* Scheduler::live(TaskId id) {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second.get();
}

const LiveTask* Scheduler::find(TaskId id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second.get();
}

std::optional<TaskState> Scheduler::state_of(TaskId id) const {
  if (const LiveTask* task = find(id)) return task->state;
  if (id < fates_.size()) return fates_[id];
  return std::nullopt;
}

std::size_t Scheduler::waiting() const {
  std::size_t count = 0;
  for (const TaskQueue& queue : queues_) count += queue.size();
  return count;
}

void Scheduler::note(LiveTask& task, TaskState state, Time now, std::string reason) {
  task.state = state;
  updates_.push_back({task.id, state, now, task.started, task.attempts, std::move(reason)});
}

// --- Waiting.

// Chooses the queue and the place in it.
void Scheduler::place(LiveTask& task) {
  const int priority = std::max(0, task.spec.priority - task.aged_by);
  const int last = static_cast<int>(queues_.size()) - 1;
  task.queue = std::min(priority, last);
  bool sorted = spec_.strategy == Strategy::kPriority;
  if (spec_.strategy == Strategy::kFifo) task.queue = 0;
  if (spec_.strategy == Strategy::kMultiFifoOrdered) sorted = task.queue == last;
  task.order = {sorted ? priority : 0, sorted ? task.deadline_at : Time::never(), task.id};
}

void Scheduler::enqueue(LiveTask& task, Time now) {
  place(task);
  note(task, task.parked ? TaskState::kParked : TaskState::kWaiting, now);
  if (spec_.ageing > Duration{} && task.spec.priority > task.aged_by) {
    arm(task, Timer::kAge, task.age_at, now + spec_.ageing);
  }
  scratch_.clear();
  const LiveTask* gone = queues_[static_cast<std::size_t>(task.queue)].insert(task, scratch_);
  wake(scratch_);
  if (gone == nullptr || !spec_.reserve) return;
  for (const Claim& claim : gone->claims) wake_front(claim.resource, task.queue, claim.use == Use::kRead);
}

void Scheduler::dequeue(LiveTask& task) {
  candidates_.erase({task.queue, task.order, &task});
  arm(task, Timer::kAge, task.age_at, Time::never());
  scratch_.clear();
  const int queue = std::exchange(task.queue, -1);
  const bool was_inside = task.in_window;
  queues_[static_cast<std::size_t>(queue)].erase(task, scratch_);
  wake(scratch_);
  if (!was_inside) return;
  for (const Claim& claim : task.claims) wake_front(claim.resource, queue, claim.use == Use::kRead);
}

// Into its queue, or back to waiting for something else.
void Scheduler::make_ready(LiveTask& task, Time now) {
  if (task.unmet == 0 && !task.held_by_operator && task.retry_at == Time::never()) {
    enqueue(task, now);
  } else {
    note(task, TaskState::kHeld, now);
  }
}

void Scheduler::wake(const std::vector<LiveTask*>& woken) {
  for (LiveTask* task : woken) candidates_.insert({task->queue, task->order, task});
}

// Somebody has left `from_queue`, or the resource itself (then all queues, from 0).
void Scheduler::wake_front(std::size_t resource, int from_queue, bool writers_only) {
  scratch_.clear();
  const int capacity = table_.rows()[resource].spec.capacity;
  const int last = spec_.reserve || from_queue < 0 ? static_cast<int>(queues_.size()) - 1 : from_queue;
  for (int i = std::max(from_queue, 0); i <= last; ++i) {
    queues_[static_cast<std::size_t>(i)].front(resource, capacity, writers_only, scratch_);
  }
  wake(scratch_);
}

// --- Deciding.

void Scheduler::react(Time now) {
  sweep_discarded(now);
  if (spec_.mode == Mode::kImmediate) schedule(now);
  if (spec_.mode == Mode::kInterval && next_tick_ == Time::never()) next_tick_ = now + spec_.interval;
}

void Scheduler::schedule(Time now, std::size_t limit) {
  if (planner_ != nullptr) return schedule_by_planner(now, limit);
  static_cast<void>(issue_from_candidates(now, limit));
}

// Nothing if nobody could even be tried.
std::optional<RequestAnswer> Scheduler::issue_from_candidates(Time now, std::size_t limit) {
  std::optional<RequestAnswer> answer;
  const std::size_t before = issued_;
  while (!candidates_.empty()) {
    LiveTask& task = *candidates_.begin()->task;
    candidates_.erase(candidates_.begin());
    switch (attempt(task, now, true)) {
      case Attempt::kIssued:
        answer = RequestAnswer::kStarted;
        if (limit != 0 && issued_ - before >= limit) return answer;
        break;
      case Attempt::kNoPriority:
        if (!answer || answer == RequestAnswer::kNoResources) answer = RequestAnswer::kNoPriority;
        break;
      case Attempt::kNoResources:
        if (!answer) answer = RequestAnswer::kNoResources;
        break;
      case Attempt::kStalled:
        break;
    }
  }
  return answer;
}

void Scheduler::schedule_by_planner(Time now, std::size_t limit) {
  const std::optional<std::vector<TaskId>> chosen = planner_->choose(now, *this);
  if (!chosen) {
    static_cast<void>(issue_from_candidates(now, limit));
    return;
  }
  const std::size_t before = issued_;
  for (const TaskId id : *chosen) {
    LiveTask* task = live(id);
    if (task == nullptr || task->queue < 0) continue;
    attempt(*task, now, false);
    if (limit != 0 && issued_ - before >= limit) return;
  }
}

// Issue is in order: nobody overtakes a waiting task that wants the same.
bool Scheduler::must_stand_back(const LiveTask& task) const {
  if (!task.in_window) return true;
  return std::any_of(task.claims.begin(), task.claims.end(), [&](const Claim& claim) {
    const int room = table_.room(claim.resource);
    if (queues_[static_cast<std::size_t>(task.queue)].overtakes(claim, task.order, room)) return true;
    for (int i = 0; spec_.reserve && i < task.queue; ++i) {
      if (queues_[static_cast<std::size_t>(i)].overtakes(claim, kBehindAll, room)) return true;
    }
    return false;
  });
}

Scheduler::Attempt Scheduler::attempt(LiveTask& task, Time now, bool in_order) {
  if (in_order && must_stand_back(task)) return Attempt::kStalled;
  std::vector<LiveTask*> others;
  bool lost = false;
  for (const Claim& claim : task.claims) {
    if (table_.fits(claim)) continue;
    lost = lost || table_.rows()[claim.resource].lost;
    table_.blockers(claim, others);
  }
  if (!lost && others.empty()) {
    dequeue(task);
    table_.hold(task);
    task.holding = true;
    issue(task, now);
    return Attempt::kIssued;
  }
  const bool outranks_all = !lost && std::all_of(others.begin(), others.end(), [&](const LiveTask* other) {
    return other->spec.priority > task.spec.priority;
  });
  if (outranks_all) return push_aside(task, std::move(others), now);
  ++statistics_.lack_of_resources;
  return Attempt::kNoResources;
}

Scheduler::Attempt Scheduler::push_aside(LiveTask& task, std::vector<LiveTask*> others, Time now) {
  std::sort(others.begin(), others.end(), [](const LiveTask* a, const LiveTask* b) { return a->id < b->id; });
  others.erase(std::unique(others.begin(), others.end()), others.end());
  if (!spec_.forcing) {
    ++statistics_.lack_of_priority;
    return Attempt::kNoPriority;
  }
  dequeue(task);
  table_.book(task);
  claiming_.insert(task.id);
  note(task, TaskState::kClaiming, now);
  for (LiveTask* other : others) displace(*other, now);
  claim_if_free(task, now);
  return Attempt::kIssued;
}

void Scheduler::displace(LiveTask& victim, Time now) {
  if (victim.state == TaskState::kEnding) return;
  ++statistics_.lack_of_priority;
  if (victim.state == TaskState::kClaiming) return unclaim(victim, now);
  if (spec_.preempt == Preempt::kTerminate) {
    return terminate(victim, TaskState::kPreempted, now, "gave way to a task of higher priority");
  }
  if (victim.state == TaskState::kSuspended) {
    victim.parked = true;
    victim.held_by_operator = true;
    release(victim, now);
    note(victim, TaskState::kHeld, now, "stopped by the operator; gave its resources to a task of higher priority");
    return;
  }
  if (victim.state != TaskState::kStopping) decide(Decision::Kind::kSuspend, victim.id);
  victim.by_operator = false;
  note(victim, TaskState::kStopping, now, "gives way to a task of higher priority");
}

void Scheduler::unclaim(LiveTask& task, Time now) {
  table_.unbook(task);
  claiming_.erase(task.id);
  make_ready(task, now);
  for (const Claim& claim : task.claims) wake_front(claim.resource, -1, false);
}

void Scheduler::claim_if_free(LiveTask& task, Time now) {
  const auto free = [&](const Claim& claim) { return table_.fits_holders(claim); };
  if (!std::all_of(task.claims.begin(), task.claims.end(), free)) return;
  table_.unbook(task);
  table_.hold(task);
  task.holding = true;
  issue(task, now);
}

void Scheduler::issue(LiveTask& task, Time now) {
  claiming_.erase(task.id);
  task.issued = now;
  ++issued_;
  if (task.parked) {
    task.parked = false;
    decide(Decision::Kind::kResume, task.id);
    return note(task, TaskState::kResuming, now);
  }
  if (++task.attempts == 1) ++statistics_.executed;
  decide(Decision::Kind::kStart, task.id);
  note(task, TaskState::kStarting, now);
}

void Scheduler::release(LiveTask& task, Time now) {
  if (!std::exchange(task.holding, false)) return;
  table_.release(task);
  // Whoever pushed somebody aside comes before all that wait.
  const std::vector<TaskId> claiming(claiming_.begin(), claiming_.end());
  for (const TaskId id : claiming) {
    if (claiming_.contains(id)) claim_if_free(*live(id), now);
  }
  for (const Claim& claim : task.claims) wake_front(claim.resource, -1, false);
}

RequestAnswer Scheduler::request(Time now) {
  sweep_discarded(now);
  if (waiting() == 0) return RequestAnswer::kEmpty;
  for (const TaskQueue& queue : queues_) {
    if (!queue.window().empty()) wake({queue.window().begin()->task});
  }
  const std::size_t before = issued_;
  if (planner_ != nullptr) {
    schedule_by_planner(now, spec_.one_per_tick ? 1 : 0);
    return issued_ > before ? RequestAnswer::kStarted : RequestAnswer::kNoResources;
  }
  return issue_from_candidates(now, spec_.one_per_tick ? 1 : 0).value_or(RequestAnswer::kNoResources);
}

}  // namespace strata::coordinator
