// How a drawn or scanned map is read: the `map:` section of a scenario.
#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"

namespace strata::maps {

enum class UnknownShapes { kError, kBox, kIgnore };

struct MapSettings {
  std::string file;
  std::string page;       ///< name or number; empty: the first
  double scale_m = 0.02;  ///< metres per drawing unit
  double height_m = 1;    ///< of walls
  double line_m = 0.1;    ///< thickness of drawn lines without a width of their own
  UnknownShapes unknown_shapes = UnknownShapes::kError;
  bool unknown_is_free = true;  ///< cells of an occupancy grid that nobody has seen

  [[nodiscard]] static MapSettings from(const Config& config);
};

/// The keys of `map:`.
[[nodiscard]] const std::vector<Param>& map_params();

}  // namespace strata::maps
