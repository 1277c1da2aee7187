#include "scenario/sweep/variants.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/units.hpp"

namespace strata::sweep {
namespace {

constexpr double kMostValues = 10'000;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth <= 0) {
      out.emplace_back();
      continue;
    }
    out.back().push_back(c);
  }
  return out;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "2..20" or "2..20..3"; nothing if it is no range at all.
Result<std::vector<std::string>> read_range(const std::string& text) {
  std::vector<std::string> out;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return out;
  const std::size_t more = text.find("..", dots + 2);
  const Result<double> first = parse_number(text.substr(0, dots));
  const Result<double> last = parse_number(text.substr(dots + 2, more == std::string::npos ? more : more - dots - 2));
  const Result<double> step = more == std::string::npos ? Result<double>(1.0) : parse_number(text.substr(more + 2));
  if (!first.ok() || !last.ok()) return out;
  const Error wrong{{}, fmt::format("'{}' is not a range", text), "write 2..20, or 2..20..3 for steps of 3"};
  if (!step.ok() || *step <= 0 || *last < *first) return wrong;
  const double count = std::floor((*last - *first) / *step + 1e-9) + 1;
  if (count > kMostValues) return Error{{}, fmt::format("'{}' are too many values", text), "take larger steps"};
  for (int i = 0; i < static_cast<int>(count); ++i) out.push_back(format_number(*first + i * *step));
  return out;
}

}  // namespace

Result<Axis> parse_axis(const std::string& text) {
  const Where where{"--vary " + text, 0, 0, ""};
  const char* const remedy = "write PATH=a,b,c or PATH=2..20, for example robots.walker.count=2..20";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{where, "nothing says what to vary, or over what", remedy};
  Axis out{trimmed(text.substr(0, equals)), {}};
  for (const std::string& part : split(text.substr(equals + 1), ',')) {
    const std::string value = trimmed(part);
    if (value.empty()) return Error{where, "a value is empty", remedy};
    const Result<std::vector<std::string>> range = read_range(value);
    if (!range.ok()) return Error{where, range.errors().front().problem, range.errors().front().remedy};
    if (range->empty()) {
      out.values.push_back(value);
    } else {
      out.values.insert(out.values.end(), range->begin(), range->end());
    }
  }
  std::set<std::string> seen;
  for (const std::string& value : out.values) {
    if (!seen.insert(value).second)
      return Error{where, fmt::format("the value '{}' is given twice", value), "name each value once"};
  }
  return out;
}

std::vector<std::string> Variant::sets(const std::vector<Axis>& axes) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < axes.size(); ++i) out.push_back(axes[i].path + "=" + values[i]);
  return out;
}

std::string Variant::name(const std::vector<Axis>& axes) const {
  if (axes.empty()) return "as it is";
  return fmt::format("{}", fmt::join(sets(axes), " "));
}

Result<std::vector<Variant>> combine(const std::vector<Axis>& axes, std::size_t most) {
  std::vector<Variant> out(1);
  std::set<std::string> paths;
  for (const Axis& axis : axes) {
    if (!paths.insert(axis.path).second)
      return Error{{"--vary " + axis.path, 0, 0, ""}, "this path is varied twice", "name all values in one --vary"};
    std::vector<Variant> longer;
    for (const Variant& variant : out) {
      for (const std::string& value : axis.values) {
        longer.push_back(variant);
        longer.back().values.push_back(value);
      }
      if (longer.size() > most)
        return Error{{}, fmt::format("the sweep has more than {} variants", most), "vary less at once"};
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace strata::sweep
