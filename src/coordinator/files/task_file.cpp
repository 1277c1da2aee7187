#include "coordinator/files/task_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

std::optional<long> integer_of(const Value& value, const char* what, Errors& errors) {
  long number = 0;
  const std::string& text = value.text();
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (value.is_scalar() && problem == std::errc{} && stop == end && !text.empty() && number >= 0 &&
      number <= 2'000'000'000) {
    return number;
  }
  const std::string shown = value.is_scalar() ? "'" + text + "'" : value.kind_text();
  errors.push_back({value.where(), fmt::format("{} is {}", what, shown), "write a whole number from 0"});
  return std::nullopt;
}

Result<ResourceSpec> resource_of(const Value& entry) {
  static const std::vector<Param> kParams = {
      param::integer("id", "", "how tasks name it").required().at_least(0).at_most(2e9),
      param::text("name", "", "what it is").required(),
      param::integer("capacity", "1", "writers at a time").at_least(1).at_most(1e6),
  };
  const Result<Config> config = Config::check(entry, kParams);
  if (!config.ok()) return config.errors();
  return ResourceSpec{static_cast<int>(config->integer("id")), config->text("name"),
                      static_cast<int>(config->integer("capacity"))};
}

std::optional<ResourceUse> use_of(const Value& entry, Errors& errors) {
  if (!entry.is_map()) {
    const auto id = integer_of(entry, "a resource", errors);
    if (!id) return std::nullopt;
    return ResourceUse{static_cast<int>(*id), Use::kWrite, 1};
  }
  static const std::vector<Param> kParams = {
      param::integer("id", "", "the resource").required().at_least(0).at_most(2e9),
      param::choice("use", {"read", "write"}, "write", "readers share"),
      param::integer("amount", "1", "units of the capacity").at_least(1).at_most(1e6),
  };
  const Result<Config> config = Config::check(entry, kParams);
  if (!collect(config, errors)) return std::nullopt;
  return ResourceUse{static_cast<int>(config->integer("id")), config->text("use") == "read" ? Use::kRead : Use::kWrite,
                     static_cast<int>(config->integer("amount"))};
}

void read_run(const Value& run, TaskSpec& spec, Errors& errors) {
  if (run.is_scalar()) {
    spec.command = run.text();
    return;
  }
  if (!run.is_list() || run.items().empty()) {
    errors.push_back({run.where(), "the command is empty", "write run: [program, argument, ...]"});
    return;
  }
  for (const Value& word : run.items()) {
    if (!word.is_scalar()) errors.push_back({word.where(), "an argument is " + word.kind_text(), "write a text"});
  }
  spec.command = run.items().front().text();
  for (std::size_t i = 1; i < run.items().size(); ++i) spec.arguments.push_back(run.items()[i].text());
}

void read_environment(const Value& value, TaskSpec& spec, Errors& errors) {
  if (!value.is_map()) {
    errors.push_back({value.where(), "env is " + value.kind_text(), "write env: {NAME: value}"});
    return;
  }
  for (const auto& [name, text] : value.members()) spec.environment.push_back(name + "=" + text.text());
}

void read_limits(const Value& value, TaskSpec& spec, Errors& errors) {
  static const std::vector<Param> kParams = {
      param::quantity("cpu", "s", "", "CPU time").above(0),
      param::quantity("memory", "B", "", "address space").above(0),
      param::integer("nice", "0", "niceness").at_least(-20).at_most(19),
      param::text("cores", "", "cores it may use, such as 0-2,5"),
      param::text("user", "", "user it runs as"),
  };
  const Result<Config> config = Config::check(value, kParams);
  if (!collect(config, errors)) return;
  if (config->has("cpu")) spec.limits.cpu = config->duration("cpu");
  if (config->has("memory")) spec.limits.memory_bytes = static_cast<std::uint64_t>(config->quantity("memory") / 8);
  spec.limits.nice = static_cast<int>(config->integer("nice"));
  if (config->has("cores")) spec.limits.cores = config->text("cores");
  if (config->has("user")) spec.limits.user = config->text("user");
}

// A label of the file, or the id of a task submitted before.
void read_dependencies(const Config& config, const char* key, const std::vector<std::string>& labels,
                       std::vector<TaskId>& into, Errors& errors) {
  if (!config.has(key)) return;
  for (const std::string& word : config.texts(key)) {
    const auto found = std::find(labels.begin(), labels.end(), word);
    if (found != labels.end()) {
      into.push_back(kInFile | static_cast<TaskId>(found - labels.begin()));
      continue;
    }
    TaskId id = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (problem == std::errc{} && end == word.data() + word.size() && id < kInFile) {
      into.push_back(id);
    } else {
      errors.push_back({config.where(key), fmt::format("{}: there is no task labelled '{}' before this one", key, word),
                        suggestion(word, labels)});
    }
  }
}

