#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_verbs.hpp"
#include "app/task/wait.hpp"
#include "app/terminal.hpp"
#include "base/units.hpp"

namespace strata::app {

namespace {

using coordinator::TaskId;
using coordinator::TaskSpec;
using Json = nlohmann::ordered_json;

struct SubmitOptions {
  std::vector<std::string> resources;
  std::vector<std::string> uses;
  std::string priority;
  std::string group;
  std::string folder;
  std::vector<std::string> environment;
  std::vector<std::string> after;
  std::vector<std::string> after_success;
  std::string timeout, deadline, duration, retry_delay, cpu, memory;
  std::string retries = "0";
  std::string nice;
  std::string cores;
  std::string user;
  std::string on_interrupt = "requeue";
  std::string on_preempt = "fail";
  bool wait = false;
};

void add_options(CLI::App& app, SubmitOptions& given) {
  app.add_option("-R,--resources", given.resources, "Resources it uses: 0 1 2, or ID:read, or ID:write:AMOUNT")
      ->type_name("ID");
  add_repeatable(app, "--use", given.uses, "ID=read|write", "How it uses one of them");
  app.add_option("-P,--priority", given.priority, "0 (highest) to 99 (lowest, the default)")->type_name("N");
  app.add_option("--group", given.group, "Its group; cancelling one of a group discards the rest")->type_name("G");
  add_repeatable(app, "--after", given.after, "ID", "Wait until this task has ended");
  add_repeatable(app, "--after-success", given.after_success, "ID", "Wait until this task is done");
  app.add_option("--timeout", given.timeout, "Longest run")->type_name("D");
  app.add_option("--deadline", given.deadline, "Longest time from now to its end")->type_name("D");
  app.add_option("--duration", given.duration, "Expected run")->type_name("D");
  app.add_option("--retries", given.retries, "Further attempts after a failure")->type_name("N");
  app.add_option("--retry-delay", given.retry_delay, "Wait before the next attempt")->type_name("D");
  app.add_option("--on-interrupt", given.on_interrupt, "requeue or fail, when its process was lost");
  app.add_option("--on-preempt", given.on_preempt, "requeue or fail, when it was ended for a higher priority");
  add_repeatable(app, "--env", given.environment, "NAME=VALUE", "A variable of its environment");
  app.add_option("--folder", given.folder, "Where it runs")->type_name("FOLDER");
  app.add_option("--cpu", given.cpu, "Longest CPU time")->type_name("D");
  app.add_option("--memory", given.memory, "Largest address space, such as '200 MB'")->type_name("SIZE");
  app.add_option("--nice", given.nice, "Niceness, -20 to 19")->type_name("N");
  app.add_option("--cores", given.cores, "Cores it may use, such as 0-2,5")->type_name("LIST");
  app.add_option("--user", given.user, "User it runs as, if the coordinator may")->type_name("NAME");
  app.add_flag("--wait", given.wait, "Wait until it has ended; exit 1 if it is not done");
}

// "3", "3:read", "3:write:2"
void read_use(const std::string& word, TaskSpec& spec, Errors& errors) {
  coordinator::ResourceUse use;
  const std::size_t colon = std::min(word.find(':'), word.size());
  const auto id = read_task_id(word.substr(0, colon), "a resource id");
  if (!collect(id, errors)) return;
  use.resource = static_cast<int>(std::min<TaskId>(*id, 2'000'000'000));
  std::string rest = colon == word.size() ? "" : word.substr(colon + 1);
  const std::size_t second = std::min(rest.find(':'), rest.size());
  const std::string kind = rest.substr(0, second);
  if (kind == "read") {
    use.use = coordinator::Use::kRead;
  } else if (!kind.empty() && kind != "write") {
    errors.push_back({{}, fmt::format("'{}': a resource is used for read or write", word), "write 3:read"});
  }
  if (second < rest.size()) {
    use.amount = static_cast<int>(read_integer("-R " + word, rest.substr(second + 1), 1, errors).value_or(1));
  }
  spec.uses.push_back(use);
}

void change_use(const std::string& word, TaskSpec& spec, Errors& errors) {
  const std::size_t equals = word.find('=');
  const std::string kind = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (kind != "read" && kind != "write") {
    errors.push_back({{}, fmt::format("--use: '{}' does not say how", word), "write --use 3=read"});
    return;
  }
  for (coordinator::ResourceUse& use : spec.uses) {
    if (std::to_string(use.resource) != word.substr(0, equals)) continue;
    use.use = kind == "read" ? coordinator::Use::kRead : coordinator::Use::kWrite;
    return;
  }
  errors.push_back({{}, fmt::format("--use: resource {} is not one of -R", word.substr(0, equals)), "add it to -R"});
}

void read_ids(const std::vector<std::string>& words, std::vector<TaskId>& into, Errors& errors) {
  for (const std::string& word : words) {
    const auto id = read_task_id(word);
    if (collect(id, errors)) into.push_back(*id);
  }
}

coordinator::Policy read_policy(const char* option, const std::string& text, Errors& errors) {
  if (text == "fail") return coordinator::Policy::kFail;
  if (text != "requeue") {
    errors.push_back({{}, fmt::format("{}: '{}' is no rule", option, text), suggestion(text, {"requeue", "fail"})});
  }
  return coordinator::Policy::kRequeue;
}

std::uint64_t read_size(const std::string& text, Errors& errors) {
  const auto size = parse_quantity(text);
  if (size.ok() && size->dimension == dimension_of("B") && size->si > 0)
    return static_cast<std::uint64_t>(size->si / 8);
  errors.push_back({{}, fmt::format("--memory: '{}' is no size", text), "write for example '200 MB'"});
  return 0;
}

TaskSpec task_of(const SubmitOptions& given, const Arguments& command, Errors& errors) {
  TaskSpec spec;
  if (command.empty()) {
    errors.push_back({{}, "there is no command", "write it after --: strata task submit -R 0 -- walk fast"});
  } else {
    spec.command = command.front();
    spec.arguments.assign(command.begin() + 1, command.end());
  }
  for (const std::string& word : given.resources) read_use(word, spec, errors);
  for (const std::string& word : given.uses) change_use(word, spec, errors);
  if (!given.priority.empty()) {
    spec.priority = static_cast<int>(read_integer("-P", given.priority, 0, errors).value_or(0));
  }
  spec.group = given.group;
  spec.folder = given.folder;
  spec.environment = given.environment;
  read_ids(given.after, spec.after, errors);
  read_ids(given.after_success, spec.after_success, errors);
  for (const auto& [option, text, slot] : {std::tuple{"--timeout", &given.timeout, &spec.timeout},
                                           {"--deadline", &given.deadline, &spec.deadline},
                                           {"--duration", &given.duration, &spec.duration},
                                           {"--retry-delay", &given.retry_delay, &spec.retry_delay},
                                           {"--cpu", &given.cpu, &spec.limits.cpu}}) {
    if (!text->empty()) *slot = read_duration(option, *text, errors).value_or(Duration{});
  }
  spec.retries = static_cast<int>(read_integer("--retries", given.retries, 0, errors).value_or(0));
  spec.on_interrupt = read_policy("--on-interrupt", given.on_interrupt, errors);
  spec.on_preempt = read_policy("--on-preempt", given.on_preempt, errors);
  if (!given.memory.empty()) spec.limits.memory_bytes = read_size(given.memory, errors);
  if (!given.nice.empty())
    spec.limits.nice = static_cast<int>(read_integer("--nice", given.nice, -20, errors).value_or(0));
  spec.limits.cores = given.cores;
  spec.limits.user = given.user;
  if (errors.empty()) collect(check(spec), errors);
  return spec;
}

int hand_in(const TaskConnection& connection, const std::vector<TaskSpec>& tasks, bool wait, const JsonOutput& json) {
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  // Before the tasks, so that no end is missed.
  if (wait) {
    if (const auto fine = (*client)->subscribe(); !fine.ok()) return wrong_input(fine.errors());
  }
  const auto first = (*client)->submit(tasks);
  if (!first.ok()) return wrong_input(first.errors());
  Json ids = Json::array();
  std::vector<TaskId> all;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    all.push_back(*first + i);
    ids.push_back(*first + i);
  }
  if (!json.on_stdout()) {
    if (all.size() == 1) {
      fmt::print("task {}\n", all.front());
    } else {
      fmt::print("tasks {} to {}\n", all.front(), all.back());
    }
    std::fflush(stdout);
  }
  int exit_code = ExitCode::kFine;
  Json out = {{"ids", ids}};
  if (wait) {
    const auto ends = wait_for(**client, all);
    if (!ends.ok()) return wrong_input(ends.errors());
    Json states = Json::object();
    for (const auto& [id, state] : *ends) {
      states[std::to_string(id)] = state;
      if (state != "done") exit_code = ExitCode::kFailed;
    }
    if (!json.on_stdout()) print_ends(*ends);
    out["states"] = states;
  }
  return json.write(out.dump(2), exit_code);
}

}  // namespace

int task_submit(const Arguments& arguments) {
  CLI::App app("Hands in one task. The command runs without a shell.", "strata task submit");
  SubmitOptions given;
  TaskConnection connection;
  JsonOutput json;
  add_options(app, given);
  connection.add_to(app);
  json.add_to(app);
  app.footer(
      "example:\n  strata task submit -R 0 1 -P 3 -- walk fast\n"
      "  strata task submit -R 6:read --timeout 10s --wait -- look --at ball");
  const auto split = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments options(arguments.begin(), split);
  const Arguments command(split == arguments.end() ? split : split + 1, arguments.end());
  if (const auto done = parse(app, options)) return *done;
  Errors errors;
  const TaskSpec spec = task_of(given, command, errors);
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);
  return hand_in(connection, {spec}, given.wait, json);
}

int task_load(const Arguments& arguments) {
  CLI::App app("Hands in all tasks of a file: all of them, or none if one is wrong.", "strata task load");
  std::string file;
  bool wait = false;
  TaskConnection connection;
  JsonOutput json;
  app.add_option("FILE", file, "Task file, XML or YAML")->required();
  app.add_flag("--wait", wait, "Wait until all have ended; exit 1 if one is not done");
  connection.add_to(app);
  json.add_to(app);
  app.footer("example:\n  strata task load examples/coordinator/battery4.xml --wait");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  const auto tasks = read_task_file(file);
  collect(tasks, errors);
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);
  return hand_in(connection, *tasks, wait, json);
}

}  // namespace strata::app
