#include "app/bench/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/doctor/checkup.hpp"
#include "app/terminal.hpp"

namespace strata::bench {

namespace {

using Json = nlohmann::ordered_json;

Json to_object(const Row& row) {
  Json out = {{"case", row.name}, {"metric", row.metric}, {"value", row.value}, {"unit", row.unit}};
  out["target"] = row.target ? Json(*row.target) : Json();
  if (row.target && row.target_is_ratio) out["target_of"] = "ratio";
  out["met"] = row.met ? Json(*row.met) : Json();
  if (row.peer_value) {
    out["peer"] = row.peer;
    out["peer_value"] = *row.peer_value;
    if (row.ratio) out["ratio"] = *row.ratio;
  }
  if (!row.note.empty()) out["note"] = row.note;
  return out;
}

Json machine_object() {
  const app::Machine machine = app::this_machine();
  return {{"cpu", machine.cpu},       {"cores", machine.cores},   {"memory_bytes", machine.memory_bytes},
          {"kernel", machine.kernel}, {"system", machine.system}, {"compiler", machine.compiler}};
}

// "1.2 M 1/s", "12 ms": three digits and a prefix that fits the unit.
std::string shown(double value, const std::string& unit) {
  if (unit == "s" && value < 1) return fmt::format("{:.3g} ms", value * 1e3);
  if (unit == "1" || unit.empty()) return fmt::format("{:.3g}", value);
  std::string text = app::short_number(value);
  const bool prefixed = text.find(' ') != std::string::npos;
  return unit.front() == '1' || !prefixed ? text + " " + unit : text + unit;
}

std::string shown_target(const Row& row) {
  if (!row.target) return "";
  return row.target_is_ratio ? fmt::format("{:.3g}x", *row.target) : shown(*row.target, row.unit);
}

std::string verdict(const Row& row) {
  if (!row.met) return "";
  return *row.met ? "met" : "NOT MET";
}

}  // namespace

std::string to_table(const Report& report) {
  std::vector<std::vector<std::string>> lines = {{"case", "metric", "value", "target", "", "peer", "ratio"}};
  std::string notes;
  for (const Row& row : report.rows) {
    const std::string peer = row.peer_value ? fmt::format("{} {}", row.peer, shown(*row.peer_value, row.unit)) : "";
    lines.push_back({row.name, row.metric, shown(row.value, row.unit), shown_target(row), verdict(row), peer,
                     row.ratio ? fmt::format("{:.3g}x", *row.ratio) : ""});
    const std::string note = fmt::format("  {}: {}\n", row.name, row.note);
    if (!row.note.empty() && notes.find(note) == std::string::npos) notes += note;
  }
  return fmt::format("{}\n{}{}", report.bench, app::to_table(lines), notes);
}

std::string to_json(const Report& report) {
  Json results = Json::array();
  for (const Row& row : report.rows) results.push_back(to_object(row));
  const Json out = {{"bench", report.bench}, {"machine", machine_object()}, {"results", results}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

bool all_met(const Report& report) {
  return std::all_of(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.met.value_or(true); });
}

}  // namespace strata::bench
