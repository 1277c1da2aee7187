// Code that another processor's code generator cannot take: found beforehand, so that the rest of the file is still
// annotated and the user hears about it.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace strata::annotate {

struct PlainFunction {
  std::string name;
  std::string reason;
  unsigned line = 0;  ///< 0 if unknown
};

/// Before optimisation: what not even the optimiser of the target should see. Keeps it out of its way.
[[nodiscard]] std::vector<PlainFunction> set_aside(llvm::Module& module, bool same_architecture);

/// Behind optimisation, in the module for the target's code generator: removes functions that must stay plain, and
/// takes assembly out of the others. `known` are already set aside.
[[nodiscard]] std::vector<PlainFunction> prepare_codegen(llvm::Module& module, const std::vector<PlainFunction>& known);

}  // namespace strata::annotate
