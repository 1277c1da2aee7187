#include <algorithm>

#include <fmt/format.h>

#include "app/perf/perf.hpp"
#include "app/terminal.hpp"
#include "record/report_html.hpp"

namespace strata::app {

namespace {

constexpr std::size_t kFunctions = 40;

struct Bar {
  std::string label;
  std::string value;
  double size = 0;
};

std::string bars(const std::string& title, const std::vector<Bar>& list) {
  double largest = 0;
  for (const Bar& bar : list) largest = std::max(largest, bar.size);
  std::string out = fmt::format("<h2>{}</h2>\n<table>\n", html::escape(title));
  for (const Bar& bar : list) {
    out += fmt::format(
        "<tr><td class=\"label\">{}</td><td class=\"track\"><div style=\"width:{:.2f}%\"></div></td><td>{}</td></tr>\n",
        html::escape(bar.label), largest > 0 ? 100 * bar.size / largest : 0, html::escape(bar.value));
  }
  return out + "</table>\n";
}

std::string board_bars(const std::vector<PerfRun>& runs) {
  std::vector<Bar> time;
  std::vector<Bar> energy;
  for (const PerfRun& run : runs) {
    for (const auto& on : run.boards) {
      const std::string label = on.processor == "main" ? on.board : on.board + "/" + on.processor;
      time.push_back({label, fmt::format("{:.6g} s, bound by {}", on.time_s, on.bound), on.time_s});
      energy.push_back({label, fmt::format("{:.4g} J", on.energy_j()), on.energy_j()});
    }
  }
  if (time.empty()) return "";
  return bars("Time", time) + bars("Energy", energy);
}

std::string function_bars(const PerfRun& run) {
  std::vector<Bar> list;
  const double whole = std::max(1.0, run.estimate.instructions());
  for (const auto& function : run.estimate.functions) {
    if (list.size() == kFunctions) break;
    list.push_back({function.name + (function.library ? " (library)" : ""),
                    fmt::format("{:.1f} %, {} instructions", 100 * function.instructions / whole,
                                grouped(static_cast<std::uint64_t>(function.instructions))),
                    function.instructions});
  }
  return bars(fmt::format("Functions on {}", run.estimate.target), list);
}

constexpr const char* kStyle =
    "body{font:14px sans-serif;margin:2em;color:#222}table{border-spacing:6px 2px}td{white-space:nowrap}"
    ".label{max-width:40em;overflow:hidden;text-overflow:ellipsis}.track{width:24em;background:#eee}"
    ".track div{height:1em;background:#37c}";

}  // namespace

std::string perf_html(const std::vector<PerfRun>& runs, const std::string& title) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>{1}</style></head>\n"
      "<body><h1>{0}</h1>\n",
      html::escape(title), kStyle);
  out += board_bars(runs);
  for (const PerfRun& run : runs) out += function_bars(run);
  return out + "</body></html>\n";
}

}  // namespace strata::app
