// Index of everything that stands still: a tree of bounding boxes over single shapes. Long walls and large objects are
// found wherever they reach, not only near their corner. Rebuilt when the set of static bodies changes.
#pragma once

#include <vector>

#include "world/geometry.hpp"
#include "world/world.hpp"

namespace strata {

class StaticIndex {
 public:
  struct Item {
    geometry::Box box;
    double low = 0;  ///< absolute height range
    double high = 0;
    const Shape* shape = nullptr;
    geometry::Frame frame;
    double z = 0;  ///< of the body's position
    EntityId entity;
    std::uint64_t stable = 0;
  };

  /// Takes over every body without Velocity. Equal content gives an equal tree.
  void build(const World& world);
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

  /// Calls visit(item) for every item whose box touches `box`.
  template <class Visit>
  void query(const geometry::Box& box, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[kDepth];
    std::size_t top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (!node.box.touches(box)) continue;
      if (node.count > 0) {
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
          if (items_[i].box.touches(box)) visit(items_[i]);
        }
      } else {
        stack[top++] = node.first;
        stack[top++] = node.first + 1;
      }
    }
  }

  /// Nearest hit of a ray, no farther than `best`, which it shortens. `scale` is the ray's length per parameter.
  struct Hit {
    double t;
    const Item* item = nullptr;
  };
  void cast(Vec3 origin, Vec3 direction, Hit& best) const;

 private:
  struct Node {
    geometry::Box box;
    std::uint32_t first = 0;  ///< first item, or first of two children
    std::uint32_t count = 0;  ///< items; 0 = inner node
  };
  static constexpr std::size_t kDepth = 64;
  static constexpr std::uint32_t kLeaf = 4;
  void split(std::uint32_t node, std::uint32_t begin, std::uint32_t end);

  std::vector<Item> items_;
  std::vector<Node> nodes_;
};

}  // namespace strata
