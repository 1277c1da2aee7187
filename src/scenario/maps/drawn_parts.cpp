#include "scenario/maps/drawn_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "base/units.hpp"
#include "scenario/yaml.hpp"
#include "world/system.hpp"

namespace strata::maps {
namespace {

constexpr std::array<std::string_view, 6> kImplied = {"position", "velocity", "collidable",
                                                      "skeleton", "map",      "visual"};

bool is_bare_number(const Value& value) { return value.is_scalar() && parse_number(value.text()).ok(); }

Value scaled_point(const Value& given, const DrawnUnits& units) {
  if (!given.is_list() || given.items().size() < 2 || !is_bare_number(given.items()[0]) ||
      !is_bare_number(given.items()[1]))
    return given;
  Value out = given;
  const double x = *parse_number(given.items()[0].text());
  const double y = *parse_number(given.items()[1].text());
  out.items()[0] = Value::scalar(format_number(x * units.scale_m), given.where());
  out.items()[1] = Value::scalar(format_number((units.page_height - y) * units.scale_m), given.where());
  return out;
}

bool takes_list(const Param& param) {
  return param.type == ParamType::kTexts || param.type == ParamType::kAny || param.type == ParamType::kPoints;
}

/// Arguments as the members that the kind's parameters want.
Result<Value> by_name(const Value& arguments, const KindInfo& kind, const DrawnUnits& units, const Where& where) {
  Value out = Value::map({}, where);
  if (arguments.is_null()) return out;
  if (arguments.is_map()) {
    for (const auto& [key, value] : arguments.members()) {
      const auto param = std::find_if(kind.params.begin(), kind.params.end(),
                                      [name = &key](const Param& p) { return p.name == *name; });
      out.set(key, param == kind.params.end() ? value : with_unit(value, *param, units));
    }
    return out;
  }
  std::vector<Value> list = arguments.is_list() ? arguments.items() : std::vector<Value>{arguments};
  // ["Go a", "Go b"] is one list of words rather than two arguments.
  const bool all_words = !list.empty() && std::all_of(list.begin(), list.end(), [](const Value& item) {
    return item.is_scalar() && !is_bare_number(item);
  });
  if (all_words && !kind.params.empty() && takes_list(kind.params.front()))
    list = {Value::list(std::move(list), where)};
  if (list.size() > kind.params.size()) {
    std::vector<std::string> names;
    for (const Param& param : kind.params) names.push_back(param.name);
    return Error{where, fmt::format("'{}' takes {} arguments, found {}", kind.name, kind.params.size(), list.size()),
                 names.empty() ? "write []" : fmt::format("they are: {}", fmt::join(names, ", "))};
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_null()) out.set(kind.params[i].name, with_unit(list[i], kind.params[i], units));
  }
  return out;
}

/// "Go 100 200" of a drawn script means a point of the page.
Value with_points(Value given, const DrawnUnits& units) {
  for (Value& item : given.items()) item = with_points(std::move(item), units);
  for (auto& [key, member] : given.members()) member = with_points(std::move(member), units);
  if (!given.is_scalar()) return given;
  std::istringstream words(given.text());
  std::string go;
  std::string x;
  std::string y;
  std::string more;
  if (!(words >> go >> x >> y) || words >> more || kind_name(go) != "go") return given;
  const Result<double> across = parse_number(x);
  const Result<double> down = parse_number(y);
  if (!across.ok() || !down.ok()) return given;
  const double up = units.page_height - *down;
  return Value::scalar(
      fmt::format("{} {} {}", go, format_number(*across * units.scale_m), format_number(up * units.scale_m)),
      given.where(), true);
}

void append(Value& robot, const char* list, Value entry, const Where& where) {
  Value* found = robot.find(list);
  if (found == nullptr) found = &robot.set(list, Value::list({}, where));
  found->items().push_back(std::move(entry));
}

Value with_kind(const std::string& kind, const Value& params, const Where& where) {
  Value out = Value::map({{"kind", Value::scalar(kind, where)}}, where);
  for (const auto& [key, value] : params.members()) out.set(key, value);
  return out;
}

void place_everywhere(Value& value, const Where& where) {
  value.where() = where;
  for (Value& item : value.items()) place_everywhere(item, where);
  for (auto& [key, member] : value.members()) place_everywhere(member, where);
}

}  // namespace

