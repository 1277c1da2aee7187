#include "base/units.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace strata {
namespace {

struct UnitDef {
  std::string_view name;
  double si;
  std::array<std::int8_t, Dimension::kCount> exponents;  // length, mass, time, current, temperature, angle, data
  bool prefixes;                                         // may carry n, u, m, k, M, G, T
};

constexpr double kPi = std::numbers::pi;
constexpr std::array kUnits{
    UnitDef{"m", 1, {1, 0, 0, 0, 0, 0, 0}, true},
    UnitDef{"cm", 0.01, {1, 0, 0, 0, 0, 0, 0}, false},
    UnitDef{"g", 1e-3, {0, 1, 0, 0, 0, 0, 0}, true},
    UnitDef{"t", 1e3, {0, 1, 0, 0, 0, 0, 0}, false},
    UnitDef{"s", 1, {0, 0, 1, 0, 0, 0, 0}, true},
    UnitDef{"min", 60, {0, 0, 1, 0, 0, 0, 0}, false},
    UnitDef{"h", 3600, {0, 0, 1, 0, 0, 0, 0}, false},
    UnitDef{"d", 86400, {0, 0, 1, 0, 0, 0, 0}, false},
    UnitDef{"day", 86400, {0, 0, 1, 0, 0, 0, 0}, false},
    UnitDef{"days", 86400, {0, 0, 1, 0, 0, 0, 0}, false},
    UnitDef{"Hz", 1, {0, 0, -1, 0, 0, 0, 0}, true},
    UnitDef{"A", 1, {0, 0, 0, 1, 0, 0, 0}, true},
    UnitDef{"Ah", 3600, {0, 0, 1, 1, 0, 0, 0}, true},
    UnitDef{"V", 1, {2, 1, -3, -1, 0, 0, 0}, true},
    UnitDef{"J", 1, {2, 1, -2, 0, 0, 0, 0}, true},
    UnitDef{"W", 1, {2, 1, -3, 0, 0, 0, 0}, true},
    UnitDef{"Wh", 3600, {2, 1, -2, 0, 0, 0, 0}, true},
    UnitDef{"N", 1, {1, 1, -2, 0, 0, 0, 0}, true},
    UnitDef{"Pa", 1, {-1, 1, -2, 0, 0, 0, 0}, true},
    UnitDef{"ohm", 1, {2, 1, -3, -2, 0, 0, 0}, true},
    UnitDef{"F", 1, {-2, -1, 4, 2, 0, 0, 0}, true},
    UnitDef{"H", 1, {2, 1, -2, -2, 0, 0, 0}, true},
    UnitDef{"K", 1, {0, 0, 0, 0, 1, 0, 0}, false},
    UnitDef{"rad", 1, {0, 0, 0, 0, 0, 1, 0}, true},
    UnitDef{"deg", kPi / 180, {0, 0, 0, 0, 0, 1, 0}, false},
    UnitDef{"rev", 2 * kPi, {0, 0, 0, 0, 0, 1, 0}, false},
    UnitDef{"rpm", kPi / 30, {0, 0, -1, 0, 0, 1, 0}, false},
    UnitDef{"bit", 1, {0, 0, 0, 0, 0, 0, 1}, true},
    UnitDef{"B", 8, {0, 0, 0, 0, 0, 0, 1}, true},
    UnitDef{"KiB", 8192, {0, 0, 0, 0, 0, 0, 1}, false},
    UnitDef{"MiB", 8388608, {0, 0, 0, 0, 0, 0, 1}, false},
    UnitDef{"GiB", 8589934592, {0, 0, 0, 0, 0, 0, 1}, false},
    UnitDef{"%", 0.01, {}, false},
    UnitDef{"1", 1, {}, false},
};

struct Prefix {
  std::string_view text;
  double factor;
};
constexpr std::array kPrefixes{Prefix{"n", 1e-9}, Prefix{"u", 1e-6}, Prefix{"µ", 1e-6}, Prefix{"m", 1e-3},
                               Prefix{"k", 1e3},  Prefix{"M", 1e6},  Prefix{"G", 1e9},  Prefix{"T", 1e12}};

Error problem(std::string what, std::string remedy = "") { return {{}, std::move(what), std::move(remedy)}; }

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Quantity> find_unit(std::string_view name) {
  for (const UnitDef& unit : kUnits) {
    if (unit.name == name) return Quantity{unit.si, {unit.exponents}};
  }
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.text)) continue;
    const std::string_view rest = name.substr(prefix.text.size());
    for (const UnitDef& unit : kUnits) {
      if (unit.prefixes && unit.name == rest) return Quantity{prefix.factor * unit.si, {unit.exponents}};
    }
  }
  return std::nullopt;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const UnitDef& unit : kUnits) {
    names.emplace_back(unit.name);
    if (!unit.prefixes) continue;
    for (const Prefix& prefix : kPrefixes) names.push_back(std::string(prefix.text) + std::string(unit.name));
  }
  return names;
}

