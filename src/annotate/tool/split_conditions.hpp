// Instruction selection turns a branch on "a and b" into two branches. Done beforehand, each of them is a block that
// can be counted.
#pragma once

#include <llvm/IR/Function.h>

namespace strata::annotate {

void split_conditions(llvm::Function& function);

}  // namespace strata::annotate
