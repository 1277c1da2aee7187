#include "app/command_line.hpp"

#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "base/result.hpp"

namespace strata::app {

namespace {

constexpr Verb kVerbs[] = {
    {"run", "scenarios", "Run a scenario", &run_verb},
    {"check", "scenarios", "Validate scenarios without running them", &check_verb},
    {"test", "scenarios", "Run scenarios as tests: do their expectations come true?", &test_verb},
    {"replay", "scenarios", "Run a run folder again and verify its hash", &replay_verb},
    {"exec", "programs", "Run any program in virtual time, unmodified", &exec_verb},
    {"sweep", "scenarios", "Run variants of a scenario over many seeds and compare them", &sweep_verb},
    {"import", "results", "Write a drawn map, a ROS map or HMR Sim's configuration as a scenario", &import_verb},
    {"report", "results", "Write report.html of a run folder again", &report_verb},
    {"list", "catalog", "List everything a scenario can name", &list_verb},
    {"describe", "catalog", "Explain one of them, with its parameters", &describe_verb},
    {"new", "catalog", "Write a working start of a scenario, system or sensor", &new_verb},
    {"task", "coordinator", "Coordinate tasks that compete for a robot's resources", &task_verb},
    {"perf", "programs", "Say what a program costs on the robot's computer", &perf_verb},
    {"calibrate", "programs", "Measure what library functions cost on a processor", &calibrate_verb},
    {"bench", "machine", "Measure how fast this machine simulates", &bench_verb},
    {"doctor", "machine", "Say what this machine can and cannot do, and how to fix it", &doctor_verb},
};

void print_help() {
  fmt::print("Strata {}: fleets of robots in one deterministic virtual time\n\n", version());
  fmt::print("usage: strata VERB OBJECT [options]      strata VERB --help tells more, with an example\n");
  fmt::print("       strata                            runs the example 'crossing'\n       strata --version\n");
  std::string group;
  std::vector<std::vector<std::string>> rows;
  const auto flush = [&] {
    if (!rows.empty()) fmt::print("\n{}\n{}", toned(stdout, Tone::kBold, group), to_table(rows));
    rows.clear();
  };
  for (const Verb& verb : verbs()) {
    if (group != verb.group) flush();
    group = verb.group;
    // All groups line up with each other.
    rows.push_back({fmt::format("{:<8}", verb.name), verb.summary});
  }
  flush();
  fmt::print("\nexit codes: 0 fine, 1 an expectation or task failed, 2 wrong input, 130 interrupted\n");
}

int unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  const std::string kind = word.starts_with("-") ? "option" : "verb";
  const std::string near = kind == "verb" ? nearest(word, names) : "";
  return wrong_input(fmt::format("unknown {} '{}'", kind, word), near.empty()
                                                                     ? "see `strata --help` for all of them"
                                                                     : fmt::format("did you mean `strata {}`?", near));
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) return first_run();
  const std::string& word = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (word == "--version" || word == "-V") {
    fmt::print("strata {}\n", version());
    return ExitCode::kFine;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    if (!rest.empty()) return dispatch({rest.front(), "--help"});
    print_help();
    return ExitCode::kFine;
  }
  for (const Verb& verb : verbs()) {
    if (word == verb.name) return verb.run(rest);
  }
  return unknown_verb(word);
}

// A result that did not reach its reader is a failure, whatever the verb thought.
int flush_result(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fmt::print(stderr, "error: the result could not be written to stdout\n");
  return exit_code == ExitCode::kFine ? ExitCode::kFailed : exit_code;
}

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const char* version() { return STRATA_VERSION; }

int run_command_line(const Arguments& arguments) {
  // A file that outgrows its limit is an error of the write, not the end of the program.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  try {
    return flush_result(dispatch(arguments));
  } catch (const std::exception& problem) {
    if (std::ferror(stdout) != 0) return flush_result(ExitCode::kFailed);
    print_errors({Error{{}, problem.what(), ""}});
    return ExitCode::kFailed;
  }
}

}  // namespace strata::app
