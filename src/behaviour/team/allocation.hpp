// Who does what: strategies that share tasks out to robots, as kinds in the catalog. Pure functions of a table of
// costs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/catalog.hpp"

namespace strata {

/// Costs of robots (rows) for tasks (columns); infinite: that robot cannot do it.
struct CostTable {
  std::size_t robots = 0;
  std::size_t tasks = 0;
  std::vector<double> costs;  ///< by row
  static constexpr double kImpossible = std::numeric_limits<double>::infinity();

  CostTable(std::size_t rows, std::size_t columns) : robots(rows), tasks(columns), costs(rows * columns, 0) {}
  [[nodiscard]] double& at(std::size_t robot, std::size_t task) { return costs[robot * tasks + task]; }
  [[nodiscard]] double at(std::size_t robot, std::size_t task) const { return costs[robot * tasks + task]; }
};

/// Task of each robot, or kNoTask. No task is given twice, none to a robot that cannot do it.
using Allocation = std::vector<std::size_t>;
inline constexpr std::size_t kNoTask = ~std::size_t{0};

/// Tasks in their order, each to the nearest robot that is left.
[[nodiscard]] Allocation allocate_greedy(const CostTable& table);
/// Robots bid for tasks, prices rise by at least `step` with every bid: as many tasks as can be are given, at a total
/// within (number given) x step of the least.
[[nodiscard]] Allocation allocate_auction(const CostTable& table, double step);
/// The most tasks that can be given, at the least total cost (Hungarian method).
[[nodiscard]] Allocation allocate_optimal(const CostTable& table);
/// Total cost of what is given.
[[nodiscard]] double total_cost(const CostTable& table, const Allocation& allocation);

struct AllocationKind : KindInfo {
  static constexpr const char* kCategory = "allocation";
  std::function<std::function<Allocation(const CostTable&)>(const Config&)> make;
};

/// Adds greedy, auction and optimal.
void register_allocations(Registry& registry);

}  // namespace strata
