#include "base/config.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace strata {

std::string Param::type_text() const {
  switch (type) {
    case ParamType::kQuantity:
      return unit.empty() ? "number" : unit;
    case ParamType::kInteger:
      return "integer";
    case ParamType::kFlag:
      return "true/false";
    case ParamType::kText:
      return "text";
    case ParamType::kChoice:
      return fmt::format("{}", fmt::join(choices, " | "));
    case ParamType::kPoint:
      return "[x, y(, z)]";
    case ParamType::kPoints:
      return "list of points";
    case ParamType::kTexts:
      return "list of words";
    case ParamType::kAny:
      return "see text";
  }
  return "";
}

std::string Param::range_text() const {
  const bool low = minimum != -kInfinity;
  const bool high = maximum != kInfinity;
  if (low && high) return fmt::format("{} .. {}", minimum, maximum);
  if (low) return fmt::format("{} {}", minimum_excluded ? ">" : ">=", minimum);
  if (high) return fmt::format("<= {}", maximum);
  return "";
}

namespace param {
namespace {
Param make(std::string name, ParamType type, std::string default_text, std::string summary) {
  Param p;
  p.name = std::move(name);
  p.type = type;
  p.default_text = std::move(default_text);
  p.summary = std::move(summary);
  return p;
}
}  // namespace

Param quantity(std::string name, std::string unit, std::string default_text, std::string summary) {
  Param p = make(std::move(name), ParamType::kQuantity, std::move(default_text), std::move(summary));
  p.unit = std::move(unit);
  return p;
}
Param number(std::string name, std::string default_text, std::string summary) {
  return quantity(std::move(name), "", std::move(default_text), std::move(summary));
}
Param integer(std::string name, std::string default_text, std::string summary) {
  return make(std::move(name), ParamType::kInteger, std::move(default_text), std::move(summary));
}
Param flag(std::string name, bool default_value, std::string summary) {
  return make(std::move(name), ParamType::kFlag, default_value ? "true" : "false", std::move(summary));
}
Param text(std::string name, std::string default_text, std::string summary) {
  return make(std::move(name), ParamType::kText, std::move(default_text), std::move(summary));
}
Param choice(std::string name, std::vector<std::string> choices, std::string default_text, std::string summary) {
  Param p = make(std::move(name), ParamType::kChoice, std::move(default_text), std::move(summary));
  p.choices = std::move(choices);
  return p;
}
Param point(std::string name, std::string summary) {
  return make(std::move(name), ParamType::kPoint, "", std::move(summary));
}
Param points(std::string name, std::string summary) {
  return make(std::move(name), ParamType::kPoints, "", std::move(summary));
}
Param texts(std::string name, std::string summary) {
  return make(std::move(name), ParamType::kTexts, "", std::move(summary));
}
Param any(std::string name, std::string summary) {
  return make(std::move(name), ParamType::kAny, "", std::move(summary));
}
}  // namespace param

