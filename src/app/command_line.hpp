// The command line as a whole: finds the verb, hands it its arguments, and turns whatever happens into an exit code.
// The verbs themselves live in verbs/, one file each.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace strata::app {

/// What the program returns to the shell.
struct ExitCode {
  static constexpr int kFine = 0;
  static constexpr int kFailed = 1;  ///< an expectation or a task failed, or the run could not go on
  static constexpr int kWrongInput = 2;
  static constexpr int kInterrupted = 130;
};

using Arguments = std::vector<std::string>;

struct Verb {
  const char* name;
  const char* group;
  const char* summary;
  int (*run)(const Arguments& arguments);  ///< gets what follows the verb
};

/// All verbs in the order of the help text.
[[nodiscard]] std::span<const Verb> verbs();

/// Runs `strata ARGUMENTS`; never throws. Returns the exit code.
[[nodiscard]] int run_command_line(const Arguments& arguments);

/// "0.1.0".
[[nodiscard]] const char* version();

}  // namespace strata::app
