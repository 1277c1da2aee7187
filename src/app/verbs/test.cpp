#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <mutex>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/arguments.hpp"
#include "app/child.hpp"
#include "app/data_folders.hpp"
#include "app/interrupt.hpp"
#include "app/junit.hpp"
#include "app/scenario_files.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "record/run_folder.hpp"

namespace strata::app {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;
using Verdict = TestOutcome::Verdict;

// Runs scenarios, several at a time, each in a program of its own so that a crash stays its own.
class TestRunner {
 public:
  TestRunner(std::vector<fs::path> files, fs::path keep, bool strict)
      : files_(std::move(files)), keep_(std::move(keep)), strict_(strict) {
    outcomes_.resize(files_.size());
  }

  // `report` is called as soon as an outcome is known, one at a time.
  void run(int jobs, const std::function<void(const TestOutcome&)>& report) {
    const auto work = [&] {
      for (std::size_t i = next_++; i < files_.size() && !interrupted(); i = next_++) {
        TestOutcome outcome = run_one(i);
        if (interrupted()) return;
        const std::lock_guard lock(mutex_);
        report(outcome);
        outcomes_[i] = std::move(outcome);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] const std::vector<TestOutcome>& outcomes() const { return outcomes_; }
  [[nodiscard]] bool interrupted() const { return guard_.interrupted(); }

 private:
  TestOutcome run_one(std::size_t index) const {
    const fs::path json = scratch_.path() / fmt::format("{}.json", index);
    const fs::path log = scratch_.path() / fmt::format("{}.log", index);
    std::vector<std::string> command = {program_path().string(), "run", files_[index].string(), "--quiet",
                                        "--json=" + json.string()};
    if (keep_.empty()) {
      command.insert(command.end(),
                     {"--no-record", "--out", (scratch_.path() / fmt::format("{}.run", index)).string()});
    } else {
      command.insert(command.end(),
                     {"--out", (keep_ / fmt::format("{}-{}", index + 1, safe_file_name(name_of(index)))).string()});
    }
    if (strict_) command.emplace_back("--strict");

    Child child(command, log);
    std::optional<ChildUse> use;
    while (!(use = child.wait_for(std::chrono::milliseconds(100)))) {
      if (interrupted()) child.signal(SIGTERM);
    }
    TestOutcome outcome = read_outcome(text_of(json), text_of(log), use->exit_code);
    outcome.name = shown_path(files_[index]);
    outcome.wall_s = use->wall_s;
    return outcome;
  }

  // What tells the scenario apart: the folder of a scenario.yaml, else the file.
  [[nodiscard]] std::string name_of(std::size_t index) const {
    const fs::path whole = fs::absolute(files_[index]).lexically_normal();
    return whole.stem() == "scenario" ? whole.parent_path().filename().string() : whole.stem().string();
  }

  static TestOutcome read_outcome(const std::string& json, const std::string& log, int exit_code) {
    TestOutcome outcome;
    const Json summary = Json::parse(json, nullptr, false);
    if (summary.is_object()) {
      outcome.hash = summary.value("hash", "");
      for (const Json& expected : summary.value("expectations", Json::array())) {
        ++outcome.expectations;
        if (expected.value("passed", false)) continue;
        const std::string detail = expected.value("detail", "");
        outcome.problems.push_back(expected.value("text", "") + (detail.empty() ? "" : ": " + detail));
      }
    }
    if (exit_code == ExitCode::kFine) return outcome;
    outcome.verdict = exit_code == ExitCode::kFailed ? Verdict::kFailed : Verdict::kError;
    if (outcome.problems.empty())
      outcome.problems.push_back(log.empty() ? fmt::format("ended with code {}", exit_code)
                                             : log.substr(0, log.find_last_not_of('\n') + 1));
    if (exit_code > 128) outcome.problems.push_back(fmt::format("killed by signal {}", exit_code - 128));
    return outcome;
  }

  std::vector<fs::path> files_;
  fs::path keep_;
  bool strict_;
  std::vector<TestOutcome> outcomes_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  ScratchFolder scratch_;
  InterruptGuard guard_;
};

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kError:
      return "error";
  }
  return "";
}

void print_outcome(const TestOutcome& outcome) {
  const Tone tone = outcome.verdict == Verdict::kPassed ? Tone::kGood : Tone::kBad;
  const std::string expected = outcome.expectations == 0 ? "" : fmt::format(", {} expected", outcome.expectations);
  fmt::print("{}  {} ({:.2f} s{})\n", toned(stdout, tone, word(outcome.verdict)), outcome.name, outcome.wall_s,
             expected);
  for (const std::string& problem : outcome.problems) fmt::print("{}", wrapped(problem, 1000, 8));
  std::fflush(stdout);
}

std::string to_json(const std::vector<TestOutcome>& outcomes) {
  Json list = Json::array();
  int passed = 0;
  for (const TestOutcome& outcome : outcomes) {
    passed += outcome.verdict == Verdict::kPassed ? 1 : 0;
    list.push_back({{"scenario", outcome.name},
                    {"outcome", word(outcome.verdict)},
                    {"wall_s", outcome.wall_s},
                    {"expectations", outcome.expectations},
                    {"hash", outcome.hash},
                    {"problems", outcome.problems}});
  }
  return Json{{"passed", passed}, {"failed", outcomes.size() - static_cast<std::size_t>(passed)}, {"scenarios", list}}
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

int code_of(const std::vector<TestOutcome>& outcomes) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const TestOutcome& outcome) { return outcome.verdict == verdict; });
  };
  if (any(Verdict::kFailed)) return ExitCode::kFailed;
  return any(Verdict::kError) ? ExitCode::kWrongInput : ExitCode::kFine;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return true;
  print_errors({Error{in_file(path), "cannot be written", "choose another file for --junit"}});
  return false;
}

}  // namespace

