#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/perf/perf.hpp"
#include "app/terminal.hpp"

namespace strata::app {

namespace {

using annotate::BoardEstimate;
using annotate::Estimate;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 70;

std::string shortened(const std::string& name) {
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName - 3) + "...";
}

std::string share(double part, double whole) { return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0); }

std::string energy_text(double joules) {
  return joules < 1e-3 ? fmt::format("{:.3g} uJ", joules * 1e6)
         : joules < 1  ? fmt::format("{:.3g} mJ", joules * 1e3)
                       : fmt::format("{:.3g} J", joules);
}

std::string boards_text(const std::vector<PerfRun>& runs) {
  std::vector<std::vector<std::string>> rows{
      {"board", "core", "clock", "cycles", "time", "at most", "energy", "bound by"}};
  for (const PerfRun& run : runs) {
    for (const BoardEstimate& on : run.boards) {
      rows.push_back({on.board + (on.processor == "main" ? "" : "/" + on.processor), run.estimate.target,
                      fmt::format("{:.4g} MHz", on.hz * 1e-6), short_number(on.cycles), wall_text(on.time_s),
                      wall_text(on.most_cycles / on.hz), energy_text(on.energy_j()), on.bound});
    }
  }
  if (rows.size() == 1) return "";
  return fmt::format("\n{}\n{}", toned(stdout, Tone::kBold, "boards"), to_table(rows));
}

std::string functions_text(const Estimate& estimate, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"instructions", "", "cycles", "function"}};
  for (const auto& function : estimate.functions) {
    if (rows.size() > most) break;
    std::string name = shortened(function.name);
    if (function.library) name += " (library)";
    if (!function.place.empty()) name += "  " + function.place;
    rows.push_back({grouped(static_cast<std::uint64_t>(function.instructions)),
                    share(function.instructions, estimate.instructions()),
                    grouped(static_cast<std::uint64_t>(function.cycles)), name});
  }
  return fmt::format("\n{}\n{}", toned(stdout, Tone::kBold, "functions"), to_table(rows));
}

std::string threads_text(const Estimate& estimate) {
  if (estimate.threads.size() < 2) return "";
  std::vector<std::vector<std::string>> rows{{"thread", "instructions", "cycles"}};
  for (const auto& thread : estimate.threads) {
    const std::string process = estimate.processes > 1 ? fmt::format("{}/", thread.process) : "";
    rows.push_back({fmt::format("{}{} {}", process, thread.number, shortened(thread.start)),
                    grouped(static_cast<std::uint64_t>(thread.instructions + thread.library_instructions)),
                    grouped(static_cast<std::uint64_t>(thread.cycles))});
  }
  return fmt::format("\n{}\n{}", toned(stdout, Tone::kBold, "threads"), to_table(rows));
}

std::string unaccounted_text(const Estimate& estimate) {
  constexpr double kWorthNaming = 0.005;
  std::string out;
  for (const auto& entry : estimate.unaccounted) {
    if (entry.host_share < kWorthNaming) continue;
    out += fmt::format("  {:5.1f} %  {}\n", 100 * entry.host_share, shortened(entry.name));
  }
  if (out.empty()) return "";
  return fmt::format("\n{}\n{}", toned(stdout, Tone::kCaution, "not accounted for (share of the time on this machine)"),
                     out);
}

Json to_object(const BoardEstimate& on) {
  return {{"board", on.board},
          {"processor", on.processor},
          {"hz", on.hz},
          {"cycles", on.cycles},
          {"cycles_at_most", on.most_cycles},
          {"time_s", on.time_s},
          {"time_s_at_most", on.most_cycles / on.hz},
          {"elapsed_s", on.elapsed_s},
          {"energy_j", on.energy_j()},
          {"dynamic_j", on.dynamic_j},
          {"static_j", on.static_j},
          {"bound", on.bound}};
}

Json to_object(const PerfRun& run) {
  const Estimate& estimate = run.estimate;
  Json functions = Json::array();
  for (const auto& function : estimate.functions) {
    functions.push_back({{"name", function.name},
                         {"place", function.place},
                         {"library", function.library},
                         {"instructions", function.instructions},
                         {"cycles", function.cycles}});
  }
  Json threads = Json::array();
  for (const auto& thread : estimate.threads) {
    threads.push_back({{"process", thread.process},
                       {"number", thread.number},
                       {"start", thread.start},
                       {"instructions", thread.instructions},
                       {"library_instructions", thread.library_instructions},
                       {"cycles", thread.cycles}});
  }
  Json unaccounted = Json::array();
  for (const auto& entry : estimate.unaccounted) {
    unaccounted.push_back({{"name", entry.name}, {"host_share", entry.host_share}});
  }
  Json boards = Json::array();
  for (const BoardEstimate& on : run.boards) boards.push_back(to_object(on));
  const BoardEstimate* first = run.boards.empty() ? nullptr : &run.boards.front();
  return {
      {"target", estimate.target},
      {"exit_code", run.exit_code},
      {"instructions",
       {{"annotated", estimate.annotated}, {"library", estimate.library}, {"total", estimate.instructions()}}},
      {"cycles", estimate.cycles},
      {"time_s", first == nullptr ? estimate.cycles / estimate.hz : first->time_s},
      {"energy_j", first == nullptr ? Json() : Json(first->energy_j())},
      {"caches", {{"mode", "none"}}},
      {"predictor", {{"mode", "none"}, {"note", "cycles do not hold mispredictions; *_at_most adds the usual share"}}},
      {"processes", estimate.processes},
      {"boards", boards},
      {"functions", functions},
      {"threads", threads},
      {"unaccounted", unaccounted}};
}

}  // namespace

std::string perf_text(const std::vector<PerfRun>& runs, std::size_t most_functions) {
  std::string out = boards_text(runs);
  for (const PerfRun& run : runs) {
    const Estimate& estimate = run.estimate;
    out += fmt::format(
        "\n{} {} instructions, {} of them in libraries; {} cycles", toned(stdout, Tone::kBold, estimate.target + ":"),
        grouped(static_cast<std::uint64_t>(estimate.instructions())), share(estimate.library, estimate.instructions()),
        grouped(static_cast<std::uint64_t>(estimate.cycles)));
    if (run.boards.empty()) {
      out += fmt::format(", {} at {:.4g} MHz", wall_text(estimate.cycles / estimate.hz), estimate.hz * 1e-6);
    }
    if (estimate.mixed_targets) {
      out +=
          toned(stdout, Tone::kCaution, "\nparts of the program count for another target: check before you trust this");
    }
    out += "\n" + functions_text(estimate, most_functions) + threads_text(estimate) + unaccounted_text(estimate);
  }
  return out;
}

std::string perf_json(const std::vector<PerfRun>& runs) {
  // One run is the usual case and stands at the top; further targets follow in a list of their own.
  Json out = to_object(runs.front());
  Json boards = Json::array();
  Json others = Json::array();
  for (const PerfRun& run : runs) {
    for (const BoardEstimate& on : run.boards) boards.push_back(to_object(on));
    if (&run != &runs.front()) others.push_back(to_object(run));
  }
  out["boards"] = boards;
  if (!others.empty()) out["other_targets"] = others;
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace strata::app
