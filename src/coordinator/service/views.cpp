#include "coordinator/service/views.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace strata::coordinator {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Exact for whole milliseconds, which a product with 1e-9 is not.
Json seconds(Time time) { return time == Time::never() ? Json() : Json(static_cast<double>(time.ns()) / 1e9); }

Json uses_of(const TaskSpec& spec) {
  Json uses = Json::array();
  for (const ResourceUse& use : spec.uses) {
    uses.push_back({{"id", use.resource}, {"use", to_text(use.use)}, {"amount", use.amount}});
  }
  return uses;
}

Json ids_of(const TaskSpec& spec) {
  Json ids = Json::array();
  for (const ResourceUse& use : spec.uses) ids.push_back(use.resource);
  return ids;
}

Json task_of(const LiveTask& task) {
  return {{"id", task.id},
          {"command", task.spec.command},
          {"arguments", task.spec.arguments},
          {"resources", ids_of(task.spec)},
          {"uses", uses_of(task.spec)},
          {"priority", task.spec.priority},
          {"group", task.spec.group},
          {"state", to_text(task.state)},
          {"submitted_s", seconds(task.submitted)},
          {"started_s", seconds(task.started)},
          {"attempts", task.attempts},
          {"text", to_text(task.spec)}};
}

ResourceState state_of(const ResourceTable::Row& row, bool awaited) {
  if (row.holders.empty()) return awaited ? ResourceState::kWait : ResourceState::kFree;
  const bool asleep = std::all_of(row.holders.begin(), row.holders.end(),
                                  [](const auto& holder) { return holder.task->state == TaskState::kSuspended; });
  return asleep ? ResourceState::kSleep : ResourceState::kWorking;
}

// The stopped task that wants its resource back, if nobody has it.
const LiveTask* parked_owner(const Scheduler& scheduler, std::size_t resource) {
  for (const auto& [id, task] : scheduler.tasks()) {
    if (!task->parked) continue;
    for (const Claim& claim : task->claims) {
      if (claim.resource == resource) return task.get();
    }
  }
  return nullptr;
}

}  // namespace

std::string queues_json(const Scheduler& scheduler) {
  Json queues = Json::array();
  for (std::size_t i = 0; i < scheduler.queues().size(); ++i) {
    Json tasks = Json::array();
    for (const auto* part : {&scheduler.queues()[i].window(), &scheduler.queues()[i].beyond()}) {
      for (const auto& entry : *part) tasks.push_back(task_of(*entry.task));
    }
    queues.push_back({{"priority", i}, {"tasks", tasks}});
  }
  Json held = Json::array();
  for (const auto& [id, task] : scheduler.tasks()) {
    if (task->state == TaskState::kHeld) held.push_back(task_of(*task));
  }
  return text_of({{"queues", queues}, {"held", held}});
}

std::string running_json(const Scheduler& scheduler, const std::function<int(TaskId)>& pid) {
  Json tasks = Json::array();
  for (const auto& [id, task] : scheduler.tasks()) {
    if (task->state < TaskState::kClaiming && !task->parked) continue;
    Json entry = task_of(*task);
    entry["pid"] = pid(id);
    tasks.push_back(entry);
  }
  return text_of(tasks);
}

std::string resources_json(const Scheduler& scheduler) {
  Json resources = Json::array();
  const bool any_parked = std::any_of(scheduler.tasks().begin(), scheduler.tasks().end(),
                                      [](const auto& entry) { return entry.second->parked; });
  for (std::size_t i = 0; i < scheduler.resources().size(); ++i) {
    const ResourceTable::Row& row = scheduler.resources().rows()[i];
    const LiveTask* owner = row.holders.empty() ? nullptr : row.holders.front().task;
    if (owner == nullptr && any_parked) owner = parked_owner(scheduler, i);
    const ResourceState state = state_of(row, owner != nullptr);
    Json tasks = Json::array();
    for (const auto& holder : row.holders) {
      tasks.push_back({{"id", holder.task->id}, {"use", to_text(holder.use)}, {"amount", holder.amount}});
    }
    resources.push_back({{"id", row.spec.id},
                         {"name", row.spec.name},
                         {"state", static_cast<int>(state)},
                         {"description", row.lost ? "failed" : to_text(state)},
                         {"idTask", owner == nullptr ? 0 : owner->id},
                         {"task", owner == nullptr ? "null" : owner->spec.command},
                         {"priority", owner == nullptr ? kLowestPriority : owner->spec.priority},
                         {"capacity", row.spec.capacity},
                         {"failed", row.lost},
                         {"holders", tasks}});
  }
  return text_of(resources);
}

