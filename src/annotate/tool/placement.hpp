// Where in a function costs are added: at blocks as far as possible, for the rest by a choice at a branch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "annotate/block_costs.hpp"

namespace strata::annotate {

/// Instructions and cycles, in units of the counters.
using Amount = std::array<std::int64_t, 2>;

struct Placement {
  struct Choice {
    llvm::BranchInst* branch;
    Amount if_true;
    Amount if_false;
  };
  std::map<llvm::BasicBlock*, Amount> at_block;
  std::vector<Choice> at_branch;
};

/// May split edges of `function`.
[[nodiscard]] Placement place_costs(llvm::Function& function, const BlockCosts& costs);

}  // namespace strata::annotate
