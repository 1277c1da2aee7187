#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_text.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

// Asks for something and shows it as JSON or as text.
int show(const Arguments& arguments, const char* verb, const char* summary,
         std::string (*to_text)(const std::string&)) {
  CLI::App app(summary, std::string("strata task ") + verb);
  TaskConnection connection;
  JsonOutput json;
  connection.add_to(app);
  json.add_to(app);
  app.footer(fmt::format("example:\n  strata task {}\n  strata task {} --json", verb, verb));
  if (const auto done = parse(app, arguments)) return *done;
  if (const auto fine = json.check(); !fine.ok()) return wrong_input(fine.errors());
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto text = (*client)->query(Json{{"what", verb}}.dump());
  if (!text.ok()) return wrong_input(text.errors());
  if (!json.on_stdout()) fmt::print("{}", to_text(*text));
  return json.write(Json::parse(*text).dump(2), ExitCode::kFine);
}

}  // namespace

Result<std::string> fetch_history(coordinator::Client& client, std::size_t limit) {
  Json all = Json::array();
  std::uint64_t before = ~std::uint64_t{0} >> 1U;
  std::vector<Json> pages;
  std::size_t count = 0;
  // From the end, page by page, so that no answer is too large.
  while (limit == 0 || count < limit) {
    Json question = {{"what", "history"}, {"before", before}};
    if (limit != 0) question["limit"] = limit - count;
    const auto text = client.query(question.dump());
    if (!text.ok()) return text.errors();
    Json page = Json::parse(*text);
    if (page.empty()) break;
    before = page.front().at("id").get<std::uint64_t>();
    count += page.size();
    pages.push_back(std::move(page));
  }
  for (auto page = pages.rbegin(); page != pages.rend(); ++page) {
    for (Json& task : *page) all.push_back(std::move(task));
  }
  return all.dump(2);
}

int task_queue(const Arguments& arguments) {
  return show(arguments, "queue", "Shows what waits, queue by queue.", &queue_text);
}
int task_running(const Arguments& arguments) {
  return show(arguments, "running", "Shows what runs, with its process.", &running_text);
}
int task_resources(const Arguments& arguments) {
  return show(arguments, "resources", "Shows who holds which resource.", &resources_text);
}
int task_tables(const Arguments& arguments) {
  return show(arguments, "tables", "Shows the three tables of the scoreboard: tasks, tasks at work, resources.",
              &tables_text);
}
int task_stats(const Arguments& arguments) {
  return show(arguments, "stats", "Shows the statistics of the coordinator.", &stats_text);
}

int task_history(const Arguments& arguments) {
  CLI::App app("Shows every task there was, in order of submission.", "strata task history");
  TaskConnection connection;
  JsonOutput json;
  std::string limit = "0";
  app.add_option("--last", limit, "Only the last N")->type_name("N");
  connection.add_to(app);
  json.add_to(app);
  app.footer("example:\n  strata task history --last 20\n  strata task history --json");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  const auto count = read_integer("--last", limit, 0, errors);
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto all = fetch_history(**client, static_cast<std::size_t>(*count));
  if (!all.ok()) return wrong_input(all.errors());
  if (!json.on_stdout()) fmt::print("{}", history_text(*all));
  return json.write(*all, ExitCode::kFine);
}

int task_log(const Arguments& arguments) {
  CLI::App app("Shows what a task has written: its stdout to stdout, its stderr to stderr.", "strata task log");
  std::string word;
  bool follow = false;
  TaskConnection connection;
  app.add_option("ID", word, "The task")->required();
  app.add_flag("-f,--follow", follow, "Go on until the task has ended");
  connection.add_to(app);
  app.footer("example:\n  strata task log 3\n  strata task log -f 3");
  if (const auto done = parse(app, arguments)) return *done;
  const auto id = read_task_id(word);
  if (!id.ok()) return wrong_input(id.errors());
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  std::uint64_t offsets[2] = {0, 0};
  while (true) {
    // First the state, then the output: what a task wrote before it ended is there then.
    const auto state = (*client)->query(Json{{"what", "task"}, {"id", *id}}.dump());
    if (!state.ok()) return wrong_input(state.errors());
    const bool over = !Json::parse(*state).at(0).at("ended_s").is_null();
    bool more = false;
    for (const int stream : {0, 1}) {
      const Json question = {
          {"what", "log"}, {"id", *id}, {"stream", stream == 0 ? "out" : "err"}, {"offset", offsets[stream]}};
      const auto page = (*client)->ask(coordinator::Code::kQuery, 0, question.dump());
      if (!page.ok()) return wrong_input(page.errors());
      std::fwrite(page->data.data(), 1, page->data.size(), stream == 0 ? stdout : stderr);
      offsets[stream] = page->id;
      more = more || !page->data.empty();
    }
    std::fflush(stdout);
    if (!more && (over || !follow)) return ExitCode::kFine;
    if (!more) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace strata::app
