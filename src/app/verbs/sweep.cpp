#include <algorithm>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/scenario_files.hpp"
#include "app/session.hpp"
#include "app/sweep_runner.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "base/hash.hpp"
#include "record/run_folder.hpp"
#include "scenario/run.hpp"
#include "scenario/yaml.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostVariants = 10'000;
constexpr long kMostSeeds = 100'000;
constexpr long kMostJobs = 256;

struct SweepWords {
  std::string scenario;
  std::vector<std::string> vary;
  std::vector<std::string> sets;
  std::vector<std::string> figures;
  std::string seeds = "10";
  std::string seed = "1";
  std::string jobs;
  std::string duration;
  std::string out;
  bool strict = false;
  JsonOutput json;
};

void add_options(CLI::App& app, SweepWords& words) {
  app.add_option("SCENARIO", words.scenario, "A file, a folder that holds scenario.yaml, or the name of an example")
      ->required();
  add_repeatable(app, "--vary", words.vary, "PATH=VALUES",
                 "What to vary: a list a,b,c, a range 2..20 or 2..20..3; all combinations are run (repeatable)");
  app.add_option("--seeds", words.seeds, "Runs of each variant, each with a seed of its own [10]")->type_name("N");
  app.add_option("--seed", words.seed, "The first seed [1]")->type_name("N");
  app.add_option("--jobs", words.jobs, "Runs at once; the results are the same for any number [all cores]")
      ->type_name("N");
  add_repeatable(app, "--set", words.sets, "PATH=VALUE", "Override a value in all variants (repeatable)");
  app.add_option("--duration", words.duration, "Virtual time of each run")->type_name("TIME");
  add_repeatable(app, "--figure", words.figures, "NAME",
                 "Show this figure in the table [all that differ between runs] (repeatable)");
  app.add_option("--out", words.out, "Folder of the sweep [one of its own below sweeps/]")->type_name("FOLDER");
  app.add_flag("--strict", words.strict, "A warning fails the run");
  words.json.add_to(app);
  app.footer(
      "example:\n  strata sweep crossing --vary robots.walker.count=10..50..20 --seeds 5\n"
      "  strata sweep my.yaml --vary robots.walker.motion.max_speed='0.5 m/s,1 m/s' --figure distance.mean\n\n"
      "The same command goes on where an interrupted sweep was. The folder gets runs.csv and summary.json.\n"
      "p is the chance of such a difference between equal variants (Welch's t test), corrected for the number of\n"
      "pairs (Holm); * marks those below 5 %.\n"
      "Exit codes: 0 fine, 1 a run failed, 2 wrong input, 130 interrupted.");
}

// A sweep is told by all that decides its results, except for how many seeds were asked for.
std::string fingerprint(const Scenario& base, const SweepPlan& plan, const SweepWords& words) {
  std::string text = fmt::format("{}\n{}\n{}\n", version(), to_yaml(base.spec.resolved), words.strict);
  for (const sweep::Axis& axis : plan.axes) text += fmt::format("{}={}\n", axis.path, fmt::join(axis.values, ","));
  return hex16(hash_text(text));
}

// Every variant is read before the first run, so that all mistakes show at once.
Result<std::string> check_variants(const SweepPlan& plan, const LoadOptions& load, const SweepWords& words,
                                   std::string& name) {
  constexpr std::size_t kMostErrors = 20;
  Errors errors;
  std::string mark;
  for (std::size_t i = 0; i < plan.variants.size() && errors.size() < kMostErrors; ++i) {
    Registry registry;
    register_all_kinds(registry);
    LoadOptions options = load;
    for (std::string& set : plan.variants[i].sets(plan.axes)) options.sets.push_back(std::move(set));
    const Result<Scenario> scenario = load_scenario(plan.scenario, options, registry);
    if (!collect(scenario, errors) || i > 0) continue;
    name = scenario->spec.name;
    mark = fingerprint(*scenario, plan, words);
  }
  if (!errors.empty()) return errors;
  return mark;
}

