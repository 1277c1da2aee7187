// Plans over grids of the static world: one grid per size of body, made when first needed and again when the static
// world has changed.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "behaviour/navigation/grid_search.hpp"
#include "behaviour/navigation/planner.hpp"

namespace strata {

struct GridPlannerSpec {
  double cell_m = 0.1;
  double snap_m = 0.5;  ///< how far start and target may lie from free ground
  bool any_angle = true;
};

class GridPlanner final : public Planner {
 public:
  explicit GridPlanner(GridPlannerSpec spec) : spec_(spec) {}
  [[nodiscard]] Plan plan(const World& world, const PlanRequest& request) override;

  /// Whether a body can go straight from one point to another.
  [[nodiscard]] bool in_sight(const World& world, const PlanRequest& request);

 private:
  struct Sheet {
    GridMap map;
    std::unique_ptr<GridSearch> search;
    std::vector<std::uint32_t> regions;
  };
  using Key = std::tuple<double, double, double>;  // radius, low, high

  Sheet* sheet(const World& world, const PlanRequest& request);

  GridPlannerSpec spec_;
  std::uint64_t static_version_ = 0;
  std::map<Key, Sheet> sheets_;
};

/// Grows whenever a static body comes or goes.
[[nodiscard]] std::uint64_t static_version(const World& world);

}  // namespace strata