namespace {

Error placed(const Value& value, std::string what, std::string remedy = "") {
  return {value.where(), std::move(what), std::move(remedy)};
}

Errors placed(const Value& value, const Errors& errors) {
  Errors out = errors;
  for (Error& error : out) error.where = value.where();
  return out;
}

Result<void> check_range(const Value& given, const Param& param, double si) {
  const bool low = param.minimum_excluded ? si <= param.minimum : si < param.minimum;
  if (!low && si <= param.maximum) return {};
  const auto show = [&](double bound) {
    return param.type == ParamType::kInteger ? format_number(bound) : format_quantity(bound, param.unit);
  };
  std::string remedy =
      low ? fmt::format("must be {} {}", param.minimum_excluded ? "more than" : "at least", show(param.minimum))
          : fmt::format("must be at most {}", show(param.maximum));
  return placed(given, fmt::format("{} is out of range", given.kind_text()), std::move(remedy));
}

Result<double> read_quantity(const Value& given, const Param& param) {
  if (!given.is_scalar())
    return placed(
        given, fmt::format("expected {}, found {}", param.unit.empty() ? "a number" : "a quantity", given.kind_text()));
  const Result<Quantity> quantity = parse_quantity(given.text());
  if (!quantity.ok()) return placed(given, quantity.errors());
  const Dimension wanted = dimension_of(param.unit);
  if (quantity->dimension != wanted) {
    // "per metre" quantities are often written without the division: the remedy shows the full unit.
    if (quantity->dimension.dimensionless()) {
      return placed(given, fmt::format("{} needs a unit", given.kind_text()),
                    fmt::format("write '{} {}'", given.text(), param.unit));
    }
    return placed(given, fmt::format("{} has the wrong unit", given.kind_text()),
                  wanted.dimensionless() ? "write a plain number" : fmt::format("use a unit like {}", param.unit));
  }
  const Result<void> in_range = check_range(given, param, quantity->si);
  if (!in_range.ok()) return in_range.errors();
  return quantity->si;
}

Result<double> read_integer(const Value& given, const Param& param) {
  const Result<double> number = given.is_scalar() ? parse_number(given.text()) : Result<double>(Error{});
  if (!number.ok() || std::floor(*number) != *number || std::abs(*number) > 9e15) {
    return placed(given, fmt::format("expected a whole number, found {}", given.kind_text()));
  }
  const Result<void> in_range = check_range(given, param, *number);
  if (!in_range.ok()) return in_range.errors();
  return *number;
}

Result<double> read_flag(const Value& given) {
  if (given.is_scalar() && !given.quoted()) {
    for (const char* yes : {"true", "yes", "on"}) {
      if (given.text() == yes) return 1.0;
    }
    for (const char* no : {"false", "no", "off"}) {
      if (given.text() == no) return 0.0;
    }
  }
  return placed(given, fmt::format("expected true or false, found {}", given.kind_text()));
}

}  // namespace

Result<Vec3> read_point(const Value& value) {
  if (!value.is_list() || value.items().size() < 2 || value.items().size() > 3) {
    return placed(value, fmt::format("expected a point, found {}", value.kind_text()),
                  "write [x, y] or [x, y, z] in metres");
  }
  Vec3 point;
  Errors errors;
  double* const axes[] = {&point.x, &point.y, &point.z};
  for (std::size_t i = 0; i < value.items().size(); ++i) {
    const Value& item = value.items()[i];
    const Result<double> number =
        item.is_scalar() ? parse_number(item.text()) : Result<double>(Error{{}, "expected a number", ""});
    if (!number.ok()) {
      errors.push_back(placed(item, fmt::format("expected a coordinate in metres, found {}", item.kind_text()),
                              "coordinates in lists are plain numbers"));
    } else if (std::abs(*number) > 1e7) {
      errors.push_back(placed(item, fmt::format("coordinate {} is out of range", item.kind_text()),
                              "stay within 10 000 km of the origin"));
    } else {
      *axes[i] = *number;
    }
  }
  if (!errors.empty()) return errors;
  return point;
}

Result<Config::Entry> Config::read(const Value& given, const Param& param) {
  Entry entry;
  entry.type = param.type;
  entry.value = given;
  Errors errors;
  const auto take_number = [&](const Result<double>& number) {
    if (collect(number, errors)) entry.number = *number;
  };
  switch (param.type) {
    case ParamType::kQuantity:
      take_number(read_quantity(given, param));
      break;
    case ParamType::kInteger:
      take_number(read_integer(given, param));
      break;
    case ParamType::kFlag:
      take_number(read_flag(given));
      break;
    case ParamType::kText:
    case ParamType::kChoice:
      if (!given.is_scalar()) {
        errors.push_back(placed(given, fmt::format("expected text, found {}", given.kind_text())));
      } else if (param.type == ParamType::kChoice &&
                 std::find(param.choices.begin(), param.choices.end(), given.text()) == param.choices.end()) {
        errors.push_back(
            placed(given, fmt::format("unknown value {}", given.kind_text()), suggestion(given.text(), param.choices)));
      }
      entry.text = given.text();
      break;
    case ParamType::kPoint:
      if (const Result<Vec3> point = read_point(given); collect(point, errors)) entry.points = {*point};
      break;
    case ParamType::kPoints:
      if (!given.is_list())
        errors.push_back(placed(given, fmt::format("expected a list of points, found {}", given.kind_text()),
                                "write [[x, y], [x, y]]"));
      for (const Value& item : given.items()) {
        if (const Result<Vec3> point = read_point(item); collect(point, errors)) entry.points.push_back(*point);
      }
      break;
    case ParamType::kTexts:
      // One word may stand without brackets.
      if (given.is_scalar()) entry.texts = {given.text()};
      if (given.is_map() || given.is_null())
        errors.push_back(placed(given, fmt::format("expected a list of words, found {}", given.kind_text())));
      for (const Value& item : given.items()) {
        if (!item.is_scalar())
          errors.push_back(placed(item, fmt::format("expected a word, found {}", item.kind_text())));
        entry.texts.push_back(item.text());
      }
      break;
    case ParamType::kAny:
      break;
  }
  if (!errors.empty()) return errors;
  return entry;
}

