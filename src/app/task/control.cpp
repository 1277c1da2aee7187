#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"

namespace strata::app {

namespace {

using coordinator::Code;
using Json = nlohmann::ordered_json;

// Sends one message about one task.
int change(const Arguments& arguments, const char* verb, const char* summary, Code code, const char* done_text) {
  CLI::App app(summary, std::string("strata task ") + verb);
  std::string word;
  TaskConnection connection;
  JsonOutput json;
  app.add_option("ID", word, "The task")->required();
  connection.add_to(app);
  json.add_to(app);
  app.footer(fmt::format("example:\n  strata task {} 3", verb));
  if (const auto done = parse(app, arguments)) return *done;
  const auto id = read_task_id(word);
  if (!id.ok()) return wrong_input(id.errors());
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto answer = (*client)->ask(code, *id);
  if (!answer.ok()) return wrong_input(answer.errors());
  if (!json.on_stdout()) fmt::print("task {}: {}\n", *id, done_text);
  return json.write(Json{{"id", *id}, {"result", done_text}}.dump(2), ExitCode::kFine);
}

}  // namespace

int task_kill(const Arguments& arguments) {
  return change(arguments, "kill", "Ends a running task: asks it first, then kills it.", Code::kTerminate, "ending");
}

int task_suspend(const Arguments& arguments) {
  return change(arguments, "suspend", "Stops a running task, which keeps its resources, or holds a waiting one.",
                Code::kSuspend, "suspended");
}

int task_resume(const Arguments& arguments) {
  return change(arguments, "resume", "Lets a suspended task go on.", Code::kResume, "resumed");
}

int task_discard(const Arguments& arguments) {
  CLI::App app("Takes a waiting task, or the waiting tasks of a group, out of the queues.", "strata task discard");
  std::string word;
  std::string group;
  TaskConnection connection;
  JsonOutput json;
  app.add_option("ID", word, "The task");
  app.add_option("--group", group, "All of this group instead")->type_name("G");
  connection.add_to(app);
  json.add_to(app);
  app.footer("example:\n  strata task discard 3\n  strata task discard --group show");
  if (const auto done = parse(app, arguments)) return *done;
  if (word.empty() == group.empty()) return wrong_input("name a task or a group", "see `strata task discard --help`");
  coordinator::TaskId id = 0;
  if (!word.empty()) {
    const auto read = read_task_id(word);
    if (!read.ok()) return wrong_input(read.errors());
    id = *read;
  }
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto answer =
      group.empty() ? (*client)->ask(Code::kDiscard, id) : (*client)->ask(Code::kDiscardGroup, 0, group);
  if (!answer.ok()) return wrong_input(answer.errors());
  const std::uint64_t count = group.empty() ? 1 : answer->id;
  if (!json.on_stdout()) fmt::print("{} discarded\n", count);
  return json.write(Json{{"discarded", count}}.dump(2), ExitCode::kFine);
}

int task_request(const Arguments& arguments) {
  CLI::App app("Asks for the next task, as manual mode needs it.", "strata task request");
  TaskConnection connection;
  JsonOutput json;
  connection.add_to(app);
  json.add_to(app);
  app.footer("example:\n  strata task request");
  if (const auto done = parse(app, arguments)) return *done;
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto answer = (*client)->ask(Code::kRequest);
  if (!answer.ok()) return wrong_input(answer.errors());
  const char* text = answer->code == Code::kStarted ? "started"
                     : answer->code == Code::kEmpty ? "nothing waits"
                     : answer->code == Code::kNoPriority
                         ? "resources are held by tasks of lower priority; forcing is off"
                         : "the resources are taken: wait, or end a task with `kill`";
  if (!json.on_stdout()) fmt::print("{}\n", text);
  return json.write(Json{{"code", static_cast<int>(answer->code)}, {"result", text}}.dump(2),
                    answer->code == Code::kStarted ? ExitCode::kFine : ExitCode::kFailed);
}

int task_resource(const Arguments& arguments) {
  CLI::App app("Says that the component behind a resource has failed, or is back.", "strata task resource");
  std::string word;
  std::string state;
  TaskConnection connection;
  app.add_option("ID", word, "The resource")->required();
  app.add_option("STATE", state, "failed or back")->required();
  connection.add_to(app);
  app.footer("example:\n  strata task resource 6 failed");
  if (const auto done = parse(app, arguments)) return *done;
  const auto id = read_task_id(word, "a resource id");
  if (!id.ok()) return wrong_input(id.errors());
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto answer = (*client)->ask(Code::kResource, *id, state);
  if (!answer.ok()) return wrong_input(answer.errors());
  fmt::print("resource {}: {}\n", *id, state);
  return ExitCode::kFine;
}

}  // namespace strata::app
