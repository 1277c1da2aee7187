// The report of a run: report.html, one page without anything from the network, built from sections. The sections below
// are the base; capabilities add their own. Made at the end of a run from what is in memory, or later from the run
// folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "record/map_data.hpp"
#include "record/metrics.hpp"
#include "record/report_html.hpp"
#include "record/run_folder.hpp"
#include "record/trajectories.hpp"

namespace strata {

/// A part of the report. `html` is inserted as it is: make it with the functions of report_html.hpp, which escape.
struct ReportSection {
  std::string title;
  int order = 0;  ///< sections are sorted by it: outcome 100, map 200, metrics 300, events 400, warnings 500, again 900
  std::string html;
};

/// What a report shows. Missing parts leave their sections out.
struct ReportInput {
  /// As in summary.json. Known members: scenario, description, seed, threads, end, reason, passed, simulated_s, wall_s,
  /// cpu_s, speed, behind_s, robots, entities, steps, events, hash (text), event_counts and warnings (name to count),
  /// expectations (list of text, passed, detail), command, recording (bytes, messages). Others are ignored.
  std::string summary_json;
  const MapData* map = nullptr;
  const Trajectories* trajectories = nullptr;
  const MetricTable* metrics = nullptr;
  std::vector<std::string> notes;       ///< about the report itself: what could not be read
  std::vector<ReportSection> sections;  ///< further ones
};

/// The whole page.
[[nodiscard]] std::string render_report(const ReportInput& input);

/// What a run folder holds for a report, read back.
struct StoredRun {
  std::string summary_json;
  std::optional<MapData> map;
  std::optional<Trajectories> trajectories;
  std::optional<MetricTable> metrics;
  std::vector<std::string> notes;
  [[nodiscard]] ReportInput input() const;
};
/// Reads what is there; what is missing or damaged becomes a note. Fails only without a readable summary. `kinds`, if
/// given, tells the units of the metrics.
[[nodiscard]] Result<StoredRun> read_run(const RunFolder& folder, const Catalog<MetricKind>* kinds = nullptr);

/// For a capability that draws the map itself.
[[nodiscard]] std::string map_html(const MapData* map, const Trajectories* trajectories);

}  // namespace strata
