#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/arguments.hpp"
#include "app/exec_file.hpp"
#include "app/exec_library.hpp"
#include "app/interrupt.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"
#include "base/units.hpp"
#include "guest/launcher.hpp"

namespace strata::app {

namespace {

namespace fs = std::filesystem;

// Options as written.
struct Written {
  std::string file;
  std::string duration;
  std::string pace;
  std::string seed;
  std::string epoch;
  std::string function;
  std::string latency;
  std::string jitter;
  std::string loss;
  std::string rate;
  std::string network = "private";
  std::string slack;
  std::string cores;
};

// Arguments up to `--` are options; behind it come programs, separated by `---`.
struct Split {
  Arguments options;
  std::vector<std::vector<std::string>> programs;
};

Split split(const Arguments& arguments) {
  Split result;
  auto at = std::find(arguments.begin(), arguments.end(), "--");
  result.options.assign(arguments.begin(), at);
  if (at == arguments.end()) return result;
  result.programs.emplace_back();
  for (++at; at != arguments.end(); ++at) {
    if (*at == "---") {
      result.programs.emplace_back();
    } else {
      result.programs.back().push_back(*at);
    }
  }
  return result;
}

std::string base_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.empty() ? path : name;
}

// `--host NAME` in front of a program puts it there.
void add_programs(const Split& words, guest::ExecSpec& spec, Errors& errors) {
  std::string host = "host";
  for (std::vector<std::string> program : words.programs) {
    if (program.size() >= 2 && program[0] == "--host") {
      host = program[1];
      program.erase(program.begin(), program.begin() + 2);
    }
    if (program.empty()) {
      errors.push_back({{}, "a program is missing", "write a program behind `--` and behind each `---`"});
      continue;
    }
    const int same = static_cast<int>(std::count_if(spec.programs.begin(), spec.programs.end(),
                                                    [&](const auto& p) { return p.words[0] == program[0]; }));
    const std::string name = base_name(program[0]) + (same > 0 ? fmt::format("-{}", same + 1) : "");
    spec.programs.push_back({name, host, program, {}, "", {}});
  }
}

void read_links(const Written& w, guest::LinkSpec& link, Errors& errors) {
  const auto duration = [&](const char* option, const std::string& text, Duration& to) {
    if (text.empty()) return;
    const auto span = parse_duration(text);
    if (span.ok() && span->ns() >= 0) {
      to = *span;
    } else {
      errors.push_back({{}, fmt::format("{} is '{}', which is no duration", option, text), "write it as 3ms"});
    }
  };
  duration("--latency", w.latency, link.latency);
  duration("--jitter", w.jitter, link.jitter);
  if (!w.loss.empty()) {
    const auto loss = parse_quantity(w.loss);
    if (loss.ok() && loss->dimension.dimensionless() && loss->si >= 0 && loss->si < 1) {
      link.loss = loss->si;
    } else {
      errors.push_back(
          {{}, fmt::format("--loss is '{}', which is no share below 1", w.loss), "write it as 5% or 0.05"});
    }
  }
  if (!w.rate.empty()) {
    const auto rate = parse_quantity(w.rate);
    if (rate.ok() && rate->dimension == dimension_of("bit/s") && rate->si > 0) {
      link.rate_bits = rate->si;
    } else {
      errors.push_back({{}, fmt::format("--rate is '{}', which is no data rate", w.rate), "write it as '10 Mbit/s'"});
    }
  }
}

void read_times(const Written& w, guest::ExecSpec& spec, Errors& errors) {
  if (!w.duration.empty()) spec.duration = read_duration("--duration", w.duration, errors);
  if (!w.pace.empty()) {
    const auto pace = parse_number(w.pace);
    if (pace.ok() && *pace > 0) {
      spec.pace = *pace;
    } else {
      errors.push_back({{}, fmt::format("--real-time is '{}', which is no factor", w.pace), "write it as 1 or 10"});
    }
  }
  if (!w.seed.empty()) {
    const auto seed = read_integer("--seed", w.seed, 0, errors);
    if (seed) spec.seed = static_cast<std::uint64_t>(*seed);
  }
  if (!w.epoch.empty()) {
    const auto epoch = read_integer("--epoch", w.epoch, 0, errors);
    if (epoch) spec.epoch_s = *epoch;
  }
  if (!w.slack.empty()) {
    const auto slack = parse_duration(w.slack);
    if (slack.ok() && slack->ns() >= 0) {
      spec.timer_slack = *slack;
    } else {
      errors.push_back({{}, fmt::format("--timer-slack is '{}', which is no duration", w.slack), "write it as 50us"});
    }
  }
  if (!w.cores.empty()) {
    const auto cores = read_integer("--cores", w.cores, 1, errors);
    if (cores) spec.cores = static_cast<int>(*cores);
  }
}

void add_options(CLI::App& app, Written& w, guest::ExecSpec& spec, bool& statistics) {
  app.add_option("--file", w.file, "Programs, hosts and options in YAML instead of on the command line")
      ->type_name("FILE");
  app.add_option("--duration", w.duration, "End after this much virtual time")->type_name("TIME");
  app.add_option("--real-time", w.pace, "At most this many times as fast as life")
      ->type_name("K")
      ->expected(0, 1)
      ->default_str("1");
  app.add_option("--seed", w.seed, "Of random numbers, losses and jitter")->type_name("N");
  app.add_option("--epoch", w.epoch, "Wall clock at the start, seconds since 1970")->type_name("SECONDS");
  app.add_option("--time-function", w.function, "How time grows while threads compute")
      ->type_name("none|const:D|cpu:F|wall:F");
  app.add_option("--latency", w.latency, "Of the link between hosts (of the loopback if there is one host)")
      ->type_name("TIME");
  app.add_option("--jitter", w.jitter, "Added to the latency, up to this much")->type_name("TIME");
  app.add_option("--loss", w.loss, "Share of datagrams that get lost; streams are delayed instead")->type_name("SHARE");
  app.add_option("--rate", w.rate, "Of the link")->type_name("BITS/S");
  app.add_option("--network", w.network, "private: only the guests; host: the real network, not in virtual time")
      ->type_name("private|host");
  app.add_option("--timer-slack", w.slack, "How late timers fire, as in Linux (50us)")->type_name("TIME");
  app.add_option("--cores", w.cores, "Use at most this many processor cores")->type_name("N");
  app.add_option("--trace", spec.trace, "Write the schedule for Chrome or Perfetto")->type_name("FILE");
  app.add_flag("--prefix", spec.prefix, "Start every line of output with program and virtual time");
  app.add_flag("--stats", statistics, "Show what happened, by cause");
}

}  // namespace

