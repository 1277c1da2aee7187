#include "app/task/wait.hpp"

#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"

namespace strata::app {

namespace {

using coordinator::TaskId;
using Json = nlohmann::ordered_json;

bool is_final_name(const std::string& state) {
  for (auto each = coordinator::TaskState::kDone; each <= coordinator::TaskState::kInterrupted;
       each = static_cast<coordinator::TaskState>(static_cast<int>(each) + 1)) {
    if (state == to_text(each)) return true;
  }
  return false;
}

// News can be lost when somebody is slow; asking now and then finds what was missed.
Result<void> ask_for(coordinator::Client& client, std::set<TaskId>& open, TaskEnds& ends) {
  std::vector<TaskId> over;
  for (const TaskId id : open) {
    const auto text = client.query(Json{{"what", "task"}, {"id", id}}.dump());
    if (!text.ok()) return text.errors();
    const Json task = Json::parse(*text).at(0);
    if (!is_final_name(task.at("state"))) continue;
    ends[id] = task.at("state");
    over.push_back(id);
  }
  for (const TaskId id : over) open.erase(id);
  return {};
}

Result<std::vector<TaskId>> all_alive(coordinator::Client& client) {
  std::vector<TaskId> ids;
  for (const char* what : {"queue", "running"}) {
    const auto text = client.query(Json{{"what", what}}.dump());
    if (!text.ok()) return text.errors();
    const Json answer = Json::parse(*text);
    const auto add = [&ids](const Json& tasks) {
      for (const Json& task : tasks) ids.push_back(task.at("id").get<TaskId>());
    };
    if (answer.is_array()) {
      add(answer);
      continue;
    }
    add(answer.at("held"));
    for (const Json& queue : answer.at("queues")) add(queue.at("tasks"));
  }
  return ids;
}

}  // namespace

Result<TaskEnds> wait_for(coordinator::Client& client, const std::vector<TaskId>& ids) {
  std::set<TaskId> open(ids.begin(), ids.end());
  TaskEnds ends;
  if (const auto fine = ask_for(client, open, ends); !fine.ok()) return fine.errors();
  while (!open.empty()) {
    const auto event = client.next_event(std::chrono::seconds(5));
    if (!event) {
      if (const auto fine = ask_for(client, open, ends); !fine.ok()) return fine.errors();
    } else if (event->code == coordinator::Code::kFinished && open.erase(event->id) > 0) {
      ends[event->id] = event->data;
    }
  }
  return ends;
}

void print_ends(const TaskEnds& ends) {
  std::size_t done = 0;
  for (const auto& [id, state] : ends) {
    if (state == "done") {
      ++done;
    } else {
      fmt::print("task {}: {}\n", id, toned(stdout, Tone::kBad, state));
    }
  }
  fmt::print("{} of {} done\n", done, ends.size());
}

int task_wait(const Arguments& arguments) {
  CLI::App app("Waits until tasks have ended. Exit 1 if one of them is not done.", "strata task wait");
  std::vector<std::string> words;
  bool all = false;
  TaskConnection connection;
  JsonOutput json;
  app.add_option("ID", words, "Tasks to wait for");
  app.add_flag("--all", all, "Every task that has not ended");
  connection.add_to(app);
  json.add_to(app);
  app.footer("example:\n  strata task wait 3 4\n  strata task wait --all");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  std::vector<TaskId> ids;
  for (const std::string& word : words) {
    const auto id = read_task_id(word);
    if (collect(id, errors)) ids.push_back(*id);
  }
  if (words.empty() && !all) errors.push_back({{}, "nothing to wait for", "name tasks, or write --all"});
  if (!errors.empty()) return wrong_input(errors);
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  if (const auto fine = (*client)->subscribe(); !fine.ok()) return wrong_input(fine.errors());
  if (all) {
    const auto alive = all_alive(**client);
    if (!alive.ok()) return wrong_input(alive.errors());
    ids.insert(ids.end(), alive->begin(), alive->end());
  }
  const auto ends = wait_for(**client, ids);
  if (!ends.ok()) return wrong_input(ends.errors());
  Json out = Json::object();
  int exit_code = ExitCode::kFine;
  for (const auto& [id, state] : *ends) {
    out[std::to_string(id)] = state;
    if (state != "done") exit_code = ExitCode::kFailed;
  }
  if (!json.on_stdout()) print_ends(*ends);
  return json.write(out.dump(2), exit_code);
}

}  // namespace strata::app
