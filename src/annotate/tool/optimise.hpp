// The target's own optimisation of a module, up to the point where machine code would be made, and the last changes of
// control flow that the code generator would make itself: done here, so that every decision has a block of its own.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace strata::annotate {

/// As clang -O`level` for `machine`.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const std::string& level);

/// Brings the control flow into the shape the code generator works on.
void settle_control_flow(llvm::Module& module, llvm::TargetMachine& machine);

/// Folds what annotation left behind; turns counting in loops with a known number of rounds into one addition.
void fold_counting(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace strata::annotate
