#include "record/report.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "scenario/run.hpp"

namespace strata::app {

int report_verb(const Arguments& arguments) {
  CLI::App app("Writes report.html again from what a run folder holds, and prints its path.", "strata report");
  std::string run;
  JsonOutput json;
  app.add_option("RUN", run, "Run folder")->required();
  json.add_to(app);
  app.footer("example:\n  strata report runs/crossing-1");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  collect(json.check(), errors);
  const auto folder = RunFolder::open(run);
  if (!collect(folder, errors)) return wrong_input(errors);
  // The kinds know what the columns of metrics.csv mean.
  Registry registry;
  register_all_kinds(registry);
  const auto stored = read_run(*folder, &registry.catalog<MetricKind>());
  collect(stored, errors);
  if (!errors.empty()) return wrong_input(errors);

  if (const auto written = folder->write(RunFolder::kReport, render_report(stored->input())); !written.ok()) {
    print_errors(written.errors());
    return ExitCode::kFailed;
  }
  const std::string path = shown_path(folder->file(RunFolder::kReport));
  for (const std::string& note : stored->notes)
    fmt::print(stderr, "{} {}\n", toned(stderr, Tone::kCaution, "note:"), note);
  if (!json.on_stdout()) fmt::print("{}\n", path);
  const nlohmann::ordered_json result = {{"run", run}, {"report", path}, {"notes", stored->notes}};
  return json.write(result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), ExitCode::kFine);
}

}  // namespace strata::app
