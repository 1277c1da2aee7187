#include "virtual_dispatcher.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace strata::coordinator::testing {

VirtualDispatcher::VirtualDispatcher(SchedulerSpec spec, std::vector<ResourceSpec> resources)
    : plan([](const LiveTask&) {
        return std::pair{Duration(std::chrono::seconds(50)), Ending{}};
      }),
      scheduler_(spec, std::move(resources)) {}

TaskId VirtualDispatcher::submit(TaskSpec spec) {
  const TaskId id = scheduler_.submit(now_, std::move(spec)).value();
  obey();
  return id;
}

Time VirtualDispatcher::next() const {
  Time time = scheduler_.next_timer();
  if (!actions_.empty()) time = std::min(time, actions_.begin()->first);
  for (const auto& [id, process] : running_) {
    if (!process.stopped) time = std::min(time, process.ends);
  }
  return time;
}

void VirtualDispatcher::run_until(Time end) {
  while (true) {
    const Time time = next();
    if (time == Time::never() || time > end) break;
    step(time);
  }
  if (end != Time::never()) now_ = end;
}

void VirtualDispatcher::step(Time time) {
  now_ = std::max(now_, time);
  for (const auto& [id, process] : running_) {
    if (process.stopped || process.ends > now_) continue;
    const TaskId ended = id;
    const Ending ending = process.ending;
    running_.erase(ended);
    scheduler_.ended(now_, ended, ending);
    return obey();
  }
  if (scheduler_.next_timer() <= now_) {
    scheduler_.advance(now_);
    return obey();
  }
  const auto action = std::move(actions_.begin()->second);
  actions_.erase(actions_.begin());
  action();
  obey();
}

void VirtualDispatcher::obey() {
  while (true) {
    const std::vector<Decision> decisions = scheduler_.take_decisions();
    if (decisions.empty()) break;
    for (const Decision& decision : decisions) {
      log_.emplace_back(now_, decision);
      const TaskId id = decision.id;
      switch (decision.kind) {
        case Decision::Kind::kStart: {
          const auto [length, ending] = plan(*scheduler_.find(id));
          running_[id] = {now_ + length, ending, false, {}};
          fates_[id].started.push_back(now_);
          scheduler_.started(now_, id);
          break;
        }
        case Decision::Kind::kTerminate:
          running_[id].stopped = false;
          running_[id].ends = std::min(running_[id].ends == Time{} ? now_ : running_[id].ends, now_ + reaction);
          running_[id].ending = {.exit_code = 0, .signal = 15};
          break;
        case Decision::Kind::kKill:
          running_.erase(id);
          scheduler_.ended(now_, id, {.exit_code = 0, .signal = 9});
          break;
        case Decision::Kind::kSuspend:
          running_[id].stopped = true;
          running_[id].left = running_[id].ends - now_;
          scheduler_.suspended(now_, id);
          break;
        case Decision::Kind::kResume:
          running_[id].stopped = false;
          running_[id].ends = now_ + running_[id].left;
          scheduler_.resumed(now_, id);
          break;
      }
    }
  }
  for (const Update& update : scheduler_.take_updates()) {
    if (!is_final(update.state)) continue;
    fates_[update.id].finals.push_back(update.state);
    fates_[update.id].ended = update.at;
  }
  check();
}

void VirtualDispatcher::check() {
  if (!broken_.empty()) return;
  check_resources();
  if (scheduler_.spec().mode == Mode::kImmediate) check_heads();
}

// No two writers beyond the capacity, no writer beside a reader; and the table says what the tasks say.
void VirtualDispatcher::check_resources() {
  for (const auto& row : scheduler_.resources().rows()) {
    int readers = 0;
    int written = 0;
    for (const auto& holder : row.holders) {
      readers += holder.use == Use::kRead ? 1 : 0;
      written += holder.use == Use::kWrite ? holder.amount : 0;
      if (!holder.task->holding) broken_ = fmt::format("task {} holds without knowing", holder.task->id);
    }
    if (readers > 0 && written > 0) broken_ = fmt::format("resource {}: a writer beside a reader", row.spec.id);
    if (written > row.spec.capacity) broken_ = fmt::format("resource {}: too many writers", row.spec.id);
  }
  for (const auto& [id, process] : running_) {
    const LiveTask* live = scheduler_.find(id);
    if (live == nullptr) {
      broken_ = fmt::format("task {} runs and is over", id);
    } else if (!process.stopped && !live->holding) {
      broken_ = fmt::format("task {} runs without its resources", id);
    }
  }
}

// Nobody waits at the head of a queue while its resources are free and nobody of higher priority wants them.
void VirtualDispatcher::check_heads() {
  for (std::size_t q = 0; q < scheduler_.queues().size(); ++q) {
    const TaskQueue& queue = scheduler_.queues()[q];
    if (queue.window().empty()) continue;
    const LiveTask& head = *queue.window().begin()->task;
    const bool free = std::all_of(head.claims.begin(), head.claims.end(),
                                  [&](const Claim& claim) { return scheduler_.resources().fits(claim); });
    if (!free) continue;
    bool wanted = false;
    for (std::size_t above = 0; scheduler_.spec().reserve && above < q; ++above) {
      for (const auto& entry : scheduler_.queues()[above].window()) {
        for (const Claim& other : entry.task->claims) {
          for (const Claim& own : head.claims) wanted = wanted || own.resource == other.resource;
        }
      }
    }
    if (!wanted) broken_ = fmt::format("task {} waits at the head of queue {} for nothing", head.id, q);
  }
}

std::map<double, std::vector<TaskId>> VirtualDispatcher::starts() const {
  std::map<double, std::vector<TaskId>> starts;
  for (const auto& [id, fate] : fates_) {
    if (!fate.started.empty()) starts[static_cast<double>(fate.started.front().ns()) / 1e9].push_back(id);
  }
  return starts;
}

std::vector<ResourceSpec> plain_resources(int count) {
  std::vector<ResourceSpec> resources;
  for (int i = 0; i < count; ++i) resources.push_back({i, fmt::format("r{}", i), 1});
  return resources;
}

TaskSpec task(std::vector<int> resources, int priority, std::string command) {
  TaskSpec spec;
  spec.command = std::move(command);
  spec.priority = priority;
  for (const int resource : resources) spec.uses.push_back({resource, Use::kWrite, 1});
  return spec;
}

}  // namespace strata::coordinator::testing
