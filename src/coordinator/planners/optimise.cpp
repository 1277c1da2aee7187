#include "coordinator/planners/optimise.hpp"

#include <algorithm>
#include <set>

#include "coordinator/core/scheduler.hpp"
#include "coordinator/planners/project.hpp"

namespace strata::coordinator {

namespace {

constexpr std::size_t kMostTasks = 100;
constexpr std::int64_t kUnits = 2000;  // of time in a plan: finer plans cost more and gain nothing

std::vector<TaskId> waiting_tasks(const Scheduler& scheduler) {
  std::vector<TaskId> ids;
  for (const TaskQueue& queue : scheduler.queues()) {
    for (const auto* part : {&queue.window(), &queue.beyond()}) {
      for (const auto& entry : *part) ids.push_back(entry.task->id);
    }
  }
  return ids;
}

// What is left of a task; never nothing, so that a task that runs late still keeps its resources.
Duration left_of(const LiveTask& task, Time now) {
  const Duration whole = task.spec.duration;
  if (task.started == Time::never()) return whole;
  return std::max(whole - (now - task.started), Duration(std::chrono::milliseconds(1)));
}

// Readers share and a writer excludes them: each unit of capacity counts as many readers as there are tasks.
int demand_of(const Claim& claim, int readers) { return claim.use == Use::kRead ? 1 : claim.amount * readers; }

}  // namespace

void OptimisePlanner::plan(Time now, const Scheduler& scheduler, const std::vector<TaskId>& waiting) {
  std::vector<const LiveTask*> tasks;
  for (const auto& [id, task] : scheduler.tasks()) {
    if (task->holding && task->spec.duration > Duration{}) tasks.push_back(task.get());
  }
  const std::size_t running = tasks.size();
  for (const TaskId id : waiting) tasks.push_back(scheduler.find(id));
  Duration total;
  for (const LiveTask* task : tasks) total += left_of(*task, now);
  const std::int64_t unit_ns = std::max<std::int64_t>(1, total.ns() / kUnits);
  const int readers = static_cast<int>(tasks.size());
  Project project;
  for (const auto& row : scheduler.resources().rows()) project.capacity.push_back(row.spec.capacity * readers);
  for (const LiveTask* task : tasks) {
    const std::int64_t units = (left_of(*task, now).ns() + unit_ns - 1) / unit_ns;
    project.duration.push_back(static_cast<int>(units));
    project.demand.emplace_back(project.capacity.size(), 0);
    for (const Claim& claim : task->claims) project.demand.back()[claim.resource] = demand_of(claim, readers);
  }
  project.successors.resize(tasks.size());
  // What runs has its resources already: whoever wants one of them comes after.
  for (std::size_t i = 0; i < running; ++i) {
    for (std::size_t j = running; j < tasks.size(); ++j) {
      bool together = true;
      for (std::size_t r = 0; r < project.capacity.size(); ++r) {
        together = together && project.demand[i][r] + project.demand[j][r] <= project.capacity[r];
      }
      if (!together) project.successors[i].push_back(static_cast<int>(j));
    }
  }
  const Plan best = solve(project, std::chrono::nanoseconds(limit_.ns()));
  std::vector<std::size_t> order;
  for (std::size_t i = running; i < tasks.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return best.start[a] < best.start[b]; });
  rank_.clear();
  for (std::size_t k = 0; k < order.size(); ++k) rank_[tasks[order[k]]->id] = k;
}

std::optional<std::vector<TaskId>> OptimisePlanner::choose(Time now, const Scheduler& scheduler) {
  std::vector<TaskId> waiting = waiting_tasks(scheduler);
  const auto unknown = [&](TaskId id) { return scheduler.find(id)->spec.duration <= Duration{}; };
  if (waiting.size() > kMostTasks || std::any_of(waiting.begin(), waiting.end(), unknown)) return std::nullopt;
  // Ends follow the plan; only somebody new makes another one worth its time.
  const auto unplanned = [this](TaskId id) { return !rank_.contains(id); };
  if (std::any_of(waiting.begin(), waiting.end(), unplanned)) plan(now, scheduler, waiting);
  std::sort(waiting.begin(), waiting.end(), [this](TaskId a, TaskId b) { return rank_.at(a) < rank_.at(b); });
  // Nobody overtakes on a resource: that is what the plan is about.
  std::vector<TaskId> chosen;
  std::set<std::size_t> wanted;
  for (const TaskId id : waiting) {
    const LiveTask& task = *scheduler.find(id);
    const bool behind = std::any_of(task.claims.begin(), task.claims.end(),
                                    [&wanted](const Claim& claim) { return wanted.contains(claim.resource); });
    if (!behind) chosen.push_back(id);
    for (const Claim& claim : task.claims) wanted.insert(claim.resource);
  }
  return chosen;
}

}  // namespace strata::coordinator
