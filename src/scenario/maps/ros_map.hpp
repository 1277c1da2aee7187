// ROS map files (map_server's YAML with an image): occupied cells as boxes of the world.
#pragma once

#include <string>

#include "base/value.hpp"
#include "scenario/maps/map_settings.hpp"

namespace strata::maps {

/// Whether a YAML tree is a ROS map file.
[[nodiscard]] bool is_ros_map(const Value& root);

/// The map as the `world` section of a scenario. Cells that touch are joined into boxes that cover exactly them.
[[nodiscard]] Result<Value> read_ros_map(const Value& root, const MapSettings& settings);

}  // namespace strata::maps
