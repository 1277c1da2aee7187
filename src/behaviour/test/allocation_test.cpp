// Strategies against every possible allocation.
#include "behaviour/team/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace strata {
namespace {

struct Best {
  std::size_t given = 0;
  double cost = 0;
};

// Tries everything: robot by robot, each free task or none.
void search(const CostTable& table, std::size_t robot, std::vector<bool>& taken, Best now, Best& best) {
  if (robot == table.robots) {
    if (now.given > best.given || (now.given == best.given && now.cost < best.cost)) best = now;
    return;
  }
  search(table, robot + 1, taken, now, best);
  for (std::size_t task = 0; task < table.tasks; ++task) {
    if (taken[task] || !std::isfinite(table.at(robot, task))) continue;
    taken[task] = true;
    search(table, robot + 1, taken, {now.given + 1, now.cost + table.at(robot, task)}, best);
    taken[task] = false;
  }
}

CostTable random_table(RandomStream& random) {
  CostTable table(1 + random.below(6), 1 + random.below(6));
  const double impossible = random.uniform(0, 0.4);
  for (double& cost : table.costs)
    cost = random.chance(impossible) ? CostTable::kImpossible : std::floor(random.uniform(0, 50));
  return table;
}

void check_valid(const CostTable& table, const Allocation& allocation) {
  std::vector<bool> taken(table.tasks, false);
  ASSERT_EQ(allocation.size(), table.robots);
  for (std::size_t robot = 0; robot < table.robots; ++robot) {
    if (allocation[robot] == kNoTask) continue;
    ASSERT_LT(allocation[robot], table.tasks);
    EXPECT_FALSE(taken[allocation[robot]]);
    EXPECT_TRUE(std::isfinite(table.at(robot, allocation[robot])));
    taken[allocation[robot]] = true;
  }
}

std::size_t given(const Allocation& allocation) {
  return allocation.size() - static_cast<std::size_t>(std::count(allocation.begin(), allocation.end(), kNoTask));
}

TEST(Allocation, optimal_equals_trying_everything) {
  RandomStream random(1, 0, "allocation_test");
  for (int i = 0; i < 1000; ++i) {
    const CostTable table = random_table(random);
    std::vector<bool> taken(table.tasks, false);
    Best best;
    search(table, 0, taken, {}, best);
    const Allocation allocation = allocate_optimal(table);
    check_valid(table, allocation);
    ASSERT_EQ(given(allocation), best.given) << i;
    ASSERT_NEAR(total_cost(table, allocation), best.cost, 1e-9) << i;
  }
}

TEST(Allocation, auction_is_within_its_bound) {
  RandomStream random(2, 0, "allocation_test");
  for (int i = 0; i < 1000; ++i) {
    const CostTable table = random_table(random);
    const Allocation optimal = allocate_optimal(table);
    const double step = random.uniform(0.01, 3);
    const Allocation auction = allocate_auction(table, step);
    check_valid(table, auction);
    ASSERT_EQ(given(auction), given(optimal)) << i;
    const auto rows = static_cast<double>(std::min(table.robots, table.tasks));
    ASSERT_LE(total_cost(table, auction), total_cost(table, optimal) + rows * step + 1e-9) << i;
  }
}

TEST(Allocation, greedy_is_valid_and_not_always_best) {
  RandomStream random(3, 0, "allocation_test");
  int worse = 0;
  for (int i = 0; i < 300; ++i) {
    const CostTable table = random_table(random);
    const Allocation greedy = allocate_greedy(table);
    check_valid(table, greedy);
    worse += given(greedy) == given(allocate_optimal(table)) &&
                     total_cost(table, greedy) > total_cost(table, allocate_optimal(table))
                 ? 1
                 : 0;
  }
  EXPECT_GT(worse, 20);
}

TEST(Allocation, large_tables_end) {
  CostTable table(120, 200);
  RandomStream random(4, 0, "allocation_test");
  for (double& cost : table.costs) cost = random.uniform(0, 100);
  EXPECT_EQ(given(allocate_optimal(table)), 120U);
  EXPECT_EQ(given(allocate_auction(table, 0.1)), 120U);
  EXPECT_EQ(given(allocate_greedy(table)), 120U);
  EXPECT_TRUE(allocate_optimal(CostTable(0, 3)).empty());
  EXPECT_EQ(allocate_auction(CostTable(2, 0), 1), (Allocation{kNoTask, kNoTask}));
}

}  // namespace
}  // namespace strata