Result<Config> Config::check(const Value& given, const std::vector<Param>& params,
                             const std::vector<std::string>& ignore) {
  Config config;
  config.where_ = given.where();
  config.resolved_ = Value::map({}, given.where());
  Errors errors;
  if (!given.is_map() && !given.is_null())
    return placed(given, fmt::format("expected a map of parameters, found {}", given.kind_text()));

  std::vector<std::string> names;
  for (const Param& param : params) names.push_back(param.name);
  for (const auto& [key, value] : given.members()) {
    if (std::find(ignore.begin(), ignore.end(), key) != ignore.end()) continue;
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      errors.push_back(placed(value, fmt::format("unknown parameter '{}'", key),
                              names.empty() ? "there are none here: remove it" : suggestion(key, names)));
    }
  }
  for (const Param& param : params) {
    const Value* value = given.find(param.name);
    Value fallback;
    if (value == nullptr) {
      if (param.is_required) errors.push_back(placed(given, fmt::format("'{}' is missing", param.name), param.summary));
      if (param.is_required || param.default_text.empty()) continue;
      fallback = Value::scalar(param.default_text, given.where());
      value = &fallback;
    }
    Result<Entry> entry = read(*value, param);
    if (!collect(entry, errors)) continue;
    config.resolved_.set(param.name, entry->value);
    config.entries_.emplace(param.name, std::move(entry).value());
  }
  if (!errors.empty()) return errors;
  return config;
}

const Config::Entry& Config::entry(std::string_view name, ParamType type) const {
  const auto it = entries_.find(name);
  STRATA_ASSERT(it != entries_.end(),
                "asked for a parameter that is not declared or has no value: " + std::string(name));
  STRATA_ASSERT(it->second.type == type, "asked for a parameter with the wrong type: " + std::string(name));
  return it->second;
}

double Config::quantity(std::string_view name) const { return entry(name, ParamType::kQuantity).number; }
std::int64_t Config::integer(std::string_view name) const {
  return static_cast<std::int64_t>(entry(name, ParamType::kInteger).number);
}
bool Config::flag(std::string_view name) const { return entry(name, ParamType::kFlag).number != 0; }
Duration Config::duration(std::string_view name) const { return Duration::from_seconds(quantity(name)); }
Vec3 Config::point(std::string_view name) const { return entry(name, ParamType::kPoint).points.front(); }
const std::vector<Vec3>& Config::points(std::string_view name) const { return entry(name, ParamType::kPoints).points; }
const std::vector<std::string>& Config::texts(std::string_view name) const {
  return entry(name, ParamType::kTexts).texts;
}
const Value& Config::any(std::string_view name) const { return entry(name, ParamType::kAny).value; }
bool Config::has(std::string_view name) const { return entries_.find(name) != entries_.end(); }

const std::string& Config::text(std::string_view name) const {
  const auto it = entries_.find(name);
  STRATA_ASSERT(it != entries_.end() && (it->second.type == ParamType::kText || it->second.type == ParamType::kChoice),
                "not a text parameter");
  return it->second.text;
}

const Where& Config::where(std::string_view name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? where_ : it->second.value.where();
}

}  // namespace strata
