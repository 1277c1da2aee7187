#include "world/static_index.hpp"

#include <algorithm>
#include <limits>

#include "world/components.hpp"

namespace strata {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where a ray is inside a box grown by nothing: a quick no for most items.
bool ray_meets_box(const geometry::Box& box, Vec2 origin, Vec2 inverse, double reach) {
  const double x1 = (box.low.x - origin.x) * inverse.x;
  const double x2 = (box.high.x - origin.x) * inverse.x;
  const double y1 = (box.low.y - origin.y) * inverse.y;
  const double y2 = (box.high.y - origin.y) * inverse.y;
  const double in = std::max({std::min(x1, x2), std::min(y1, y2), 0.0});
  const double out = std::min({std::max(x1, x2), std::max(y1, y2), reach});
  return in <= out;
}

// A large finite number stands for 1/0: the products stay numbers even where a coordinate difference is zero.
double invert(double x) { return x != 0 ? 1 / x : 1e300; }

}  // namespace

void StaticIndex::build(const World& world) {
  items_.clear();
  nodes_.clear();
  const Pool<Body>& bodies = world.pool<Body>();
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    const EntityId entity = bodies.owners()[row];
    const Pose* pose = world.get<Pose>(entity);
    if (pose == nullptr || world.has<Velocity>(entity)) continue;
    const geometry::Frame frame = geometry::frame_of(*pose);
    for (const Shape& shape : world.shapes().shapes(bodies.rows()[row].shape_set)) {
      const double z = pose->position.z;
      items_.push_back({geometry::bounds(shape, frame), z + shape.low, z + shape.high, &shape, frame, z, entity,
                        static_cast<std::uint64_t>(world.stable_id(entity))});
    }
  }
  if (items_.empty()) return;
  nodes_.reserve(items_.size());
  nodes_.emplace_back();
  split(0, 0, static_cast<std::uint32_t>(items_.size()));
}

void StaticIndex::split(std::uint32_t node, std::uint32_t begin, std::uint32_t end) {
  geometry::Box box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  for (std::uint32_t i = begin; i < end; ++i) {
    box.low = {std::min(box.low.x, items_[i].box.low.x), std::min(box.low.y, items_[i].box.low.y)};
    box.high = {std::max(box.high.x, items_[i].box.high.x), std::max(box.high.y, items_[i].box.high.y)};
  }
  nodes_[node].box = box;
  if (end - begin <= kLeaf) {
    nodes_[node].first = begin;
    nodes_[node].count = end - begin;
    return;
  }
  // Halves along the longer side, by the middle of each item: depth stays logarithmic whatever the input.
  const bool along_x = box.high.x - box.low.x >= box.high.y - box.low.y;
  const std::uint32_t middle = begin + (end - begin) / 2;
  const auto centre = [&](const Item& item) {
    return along_x ? item.box.low.x + item.box.high.x : item.box.low.y + item.box.high.y;
  };
  std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                   [&](const Item& a, const Item& b) {
                     const double ca = centre(a);
                     const double cb = centre(b);
                     return ca != cb ? ca < cb : (a.stable != b.stable ? a.stable < b.stable : a.shape < b.shape);
                   });
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].first = first;
  nodes_.emplace_back();
  nodes_.emplace_back();
  split(first, begin, middle);
  split(first + 1, middle, end);
}

void StaticIndex::cast(Vec3 origin, Vec3 direction, Hit& best) const {
  if (nodes_.empty()) return;
  const Vec2 inverse{invert(direction.x), invert(direction.y)};
  std::uint32_t stack[kDepth];
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    if (!ray_meets_box(node.box, origin.xy(), inverse, best.t)) continue;
    if (node.count == 0) {
      stack[top++] = node.first;
      stack[top++] = node.first + 1;
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const Item& item = items_[i];
      if (!ray_meets_box(item.box, origin.xy(), inverse, best.t)) continue;
      const auto heights = geometry::cross_slab(origin.z, direction.z, item.low, item.high);
      if (!heights) continue;
      const auto flat = geometry::cross_shape(*item.shape, geometry::to_local(item.frame, origin.xy()),
                                              geometry::turn_into(item.frame, direction.xy()), 0);
      if (!flat) continue;
      const double in = std::max({flat->in, heights->in, 0.0});
      const double out = std::min(flat->out, heights->out);
      if (in > out) continue;
      // Equal distances go to the lower id, so that the answer does not depend on the tree.
      if (in < best.t || (in == best.t && best.item != nullptr && item.stable < best.item->stable)) best = {in, &item};
    }
  }
}

}  // namespace strata
