#include "app/junit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace strata::app {

namespace {

using Verdict = TestOutcome::Verdict;

// XML 1.0 has no way at all to write control characters; bytes that are not UTF-8 would make the file unreadable.
std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80 ? 1 : c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    const auto continues = [&](std::size_t k) {
      return i + k < text.size() && (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
    };
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\t') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else if (c < 0x20 || c == 0x7F || length == 0 || c >= 0xF5) {
      out += '?';
    } else if (length == 1) {
      out += text[i];
    } else if (continues(1) && (length < 3 || continues(2)) && (length < 4 || continues(3))) {
      out += text.substr(i, length);
      i += length - 1;
    } else {
      out += '?';
    }
  }
  return out;
}

std::string to_case(const std::string& suite, const TestOutcome& outcome) {
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(suite),
                                escaped(outcome.name), outcome.wall_s);
  if (outcome.verdict == Verdict::kPassed) return out + "/>\n";
  const char* tag = outcome.verdict == Verdict::kFailed ? "failure" : "error";
  const std::string first = outcome.problems.empty() ? "" : outcome.problems.front();
  return out + fmt::format(">\n      <{0} message=\"{1}\">{2}</{0}>\n    </testcase>\n", tag, escaped(first),
                           escaped(fmt::format("{}", fmt::join(outcome.problems, "\n"))));
}

}  // namespace

std::string to_junit(const std::string& suite, const std::vector<TestOutcome>& outcomes) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(outcomes.begin(), outcomes.end(),
                         [&](const TestOutcome& outcome) { return outcome.verdict == verdict; });
  };
  double wall_s = 0;
  std::string cases;
  for (const TestOutcome& outcome : outcomes) {
    wall_s += outcome.wall_s;
    cases += to_case(suite, outcome);
  }
  const std::string totals = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", outcomes.size(),
                                         count(Verdict::kFailed), count(Verdict::kError), wall_s);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {1}>\n  <testsuite name=\"{0}\" {1}>\n{2}  "
      "</testsuite>\n</testsuites>\n",
      escaped(suite), totals, cases);
}

}  // namespace strata::app
