// The world's geometry as seen from above: what the report draws under the trajectories, and what a recording carries
// along as "map.json", so that the report can be made again from the run folder alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/vec.hpp"
#include "world/world.hpp"

namespace strata {

struct MapData {
  static constexpr const char* kAttachment = "map.json";
  /// More than this are left out of the drawing.
  static constexpr std::size_t kMostShapes = 20'000;

  struct Outline {
    std::string name;
    std::vector<Vec2> points;  ///< convex, in the world's frame; one point: a circle
    double radius = 0;         ///< rounding
  };
  std::vector<Outline> fixed;           ///< what stands still
  std::map<std::string, double> radii;  ///< of the bounding circles of what moves, by name
  std::size_t left_out = 0;             ///< shapes beyond kMostShapes
};

[[nodiscard]] MapData map_of(const World& world);
[[nodiscard]] std::string to_json(const MapData& map);
[[nodiscard]] Result<MapData> map_from_json(const std::string& text);

}  // namespace strata
