#include "scenario/sweep/results.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.hpp"

namespace strata::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPairs = 5000;
constexpr double kSignificant = 0.05;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string short_text(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::optional<RunRecord> record_of(const std::string& json, const std::string& variant, std::uint64_t seed) {
  const Json summary = Json::parse(json, nullptr, false);
  if (!summary.is_object() || !summary.contains("hash") || !summary.contains("metrics")) return std::nullopt;
  // A run that was broken off says nothing about its variant.
  const std::string end = summary.value("end", "");
  if (end != "complete" && end != "stopped") return std::nullopt;
  RunRecord out;
  out.variant = variant;
  out.seed = seed;
  out.passed = summary.value("passed", false);
  out.hash = summary.value("hash", "");
  out.figures["passed"] = out.passed ? 1 : 0;
  out.figures["simulated_s"] = summary.value("simulated_s", 0.0);
  for (const auto& [name, value] : summary["metrics"].items()) {
    if (value.is_number()) out.figures[name] = value.get<double>();
  }
  const Json events = summary.value("event_counts", Json::object());
  for (const auto& [name, value] : events.items()) {
    if (value.is_number()) out.figures["events." + name] = value.get<double>();
  }
  return out;
}

std::string to_line(const RunRecord& record) {
  const Json json{{"variant", record.variant},
                  {"seed", record.seed},
                  {"passed", record.passed},
                  {"hash", record.hash},
                  {"figures", record.figures}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RunRecord> from_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return RunRecord{json.at("variant").get<std::string>(), json.at("seed").get<std::uint64_t>(),
                     json.at("passed").get<bool>(), json.at("hash").get<std::string>(),
                     json.at("figures").get<std::map<std::string, double>>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<const RunRecord*> Results::of(std::size_t variant) const {
  const std::string name = variants_[variant].name(axes_);
  std::vector<const RunRecord*> out;
  for (auto it = records_.lower_bound({name, 0}); it != records_.end() && it->first.first == name; ++it)
    out.push_back(&it->second);
  return out;
}

// An event that never happened was not counted: that is none.
std::vector<double> Results::values(std::size_t variant, const std::string& figure) const {
  std::vector<double> out;
  for (const RunRecord* record : of(variant)) {
    const auto it = record->figures.find(figure);
    if (it != record->figures.end()) {
      out.push_back(it->second);
    } else if (figure.starts_with("events.")) {
      out.push_back(0);
    }
  }
  return out;
}

std::vector<std::string> Results::figures(bool constant) const {
  std::map<std::string, std::set<double>> seen;
  for (const auto& [key, record] : records_) {
    for (const auto& [name, value] : record.figures) {
      std::set<double>& values = seen[name];
      if (values.size() < 2) values.insert(value);
    }
  }
  std::vector<std::string> out;
  for (const auto& [name, values] : seen) {
    const bool in_all = std::all_of(records_.begin(), records_.end(), [figure = &name](const auto& entry) {
      return entry.second.figures.contains(*figure);
    });
    if (constant || values.size() > 1 || !in_all) out.push_back(name);
  }
  std::stable_partition(out.begin(), out.end(), [](const std::string& name) { return name == "passed"; });
  return out;
}

Summary Results::summary(std::size_t variant, const std::string& figure) const {
  return summarise(values(variant, figure));
}

std::vector<Results::Comparison> Results::compare(const std::string& figure) const {
  std::vector<Comparison> out;
  if (variants_.size() * (variants_.size() - 1) / 2 > kMostPairs) return out;
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < variants_.size(); ++i) all.push_back(values(i, figure));
  std::vector<double> p;
  for (std::size_t a = 0; a < variants_.size(); ++a) {
    for (std::size_t b = a + 1; b < variants_.size(); ++b) {
      if (all[a].size() < 2 || all[b].size() < 2) continue;
      p.push_back(welch_p(all[a], all[b]));
      out.push_back({a, b, p.back(), 1});
    }
  }
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].corrected = corrected[i];
  return out;
}

std::string Results::to_csv() const {
  std::string out;
  const std::vector<std::string> names = figures(true);
  for (const Axis& axis : axes_) out += csv_cell(axis.path) + ",";
  out += "seed,hash";
  for (const std::string& name : names) out += "," + csv_cell(name);
  out += "\n";
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    for (const RunRecord* record : of(i)) {
      for (const std::string& value : variants_[i].values) out += csv_cell(value) + ",";
      out += fmt::format("{},{}", record->seed, record->hash);
      for (const std::string& name : names) {
        const auto it = record->figures.find(name);
        out += ",";
        if (it != record->figures.end()) out += format_number(it->second);
        if (it == record->figures.end() && name.starts_with("events.")) out += "0";
      }
      out += "\n";
    }
  }
  return out;
}

std::string Results::to_json() const {
  Json variants = Json::array();
  const std::vector<std::string> names = figures(true);
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    Json settings = Json::object();
    for (std::size_t k = 0; k < axes_.size(); ++k) settings[axes_[k].path] = variants_[i].values[k];
    Json figure_json = Json::object();
    for (const std::string& name : names) {
      const Summary s = summary(i, name);
      if (s.count == 0) continue;
      figure_json[name] = {{"runs", s.count},
                           {"mean", number_json(s.mean)},
                           {"deviation", number_json(s.deviation)},
                           {"confidence_95", {number_json(s.low), number_json(s.high)}}};
    }
    variants.push_back(
        {{"settings", std::move(settings)}, {"runs", of(i).size()}, {"figures", std::move(figure_json)}});
  }
  Json comparisons = Json::array();
  for (const std::string& name : figures(false)) {
    for (const Comparison& c : compare(name)) {
      comparisons.push_back({{"figure", name},
                             {"a", variants_[c.a].name(axes_)},
                             {"b", variants_[c.b].name(axes_)},
                             {"p_welch", number_json(c.p)},
                             {"p_holm", number_json(c.corrected)},
                             {"different", c.corrected < kSignificant}});
    }
  }
  const Json json{{"variants", std::move(variants)}, {"comparisons", std::move(comparisons)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::vector<std::string>> Results::to_rows(const std::vector<std::string>& figures) const {
  std::vector<std::vector<std::string>> rows = {
      {"figure", "variant", "runs", "mean", "95 % confidence", "p against the first"}};
  for (const std::string& figure : figures) {
    const std::vector<Comparison> comparisons = compare(figure);
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      const Summary s = summary(i, figure);
      if (s.count == 0) continue;
      const auto against = std::find_if(comparisons.begin(), comparisons.end(),
                                        [i](const Comparison& c) { return c.a == 0 && c.b == i; });
      std::string verdict;
      if (against != comparisons.end())
        verdict = short_text(against->corrected) + (against->corrected < kSignificant ? " *" : "");
      rows.push_back({figure, variants_[i].name(axes_), std::to_string(s.count), short_text(s.mean),
                      fmt::format("{} .. {}", short_text(s.low), short_text(s.high)), verdict});
    }
  }
  return rows;
}

}  // namespace strata::sweep