Errors read_words(const SweepWords& words, SweepPlan& plan, LoadOptions& load) {
  Errors errors;
  for (const std::string& text : words.vary) {
    Result<sweep::Axis> axis = sweep::parse_axis(text);
    if (collect(axis, errors)) plan.axes.push_back(std::move(axis).value());
  }
  Result<std::vector<sweep::Variant>> variants = sweep::combine(plan.axes, kMostVariants);
  if (collect(variants, errors)) plan.variants = std::move(variants).value();
  const auto seeds = read_integer("--seeds", words.seeds, 1, errors);
  const auto first = read_integer("--seed", words.seed, 0, errors);
  if (seeds && *seeds > kMostSeeds) errors.push_back({{}, fmt::format("--seeds: at most {}", kMostSeeds), ""});
  if (seeds && first) {
    for (long i = 0; i < std::min(*seeds, kMostSeeds); ++i)
      plan.seeds.push_back(static_cast<std::uint64_t>(*first + i));
  }
  const long cores = std::max(1L, static_cast<long>(std::thread::hardware_concurrency()));
  const auto jobs = words.jobs.empty() ? std::optional<long>(cores) : read_integer("--jobs", words.jobs, 1, errors);
  if (jobs) plan.jobs = static_cast<int>(std::min(*jobs, kMostJobs));
  if (!words.duration.empty()) load.duration = read_duration("--duration", words.duration, errors);
  load.sets = words.sets;
  collect(words.json.check(), errors);
  const auto file = locate_scenario(words.scenario);
  if (collect(file, errors)) plan.scenario = file->path.string();
  return errors;
}

Result<std::vector<std::string>> shown_figures(const SweepWords& words, const sweep::Results& results) {
  if (words.figures.empty()) return results.figures(false);
  const std::vector<std::string> known = results.figures(true);
  Errors errors;
  for (const std::string& name : words.figures) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.push_back({{"--figure " + name, 0, 0, ""}, "no run has this figure", suggestion(name, known)});
  }
  if (!errors.empty()) return errors;
  return words.figures;
}

int finish(const SweepRunner& runner, const SweepWords& words) {
  const int code = runner.failures().empty() ? ExitCode::kFine : ExitCode::kFailed;
  print_errors(runner.failures());
  const Result<std::vector<std::string>> figures = shown_figures(words, runner.results());
  if (!figures.ok()) return wrong_input(figures.errors());
  if (const Result<void> written = runner.write_results(); !written.ok()) {
    print_errors(written.errors());
    return ExitCode::kFailed;
  }
  if (!words.json.on_stdout()) {
    fmt::print("{}", to_table(runner.results().to_rows(*figures)));
    fmt::print("  results   {}\n", shown_path(runner.folder()));
  }
  return words.json.write(runner.results().to_json(), code);
}

}  // namespace

int sweep_verb(const Arguments& arguments) {
  CLI::App app("Runs variants of a scenario over many seeds, several at a time, and compares them.", "strata sweep");
  SweepWords words;
  add_options(app, words);
  if (const auto done = parse(app, arguments)) return *done;
  SweepPlan plan;
  LoadOptions load;
  const Errors errors = read_words(words, plan, load);
  if (!errors.empty()) return wrong_input(errors);
  std::string name;
  const Result<std::string> mark = check_variants(plan, load, words, name);
  if (!mark.ok()) return wrong_input(mark.errors());

  plan.mark = *mark;
  for (const std::string& set : words.sets) plan.options.insert(plan.options.end(), {"--set", set});
  if (!words.duration.empty()) plan.options.insert(plan.options.end(), {"--duration", words.duration});
  if (words.strict) plan.options.emplace_back("--strict");
  plan.folder = words.out.empty() ? fs::path("sweeps") / fmt::format("{}-{}", safe_file_name(name), mark->substr(0, 8))
                                  : fs::path(words.out);
  SweepRunner runner(plan);
  if (const Result<void> opened = runner.open(); !opened.ok()) return wrong_input(opened.errors());
  runner.run();
  if (runner.interrupted()) {
    fmt::print(stderr, "interrupted after {} of {} runs; the same command goes on from here\n", runner.done(),
               runner.total());
    return ExitCode::kInterrupted;
  }
  return finish(runner, words);
}

}  // namespace strata::app
