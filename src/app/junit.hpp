// Outcomes of tests, and their form for build servers: JUnit XML.
#pragma once

#include <string>
#include <vector>

namespace strata::app {

struct TestOutcome {
  enum class Verdict { kPassed, kFailed, kError };  ///< error: could not run at all

  std::string name;
  Verdict verdict = Verdict::kPassed;
  double wall_s = 0;
  std::string hash;
  int expectations = 0;
  std::vector<std::string> problems;  ///< expectations that did not come true, or why it could not run
};

/// A complete XML document, valid whatever bytes the texts hold.
[[nodiscard]] std::string to_junit(const std::string& suite, const std::vector<TestOutcome>& outcomes);

}  // namespace strata::app