std::string statistics_json(const Scheduler& scheduler, Time now, const std::string& planner) {
  const Statistics& all = scheduler.statistics();
  const SchedulerSpec& spec = scheduler.spec();
  return text_of({{"tasks", all.tasks},
                  {"executed", all.executed},
                  {"unfinished", all.unfinished},
                  {"lack_of_resources", all.lack_of_resources},
                  {"lack_of_priority", all.lack_of_priority},
                  {"run_time_s", seconds(now)},
                  {"finished", all.finished},
                  {"failed", all.failed},
                  {"retried", all.retried},
                  {"expired", all.expired},
                  {"waiting", scheduler.waiting()},
                  {"alive", scheduler.tasks().size()},
                  {"planner", planner},
                  {"strategy", to_text(spec.strategy)},
                  {"queues", scheduler.queues().size()},
                  {"window", spec.window},
                  {"forcing", spec.forcing},
                  {"preempt", to_text(spec.preempt)},
                  {"mode", to_text(spec.mode)}});
}

std::string tables_json(const Scheduler& scheduler) {
  Json instructions = Json::array();
  Json units = Json::array();
  for (const auto& [id, task] : scheduler.tasks()) {
    instructions.push_back({{"id", id},
                            {"task", to_text(task->spec)},
                            {"issued_s", seconds(task->issued)},
                            {"operands_read_s", task->holding ? seconds(task->issued) : Json()},
                            {"executing_s", seconds(task->started)},
                            {"state", to_text(task->state)}});
    if (!task->holding && task->state != TaskState::kClaiming) continue;
    Json writes = Json::array();
    Json reads = Json::array();
    for (const ResourceUse& use : task->spec.uses) (use.use == Use::kWrite ? writes : reads).push_back(use.resource);
    units.push_back({{"id", id},
                     {"operation", task->spec.command},
                     {"busy", task->holding},
                     {"writes", writes},
                     {"reads", reads},
                     {"ready", task->holding}});
  }
  Json registers = Json::array();
  for (const auto& row : scheduler.resources().rows()) {
    Json writers = Json::array();
    Json readers = Json::array();
    for (const auto* list : {&row.holders, &row.booked}) {
      for (const auto& holder : *list) (holder.use == Use::kWrite ? writers : readers).push_back(holder.task->id);
    }
    registers.push_back({{"id", row.spec.id}, {"name", row.spec.name}, {"writers", writers}, {"readers", readers}});
  }
  return text_of({{"instructions", instructions}, {"units", units}, {"registers", registers}});
}

std::string history_json(const std::vector<Record>& records, const Scheduler& scheduler) {
  Json list = Json::array();
  for (const Record& record : records) {
    const LiveTask* live = scheduler.find(record.id);
    list.push_back({{"id", record.id},
                    {"command", record.spec.command},
                    {"arguments", record.spec.arguments},
                    {"resources", ids_of(record.spec)},
                    {"priority", record.spec.priority},
                    {"group", record.spec.group},
                    {"state", to_text(live == nullptr ? record.state : live->state)},
                    {"submitted_s", seconds(record.submitted)},
                    {"started_s", seconds(live == nullptr ? record.started : live->started)},
                    {"ended_s", seconds(record.ended)},
                    {"exit", record.exit_code ? Json(*record.exit_code) : Json()},
                    {"signal", record.signal},
                    {"attempts", live == nullptr ? record.attempts : live->attempts},
                    {"cpu_s", static_cast<double>(record.cpu.ns()) / 1e9},
                    {"peak_bytes", record.peak_bytes},
                    {"reason", record.reason},
                    {"uses", uses_of(record.spec)},
                    {"text", to_text(record.spec)}});
  }
  return text_of(list);
}

}  // namespace strata::coordinator
