#include "app/perf/perf.hpp"

#include <algorithm>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "annotate/targets.hpp"
#include "app/arguments.hpp"
#include "app/boards.hpp"
#include "app/terminal.hpp"
#include "app/verbs/verbs.hpp"

namespace strata::app {

namespace {

constexpr long kUsualFunctions = 15;

// What stands before and behind "--".
std::pair<Arguments, Arguments> split_at_dashes(const Arguments& arguments) {
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  if (border == arguments.end()) return {arguments, {}};
  return {{arguments.begin(), border}, {border + 1, arguments.end()}};
}

int list_targets() {
  std::vector<std::vector<std::string>> rows;
  for (const annotate::Target& target : annotate::targets()) rows.push_back({target.name, target.summary});
  fmt::print("{}", to_table(rows));
  return ExitCode::kFine;
}

Result<void> write_html(const std::string& file, const std::string& page) {
  std::ofstream out(file, std::ios::binary);
  out << page;
  out.close();
  if (!out) return Error{in_file(file), "cannot be written", "choose another file"};
  return {};
}

}  // namespace

int perf_verb(const Arguments& arguments) {
  CLI::App app(
      "Runs a program that strata-cc or strata-c++ has compiled, and says what it would have cost on the robot's "
      "computer.",
      "strata perf");
  PerfRequest request;
  std::vector<std::string> boards;
  std::string functions;
  std::string html;
  bool targets = false;
  JsonOutput json;
  app.add_option("--target", request.target, "Processor to estimate for, if the program carries several")
      ->type_name("CPU");
  add_repeatable(app, "--board", boards, "BOARD", "Time and energy on this board, by name or file (repeatable)");
  app.add_option("--functions", functions, "How many functions to show")->type_name("N");
  app.add_option("--html", html, "Also write a page with charts")->type_name("FILE");
  app.add_flag("--targets", targets, "List the processors that programs can be compiled for");
  json.add_to(app);
  app.footer(
      "example:\n  strata-c++ -O2 -fstrata-target=cortex-a72 main.cpp -o main\n  strata perf -- ./main\n"
      "  strata perf --board raspberry-pi-4 --json -- ./main --fast\n\n"
      "The program's own exit code is shown, not returned. With --json on stdout the program's stdout goes to stderr.");
  const auto [own, command] = split_at_dashes(arguments);
  if (const auto done = parse(app, own)) return *done;
  if (targets) return list_targets();

  Errors errors;
  const long most = functions.empty() ? kUsualFunctions : read_integer("--functions", functions, 1, errors).value_or(1);
  if (command.empty()) errors.push_back({{}, "there is no program", "write it behind --: strata perf -- ./program"});
  if (!request.target.empty()) collect(annotate::read_targets(request.target, "--target"), errors);
  if (!request.target.empty() && !boards.empty()) {
    errors.push_back({{}, "--target and --board exclude each other", "a board says which processor it has"});
  }
  for (const std::string& name : boards) {
    auto board = load_board(name);
    if (collect(board, errors)) request.boards.push_back(std::move(*board));
  }
  collect(json.check(), errors);
  if (!errors.empty()) return wrong_input(errors);

  request.command = command;
  request.own_stdout = json.on_stdout();
  const auto runs = run_for_boards(request);
  if (!runs.ok()) return wrong_input(runs.errors());
  if (!html.empty()) {
    const auto written = write_html(html, perf_html(*runs, command.front()));
    if (!written.ok()) return wrong_input(written.errors());
  }
  if (!json.on_stdout()) {
    fmt::print("{}", perf_text(*runs, static_cast<std::size_t>(most)));
    if (runs->front().exit_code != 0) fmt::print("\nthe program ended with exit code {}\n", runs->front().exit_code);
  }
  return json.write(perf_json(*runs), ExitCode::kFine);
}

}  // namespace strata::app
