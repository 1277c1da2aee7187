// Boost.Graph's Dijkstra as an independent judge of lengths of ways.
#pragma once

#include <optional>
#include <vector>

#include "behaviour/navigation/grid_map.hpp"

namespace strata::bench {

/// Length of the shortest 8-connected way from `start` to each of the goals, in cells; infinite if there is none.
/// Nothing if this program was built without Boost.Graph.
[[nodiscard]] std::optional<std::vector<double>> boost_lengths(const GridMap& map, Cell start,
                                                               const std::vector<Cell>& goals);

}  // namespace strata::bench
