#include "annotate/tool/split_conditions.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace strata::annotate {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// The parts of a condition made of two, if instruction selection would branch on them one after the other.
struct Parts {
  Instruction* whole = nullptr;
  Value* first = nullptr;
  Value* second = nullptr;
  bool is_or = false;
};

bool is_in(const Value* value, const BasicBlock* block) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  return instruction == nullptr || instruction->getParent() == block;
}

// Two comparisons that become one: of the same pair, or both with zero.
bool becomes_one(const Value* first, const Value* second, bool is_or) {
  const auto* a = llvm::dyn_cast<llvm::CmpInst>(first);
  const auto* b = llvm::dyn_cast<llvm::CmpInst>(second);
  if (a == nullptr || b == nullptr) return false;
  const bool same = a->getOperand(0) == b->getOperand(0) && a->getOperand(1) == b->getOperand(1);
  const bool swapped = a->getOperand(0) == b->getOperand(1) && a->getOperand(1) == b->getOperand(0);
  if (same || swapped) return true;
  const auto* zero = llvm::dyn_cast<llvm::Constant>(a->getOperand(1));
  if (zero == nullptr || !zero->isNullValue() || a->getOperand(1) != b->getOperand(1)) return false;
  if (a->getPredicate() != b->getPredicate()) return false;
  return a->getPredicate() == (is_or ? llvm::CmpInst::ICMP_NE : llvm::CmpInst::ICMP_EQ);
}

bool find_parts(llvm::BranchInst& branch, Parts& parts) {
  using namespace llvm::PatternMatch;
  if (!branch.isConditional() || branch.getMetadata(llvm::LLVMContext::MD_unpredictable) != nullptr) return false;
  if (branch.getSuccessor(0) == branch.getSuccessor(1)) return false;
  const BasicBlock* block = branch.getParent();
  parts.whole = llvm::dyn_cast<Instruction>(branch.getCondition());
  if (parts.whole == nullptr || !parts.whole->hasOneUse() || parts.whole->getParent() != block) return false;
  if (!parts.whole->getType()->isIntegerTy(1)) return false;
  parts.is_or = match(parts.whole, m_LogicalOr(m_Value(parts.first), m_Value(parts.second)));
  if (!parts.is_or && !match(parts.whole, m_LogicalAnd(m_Value(parts.first), m_Value(parts.second)))) return false;
  if (!is_in(parts.first, block) || !is_in(parts.second, block)) return false;
  if (becomes_one(parts.first, parts.second, parts.is_or)) return false;
  return !(match(parts.first, m_ExtractElt(m_Value(), m_Value())) &&
           match(parts.second, m_ExtractElt(m_Value(), m_Value())));
}

bool may_sink(const Instruction& instruction) {
  return instruction.hasOneUse() && (llvm::isa<llvm::CmpInst>(instruction) || instruction.isBinaryOp() ||
                                     llvm::isa<llvm::SelectInst>(instruction));
}

// What only the second branch needs moves to it, as instruction selection computes it there.
void sink_second(Value* second, BasicBlock* into, const BasicBlock* from) {
  auto* instruction = llvm::dyn_cast<Instruction>(second);
  if (instruction == nullptr || !may_sink(*instruction)) return;
  instruction->moveBefore(into->getTerminator());
  if (llvm::isa<llvm::CmpInst>(instruction)) return;
  for (Value* operand : instruction->operands()) {
    auto* inner = llvm::dyn_cast<llvm::CmpInst>(operand);
    if (inner != nullptr && inner->hasOneUse() && inner->getParent() == from) inner->moveBefore(instruction);
  }
}

BasicBlock* split(llvm::BranchInst& branch, const Parts& parts) {
  BasicBlock* block = branch.getParent();
  BasicBlock* yes = branch.getSuccessor(0);
  BasicBlock* no = branch.getSuccessor(1);
  BasicBlock* second = BasicBlock::Create(block->getContext(), "", block->getParent(), block->getNextNode());
  llvm::BranchInst* next = llvm::BranchInst::Create(yes, no, parts.second, second);
  next->setDebugLoc(branch.getDebugLoc());
  branch.setCondition(parts.first);
  // `decided` is reached from both branches now, the other only from the second.
  BasicBlock* decided = parts.is_or ? yes : no;
  BasicBlock* other = parts.is_or ? no : yes;
  branch.setSuccessor(parts.is_or ? 1 : 0, second);
  for (llvm::PHINode& phi : decided->phis()) phi.addIncoming(phi.getIncomingValueForBlock(block), second);
  other->replacePhiUsesWith(block, second);
  branch.setMetadata(llvm::LLVMContext::MD_prof, nullptr);
  parts.whole->eraseFromParent();
  sink_second(parts.second, second, block);
  return second;
}

}  // namespace

void split_conditions(llvm::Function& function) {
  llvm::SmallVector<BasicBlock*, 32> open;
  for (BasicBlock& block : function) open.push_back(&block);
  while (!open.empty()) {
    BasicBlock* block = open.pop_back_val();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    Parts parts;
    if (branch == nullptr || !find_parts(*branch, parts)) continue;
    BasicBlock* second = split(*branch, parts);
    open.push_back(block);
    open.push_back(second);
  }
}

}  // namespace strata::annotate
