// What a block and an edge of the program's control flow cost on the target. The compiler's last stages merge, split
// and duplicate blocks, so machine blocks and the blocks of the program (IR) do not match one to one: a machine block
// that starts an IR block carries that block's cost, every other one lies on the way between two IR blocks and belongs
// to that edge. Plain data in, plain data out; the LLVM tool fills in the graph.
#pragma once

#include <map>
#include <utility>
#include <vector>

namespace strata::annotate {

struct Cost {
  double instructions = 0;
  double cycles = 0;
};

/// One block of machine code.
struct MachineBlock {
  struct Exit {
    int to = 0;              ///< index of a machine block
    double probability = 0;  ///< as the compiler estimates it
    double tail = 0;         ///< instructions behind the first conditional branch that run on this way out
  };
  int owner = -1;        ///< IR block it was made for; -1 if none
  bool is_head = false;  ///< the first machine block of its owner
  double frequency = 1;  ///< relative, as the compiler estimates it
  Cost cost;             ///< up to and including the first conditional branch
  std::vector<Exit> exits;
};

/// A function in both shapes.
struct FunctionGraph {
  std::vector<MachineBlock> machine;
  std::vector<std::vector<int>> successors;  ///< of each IR block, each once
};

/// Costs are added when control reaches a block or takes an edge. They may be negative: an edge that skips a part of
/// what its target usually costs takes that part back.
struct BlockCosts {
  std::vector<Cost> block;                     ///< by IR block
  std::map<std::pair<int, int>, Cost> edge;    ///< by (from, to); absent = nothing
  std::vector<std::pair<int, int>> ambiguous;  ///< edges no machine path was found for
};

[[nodiscard]] BlockCosts block_costs(const FunctionGraph& graph);

}  // namespace strata::annotate
