// A run as the command line does it: with a progress line, Ctrl-C, a summary for people and an exit code. Shared by
// `run`, `replay` and the first run.
#pragma once

#include <string>

#include "app/command_line.hpp"
#include "scenario/run.hpp"

namespace strata::app {

/// Runs with Ctrl-C caught and, on a terminal and unless `quiet`, a progress line.
[[nodiscard]] Result<RunOutcome> run_watched(const Scenario& scenario, RunOptions options, Registry& registry,
                                             bool quiet);

/// What happened, for people; several lines.
[[nodiscard]] std::string to_summary(const RunOutcome& outcome);
/// What went wrong: expectations that did not come true, why the run was broken off. Empty if all is well.
[[nodiscard]] std::vector<std::string> problems(const RunOutcome& outcome);
[[nodiscard]] int exit_code(const RunOutcome& outcome);

/// `strata VERB ARGUMENTS` as one would type it again.
[[nodiscard]] std::string command_text(const std::string& verb, const Arguments& arguments);

}  // namespace strata::app
