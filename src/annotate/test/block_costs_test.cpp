#include "annotate/block_costs.hpp"

#include <gtest/gtest.h>

namespace strata::annotate {
namespace {

MachineBlock block(int owner, bool head, double instructions, std::vector<MachineBlock::Exit> exits) {
  MachineBlock out;
  out.owner = owner;
  out.is_head = head;
  out.cost.instructions = instructions;
  out.exits = std::move(exits);
  return out;
}

// Cost of running through these IR blocks.
double cost_of(const BlockCosts& costs, const std::vector<int>& path) {
  double sum = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    sum += costs.block[static_cast<std::size_t>(path[i])].instructions;
    if (i + 1 == path.size()) continue;
    const auto it = costs.edge.find({path[i], path[i + 1]});
    if (it != costs.edge.end()) sum += it->second.instructions;
  }
  return sum;
}

TEST(BlockCosts, OneToOne) {
  const FunctionGraph graph{
      {block(0, true, 3, {{1, 0.5, 0}, {2, 0.5, 1}}), block(1, true, 5, {{2, 1, 0}}), block(2, true, 2, {})},
      {{1, 2}, {2}, {}}};
  const BlockCosts costs = block_costs(graph);
  EXPECT_DOUBLE_EQ(cost_of(costs, {0, 1, 2}), 10);
  EXPECT_DOUBLE_EQ(cost_of(costs, {0, 2}), 6);  // the branch over the other block runs too
  EXPECT_TRUE(costs.ambiguous.empty());
}

TEST(BlockCosts, SplitEdgeBelongsToTheEdge) {
  // A machine block that only lies between 0 and 2.
  const FunctionGraph graph{{block(0, true, 3, {{1, 0.5, 0}, {3, 0.5, 0}}), block(1, true, 5, {{2, 1, 0}}),
                             block(2, true, 2, {}), block(0, false, 7, {{2, 1, 0}})},
                            {{1, 2}, {2}, {}}};
  const BlockCosts costs = block_costs(graph);
  EXPECT_DOUBLE_EQ(cost_of(costs, {0, 1, 2}), 10);
  EXPECT_DOUBLE_EQ(cost_of(costs, {0, 2}), 12);
}

TEST(BlockCosts, VanishedBlockIsPassed) {
  // IR block 1 has no machine code of its own and leads to 2.
  const FunctionGraph graph{{block(0, true, 3, {{1, 1, 0}}), block(2, true, 4, {})}, {{1}, {2}, {}}};
  EXPECT_DOUBLE_EQ(cost_of(block_costs(graph), {0, 1, 2}), 7);
}

TEST(BlockCosts, MergedTargetIsTakenBack) {
  // From 0 the machine code jumps past the head of 1, into a copy of it that goes on to 2.
  const FunctionGraph graph{{block(0, true, 3, {{3, 1, 0}}), block(1, true, 10, {{2, 1, 0}}), block(2, true, 2, {}),
                             block(-1, false, 4, {{2, 1, 0}})},
                            {{1}, {2}, {}}};
  EXPECT_DOUBLE_EQ(cost_of(block_costs(graph), {0, 1, 2}), 9);
}

TEST(BlockCosts, CopiedDecisionIsDivided) {
  // IR block 2 decides between 3 and 4; its machine code was copied into its predecessors 0 and 1, which differ.
  const FunctionGraph graph{
      {block(0, true, 3, {{1, 0.4, 0}, {4, 0.6, 0}}), block(1, true, 5, {{5, 1, 0}}), block(3, true, 1, {}),
       block(4, true, 1, {}), block(2, false, 2, {{2, 0.5, 0}, {3, 0.5, 4}}),
       block(2, false, 7, {{2, 0.5, 0}, {3, 0.5, 4}})},
      {{1, 2}, {2}, {3, 4}, {}, {}}};
  const BlockCosts costs = block_costs(graph);
  EXPECT_NEAR(cost_of(costs, {0, 2, 3}), 6, 1e-6);
  EXPECT_NEAR(cost_of(costs, {0, 2, 4}), 10, 1e-6);
  EXPECT_NEAR(cost_of(costs, {0, 1, 2, 3}), 16, 1e-6);
  EXPECT_NEAR(cost_of(costs, {0, 1, 2, 4}), 20, 1e-6);
}

TEST(BlockCosts, CopiedReturnIsNotChargedTwice) {
  // 0 returns by itself, though the program goes on to 1, which is still there for others.
  const FunctionGraph graph{{block(0, true, 6, {}), block(1, true, 2, {})}, {{1}, {}}};
  EXPECT_DOUBLE_EQ(cost_of(block_costs(graph), {0, 1}), 6);
}

TEST(BlockCosts, ReturnCopiesCountWithTheLastBlock) {
  const FunctionGraph graph{{block(0, true, 3, {{1, 1, 0}}), block(-1, false, 6, {})}, {{}}};
  EXPECT_DOUBLE_EQ(cost_of(block_costs(graph), {0}), 9);
}

}  // namespace
}  // namespace strata::annotate
