#include "app/bench/boost_dijkstra.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#if __has_include(<boost/graph/dijkstra_shortest_paths.hpp>)
#define STRATA_HAS_BOOST_GRAPH 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wextra-semi"
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#pragma GCC diagnostic pop
#endif

namespace strata::bench {

#ifdef STRATA_HAS_BOOST_GRAPH

std::optional<std::vector<double>> boost_lengths(const GridMap& map, Cell start, const std::vector<Cell>& goals) {
  struct Step {
    double length = 0;
  };
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Step, boost::no_property,
                                                   std::uint32_t, std::uint32_t>;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<Step> steps;
  for (std::int32_t y = 0; y < map.height(); ++y) {
    for (std::int32_t x = 0; x < map.width(); ++x) {
      if (!map.free({x, y})) continue;
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
          const Cell next{x + dx, y + dy};
          if ((dx == 0 && dy == 0) || !map.free(next) || !map.free({next.x, y}) || !map.free({x, next.y})) continue;
          edges.emplace_back(map.index({x, y}), map.index(next));
          steps.push_back({dx != 0 && dy != 0 ? 1.4142135623730951 : 1.0});
        }
      }
    }
  }
  const auto cells = static_cast<std::uint32_t>(map.width()) * static_cast<std::uint32_t>(map.height());
  const Graph graph(boost::edges_are_sorted, edges.begin(), edges.end(), steps.begin(), cells);
  std::vector<double> way(cells, std::numeric_limits<double>::infinity());
  boost::dijkstra_shortest_paths(
      graph, map.index(start),
      boost::weight_map(boost::get(&Step::length, graph))
          .distance_map(boost::make_iterator_property_map(way.begin(), boost::get(boost::vertex_index, graph)))
          .distance_inf(std::numeric_limits<double>::infinity()));
  std::vector<double> out;
  for (const Cell goal : goals) out.push_back(way[map.index(goal)]);
  return out;
}

#else

std::optional<std::vector<double>> boost_lengths(const GridMap&, Cell, const std::vector<Cell>&) {
  return std::nullopt;
}

#endif

}  // namespace strata::bench