// One factor of a compound unit, e.g. "s^2", "s2" or "m²".
Result<Quantity> parse_factor(std::string_view text) {
  text = trim(text);
  int exponent = 1;
  std::string_view name = text;
  if (name.ends_with("²")) {
    exponent = 2;
    name.remove_suffix(std::string_view("²").size());
  } else if (name.size() > 1 && (name.back() == '2' || name.back() == '3')) {
    exponent = name.back() - '0';
    name.remove_suffix(1);
    if (name.ends_with("^")) name.remove_suffix(1);
  }
  const std::optional<Quantity> base = find_unit(name);
  if (!base) {
    if (text.empty()) return problem("a unit is missing");
    const std::string near = nearest(std::string(text), unit_names());
    return problem(fmt::format("unknown unit '{}'", text),
                   near.empty() ? "known are for example: m, s, kg, m/s, rad, deg, Hz, J, W, Wh, bit/s, %"
                                : fmt::format("did you mean '{}'?", near));
  }
  Quantity out{1, {}};
  for (int i = 0; i < exponent; ++i) {
    out.si *= base->si;
    for (std::size_t d = 0; d < Dimension::kCount; ++d) {
      out.dimension.exponents[d] = static_cast<std::int8_t>(out.dimension.exponents[d] + base->dimension.exponents[d]);
    }
  }
  return out;
}

constexpr std::size_t kLongestUnit = 32;

}  // namespace

Result<Quantity> parse_unit(std::string_view text) {
  text = trim(text);
  if (text.size() > kLongestUnit)
    return problem("the unit is too long", "write a number and a unit, for example '0.5 m/s'");
  std::string word(text);
  // "1 per h" reads as "1/h".
  while (true) {
    const std::size_t per = word.find("per ");
    if (per == std::string::npos || (per > 0 && !is_space(word[per - 1]))) break;
    word.replace(per, 4, "/");
  }
  Quantity out{1, {}};
  std::string_view rest = trim(word);
  bool divide = false;
  if (rest.starts_with("/")) {
    divide = true;
    rest.remove_prefix(1);
  }
  while (true) {
    const std::size_t end = rest.find_first_of("/*");
    const Result<Quantity> factor = parse_factor(rest.substr(0, end));
    if (!factor.ok()) return factor;
    out.si = divide ? out.si / factor->si : out.si * factor->si;
    for (std::size_t d = 0; d < Dimension::kCount; ++d) {
      const int sign = divide ? -1 : 1;
      out.dimension.exponents[d] =
          static_cast<std::int8_t>(out.dimension.exponents[d] + sign * factor->dimension.exponents[d]);
    }
    if (end == std::string_view::npos) return out;
    divide = rest[end] == '/';
    rest.remove_prefix(end + 1);
  }
}

Result<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code == std::errc::invalid_argument || end != text.data() + text.size()) {
    return problem(fmt::format("'{}' is not a number", text.substr(0, 40)));
  }
  if (code == std::errc::result_out_of_range || !std::isfinite(value))
    return problem(fmt::format("'{}' is not a finite number", text.substr(0, 40)));
  return value;
}

Result<Quantity> parse_quantity(std::string_view text) {
  text = trim(text);
  double value = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument) {
    return problem(fmt::format("'{}' is not a quantity", text.substr(0, 40)),
                   "write a number and a unit, for example '0.5 m/s'");
  }
  if (code == std::errc::result_out_of_range || !std::isfinite(value))
    return problem(fmt::format("'{}' is not a finite number", text.substr(0, 40)));
  const std::string_view unit_text = trim(digits.substr(static_cast<std::size_t>(end - digits.data())));
  if (unit_text.empty()) return Quantity{value, {}};
  const Result<Quantity> unit = parse_unit(unit_text);
  if (!unit.ok()) return unit;
  const double si = value * unit->si;
  if (!std::isfinite(si)) return problem(fmt::format("'{}' is not a finite number", text.substr(0, 40)));
  return Quantity{si, unit->dimension};
}

Result<Duration> parse_duration(std::string_view text) {
  const Result<Quantity> quantity = parse_quantity(text);
  if (!quantity.ok()) return quantity.errors();
  if (quantity->dimension != dimension_of("s")) {
    if (quantity->dimension.dimensionless()) {
      return problem(fmt::format("'{}' needs a unit of time", trim(text).substr(0, 40)),
                     fmt::format("write for example '{} s'", trim(text).substr(0, 40)));
    }
    return problem(fmt::format("'{}' is not a time", trim(text).substr(0, 40)),
                   "write for example '30 s', '20 ms' or '2 h'");
  }
  // Beyond 292 years whole nanoseconds no longer fit.
  if (std::abs(quantity->si) > 9.2e9)
    return problem(fmt::format("'{}' is longer than virtual time can hold", text), "stay below 290 years");
  return Duration::from_seconds(quantity->si);
}

Dimension dimension_of(std::string_view unit) {
  if (unit.empty()) return {};
  const Result<Quantity> parsed = parse_unit(unit);
  STRATA_ASSERT(parsed.ok(), "a unit constant must parse");
  return parsed->dimension;
}

std::string format_number(double value) {
  if (value == 0) return "0";
  return fmt::format("{}", value);
}

std::string format_quantity(double si, std::string_view unit) {
  if (unit.empty()) return format_number(si);
  const double scale = parse_unit(unit)->si;
  double value = si / scale;
  // The division may round; a neighbour that reads back exactly keeps "resolved" scenarios faithful.
  if (value * scale != si) {
    for (const double near : {std::nextafter(value, -INFINITY), std::nextafter(value, INFINITY)}) {
      if (near * scale == si) value = near;
    }
  }
  return format_number(value) + " " + std::string(unit);
}

}  // namespace strata
