#include "annotate/tool/placement.hpp"

#include <cmath>
#include <set>

#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "annotate/tool/abi.hpp"
#include "annotate/tool/machine_costs.hpp"

namespace strata::annotate {

namespace {

using llvm::BasicBlock;

Amount amount_of(const Cost& cost) {
  return {std::llround(cost.instructions * abi::kUnit), std::llround(cost.cycles * abi::kUnit)};
}

bool is_zero(const Amount& amount) { return amount[0] == 0 && amount[1] == 0; }

class Placer {
 public:
  Placer(llvm::Function& function, const BlockCosts& costs) : function_(function), costs_(costs) {}

  Placement run() {
    for (BasicBlock& block : function_) {
      const int number = number_of(&block);
      if (number >= 0 && static_cast<std::size_t>(number) < costs_.block.size()) {
        add(&block, amount_of(costs_.block[static_cast<std::size_t>(number)]));
      }
    }
    for (BasicBlock& block : function_) place_edges(block);
    for (const auto& [from, to] : to_split_) split(from, to);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Amount edge(const BasicBlock* from, const BasicBlock* to) const {
    const auto it = costs_.edge.find({number_of(from), number_of(to)});
    return it == costs_.edge.end() ? Amount{} : amount_of(it->second);
  }

  void add(BasicBlock* block, const Amount& amount) {
    if (is_zero(amount)) return;
    Amount& sum = out_.at_block[block];
    sum[0] += amount[0];
    sum[1] += amount[1];
  }

  void place_edges(BasicBlock& block) {
    llvm::Instruction* end = block.getTerminator();
    if (end->getNumSuccessors() == 0) return;
    if (end->getNumSuccessors() == 1) {
      add(&block, edge(&block, end->getSuccessor(0)));
    } else if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) {
      place_branch(*branch);
    } else {
      place_many(*end);
    }
  }

  void place_branch(llvm::BranchInst& branch) {
    BasicBlock* block = branch.getParent();
    std::array<Amount, 2> amounts;
    for (unsigned i = 0; i < 2; ++i) {
      BasicBlock* to = branch.getSuccessor(i);
      amounts[i] = edge(block, to);
      if (to->getSinglePredecessor() == nullptr) continue;
      add(to, amounts[i]);
      amounts[i] = {};
    }
    if (amounts[0] == amounts[1]) {
      add(block, amounts[0]);
    } else {
      out_.at_branch.push_back({&branch, amounts[0], amounts[1]});
    }
  }

  // A switch, a call that may throw, a computed goto.
  void place_many(llvm::Instruction& end) {
    BasicBlock* block = end.getParent();
    std::set<BasicBlock*> seen;
    for (unsigned i = 0; i < end.getNumSuccessors(); ++i) {
      BasicBlock* to = end.getSuccessor(i);
      if (!seen.insert(to).second) continue;
      const Amount amount = edge(block, to);
      if (to->getUniquePredecessor() != nullptr) {
        add(to, amount);
      } else if (const auto* call = llvm::dyn_cast<llvm::InvokeInst>(&end)) {
        if (to == call->getNormalDest()) add(block, amount);
      } else if (llvm::isa<llvm::SwitchInst>(end)) {
        if (!is_zero(amount)) to_split_.emplace_back(block, to);
      } else {
        const auto ways = static_cast<std::int64_t>(end.getNumSuccessors());
        add(block, {amount[0] / ways, amount[1] / ways});
      }
    }
  }

  void split(BasicBlock* from, BasicBlock* to) {
    const Amount amount = edge(from, to);
    auto* end = llvm::cast<llvm::SwitchInst>(from->getTerminator());
    // Several cases may lead to one place: they share one new block.
    BasicBlock* between = BasicBlock::Create(from->getContext(), "", from->getParent(), to);
    llvm::BranchInst::Create(to, between)->setDebugLoc(end->getDebugLoc());
    unsigned ways = 0;
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
      if (end->getSuccessor(i) != to) continue;
      end->setSuccessor(i, between);
      ++ways;
    }
    for (llvm::PHINode& phi : to->phis()) {
      for (unsigned i = 1; i < ways; ++i) phi.removeIncomingValue(from, false);
      phi.replaceIncomingBlockWith(from, between);
    }
    add(between, amount);
  }

  llvm::Function& function_;
  const BlockCosts& costs_;
  Placement out_;
  std::vector<std::pair<BasicBlock*, BasicBlock*>> to_split_;
};

}  // namespace

Placement place_costs(llvm::Function& function, const BlockCosts& costs) { return Placer(function, costs).run(); }

}  // namespace strata::annotate
