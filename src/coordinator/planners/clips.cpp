#include "coordinator/planners/clips.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "coordinator/core/scheduler.hpp"

#ifdef STRATA_HAS_CLIPS
extern "C" {
#include <clips/clips.h>
}
#endif

namespace strata::coordinator {

#ifdef STRATA_HAS_CLIPS

namespace {

constexpr long long kMostFirings = 100'000;  // rules that never stop must not stop the coordinator

constexpr const char* kTaskTemplate =
    "(deftemplate task (slot id) (slot command) (multislot reads) (multislot writes) (slot priority) (slot group)"
    " (slot waited) (slot state))";
constexpr const char* kTemplates[] = {
    kTaskTemplate,
    "(deftemplate resource (slot id) (slot name) (slot state))",
    "(deftemplate event (slot kind) (slot task))",
    "(deftemplate choose (slot task) (slot rank (default 0)))",
};

// As a CLIPS string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string task_fact(const LiveTask& task, Time now) {
  std::string reads;
  std::string writes;
  for (const ResourceUse& use : task.spec.uses) {
    (use.use == Use::kRead ? reads : writes) += fmt::format(" {}", use.resource);
  }
  return fmt::format(
      "(task (id {}) (command {}) (reads{}) (writes{}) (priority {}) (group {}) (waited {:.3f}) (state {}))", task.id,
      quoted(task.spec.command), reads, writes, task.spec.priority, quoted(task.spec.group),
      (now - task.submitted).seconds(), to_text(task.state));
}

}  // namespace

/// One CLIPS environment. What it prints is kept: it is the only place where CLIPS says what is wrong.
struct ClipsPlanner::Engine {
  void* environment = CreateEnvironment();
  std::string said;

  Engine() {
    EnvAddRouterWithContext(
        environment, "strata", 100, [](void*, const char*) { return 1; },
        [](void* clips, const char*, const char* text) {
          static_cast<Engine*>(GetEnvironmentRouterContext(clips))->said += text;
          return 1;
        },
        nullptr, nullptr, nullptr, this);
    for (const char* each : kTemplates) EnvBuild(environment, each);
  }
  ~Engine() { DestroyEnvironment(environment); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] bool load(const std::filesystem::path& rules) {
    said.clear();
    return EnvLoad(environment, rules.c_str()) == 1;
  }

  // By rank, then in the order in which the rules chose.
  [[nodiscard]] std::vector<TaskId> chosen() {
    std::vector<std::tuple<long long, long long, TaskId>> found;
    for (void* fact = EnvGetNextFact(environment, nullptr); fact != nullptr; fact = EnvGetNextFact(environment, fact)) {
      if (std::string_view(EnvGetDeftemplateName(environment, EnvFactDeftemplate(environment, fact))) != "choose")
        continue;
      DATA_OBJECT task;
      DATA_OBJECT rank;
      if (!EnvGetFactSlot(environment, fact, "task", &task) || !EnvGetFactSlot(environment, fact, "rank", &rank))
        continue;
      if (GetType(task) != INTEGER || GetType(rank) != INTEGER) continue;
      found.emplace_back(EnvDOToLong(environment, rank), EnvFactIndex(environment, fact),
                         static_cast<TaskId>(EnvDOToLong(environment, task)));
    }
    std::sort(found.begin(), found.end());
    std::vector<TaskId> ids;
    for (const auto& entry : found) ids.push_back(std::get<2>(entry));
    return ids;
  }
};

Result<std::unique_ptr<ClipsPlanner>> ClipsPlanner::open(const std::filesystem::path& rules) {
  const Where where{rules.string(), 0, 0, ""};
  std::error_code problem;
  if (!std::filesystem::is_regular_file(rules, problem)) return Error{where, "there is no such file of rules", ""};
  auto planner = std::unique_ptr<ClipsPlanner>(new ClipsPlanner(rules));
  if (!planner->engine_->load(rules)) return Error{where, "CLIPS cannot read it: " + planner->engine_->said, ""};
  return planner;
}

ClipsPlanner::ClipsPlanner(std::filesystem::path rules)
    : rules_(std::move(rules)), engine_(std::make_unique<Engine>()) {
  std::error_code ignored;
  read_at_ = std::filesystem::last_write_time(rules_, ignored);
}

void ClipsPlanner::reload_if_changed() {
  std::error_code problem;
  const auto changed = std::filesystem::last_write_time(rules_, problem);
  if (problem || changed == read_at_) return;
  read_at_ = changed;
  auto fresh = std::make_unique<Engine>();
  if (fresh->load(rules_)) engine_ = std::move(fresh);
}

std::optional<std::vector<TaskId>> ClipsPlanner::choose(Time now, const Scheduler& scheduler) {
  reload_if_changed();
  void* environment = engine_->environment;
  engine_->said.clear();
  EnvReset(environment);
  std::set<TaskId> alive;
  for (const auto& [id, task] : scheduler.tasks()) {
    alive.insert(id);
    EnvAssertString(environment, task_fact(*task, now).c_str());
    if (!seen_.contains(id)) EnvAssertString(environment, fmt::format("(event (kind new) (task {}))", id).c_str());
  }
  for (const TaskId id : seen_) {
    if (!alive.contains(id)) EnvAssertString(environment, fmt::format("(event (kind ended) (task {}))", id).c_str());
  }
  seen_ = std::move(alive);
  for (const auto& row : scheduler.resources().rows()) {
    const char* state = row.lost ? "failed" : row.holders.empty() ? "free" : "working";
    EnvAssertString(
        environment,
        fmt::format("(resource (id {}) (name {}) (state {}))", row.spec.id, quoted(row.spec.name), state).c_str());
  }
  if (EnvRun(environment, kMostFirings) >= kMostFirings) return std::nullopt;
  return engine_->chosen();
}

#else

struct ClipsPlanner::Engine {};

Result<std::unique_ptr<ClipsPlanner>> ClipsPlanner::open(const std::filesystem::path&) {
  return Error{{}, "this program was built without CLIPS", "apt-get install libclips-dev, and build again"};
}
ClipsPlanner::ClipsPlanner(std::filesystem::path rules) : rules_(std::move(rules)) {}
void ClipsPlanner::reload_if_changed() {}
std::optional<std::vector<TaskId>> ClipsPlanner::choose(Time, const Scheduler&) { return std::nullopt; }

#endif

ClipsPlanner::~ClipsPlanner() = default;

}  // namespace strata::coordinator