int test_verb(const Arguments& arguments) {
  CLI::App app("Runs scenarios as tests: a scenario passes if it runs and everything it expects comes true.",
               "strata test");
  std::vector<std::string> paths;
  std::string junit;
  std::string out;
  std::string jobs_text = "1";
  bool strict = false;
  JsonOutput json;
  app.add_option("PATHS", paths, "Scenarios, and folders to search for them")->required();
  app.add_option("--junit", junit, "Write the outcomes as JUnit XML to this file")->type_name("FILE");
  app.add_option("--jobs", jobs_text, "Scenarios to run at once [1]")->type_name("N");
  app.add_option("--out", out, "Keep the run folders below this folder")->type_name("FOLDER");
  app.add_flag("--strict", strict, "A warning fails the test");
  json.add_to(app);
  app.footer(
      "example:\n  strata test scenarios/ --junit results.xml --jobs 2\n  strata test crossing\n\n"
      "Exit codes: 0 all passed, 1 an expectation did not come true, 2 a scenario is wrong.");
  if (const auto done = parse(app, arguments)) return *done;
  Errors errors;
  const auto jobs = read_integer("--jobs", jobs_text, 1, errors);
  const auto files = find_scenarios(paths);
  collect(files, errors);
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);
  if (!junit.empty() && !write_file(junit, "")) return ExitCode::kWrongInput;

  TestRunner runner(*files, out, strict);
  const int most = static_cast<int>(std::min<std::size_t>(files->size(), 256));
  runner.run(std::min(static_cast<int>(std::min(*jobs, 256L)), most), [&](const TestOutcome& outcome) {
    if (!json.on_stdout()) print_outcome(outcome);
  });
  if (runner.interrupted()) return ExitCode::kInterrupted;
  const auto& outcomes = runner.outcomes();
  if (!junit.empty() && !write_file(junit, to_junit("strata", outcomes))) return ExitCode::kFailed;
  if (!json.on_stdout()) {
    const auto passed = std::count_if(outcomes.begin(), outcomes.end(),
                                      [](const TestOutcome& o) { return o.verdict == Verdict::kPassed; });
    fmt::print("{} passed, {} failed\n", passed, static_cast<std::ptrdiff_t>(outcomes.size()) - passed);
  }
  return json.write(to_json(outcomes), code_of(outcomes));
}

}  // namespace strata::app
