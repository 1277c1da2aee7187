#include "base/result.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace strata {
namespace {

// Edit distance with transpositions counted as one, case ignored: the usual slips of a keyboard.
std::size_t slips(const std::string& a, const std::string& b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;  // longer input is no slip of the keyboard, and the distance is quadratic
  if (word.size() > kLongestWord) return "";
  std::string best;
  // One slip in a short word, more in longer ones: 'file' is not a slip of 'idle'.
  std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = slips(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest(word, candidates); !near.empty()) return fmt::format("did you mean '{}'?", near);
  if (candidates.empty()) return "";
  return fmt::format("one of: {}", fmt::join(candidates, ", "));
}

std::string to_text(const Error& error) {
  std::string out;
  const Where& where = error.where;
  if (!where.file.empty()) {
    out += where.file;
    if (where.line > 0) out += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) out += fmt::format(":{}", where.column);
    out += ": ";
  }
  if (!where.path.empty()) out += where.path + ": ";
  out += error.problem;
  if (!error.remedy.empty()) out += "\n  " + error.remedy;
  return out;
}

std::string to_text(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) out += (out.empty() ? "" : "\n") + to_text(error);
  return out;
}

}  // namespace strata
