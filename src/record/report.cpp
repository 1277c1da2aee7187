#include "record/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "record/report_assets.hpp"

namespace strata {

namespace {

using Json = nlohmann::json;
using html::Cell;

// Members of the summary as text for people; "" if they are missing. The file may come from anywhere.
std::string text_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}
double number_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : std::numeric_limits<double>::quiet_NaN();
}
std::vector<std::pair<std::string, double>> counts_of(const Json& json, const char* key) {
  std::vector<std::pair<std::string, double>> out;
  const auto it = json.find(key);
  if (it == json.end() || !it->is_object()) return out;
  for (const auto& [name, count] : it->items())
    if (count.is_number()) out.emplace_back(name, count.get<double>());
  return out;
}
std::vector<Json> list_of(const Json& json, const char* key) {
  const auto it = json.find(key);
  std::vector<Json> out;
  if (it == json.end() || !it->is_array()) return out;
  for (const Json& item : *it)
    if (item.is_object()) out.push_back(item);
  return out;
}
bool true_in(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && it->get<bool>();
}

using Tiles = std::vector<std::pair<std::string, std::string>>;

void add_tile(Tiles& tiles, const Json& json, const char* key, const char* label, const char* unit = "") {
  const double value = number_of(json, key);
  if (std::isnan(value)) return;
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  tiles.emplace_back(label, html::number(value, whole ? 16 : 4) + (*unit == '\0' ? "" : std::string(" ") + unit));
}

ReportSection outcome(const Json& summary) {
  Tiles tiles;
  add_tile(tiles, summary, "simulated_s", "simulated time", "s");
  add_tile(tiles, summary, "wall_s", "wall time", "s");
  add_tile(tiles, summary, "speed", "times real time");
  add_tile(tiles, summary, "cpu_s", "processor time", "s");
  if (number_of(summary, "behind_s") > 0) add_tile(tiles, summary, "behind_s", "behind the wall clock", "s");
  add_tile(tiles, summary, "robots", "robots");
  add_tile(tiles, summary, "entities", "entities");
  add_tile(tiles, summary, "steps", "steps");
  add_tile(tiles, summary, "events", "events executed");
  add_tile(tiles, summary, "threads", "threads");
  add_tile(tiles, summary, "seed", "seed");
  if (!text_of(summary, "hash").empty()) tiles.emplace_back("state hash", text_of(summary, "hash"));
  std::string body = html::tiles(tiles);
  if (!text_of(summary, "reason").empty())
    body += html::paragraph("The run ended early: " + text_of(summary, "reason"));

  std::vector<std::vector<Cell>> rows;
  for (const Json& item : list_of(summary, "expectations")) {
    const bool passed = true_in(item, "passed");
    rows.push_back({html::badge(passed ? "good" : "bad", passed ? "passed" : "failed"),
                    html::code(text_of(item, "text")), html::text(text_of(item, "detail"))});
  }
  body += rows.empty()
              ? html::paragraph("Nothing was expected of this run; add expect: to the scenario to make it a test.")
              : "<h3>Expectations</h3>" + html::table({"", "expected", "found"}, rows);
  return {"Outcome", 100, body};
}

// A line that never moves says nothing a number does not.
bool moves(const MetricTable::Column& column) {
  return std::any_of(column.values.begin(), column.values.end(),
                     [&](double value) { return std::isfinite(value) && value != column.values.front(); });
}

// One row per metric: its value, or mean, least, most and sum over the entities.
std::string last_values(const MetricTable& table) {
  static constexpr std::array<const char*, 4> kEnds{".mean", ".min", ".max", ".sum"};
  std::vector<std::vector<Cell>> rows;
  const auto value_of = [&](const std::string& name) {
    const MetricTable::Column* column = table.find(name);
    return html::figure(column == nullptr || column->values.empty() ? "" : html::number(column->values.back(), 6));
  };
  for (const MetricTable::Column& column : table.columns()) {
    const auto end = std::find_if(kEnds.begin(), kEnds.end(), [&](const char* e) { return column.name.ends_with(e); });
    const std::string base = column.name.substr(0, column.name.size() - (end == kEnds.end() ? 0 : std::strlen(*end)));
    const bool grouped = end != kEnds.end() && table.find(base + ".mean") != nullptr;
    if (grouped && end != kEnds.begin()) continue;
    std::vector<Cell> row{html::code(grouped ? base : column.name), html::text(column.unit)};
    row.push_back(grouped ? html::figure("") : value_of(column.name));
    for (const char* e : kEnds) row.push_back(grouped ? value_of(base + e) : html::figure(""));
    rows.push_back(std::move(row));
  }
  return rows.empty() ? "" : html::table({"metric", "unit", "value", "mean", "min", "max", "sum"}, rows);
}