std::string kind_name(std::string_view written) {
  std::string out;
  for (const char c : written) {
    const bool is_upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    const bool after_lower = !out.empty() && std::islower(static_cast<unsigned char>(out.back())) != 0;
    if (is_upper && after_lower) out.push_back('_');
    out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

bool is_implied_part(std::string_view name) {
  return std::find(kImplied.begin(), kImplied.end(), kind_name(name)) != kImplied.end();
}

Value with_unit(const Value& given, const Param& param, const DrawnUnits& units) {
  if (param.type == ParamType::kPoint) return scaled_point(given, units);
  if (param.type == ParamType::kAny || param.type == ParamType::kTexts) return with_points(given, units);
  if (param.type == ParamType::kPoints && given.is_list()) {
    Value out = given;
    for (Value& item : out.items()) item = scaled_point(item, units);
    return out;
  }
  if (param.type != ParamType::kQuantity || param.unit.empty() || !is_bare_number(given)) return given;
  const double scale = dimension_of(param.unit) == dimension_of("m") ? units.scale_m : 1;
  return Value::scalar(format_quantity(*parse_number(given.text()) * scale * parse_unit(param.unit)->si, param.unit),
                       given.where());
}

Result<void> add_part(Value& robot, const std::string& name, const Value& arguments, const DrawnUnits& units,
                      Registry& registry, const Where& where) {
  const std::string kind = kind_name(name);
  std::vector<std::string> known;
  const auto find = [&](const auto& catalog) -> const KindInfo* {
    for (const std::string& each : catalog.names()) known.push_back(each);
    return catalog.find(kind);
  };
  const KindInfo* component = find(registry.catalog<ComponentKind>());
  const KindInfo* behaviour = find(registry.catalog<BehaviourKind>());
  const KindInfo* sensor = find(registry.catalog<SensorKind>());
  const KindInfo* motion = find(registry.catalog<MotionKind>());
  const KindInfo* info = component != nullptr   ? component
                         : behaviour != nullptr ? behaviour
                         : sensor != nullptr    ? sensor
                                                : motion;
  if (info == nullptr) {
    return Error{where,
                 fmt::format("there is no component '{}' (looked for '{}')", name.substr(0, 60), kind.substr(0, 60)),
                 fmt::format("{}; a plugin can add it", suggestion(kind, known))};
  }
  Result<Value> params = by_name(arguments, *info, units, where);
  if (!params.ok()) return params.errors();
  if (component != nullptr) {
    robot.set(kind, std::move(params).value());
  } else if (behaviour != nullptr) {
    append(robot, "behaviours", with_kind(kind, *params, where), where);
  } else if (sensor != nullptr) {
    append(robot, "sensors", with_kind(kind, *params, where), where);
  } else {
    robot.set("motion", with_kind(kind, *params, where));
  }
  return {};
}

Result<void> add_part(Value& robot, const std::string& name, const std::string& json, const DrawnUnits& units,
                      Registry& registry, const Where& where) {
  YamlLimits limits;
  limits.nodes = 10'000;
  Result<Value> arguments = parse_yaml(json, where.file, limits);  // JSON is YAML
  if (!arguments.ok()) {
    return Error{where, fmt::format("the arguments of '{}' are not JSON: {}", name, arguments.errors().front().problem),
                 "write a list like [80, 1], or a map like {\"reach\": \"0.8 m\"}"};
  }
  place_everywhere(*arguments, where);
  return add_part(robot, name, *arguments, units, registry, where);
}

}  // namespace strata::maps
