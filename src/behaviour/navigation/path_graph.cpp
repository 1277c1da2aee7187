#include "behaviour/navigation/path_graph.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "base/hash.hpp"

namespace strata {
namespace {

/// Where along a .. b the point nearest to p lies, as a fraction, and how far it is.
struct Foot {
  double fraction = 0;
  double distance = 0;
};
Foot foot_of(Vec3 p, Vec3 a, Vec3 b) {
  const Vec3 way = b - a;
  const double square = dot(way, way);
  const double fraction = square == 0 ? 0 : std::clamp(dot(p - a, way) / square, 0.0, 1.0);
  return {fraction, length(p - (a + way * fraction))};
}

}  // namespace

std::uint32_t PathGraph::nearest(Vec3 point, double within_m) const {
  std::uint32_t best = kNone;
  double distance = within_m;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const double d = length(nodes_[i] - point);
    if (d > distance || (d == distance && best != kNone)) continue;
    best = i;
    distance = d;
  }
  return best;
}

std::uint32_t PathGraph::add_node(Vec3 point) {
  const std::uint32_t near = nearest(point, merge_m_);
  if (near != kNone) return near;
  nodes_.push_back(point);
  edges_.emplace_back();
  const auto made = static_cast<std::uint32_t>(nodes_.size() - 1);
  join_edges(made);
  return made;
}

void PathGraph::connect(std::uint32_t from, std::uint32_t to, bool one_way) {
  if (from == to) return;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    for (const Edge& edge : edges_[a]) {
      if (edge.to == b) return;
    }
    edges_[a].push_back({b, 0, length(nodes_[b] - nodes_[a])});
  };
  link(from, to);
  if (!one_way) link(to, from);
}

// A new node beside an edge becomes part of it.
void PathGraph::join_edges(std::uint32_t node) {
  for (std::uint32_t a = 0; a < node; ++a) {
    for (std::size_t e = 0; e < edges_[a].size(); ++e) {
      const std::uint32_t b = edges_[a][e].to;
      if (b == node || foot_of(nodes_[node], nodes_[a], nodes_[b]).distance > merge_m_) continue;
      edges_[a].erase(edges_[a].begin() + static_cast<std::ptrdiff_t>(e--));
      connect(a, node, true);
      connect(node, b, true);
    }
  }
}

// The nodes that a polyline runs over: its own points, and known nodes that it passes by.
std::vector<std::uint32_t> PathGraph::split(std::span<const Vec3> points) {
  std::vector<std::uint32_t> out;
  const auto take = [&](std::uint32_t node) {
    if (out.empty() || out.back() != node) out.push_back(node);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint32_t end = add_node(points[i]);
    if (i > 0) {
      std::vector<std::pair<double, std::uint32_t>> passed;
      for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
        const Foot foot = foot_of(nodes_[node], points[i - 1], points[i]);
        if (node != end && node != out.back() && foot.distance <= merge_m_ && foot.fraction > 0 && foot.fraction < 1)
          passed.emplace_back(foot.fraction, node);
      }
      std::sort(passed.begin(), passed.end());
      for (const auto& [fraction, node] : passed) take(node);
    }
    take(end);
  }
  return out;
}

void PathGraph::add(std::span<const Vec3> points, bool one_way) {
  const std::vector<std::uint32_t> along = split(points);
  for (std::size_t i = 1; i < along.size(); ++i) connect(along[i - 1], along[i], one_way);
}

PathGraph::Way PathGraph::shortest(std::span<const Start> starts, std::uint32_t goal) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> way(nodes_.size(), kFar);
  std::vector<std::uint32_t> parent(nodes_.size(), kNone);
  using Entry = std::tuple<double, double, std::uint32_t>;  // bound, way, node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto reach = [&](std::uint32_t node, double length_so_far, std::uint32_t from) {
    if (length_so_far >= way[node]) return;
    way[node] = length_so_far;
    parent[node] = from;
    open.emplace(length_so_far + length(nodes_[goal] - nodes_[node]), length_so_far, node);
  };
  for (const Start& start : starts) reach(start.node, start.way, kNone);
  while (!open.empty()) {
    const auto [bound, length_so_far, node] = open.top();
    open.pop();
    if (length_so_far > way[node]) continue;
    if (node == goal) break;
    for (const Edge& edge : edges_[node]) reach(edge.to, way[node] + edge.length, node);
  }
  std::uint32_t end = goal;
  if (way[goal] == kFar) {
    end = kNone;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (way[node] == kFar) continue;
      if (end == kNone || length(nodes_[node] - nodes_[goal]) < length(nodes_[end] - nodes_[goal])) end = node;
    }
    if (end == kNone) return {};
  }
  Way out{{}, way[end], end == goal};
  for (std::uint32_t node = end; node != kNone; node = parent[node]) out.nodes.push_back(node);
  std::reverse(out.nodes.begin(), out.nodes.end());
  return out;
}

std::uint64_t PathGraph::digest() const {
  std::uint64_t sum = nodes_.size();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    sum = mix(sum, hash_bytes(0, &nodes_[i], sizeof(Vec3)));
    for (const Edge& edge : edges_[i]) sum = mix(sum, edge.to);
  }
  return sum;
}

}  // namespace strata
