// The sections of the language and the keys each of them knows. One list serves checking, `strata describe` and the
// documentation.
#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"

namespace strata::sections {

/// Top level of a scenario.
[[nodiscard]] const std::vector<Param>& scenario();
[[nodiscard]] const std::vector<Param>& world();
[[nodiscard]] const std::vector<Param>& border();
[[nodiscard]] const std::vector<Param>& wall();
/// What an object has besides its shape.
[[nodiscard]] const std::vector<Param>& object();
/// What a shape has within a body, besides what its kind knows.
[[nodiscard]] const std::vector<Param>& shape_in_body();
/// What every group of robots has; component kinds are further keys.
[[nodiscard]] const std::vector<Param>& robots();
[[nodiscard]] const std::vector<Param>& fault();
[[nodiscard]] const std::vector<Param>& record();
/// `places:` and the entries of its lists.
[[nodiscard]] const std::vector<Param>& places();
[[nodiscard]] const std::vector<Param>& place_point();
[[nodiscard]] const std::vector<Param>& place_path();
[[nodiscard]] const std::vector<Param>& place_route();
[[nodiscard]] const std::vector<Param>& place_item();
[[nodiscard]] const std::vector<Param>& place_charger();
[[nodiscard]] const std::vector<Param>& team();
[[nodiscard]] const std::vector<Param>& team_tasks();
[[nodiscard]] const std::vector<Param>& task_arrivals();

/// Keys of capabilities that are to come: naming one is an error that says so.
[[nodiscard]] const std::vector<std::string>& later_sections();
[[nodiscard]] const std::vector<std::string>& later_robot_keys();

[[nodiscard]] std::vector<std::string> names(const std::vector<Param>& params);

}  // namespace strata::sections
