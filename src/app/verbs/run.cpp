#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/scenario_files.hpp"
#include "app/session.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "base/units.hpp"

namespace strata::app {

namespace {

constexpr const char* kDefaultExample = "crossing";

// The options as typed; checked together, so that all mistakes show at once.
struct RunWords {
  std::string scenario;
  std::string duration;
  std::string seed;
  std::string threads;
  std::string real_time;
  LoadOptions load;
  RunOptions run;
  bool quiet = false;
  bool no_record = false;
  JsonOutput json;
};

void add_options(CLI::App& app, RunWords& words) {
  app.add_option("SCENARIO", words.scenario, "A file, a folder that holds scenario.yaml, or the name of an example")
      ->required();
  app.add_option("--duration", words.duration, "Virtual time to run, e.g. 30s or '5 min'")->type_name("TIME");
  app.add_option("--seed", words.seed, "Of all random numbers")->type_name("N");
  app.add_option("--threads", words.threads, "Threads to compute with; the results are the same for any number [1]")
      ->type_name("N");
  app.add_option("--out", words.run.out, "Run folder [the next free one below runs/]")->type_name("FOLDER");
  add_repeatable(app, "--set", words.load.sets, "PATH=VALUE",
                 "Override a value by its path: robots.walker.count=20 (repeatable)");
  app.add_flag("--strict", words.run.strict, "A warning ends the run as failed");
  app.add_flag("--quiet", words.quiet, "Print nothing but errors");
  app.add_flag("--real-time{1}", words.real_time, "Run at real time, or at K times real time with --real-time=K");
  app.add_flag("--no-record", words.no_record, "Write neither recording nor metrics");
  words.json.add_to(app);
  app.footer(
      "example:\n  strata run crossing\n  strata run my.yaml --duration 30s --seed 7 --set robots.walker.count=20\n"
      "  strata run my.yaml --real-time=2 --json=result.json\n\n"
      "Exit codes: 0 fine, 1 an expectation did not come true or the run failed, 2 wrong input, 130 interrupted.\n"
      "Ctrl-C ends a run cleanly with everything written; a second one ends it at once.");
}

std::optional<std::uint64_t> read_seed(const std::string& text, Errors& errors) {
  const auto seed = read_integer("--seed", text, 0, errors);
  return seed ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*seed)) : std::nullopt;
}

void read_factor(const std::string& text, RunOptions& run, Errors& errors) {
  const Result<double> factor = parse_number(text);
  if (factor.ok() && *factor > 0) {
    run.real_time = *factor;
  } else {
    errors.push_back(
        {{}, fmt::format("--real-time: '{}' is not a positive number", text), "write for example --real-time=2"});
  }
}

Errors read_words(RunWords& words) {
  constexpr long kMostThreads = 1024;
  Errors errors;
  if (!words.duration.empty()) words.load.duration = read_duration("--duration", words.duration, errors);
  if (!words.seed.empty()) words.load.seed = read_seed(words.seed, errors);
  if (!words.real_time.empty()) read_factor(words.real_time, words.run, errors);
  if (!words.threads.empty()) {
    const auto threads = read_integer("--threads", words.threads, 1, errors);
    if (threads && *threads > kMostThreads)
      errors.push_back({{}, fmt::format("--threads: at most {}", kMostThreads), ""});
    if (threads) words.run.threads = static_cast<int>(std::min(*threads, kMostThreads));
  }
  words.run.record = !words.no_record;
  collect(words.json.check(), errors);
  return errors;
}

int finish(const RunOutcome& outcome, const RunWords& words) {
  const int code = exit_code(outcome);
  if (!words.quiet && !words.json.on_stdout()) {
    fmt::print("{}", to_summary(outcome));
  } else {
    Errors errors;
    for (const std::string& problem : problems(outcome)) errors.push_back({{}, problem, ""});
    print_errors(errors);
  }
  return words.json.write(to_json(outcome), code);
}

int run_scenario(RunWords& words, const ScenarioFile& file) {
  if (file.is_example && !words.quiet) {
    fmt::print(stderr, "there is no '{}' here: running the example {}\n", words.scenario, shown_path(file.path));
  }
  Registry registry;
  register_all_kinds(registry);
  const auto scenario = load_scenario(file.path.string(), words.load, registry);
  if (!scenario.ok()) return wrong_input(scenario.errors());
  const auto outcome = run_watched(*scenario, words.run, registry, words.quiet);
  if (!outcome.ok()) return wrong_input(outcome.errors());
  return finish(*outcome, words);
}

}  // namespace

int run_verb(const Arguments& arguments) {
  CLI::App app("Runs a scenario as fast as possible and leaves a run folder: recording, metrics, report, summary.",
               "strata run");
  RunWords words;
  add_options(app, words);
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors = read_words(words);
  const auto file = locate_scenario(words.scenario);
  collect(file, errors);
  if (!errors.empty()) return wrong_input(errors);
  words.run.command = command_text("run", arguments);
  return run_scenario(words, *file);
}

int first_run() {
  const auto example = find_example(kDefaultExample);
  if (!example) {
    return wrong_input(fmt::format("the example '{}' is not installed", kDefaultExample),
                       "set STRATA_DATA to the folder that holds examples/, or see `strata --help`");
  }
  RunWords words;
  words.scenario = kDefaultExample;
  words.run.command = "strata run crossing";
  fmt::print(stderr, "running the example '{}'; `strata --help` shows what else there is\n\n", kDefaultExample);
  const int code = run_scenario(words, {*example / "scenario.yaml", false});
  if (code != ExitCode::kFine) return code;
  fmt::print(
      "\nnext:\n"
      "  open the report above in a browser, the recording in Foxglove\n"
      "  strata run crossing --set robots.walker.count=50 --duration 20s    change it\n"
      "  strata new scenario mine                                           write your own\n"
      "  strata list                                                        see what scenarios can name\n"
      "  strata doctor                                                      see what this machine can do\n");
  return code;
}

}  // namespace strata::app