int exec_verb(const Arguments& arguments) {
  CLI::App app("Runs programs together in one virtual time, unmodified: same result every time, as fast as possible.",
               "strata exec");
  Written written;
  guest::ExecSpec spec;
  bool statistics = false;
  JsonOutput json;
  add_options(app, written, spec, statistics);
  json.add_to(app);
  app.footer(
      "usage: strata exec [options] -- PROGRAM ARGS [--- PROGRAM2 ARGS ...]\n\nexample:\n  strata exec -- sleep 1000\n"
      "  strata exec --duration 60s --latency 3ms --loss 5% -- ./plant --- ./controller\n"
      "  strata exec --latency 2ms -- --host robot1 ./node --- --host robot2 ./node\n\n"
      "`--host NAME` in front of a program puts it, and those behind it, on that virtual host.\n"
      "Exit code: the first that is not 0 of the programs in the order given, 128+n for signals, 2 for wrong input.");
  const Split words = split(arguments);
  if (const auto done = parse(app, words.options)) return *done;

  Errors errors;
  if (app.count("--real-time") > 0 && written.pace.empty()) written.pace = "1";
  if (!written.file.empty()) read_exec_file(written.file, spec, errors);
  add_programs(words, spec, errors);
  read_links(written, spec.link, errors);
  read_times(written, spec, errors);
  if (written.network != "private" && written.network != "host")
    errors.push_back({{}, fmt::format("--network is '{}'", written.network), "one of: private, host"});
  spec.host_network = written.network == "host";
  if (!written.function.empty()) {
    const auto function = guest::parse_time_function(written.function);
    if (collect(function, errors)) {
      for (guest::ProgramSpec& program : spec.programs) program.function = *function;
    }
  }
  spec.library = shim_library().string();
  if (spec.library.empty()) errors.push_back({{}, "libstrata-shim.so is not there", "build or install Strata again"});
  const Errors wrong = errors.empty() ? guest::check(spec) : Errors{};
  errors.insert(errors.end(), wrong.begin(), wrong.end());
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);

  guest::Outcome outcome;
  {
    const InterruptGuard guard;
    outcome = guest::execute(spec, guard.interrupted());
  }
  if (outcome.reason == shim::Stop::kFailed) {
    print_errors({Error{{}, outcome.message, ""}});
  } else if (outcome.reason == shim::Stop::kBlocked) {
    fmt::print(stderr, "strata exec: all programs wait for ever; they were ended\n");
  }
  if (statistics) fmt::print(stderr, "{}", guest::statistics(outcome));
  fmt::print(stderr, "strata exec: {}\n", guest::summary_line(outcome));
  return json.write(guest::to_json(outcome), outcome.exit_code());
}

}  // namespace strata::app
