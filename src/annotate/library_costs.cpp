#include "annotate/library_costs.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

#include <fmt/format.h>

namespace strata::annotate {

namespace {

struct MeasureName {
  const char* prefix;
  Measure measure;
  bool has_argument;
};

constexpr MeasureName kMeasures[] = {{"const", Measure::kConstant, false}, {"arg", Measure::kArgument, true},
                                     {"result", Measure::kResult, false},  {"text", Measure::kText, true},
                                     {"same", Measure::kSame, true},       {"distance", Measure::kDistance, false}};

bool read_measure(const std::string& word, LibraryCost& cost) {
  for (const MeasureName& name : kMeasures) {
    if (!word.starts_with(name.prefix)) continue;
    const std::string rest = word.substr(std::string_view(name.prefix).size());
    if (rest.empty() == name.has_argument) continue;
    if (name.has_argument && (rest.size() != 1 || rest[0] < '0' || rest[0] > '9')) continue;
    cost.measure = name.measure;
    cost.argument = name.has_argument ? static_cast<unsigned>(rest[0] - '0') : 0;
    return true;
  }
  return false;
}

std::optional<CostPoint> read_point(const std::string& word) {
  CostPoint point;
  double* const fields[] = {&point.size, &point.instructions, &point.cycles};
  const char* at = word.c_str();
  for (std::size_t i = 0; i < 3; ++i) {
    char* end = nullptr;
    *fields[i] = std::strtod(at, &end);
    if (end == at || *end != (i < 2 ? ':' : '\0') || !std::isfinite(*fields[i]) || *fields[i] < 0) return std::nullopt;
    at = end + 1;
  }
  return point;
}

// The problem with a line; empty if it is fine.
std::string read_line(const std::string& line, LibraryCost& cost) {
  std::istringstream words(line);
  std::string word;
  words >> cost.name >> word;
  if (!read_measure(word, cost)) return fmt::format("'{}' is no measure", word);
  while (words >> word) {
    const auto point = read_point(word);
    if (!point) return fmt::format("'{}' is no point", word);
    if (!cost.points.empty() && point->size <= cost.points.back().size) return "sizes do not rise";
    cost.points.push_back(*point);
  }
  return cost.points.empty() ? "there is no point" : "";
}

}  // namespace

Result<LibraryCosts> parse_library_costs(std::string_view text, const std::string& file) {
  LibraryCosts costs;
  Errors errors;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    LibraryCost cost;
    if (const std::string problem = read_line(line, cost); !problem.empty()) {
      const Where place{file, number, 0, cost.name};
      errors.push_back(
          Error{place, problem, "write NAME MEASURE SIZE:INSTRUCTIONS:CYCLES..., or run strata calibrate"});
      continue;
    }
    std::string name = cost.name;
    costs.insert_or_assign(std::move(name), std::move(cost));
  }
  if (!errors.empty()) return errors;
  return costs;
}

std::string measure_text(Measure measure, unsigned argument) {
  for (const MeasureName& name : kMeasures) {
    if (name.measure == measure) return name.has_argument ? fmt::format("{}{}", name.prefix, argument) : name.prefix;
  }
  return "";
}

std::string to_text(const LibraryCost& cost) {
  std::string out = cost.name + ' ' + measure_text(cost.measure, cost.argument);
  for (const CostPoint& point : cost.points) {
    out += fmt::format(" {:.6g}:{:.6g}:{:.6g}", point.size, point.instructions, point.cycles);
  }
  return out;
}

CostPoint cost_at(const LibraryCost& cost, double size) {
  const std::vector<CostPoint>& points = cost.points;
  std::size_t i = 1;
  while (i + 1 < points.size() && points[i].size < size) ++i;
  if (points.size() == 1 || size <= points.front().size) {
    return {size, points.front().instructions, points.front().cycles};
  }
  const CostPoint& a = points[i - 1];
  const CostPoint& b = points[i];
  const double t = (size - a.size) / (b.size - a.size);
  return {size, a.instructions + t * (b.instructions - a.instructions), a.cycles + t * (b.cycles - a.cycles)};
}

}  // namespace strata::annotate
