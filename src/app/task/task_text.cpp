#include "app/task/task_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/terminal.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string seconds(const Json& value) { return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>()); }
std::string number(const Json& value) { return value.is_null() ? "-" : value.dump(); }

std::string list(const Json& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "" : " ") + number(value);
  return text.empty() ? "-" : text;
}

std::string heading(const std::string& text) { return toned(stdout, Tone::kBold, text) + "\n"; }

}  // namespace

std::string queue_text(const std::string& json) {
  const Json queues = Json::parse(json);
  std::string text;
  for (const Json& queue : queues.at("queues")) {
    text += heading("queue " + number(queue.at("priority")));
    int place = 0;
    for (const Json& task : queue.at("tasks")) {
      const bool parked = task.at("state") == "parked";
      text += fmt::format("  {} {} {}{}\n", place++, number(task.at("id")), task.at("text").get<std::string>(),
                          parked ? "  (parked)" : "");
    }
  }
  if (!queues.at("held").empty()) text += heading("held");
  for (const Json& task : queues.at("held")) {
    text += fmt::format("  {} {}\n", number(task.at("id")), task.at("text").get<std::string>());
  }
  return text;
}

std::string running_text(const std::string& json) {
  const Json tasks = Json::parse(json);
  if (tasks.empty()) return "nothing runs\n";
  Rows rows = {{"id", "state", "pid", "started", "task"}};
  for (const Json& task : tasks) {
    rows.push_back({number(task.at("id")), task.at("state"), number(task.at("pid")), seconds(task.at("started_s")),
                    task.at("text")});
  }
  return to_table(rows);
}

std::string resources_text(const std::string& json) {
  const Json resources = Json::parse(json);
  Rows rows = {{"id", "name", "state", "task", "priority"}};
  for (const Json& row : resources) {
    std::string holders;
    for (const Json& holder : row.at("holders")) {
      const bool read = holder.at("use") == "read";
      holders += (holders.empty() ? "" : ", ") + number(holder.at("id")) + (read ? " (reads)" : "");
    }
    const std::string owner =
        fmt::format("{} {}", holders.empty() ? number(row.at("idTask")) : holders, row.at("task").get<std::string>());
    rows.push_back({number(row.at("id")), row.at("name"),
                    fmt::format("{} ({})", number(row.at("state")), row.at("description").get<std::string>()), owner,
                    number(row.at("priority"))});
  }
  return to_table(rows);
}

std::string tables_text(const std::string& json) {
  const Json tables = Json::parse(json);
  Rows tasks = {{"id", "issued", "operands", "executing", "state", "task"}};
  for (const Json& row : tables.at("instructions")) {
    tasks.push_back({number(row.at("id")), seconds(row.at("issued_s")), seconds(row.at("operands_read_s")),
                     seconds(row.at("executing_s")), row.at("state"), row.at("task")});
  }
  Rows units = {{"id", "operation", "busy", "writes", "reads", "ready"}};
  for (const Json& row : tables.at("units")) {
    units.push_back({number(row.at("id")), row.at("operation"), row.at("busy").get<bool>() ? "yes" : "no",
                     list(row.at("writes")), list(row.at("reads")), row.at("ready").get<bool>() ? "yes" : "no"});
  }
  Rows registers = {{"id", "name", "written by", "read by"}};
  for (const Json& row : tables.at("registers")) {
    registers.push_back({number(row.at("id")), row.at("name"), list(row.at("writers")), list(row.at("readers"))});
  }
  return heading("tasks") + to_table(tasks) + heading("at work") + to_table(units) + heading("resources") +
         to_table(registers);
}

std::string history_text(const std::string& json) {
  const Json tasks = Json::parse(json);
  Rows rows = {{"id", "state", "submitted", "started", "ended", "exit", "task"}};
  for (const Json& task : tasks) {
    rows.push_back({number(task.at("id")), task.at("state"), seconds(task.at("submitted_s")),
                    seconds(task.at("started_s")), seconds(task.at("ended_s")), number(task.at("exit")),
                    task.at("text")});
  }
  return to_table(rows);
}

std::string stats_text(const std::string& json) {
  const Json stats = Json::parse(json);
  return to_table({{"tasks", number(stats.at("tasks"))},
                   {"executed", number(stats.at("executed"))},
                   {"executed and not finished", number(stats.at("unfinished"))},
                   {"failures for lack of resources", number(stats.at("lack_of_resources"))},
                   {"failures for lack of priority", number(stats.at("lack_of_priority"))},
                   {"run time", seconds(stats.at("run_time_s")) + " s"},
                   {"waiting", number(stats.at("waiting"))},
                   {"retried", number(stats.at("retried"))},
                   {"failed", number(stats.at("failed"))},
                   {"expired", number(stats.at("expired"))},
                   {"planner", stats.at("planner").get<std::string>()},
                   {"strategy", stats.at("strategy").get<std::string>()}});
}

}  // namespace strata::app
