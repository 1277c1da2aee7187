#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/data_folders.hpp"
#include "app/session.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "base/hash.hpp"
#include "record/run_folder.hpp"

namespace strata::app {

namespace {

using Json = nlohmann::ordered_json;

// What the summary of a run says that replaying needs.
struct PastRun {
  std::string hash;
  std::optional<Duration> simulated;  ///< where it was broken off, if it was
  std::uint64_t threads = 1;
};

Result<PastRun> read_past_run(const RunFolder& folder) {
  const auto text = folder.read(RunFolder::kSummary);
  if (!text.ok()) return text.errors();
  const Where where = in_file(folder.file(RunFolder::kSummary).string());
  const Json summary = Json::parse(*text, nullptr, false);
  if (!summary.is_object() || !summary.contains("hash") || !summary["hash"].is_string()) {
    return Error{where, "holds no hash of a run", "run the scenario again: its folder is damaged"};
  }
  PastRun past;
  past.hash = summary["hash"].get<std::string>();
  const bool complete = summary.value("end", "complete") == std::string("complete");
  if (!complete && summary.contains("simulated_ns") && summary["simulated_ns"].is_number_integer()) {
    past.simulated = Duration::nanoseconds(summary["simulated_ns"].get<std::int64_t>());
  }
  return past;
}

Result<RunOutcome> run_again(const RunFolder& folder, const PastRun& past, RunOptions options) {
  Registry registry;
  register_all_kinds(registry);
  LoadOptions load;
  load.duration = past.simulated;
  const auto scenario = load_scenario(folder.file(RunFolder::kScenario).string(), load, registry);
  if (!scenario.ok()) return scenario.errors();
  if (folder.has(RunFolder::kInputs)) options.replay_inputs = folder.file(RunFolder::kInputs).string();
  return run_watched(*scenario, options, registry, false);
}

std::string to_json(const std::string& run, const std::string& before, const RunOutcome& outcome) {
  const std::string hash = hex16(outcome.hash);
  return Json{
      {"run", run}, {"same", hash == before}, {"hash_before", before}, {"hash", hash}, {"folder", outcome.folder}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

void print_verdict(const std::string& run, const std::string& before, const RunOutcome& outcome) {
  const std::string hash = hex16(outcome.hash);
  if (hash == before) {
    fmt::print("{}: {} again, {} simulated\n", run, toned(stdout, Tone::kGood, "the same hash " + hash),
               to_text(outcome.simulated));
    return;
  }
  fmt::print("{}: {}\n  then  {}\n  now   {}\n", run, toned(stdout, Tone::kBad, "the hash differs"), before, hash);
  fmt::print("  The run does not reproduce. Did Strata, a plugin or the scenario in the run folder change since?\n");
}

}  // namespace

int replay_verb(const Arguments& arguments) {
  CLI::App app("Runs a run folder again, with the same inputs, and verifies that the state hash is the same.",
               "strata replay");
  std::string run;
  std::string threads;
  RunOptions options;
  JsonOutput json;
  app.add_option("RUN", run, "Run folder")->required();
  app.add_option("--threads", threads, "Threads to compute with [1]")->type_name("N");
  app.add_option("--out", options.out, "Write a run folder of the replay too")->type_name("FOLDER");
  json.add_to(app);
  app.footer(
      "example:\n  strata replay runs/crossing-1\n\nExit codes: 0 the same hash, 1 another one, 2 not a run folder.");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  if (!threads.empty()) options.threads = static_cast<int>(read_integer("--threads", threads, 1, errors).value_or(1));
  collect(json.check(), errors);
  const auto folder = RunFolder::open(run);
  if (!collect(folder, errors)) return wrong_input(errors);
  const auto past = read_past_run(*folder);
  collect(past, errors);
  if (!errors.empty()) return wrong_input(errors);

  options.write_folder = !options.out.empty();
  options.command = command_text("replay", arguments);
  const auto outcome = run_again(*folder, *past, options);
  if (!outcome.ok()) return wrong_input(outcome.errors());
  if (outcome->end == RunEnd::kInterrupted) {
    fmt::print(stderr, "interrupted: nothing verified\n");
    return ExitCode::kInterrupted;
  }
  if (!json.on_stdout()) print_verdict(run, past->hash, *outcome);
  return json.write(to_json(run, past->hash, *outcome),
                    hex16(outcome->hash) == past->hash ? ExitCode::kFine : ExitCode::kFailed);
}

}  // namespace strata::app
