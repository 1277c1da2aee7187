#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/bench/report.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

int list_benches() {
  std::vector<std::vector<std::string>> rows;
  for (const bench::Bench& entry : bench::benches()) rows.push_back({entry.name, entry.summary});
  fmt::print("{}", to_table(rows));
  return ExitCode::kFine;
}

Result<std::vector<const bench::Bench*>> select(const std::string& name) {
  std::vector<const bench::Bench*> chosen;
  std::vector<std::string> names;
  for (const bench::Bench& entry : bench::benches()) {
    names.emplace_back(entry.name);
    if (name.empty() || name == entry.name) chosen.push_back(&entry);
  }
  if (chosen.empty()) return Error{{}, fmt::format("unknown benchmark '{}'", name), suggestion(name, names)};
  return chosen;
}

}  // namespace

int bench_verb(const Arguments& arguments) {
  CLI::App app("Measures how fast this machine simulates, next to public peers where they are installed.",
               "strata bench");
  std::string name;
  std::string count;
  bench::Options options;
  bool list = false;
  JsonOutput json;
  app.add_option("NAME", name, "One benchmark; all of them without it");
  app.add_option("--count", count, "Size of the case (robots, pending events) instead of the usual ones")
      ->type_name("N");
  app.add_flag("--quick", options.quick, "Small and inexact: only to see that it works");
  app.add_flag("--list", list, "List the benchmarks");
  json.add_to(app);
  app.footer(
      "example:\n  strata bench\n  strata bench robots --count 10000\n  strata bench events --json=events.json\n\n"
      "JSON: an object with bench, machine and results for one NAME; a list of such objects without.\n"
      "Run on an idle machine. A target that is not met does not change the exit code.");
  if (const auto done = parse(app, arguments)) return *done;
  if (list) return list_benches();

  Errors errors;
  if (!count.empty()) options.count = read_integer("--count", count, 1, errors);
  const auto chosen = select(name);
  collect(chosen, errors);
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);

  std::string all;
  for (const bench::Bench* entry : *chosen) {
    if (is_terminal(stderr)) fmt::print(stderr, "measuring {} ...\n", entry->name);
    const bench::Report report = entry->run(options);
    if (!json.on_stdout()) fmt::print("{}\n", bench::to_table(report));
    std::fflush(stdout);
    all += (all.empty() ? "" : ",\n") + bench::to_json(report);
  }
  return json.write(name.empty() ? fmt::format("[\n{}\n]", all) : all, ExitCode::kFine);
}

}  // namespace strata::app
