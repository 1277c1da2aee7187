#include "app/snippet.hpp"

#include <fmt/format.h>

namespace strata::app {

namespace {

// How the value of a parameter looks in a scenario; empty: better left out.
std::string example_value(const Param& param) {
  const bool prose = param.type == ParamType::kAny;
  if (!param.default_text.empty() && !prose) return param.default_text;
  if (!param.is_required) return "";
  switch (param.type) {
    case ParamType::kQuantity:
      return param.unit.empty() ? "1" : "1 " + param.unit;
    case ParamType::kInteger:
      return "1";
    case ParamType::kFlag:
      return "true";
    case ParamType::kChoice:
      return param.choices.empty() ? "" : param.choices.front();
    case ParamType::kPoint:
      return "[0, 0]";
    case ParamType::kPoints:
      return "[[0, 0], [10, 10]]";
    case ParamType::kText:
      return "some_" + param.name;
    case ParamType::kTexts:
      return "[some_" + param.name + "]";
    case ParamType::kAny:
      return "...";
  }
  return "";
}

// "a: 1 m, b: [0, 0]".
std::string values(const KindInfo& info) {
  std::vector<std::string> parts;
  for (const Param& param : info.params) {
    if (const std::string value = example_value(param); !value.empty())
      parts.push_back(fmt::format("{}: {}", param.name, value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "{kind: name, a: 1 m}", or the bare name if there is nothing to say about it.
std::string used(const KindInfo& info, const char* key = "kind") {
  const std::string rest = values(info);
  return rest.empty() ? fmt::format("{{{}: {}}}", key, info.name) : fmt::format("{{{}: {}, {}}}", key, info.name, rest);
}

}  // namespace

std::string snippet(const std::string& category, const KindInfo& info) {
  const std::string robot = "  robots:\n    walker:\n      ";
  if (category == "motion") return robot + fmt::format("motion: {}\n", used(info));
  if (category == "behaviour") return robot + fmt::format("behaviours: [{}]\n", used(info));
  if (category == "sensor") return robot + fmt::format("sensors: [{}]\n", used(info));
  if (category == "component") return robot + fmt::format("{}: {{{}}}\n", info.name, values(info));
  if (category == "shape") return robot + fmt::format("body: {}\n", used(info, "shape"));
  if (category == "placement")
    return robot + fmt::format("count: 10\n      place: {{{}: {{{}}}}}\n", info.name, values(info));
  if (category == "system") return fmt::format("  systems:\n    {}: {{{}}}\n", info.name, values(info));
  if (category == "world_server") return fmt::format("  world:\n    server: {}\n", used(info));
  if (category == "sink") return fmt::format("  record:\n    sinks: [{}]\n", used(info));
  return "";
}

}  // namespace strata::app
