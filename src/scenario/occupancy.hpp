// What stands where while a scenario is being set up: the static world in a tree, robots placed so far in hash grids by
// size. Answers "would this body be in the way of another" fast enough for a hundred thousand robots.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "world/static_index.hpp"
#include "world/world.hpp"

namespace strata {

/// Of robots that occupy no space.
inline constexpr std::uint32_t kNoShape = ~std::uint32_t{0};

class Occupancy {
 public:
  /// Begins with the static bodies that the world holds now. The world must outlive it.
  explicit Occupancy(const World& world);

  void add(EntityId entity, std::uint32_t shape_set, const Pose& pose);
  /// The first entity (by id) that the shapes at `pose` would overlap, or be nearer to than `clearance`. Invalid if
  /// none.
  [[nodiscard]] EntityId conflict(std::uint32_t shape_set, const Pose& pose, double clearance) const;

 private:
  struct Item {
    EntityId entity;
    std::uint32_t shape_set = 0;
    Pose pose;
  };
  // Bodies of similar radius share a grid whose cells are about as large as they are.
  struct Grid {
    double cell = 1;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> items;
  };

  [[nodiscard]] bool too_near(std::uint32_t shape_set, const Pose& pose, const Item& item, double clearance) const;
  [[nodiscard]] EntityId static_conflict(std::uint32_t shape_set, const Pose& pose, double clearance) const;

  const World& world_;
  StaticIndex walls_;
  std::vector<Item> items_;
  std::map<int, Grid> grids_;  // by the power of two above the radius
};

}  // namespace strata
