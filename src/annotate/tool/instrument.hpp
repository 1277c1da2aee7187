// Puts the counting into a module: every function adds what its blocks and edges cost on the target, in registers, and
// writes the sum to its thread's counters where it returns or calls what might look at them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "annotate/library_costs.hpp"
#include "annotate/targets.hpp"
#include "annotate/tool/machine_costs.hpp"

namespace strata::annotate {

struct Instrumentation {
  const std::map<std::string, FunctionCosts>& costs;
  const LibraryCosts& library;
  const Target& target;
  std::set<std::string> plain;  ///< functions to leave alone
  bool exceptions = false;      ///< the language can throw
};

/// `module` is the twin of the one whose machine code was read: same functions, same numbered blocks.
void instrument(llvm::Module& module, const Instrumentation& how);

}  // namespace strata::annotate