ReportSection metrics(const MetricTable& table) {
  std::string charts;
  for (const MetricTable::Column& column : table.columns()) {
    const bool is_mean = column.name.ends_with(".mean");
    const std::string base = is_mean ? column.name.substr(0, column.name.size() - 5) : column.name;
    const MetricTable::Column* low = is_mean ? table.find(base + ".min") : nullptr;
    const MetricTable::Column* high = is_mean ? table.find(base + ".max") : nullptr;
    // The others of a group are in the chart of its mean.
    const auto in_group = [&](const char* end) {
      return column.name.ends_with(end) &&
             table.find(column.name.substr(0, column.name.size() - 4) + ".mean") != nullptr;
    };
    if (in_group(".min") || in_group(".max") || in_group(".sum")) continue;
    if (!moves(column) && (low == nullptr || !moves(*low)) && (high == nullptr || !moves(*high))) continue;
    html::Chart chart{base, column.unit, column.summary, table.times(), {{is_mean ? "mean" : "value", column.values}},
                      {},   {}};
    if (low != nullptr && high != nullptr) {
      chart.low = low->values;
      chart.high = high->values;
    }
    charts += html::chart(chart);
  }
  const std::string last = last_values(table);
  if (last.empty()) return {};
  if (!charts.empty()) charts = "<div class=\"charts\">" + charts + "</div>";
  return {"Metrics", 300, charts + "<h3>At the end</h3>" + last};
}

ReportSection counted(const Json& summary, const char* key, const char* title, int order, const char* what,
                      const char* lead) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& [name, count] : counts_of(summary, key))
    rows.push_back({html::text(name), html::figure(html::number(count, 16))});
  if (rows.empty()) return {};
  return {title, order, html::paragraph(lead) + html::table({what, "times"}, rows)};
}

ReportSection again(const Json& summary) {
  std::string body;
  if (const std::string command = text_of(summary, "command"); !command.empty())
    body += html::paragraph("This run was started with") + html::command(command);
  if (const std::string folder = text_of(summary, "folder"); !folder.empty())
    body += html::paragraph("To run it again from this folder and check that it gives the same state hash") +
            html::command("strata replay " + folder);
  if (body.empty())
    body = html::paragraph("strata replay, followed by this folder, runs it again and checks the state hash.");
  body += html::paragraph(
      "The folder also holds the scenario with every default filled in, and what entered the run from outside: "
      "all that is needed. recording.mcap opens in Foxglove; metrics.csv in any spreadsheet.");
  return {"Run it again", 900, body};
}

std::string anchor(std::size_t index) { return "s" + std::to_string(index); }

std::string verdict(const Json& summary) {
  const std::string end = text_of(summary, "end");
  const bool judged = !list_of(summary, "expectations").empty();
  if (end == "failed") return html::badge("bad", "failed").html;
  if (judged || summary.contains("passed")) {
    if (!true_in(summary, "passed") && summary.contains("passed")) return html::badge("bad", "failed").html;
    if (end == "interrupted") return html::badge("warn", "interrupted").html;
    return html::badge("good", judged ? "passed" : "complete").html;
  }
  return end.empty() ? "" : html::badge(end == "complete" ? "good" : "warn", end).html;
}

}  // namespace

std::string render_report(const ReportInput& input) {
  Json summary = Json::parse(input.summary_json, nullptr, false);
  if (!summary.is_object()) summary = Json::object();
  std::vector<ReportSection> sections = input.sections;
  sections.push_back(outcome(summary));
  sections.push_back({"Map", 200, map_html(input.map, input.trajectories)});
  if (input.metrics != nullptr) sections.push_back(metrics(*input.metrics));
  sections.push_back(
      counted(summary, "event_counts", "Events", 400, "event", "What happened in the world, and how often."));
  sections.push_back(
      counted(summary, "warnings", "Warnings", 500, "warning", "Check these before you trust the result."));
  sections.push_back(again(summary));
  if (!input.notes.empty()) {
    std::string notes;
    for (const std::string& note : input.notes) notes += html::paragraph(note);
    sections.push_back({"About this report", 950, notes});
  }
  std::erase_if(sections, [](const ReportSection& section) { return section.html.empty(); });
  std::stable_sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) { return a.order < b.order; });

  std::string name = text_of(summary, "scenario");
  if (name.empty()) name = "run";
  std::string nav;
  std::string body;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string title = html::escape(sections[i].title);
    nav += "<a href=\"#" + anchor(i) + "\">" + title + "</a>";
    body += "<section id=\"" + anchor(i) + "\"><h2>" + title + "</h2>" + sections[i].html + "</section>";
  }
  const std::string lead = text_of(summary, "description");
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "script-src 'unsafe-inline'\">"
         "<title>" +
         html::escape(name) + " - Strata</title><style>" + report_assets::kStyle +
         "</style></head><body><header><div class=\"wrap\">"
         "<div class=\"top\"><span class=\"brand\">Strata run report</span><button type=\"button\" id=\"theme\">light "
         "/ dark</button></div>"
         "<h1>" +
         html::escape(name) + verdict(summary) + "</h1>" +
         (lead.empty() ? "" : "<p class=\"lead\">" + html::escape(lead) + "</p>") + "<nav>" + nav +
         "</nav></div></header><main class=\"wrap\">" + body +
         "</main><footer class=\"wrap\">Made by strata. "
         "Everything on this page is inside of it; nothing is loaded from elsewhere.</footer><script>" +
         report_assets::kScript + report_assets::kMapScript + "</script></body></html>\n";
}

}  // namespace strata
