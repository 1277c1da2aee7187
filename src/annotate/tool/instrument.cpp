#include "annotate/tool/instrument.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "annotate/tool/abi.hpp"
#include "annotate/tool/charges.hpp"
#include "annotate/tool/counters.hpp"
#include "annotate/tool/placement.hpp"

namespace strata::annotate {

namespace {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Function;
using llvm::IRBuilder;

// Not a call on the target, or one that can neither look at the counters nor leave for good.
bool is_transparent(const CallBase& call) {
  if (llvm::isa<llvm::IntrinsicInst>(call)) return true;
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && assembly->getAsmString().empty();
}

// Functions that call nothing but each other: no counter is looked at while they run.
std::set<const Function*> quiet_functions(const std::vector<Function*>& functions) {
  std::set<const Function*> quiet(functions.begin(), functions.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function* function : functions) {
      if (!quiet.contains(function)) continue;
      for (const BasicBlock& block : *function) {
        for (const llvm::Instruction& instruction : block) {
          const auto* call = llvm::dyn_cast<CallBase>(&instruction);
          if (call == nullptr || is_transparent(*call) || quiet.contains(call->getCalledFunction())) continue;
          changed = quiet.erase(function) > 0 || changed;
        }
      }
    }
  }
  return quiet;
}

class Instrumenter {
 public:
  Instrumenter(llvm::Module& module, const Instrumentation& how) : how_(how), counters_(module, how.target) {
    for (Function& function : module) {
      const bool known = how.costs.contains(function.getName().str()) && !how.plain.contains(function.getName().str());
      if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || !known) continue;
      functions_.push_back(&function);
    }
    quiet_ = quiet_functions(functions_);
  }

  void run() {
    for (Function* function : functions_) run(*function);
    counters_.finish();
  }

 private:
  void run(Function& function) {
    const FunctionCosts& costs = how_.costs.at(function.getName().str());
    const std::uint64_t record = counters_.add_record(function);
    Charges charges(counters_, how_.library);
    charges.find(function, costs);
    const Placement placement = place_costs(function, costs.costs);

    // Sums live in variables that become registers.
    IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
    std::vector<llvm::AllocaInst*> sums;
    for (int metric = 0; metric < 2; ++metric) {
      sums.push_back(entry.CreateAlloca(entry.getInt64Ty()));
      entry.CreateStore(entry.getInt64(0), sums.back());
    }
    for (const auto& [block, amount] : placement.at_block) {
      IRBuilder<> at(block == &function.getEntryBlock() ? &*entry.GetInsertPoint() : &*block->getFirstInsertionPt());
      for (unsigned metric = 0; metric < 2; ++metric) add(at, sums[metric], at.getInt64(amount[metric]));
    }
    for (const Placement::Choice& choice : placement.at_branch) {
      IRBuilder<> at(choice.branch);
      for (unsigned metric = 0; metric < 2; ++metric) {
        if (choice.if_true[metric] == choice.if_false[metric]) continue;
        add(at, sums[metric],
            at.CreateSelect(choice.branch->getCondition(), at.getInt64(choice.if_true[metric]),
                            at.getInt64(choice.if_false[metric])));
      }
    }
    for (llvm::Instruction* place : places_to_write(function)) write(place, sums, record);
    charges.insert();
    llvm::DominatorTree tree(function);
    llvm::PromoteMemToReg(sums, tree);
  }

  static void add(IRBuilder<>& at, llvm::Value* sum, llvm::Value* amount) {
    at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt64Ty(), sum), amount), sum);
  }

  // Before returns, and before calls of what might look at the counters or never come back.
  std::vector<llvm::Instruction*> places_to_write(Function& function) {
    llvm::SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back_edges;
    llvm::FindFunctionBackedges(function, back_edges);
    // Without loops little can gather: what is defined here may be called without writing first.
    const bool gathers_little = back_edges.empty() && !function.callsFunctionThatReturnsTwice();
    std::vector<llvm::Instruction*> places;
    for (BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<CallBase>(&instruction);
        if (call == nullptr || is_transparent(*call)) continue;
        if (!must_write_before(*call, gathers_little)) continue;
        places.push_back(call);
      }
      llvm::Instruction* end = block.getTerminator();
      if (!llvm::isa<llvm::ReturnInst>(end) && !llvm::isa<llvm::ResumeInst>(end)) continue;
      const auto* last = end->getPrevNonDebugInstruction();
      if (const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(last); call != nullptr && call->isMustTailCall()) {
        if (places.empty() || places.back() != call) places.push_back(const_cast<llvm::CallInst*>(call));
        continue;
      }
      places.push_back(end);
    }
    return places;
  }

  [[nodiscard]] bool must_write_before(const CallBase& call, bool gathers_little) const {
    if (call.doesNotReturn()) return true;
    if (how_.exceptions && !call.doesNotThrow()) return true;
    const Function* callee = call.getCalledFunction();
    if (callee == nullptr) return true;
    return !quiet_.contains(callee) && (!gathers_little || callee->isDeclaration());
  }

  void write(llvm::Instruction* place, const std::vector<llvm::AllocaInst*>& sums, std::uint64_t record) {
    IRBuilder<> at(place);
    llvm::Value* thread = counters_.thread(at);
    llvm::Value* own = counters_.record(at, thread, record);
    for (unsigned metric = 0; metric < 2; ++metric) {
      llvm::Value* sum = at.CreateLoad(at.getInt64Ty(), sums[metric]);
      counters_.add(at, thread, metric * 8, sum);
      counters_.add(at, own, metric * 8, sum);
      at.CreateStore(at.getInt64(0), sums[metric]);
    }
  }

  const Instrumentation& how_;
  Counters counters_;
  std::vector<Function*> functions_;
  std::set<const Function*> quiet_;
};

}  // namespace

void instrument(llvm::Module& module, const Instrumentation& how) { Instrumenter(module, how).run(); }

}  // namespace strata::annotate
