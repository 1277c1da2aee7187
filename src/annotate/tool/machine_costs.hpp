// Generates the target's machine code of a module and reads from it what every block and edge costs there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "annotate/block_costs.hpp"
#include "annotate/targets.hpp"

namespace strata::annotate {

/// One function on the target.
struct FunctionCosts {
  BlockCosts costs;                               ///< by the number in the name of the IR block
  unsigned instructions = 0;                      ///< in the machine code, executed or not
  std::map<int, std::vector<std::string>> calls;  ///< functions called from the machine code of an IR block
};

/// Gives every block of every function a number, in its name, by which machine code finds back to it.
void number_blocks(llvm::Module& module);
/// The number of a block; -1 if it has none.
[[nodiscard]] int number_of(const llvm::BasicBlock* block);

/// Uses `module` up: code generation changes it. Keep a clone to go on with.
[[nodiscard]] std::map<std::string, FunctionCosts> machine_costs(llvm::Module& module, llvm::TargetMachine& machine,
                                                                 const Target& target);

}  // namespace strata::annotate
