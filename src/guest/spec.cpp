#include "guest/spec.hpp"

#include <fmt/format.h>

#include "base/units.hpp"

namespace strata::guest {

Result<TimeFunctionSpec> parse_time_function(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  const Error wrong{{}, fmt::format("'{}' is no time function", text), "one of: none, const:20us, cpu:1.5, wall:1"};
  TimeFunctionSpec spec;
  if (kind == "none" && colon == std::string::npos) return spec;
  if (kind == "const") {
    const auto span = parse_duration(value);
    if (!span.ok() || span->ns() < 0) return wrong;
    spec.kind = shim::TimeFunction::kConstant;
    spec.constant = *span;
    return spec;
  }
  if (kind != "cpu" && kind != "wall") return wrong;
  const auto factor = value.empty() ? Result<double>(1.0) : parse_number(value);
  if (!factor.ok() || *factor < 0) return wrong;
  spec.kind = kind == "cpu" ? shim::TimeFunction::kCpu : shim::TimeFunction::kWall;
  spec.factor = *factor;
  return spec;
}

}  // namespace strata::guest
