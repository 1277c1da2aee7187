// Cycles of machine blocks from the target's scheduling model: issue width, units, latencies between instructions.
// Branches are predicted and memory answers from the first cache; mispredictions and misses are added elsewhere.
#pragma once

#include <vector>

#include <llvm/CodeGen/MachineBlockFrequencyInfo.h>
#include <llvm/CodeGen/MachineBranchProbabilityInfo.h>
#include <llvm/CodeGen/MachineFunction.h>

namespace strata::annotate {

/// One figure per block, in the order of the function. A block that repeats itself is taken in its steady state, any
/// other behind its likeliest predecessor.
[[nodiscard]] std::vector<double> scoreboard_cycles(const llvm::MachineFunction& function,
                                                    const llvm::MachineBlockFrequencyInfo& frequency,
                                                    const llvm::MachineBranchProbabilityInfo& probability);

}  // namespace strata::annotate
