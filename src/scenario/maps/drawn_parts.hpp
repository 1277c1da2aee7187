// Parts of robots as drawings and HMR Sim's configurations give them: `component_Claw='[80, 1]'`. The name is looked up
// in the catalog, arguments are matched to its parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/catalog.hpp"
#include "base/value.hpp"

namespace strata::maps {

/// Numbers without a unit in drawings: lengths are in drawing units, anything else in the parameter's own unit.
struct DrawnUnits {
  double scale_m = 1;
  double page_height = 0;  ///< in drawing units, where y of the world begins
};

/// "ProximitySensor" as "proximity_sensor", as kinds are named here.
[[nodiscard]] std::string kind_name(std::string_view written);

/// Gives `robot` (a member of `robots:`) the part of that name. `json` holds its arguments: a list in the order of the
/// parameters, a map by name, or one value alone.
[[nodiscard]] Result<void> add_part(Value& robot, const std::string& name, const std::string& json,
                                    const DrawnUnits& units, Registry& registry, const Where& where);
/// The same from arguments that were read already.
[[nodiscard]] Result<void> add_part(Value& robot, const std::string& name, const Value& arguments,
                                    const DrawnUnits& units, Registry& registry, const Where& where);

/// A parameter's value as drawn, as a scenario writes it.
[[nodiscard]] Value with_unit(const Value& given, const Param& param, const DrawnUnits& units);

/// Parts of HMR Sim's robots that every robot has here without naming them.
[[nodiscard]] bool is_implied_part(std::string_view name);

}  // namespace strata::maps
