#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/task/connection.hpp"
#include "app/task/task_text.hpp"
#include "app/task/task_verbs.hpp"
#include "app/terminal.hpp"
#include "record/report_html.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kWidth = 1000;
constexpr int kRow = 18;
constexpr int kLabel = 160;
constexpr std::size_t kMostTasks = 5000;

const char* colour(const std::string& state) {
  if (state == "done") return "#3a7d44";
  if (state == "preempted" || state == "interrupted") return "#d98e04";
  if (state == "running" || state == "parked" || state == "suspended") return "#3b6fb6";
  return "#b3392f";
}

// The time all bars share.
struct Span {
  double from = 0;
  double to = 1;
  [[nodiscard]] double x(double time) const { return kLabel + kWidth * (time - from) / (to - from); }
};

std::string bar(const Json& task, const Span& span, int row) {
  if (task.at("started_s").is_null()) return "";
  const double start = task.at("started_s");
  const double end = task.at("ended_s").is_null() ? span.to : task.at("ended_s").get<double>();
  return fmt::format(
      "<rect x='{:.1f}' y='{}' width='{:.1f}' height='{}' fill='{}'><title>{} {}: {} ({:.3f} s to {:.3f} "
      "s)</title></rect>\n",
      span.x(start), row * kRow + 3, std::max(1.0, span.x(end) - span.x(start)), kRow - 5, colour(task.at("state")),
      task.at("id").dump(), html::escape(task.at("text").get<std::string>()), task.at("state").get<std::string>(),
      start, end);
}

std::string waiting_bar(const Json& task, const Span& span, int row) {
  const double from = task.at("submitted_s");
  const double to = task.at("started_s").is_null()
                        ? (task.at("ended_s").is_null() ? span.to : task.at("ended_s").get<double>())
                        : task.at("started_s").get<double>();
  return fmt::format("<rect x='{:.1f}' y='{}' width='{:.1f}' height='3' fill='#aaa'/>\n", span.x(from),
                     row * kRow + kRow / 2, std::max(0.0, span.x(to) - span.x(from)));
}

std::string label(const std::string& text, int row) {
  return fmt::format("<text x='0' y='{}'>{}</text>\n", row * kRow + 13, html::escape(text.substr(0, 24)));
}

std::string chart(const std::string& rows, std::size_t count) {
  return fmt::format("<svg width='{}' height='{}'>\n{}</svg>\n", kLabel + kWidth + 10,
                     static_cast<int>(count) * kRow + 4, rows);
}

std::string by_resource(const Json& tasks, const Json& resources, const Span& span, std::string& table) {
  std::string rows;
  int row = 0;
  for (const Json& resource : resources) {
    const auto id = resource.at("id").get<int>();
    rows += label(fmt::format("{} {}", id, resource.at("name").get<std::string>()), row);
    double busy = 0;
    int count = 0;
    for (const Json& task : tasks) {
      const Json& used = task.at("resources");
      if (task.at("started_s").is_null() || std::find(used.begin(), used.end(), Json(id)) == used.end()) continue;
      rows += bar(task, span, row);
      const double end = task.at("ended_s").is_null() ? span.to : task.at("ended_s").get<double>();
      busy += end - task.at("started_s").get<double>();
      ++count;
    }
    table += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n", id,
                         html::escape(resource.at("name").get<std::string>()), count,
                         100 * busy / ((span.to - span.from) * resource.at("capacity").get<double>()));
    ++row;
  }
  return chart(rows, static_cast<std::size_t>(row));
}

std::string page(const Json& tasks, const Json& resources, const Json& stats) {
  Span span{1e300, 0};
  std::vector<double> waits;
  std::map<std::string, int> states;
  for (const Json& task : tasks) {
    span.from = std::min(span.from, task.at("submitted_s").get<double>());
    for (const char* key : {"submitted_s", "started_s", "ended_s"}) {
      if (!task.at(key).is_null()) span.to = std::max(span.to, task.at(key).get<double>());
    }
    if (!task.at("started_s").is_null()) {
      waits.push_back(task.at("started_s").get<double>() - task.at("submitted_s").get<double>());
    }
    ++states[task.at("state").get<std::string>()];
  }
  if (tasks.empty()) span.from = 0;
  span.to = std::max(span.to, span.from + 1e-3);
  std::sort(waits.begin(), waits.end());
  const auto wait = [&waits](double part) {
    return waits.empty() ? 0.0 : waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
  };
  std::string table;
  const std::string resource_chart = by_resource(tasks, resources, span, table);
  std::string rows;
  int row = 0;
  for (const Json& task : tasks) {
    rows += label(fmt::format("{} {}", task.at("id").dump(), task.at("command").get<std::string>()), row);
    rows += waiting_bar(task, span, row) + bar(task, span, row);
    ++row;
  }
  std::string counts;
  for (const auto& [state, count] : states) counts += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", state, count);
  return fmt::format(
      "<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>Tasks</title>\n"
      "<style>body{{font:13px sans-serif;margin:2em}}td,th{{padding:2px 10px;text-align:left}}text{{font:11px "
      "sans-serif}}"
      "svg{{background:#f6f6f6}}</style>\n<h1>Tasks</h1>\n"
      "<p>{} tasks from {:.3f} s to {:.3f} s; grey: waiting. Gave way to a higher priority: {}.</p>\n"
      "<h2>By resource</h2>\n{}<h2>By task</h2>\n{}"
      "<h2>Use of resources</h2><table><tr><th>id</th><th>name</th><th>tasks</th><th>in use</th></tr>\n{}</table>\n"
      "<h2>Waiting</h2><p>median {:.3f} s, 90 % under {:.3f} s, longest {:.3f} s</p>\n"
      "<h2>Outcome</h2><table>{}</table>\n</html>\n",
      tasks.size(), span.from, span.to, stats.at("lack_of_priority").dump(), resource_chart,
      chart(rows, static_cast<std::size_t>(row)), table, wait(0.5), wait(0.9), wait(1), counts);
}

}  // namespace

int task_report(const Arguments& arguments) {
  CLI::App app("Writes an HTML page: Gantt charts by resource and by task, waiting times, use of resources.",
               "strata task report");
  std::string file = "tasks.html";
  std::string last = "1000";
  TaskConnection connection;
  app.add_option("FILE", file, "The page; tasks.html without it");
  app.add_option("--last", last, "Only the last N tasks")->type_name("N");
  connection.add_to(app);
  app.footer("example:\n  strata task report battery.html");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  const auto count = read_integer("--last", last, 1, errors);
  if (!errors.empty()) return wrong_input(errors);
  auto client = connection.connect();
  if (!client.ok()) return wrong_input(client.errors());
  const auto tasks = fetch_history(**client, std::min(static_cast<std::size_t>(*count), kMostTasks));
  const auto resources = (*client)->query(R"({"what": "resources"})");
  const auto stats = (*client)->query(R"({"what": "stats"})");
  collect(tasks, errors);
  collect(resources, errors);
  collect(stats, errors);
  if (!errors.empty()) return wrong_input(errors);
  std::ofstream out(file, std::ios::binary);
  out << page(Json::parse(*tasks), Json::parse(*resources), Json::parse(*stats));
  out.close();
  if (!out) return wrong_input(Errors{{in_file(file), "cannot be written", "choose another file"}});
  fmt::print("{}\n", file);
  return ExitCode::kFine;
}

}  // namespace strata::app
