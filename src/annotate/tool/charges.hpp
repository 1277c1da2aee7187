// Calls of library functions whose cost on the target is known from a table: finds them in a function and adds the
// charge behind each. Only what the target's machine code calls too is charged.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "annotate/library_costs.hpp"
#include "annotate/tool/counters.hpp"
#include "annotate/tool/machine_costs.hpp"

namespace strata::annotate {

class Charges {
 public:
  Charges(Counters& counters, const LibraryCosts& library) : counters_(counters), library_(library) {}
  /// Looks for calls; to be done before the function is changed.
  void find(llvm::Function& function, const FunctionCosts& costs);
  /// Adds the charges.
  void insert();

 private:
  struct Charge {
    llvm::CallBase* call;
    const LibraryCost* cost;
  };
  void find_in(llvm::BasicBlock& block, std::vector<std::string> called);
  void insert(const Charge& charge_of);
  void charge(llvm::IRBuilder<>& at, const LibraryCost& cost, llvm::Value* size);
  [[nodiscard]] llvm::Constant* table_of(const LibraryCost& cost);

  Counters& counters_;
  const LibraryCosts& library_;
  std::vector<Charge> charges_;
  std::vector<std::pair<llvm::BasicBlock*, const LibraryCost*>> helpers_;
  std::vector<llvm::CallBase*> unknown_;
};

}  // namespace strata::annotate
