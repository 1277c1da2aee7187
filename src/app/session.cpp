#include "app/session.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/data_folders.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/terminal.hpp"
#include "base/hash.hpp"

namespace strata::app {

namespace {

std::string plural(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string expectation_lines(const RunOutcome& outcome) {
  if (outcome.expectations.empty()) return "";
  std::string lines;
  std::uint64_t good = 0;
  for (const ExpectationResult& result : outcome.expectations) {
    good += result.passed ? 1 : 0;
    const std::string mark = result.passed ? toned(stdout, Tone::kGood, "true ") : toned(stdout, Tone::kBad, "FALSE");
    lines += fmt::format("    {}  {}{}\n", mark, result.text, result.detail.empty() ? "" : ": " + result.detail);
  }
  return fmt::format("  expected  {} of {} came true\n{}", good, outcome.expectations.size(), lines);
}

std::string warning_lines(const RunOutcome& outcome) {
  std::string lines;
  for (const auto& [warning, count] : outcome.warnings) {
    lines += fmt::format("  {}   {}{}\n", toned(stdout, Tone::kCaution, "warning"), warning,
                         count > 1 ? fmt::format(" ({} times)", count) : "");
  }
  return lines;
}

std::string event_line(const RunOutcome& outcome) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : outcome.event_counts) parts.push_back(fmt::format("{} {}", grouped(count), name));
  return parts.empty() ? "" : fmt::format("  happened  {}\n", fmt::join(parts, ", "));
}

std::string result_lines(const RunOutcome& outcome) {
  if (outcome.folder.empty()) return "";
  std::string out = fmt::format("  results   {}\n", shown_path(outcome.folder));
  if (std::find(outcome.files.begin(), outcome.files.end(), "report.html") != outcome.files.end()) {
    out += fmt::format("  report    {}\n", shown_path(std::filesystem::path(outcome.folder) / "report.html"));
  }
  return out;
}

bool needs_quotes(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return word.empty() || word.find_first_not_of(kPlain) != std::string::npos;
}

std::string quoted(const std::string& word) {
  if (!needs_quotes(word)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Result<RunOutcome> run_watched(const Scenario& scenario, RunOptions options, Registry& registry, bool quiet) {
  const InterruptGuard guard;
  ProgressLine line;
  ProgressFn progress;
  if (!quiet && is_terminal(stderr)) progress = [&line](const Progress& now) { line.show(now); };
  options.interrupted = &guard.interrupted();
  return run(scenario, options, registry, progress);
}

std::string to_summary(const RunOutcome& outcome) {
  std::string out =
      fmt::format("{}: {} simulated in {} ({} times real time)\n", toned(stdout, Tone::kBold, outcome.scenario),
                  to_text(outcome.simulated), wall_text(outcome.wall_s), speed_text(outcome.speed));
  if (outcome.end != RunEnd::kComplete) {
    out += fmt::format("  {}{}\n", toned(stdout, Tone::kCaution, to_text(outcome.end)),
                       outcome.reason.empty() ? "" : ": " + outcome.reason);
  }
  out += fmt::format("  ran       {}, {}, {}\n", plural(outcome.robots, "robot"), plural(outcome.steps, "step"),
                     plural(outcome.events, "event"));
  out += event_line(outcome);
  if (outcome.behind_s > 0)
    out += fmt::format("  behind    up to {} behind the wall clock\n", wall_text(outcome.behind_s));
  out += expectation_lines(outcome);
  out += warning_lines(outcome);
  out += fmt::format("  hash      {}\n", hex16(outcome.hash));
  return out + result_lines(outcome);
}

std::vector<std::string> problems(const RunOutcome& outcome) {
  std::vector<std::string> out;
  if (outcome.end == RunEnd::kFailed) out.push_back(outcome.reason.empty() ? "the run failed" : outcome.reason);
  for (const ExpectationResult& result : outcome.expectations) {
    if (result.passed) continue;
    out.push_back(
        fmt::format("expectation not met: {}{}", result.text, result.detail.empty() ? "" : ": " + result.detail));
  }
  return out;
}

int exit_code(const RunOutcome& outcome) {
  if (outcome.end == RunEnd::kInterrupted) return ExitCode::kInterrupted;
  return outcome.passed() ? ExitCode::kFine : ExitCode::kFailed;
}

std::string command_text(const std::string& verb, const Arguments& arguments) {
  std::string out = "strata " + verb;
  for (const std::string& word : arguments) out += " " + quoted(word);
  return out;
}

}  // namespace strata::app
