// Reading a verb's arguments with CLI11: help with examples, errors that suggest what was meant, and the options that
// several verbs share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace CLI {
class App;
}

namespace strata::app {

/// Reads `arguments` into what was bound to `app`. An exit code if the verb is done already: help was shown (0), or the
/// arguments are wrong (2, with the errors printed).
[[nodiscard]] std::optional<int> parse(CLI::App& app, const Arguments& arguments);

/// Where a result goes as JSON: nowhere, stdout or a file.
class JsonOutput {
 public:
  /// Adds `--json[=FILE]`.
  void add_to(CLI::App& app);
  [[nodiscard]] bool wanted() const { return !target_.empty(); }
  /// The result goes to stdout as JSON, so nothing else may.
  [[nodiscard]] bool on_stdout() const { return target_ == kStdout; }
  /// Whether the file can be written: worth knowing before a long run.
  [[nodiscard]] Result<void> check() const;
  /// Writes `text`, which is complete JSON; nothing if not wanted. Returns `exit_code`, or
  /// ExitCode::kFailed with an error printed.
  [[nodiscard]] int write(std::string text, int exit_code) const;

 private:
  static constexpr const char* kStdout = "-";
  std::string target_;
};

/// Adds a repeatable option that takes one value each time it is written; `type` is what the help calls the value.
void add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& type,
                    const std::string& summary);

/// "30s", "30 s" as given for `option`; appends to `errors` if it is not a positive duration.
[[nodiscard]] std::optional<Duration> read_duration(const std::string& option, const std::string& text, Errors& errors);
/// A whole number of at least `minimum`.
[[nodiscard]] std::optional<long> read_integer(const std::string& option, const std::string& text, long minimum,
                                               Errors& errors);

}  // namespace strata::app