void read_rules(const Config& config, TaskSpec& spec) {
  spec.priority = static_cast<int>(config.integer("priority"));
  if (config.has("group")) spec.group = config.text("group");
  if (config.has("folder")) spec.folder = config.text("folder");
  for (const auto& [key, slot] : {std::pair{"timeout", &spec.timeout},
                                  {"deadline", &spec.deadline},
                                  {"duration", &spec.duration},
                                  {"retry_delay", &spec.retry_delay}}) {
    if (config.has(key)) *slot = config.duration(key);
  }
  spec.retries = static_cast<int>(config.integer("retries"));
  spec.on_interrupt = config.text("on_interrupt") == "fail" ? Policy::kFail : Policy::kRequeue;
  spec.on_preempt = config.text("on_preempt") == "fail" ? Policy::kFail : Policy::kRequeue;
}

const Value* list_in(const Value& root, const char* key, Errors& errors) {
  const Value* list = root.is_map() ? root.find(key) : nullptr;
  if (list == nullptr || !list->is_list()) {
    const Where& where = list == nullptr ? root.where() : list->where();
    errors.push_back({where, fmt::format("there is no list '{}'", key), fmt::format("write {}: [...]", key)});
    return nullptr;
  }
  for (const auto& [name, value] : root.members()) {
    if (name != key) errors.push_back({value.where(), fmt::format("unknown key '{}'", name), suggestion(name, {key})});
  }
  return list;
}

}  // namespace

const std::vector<Param>& task_params() {
  static const std::vector<Param> params = {
      param::any("run", "program and arguments: [walk, fast]").required(),
      param::any("resources", "what it uses: [0, {id: 1, use: read}]"),
      param::integer("priority", "99", "0 is the highest").at_least(0).at_most(kLowestPriority),
      param::text("label", "", "how other tasks of the file name it"),
      param::text("group", "", "its group; cancelling one of a group discards the rest"),
      param::texts("after", "labels or ids it waits for, however they end"),
      param::texts("after_success", "labels or ids that must be done first"),
      param::quantity("timeout", "s", "", "longest run").above(0),
      param::quantity("deadline", "s", "", "longest time from submission to end").above(0),
      param::quantity("duration", "s", "", "expected run, for the planner 'optimise'").above(0),
      param::integer("retries", "0", "further attempts after a failure").at_least(0).at_most(1000),
      param::quantity("retry_delay", "s", "", "wait before the next attempt").above(0),
      param::choice("on_interrupt", {"requeue", "fail"}, "requeue", "when its process was lost"),
      param::choice("on_preempt", {"requeue", "fail"}, "fail", "when it was terminated for a higher priority"),
      param::any("env", "environment: {NAME: value}"),
      param::text("folder", "", "where it runs"),
      param::any("limits", "cpu, memory, nice, cores, user"),
  };
  return params;
}

Result<std::vector<ResourceSpec>> resources_of(const Value& root) {
  Errors errors;
  std::vector<ResourceSpec> resources;
  if (const Value* list = list_in(root, "resources", errors)) {
    for (const Value& entry : list->items()) {
      const Result<ResourceSpec> resource = resource_of(entry);
      if (collect(resource, errors)) resources.push_back(*resource);
    }
  }
  if (!errors.empty()) return errors;
  if (const Result<void> fine = check(resources); !fine.ok()) {
    errors = fine.errors();
    for (Error& error : errors) error.where = root.where();
    return errors;
  }
  return resources;
}

Result<TaskSpec> task_of(const Value& entry, const std::vector<std::string>& labels) {
  const Result<Config> config = Config::check(entry, task_params());
  if (!config.ok()) return config.errors();
  Errors errors;
  TaskSpec spec;
  read_run(config->any("run"), spec, errors);
  read_rules(*config, spec);
  if (config->has("resources")) {
    const Value& list = config->any("resources");
    if (!list.is_list()) {
      errors.push_back({list.where(), "resources is " + list.kind_text(), "write a list: [0, 1]"});
    }
    for (const Value& use : list.items()) {
      if (const auto read = use_of(use, errors)) spec.uses.push_back(*read);
    }
  }
  read_dependencies(*config, "after", labels, spec.after, errors);
  read_dependencies(*config, "after_success", labels, spec.after_success, errors);
  if (config->has("env")) read_environment(config->any("env"), spec, errors);
  if (config->has("limits")) read_limits(config->any("limits"), spec, errors);
  if (const Result<void> fine = check(spec); errors.empty() && !fine.ok()) {
    errors = fine.errors();
    for (Error& error : errors) error.where = entry.where();
  }
  if (!errors.empty()) return errors;
  return spec;
}

Result<std::vector<TaskSpec>> tasks_of(const Value& root) {
  Errors errors;
  std::vector<TaskSpec> tasks;
  std::vector<std::string> labels;
  if (const Value* list = list_in(root, "tasks", errors)) {
    if (list->items().empty()) errors.push_back({list->where(), "there are no tasks", "name at least one"});
    for (const Value& entry : list->items()) {
      const Result<TaskSpec> task = task_of(entry, labels);
      if (collect(task, errors)) tasks.push_back(*task);
      const Value* label = entry.is_map() ? entry.find("label") : nullptr;
      labels.push_back(label == nullptr ? "" : label->text());
      const auto first = std::find(labels.begin(), labels.end(), labels.back());
      if (label != nullptr && first != labels.end() - 1) {
        errors.push_back(
            {label->where(), fmt::format("the label '{}' is used twice", label->text()), "choose another"});
      }
    }
  }
  if (!errors.empty()) return errors;
  return tasks;
}

}  // namespace strata::coordinator
