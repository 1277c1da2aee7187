// A graph of ways: drawn paths whose near points are one node, and every way found later. Shortest by distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"

namespace strata {

class PathGraph {
 public:
  /// Points nearer than `merge_m` are one node.
  explicit PathGraph(double merge_m = 0.5) : merge_m_(merge_m) {}

  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t padding = 0;
    double length = 0;
  };

  /// Adds a polyline. Where it passes near a node, or a node lies near an edge of the graph, they are joined.
  void add(std::span<const Vec3> points, bool one_way = false);

  [[nodiscard]] const std::vector<Vec3>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::vector<Edge>>& edges() const { return edges_; }
  /// kNone if there is none within `within_m`.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t nearest(Vec3 point, double within_m) const;
  [[nodiscard]] std::uint32_t add_node(Vec3 point);
  void connect(std::uint32_t from, std::uint32_t to, bool one_way = false);

  struct Way {
    std::vector<std::uint32_t> nodes;
    double length = 0;
    bool complete = false;
  };
  /// From any of the starts (node, way to it) to `goal`; if it cannot be reached, to the reachable node nearest to it.
  struct Start {
    std::uint32_t node = 0;
    double way = 0;
  };
  [[nodiscard]] Way shortest(std::span<const Start> starts, std::uint32_t goal) const;

  [[nodiscard]] std::uint64_t digest() const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> split(std::span<const Vec3> points);
  void join_edges(std::uint32_t node);

  double merge_m_;
  std::vector<Vec3> nodes_;
  std::vector<std::vector<Edge>> edges_;
};

}  // namespace strata
