#include "annotate/tool/machine_costs.hpp"

#include <algorithm>
#include <set>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineBlockFrequencyInfo.h>
#include <llvm/CodeGen/MachineBranchProbabilityInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Target/TargetMachine.h>

#include "annotate/tool/scoreboard.hpp"

namespace strata::annotate {

namespace {

using llvm::MachineBasicBlock;
using llvm::MachineInstr;
/// By function: the machine blocks with which IR blocks start, and the numbers of those.
using Heads = std::map<std::string, std::map<const MachineBasicBlock*, int>>;
/// By function and IR block: the IR blocks it leads to.
using Successors = std::map<std::string, std::vector<std::vector<int>>>;

constexpr const char* kPrefix = "strata.";

// Right behind instruction selection: remembers the machine block with which each IR block starts.
class HeadPass final : public llvm::MachineFunctionPass {
 public:
  explicit HeadPass(Heads& heads) : MachineFunctionPass(id_), heads_(heads) {}
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    auto& heads = heads_[function.getName().str()];
    std::set<int> seen;
    for (const MachineBasicBlock& block : function) {
      const int number = number_of(block.getBasicBlock());
      if (number >= 0 && seen.insert(number).second) heads[&block] = number;
    }
    return false;
  }

 private:
  static inline char id_ = 0;
  Heads& heads_;
};

// At the end of code generation: reads the costs.
class CostPass final : public llvm::MachineFunctionPass {
 public:
  CostPass(const Heads& heads, const Successors& successors, const Target& target,
           std::map<std::string, FunctionCosts>& out)
      : MachineFunctionPass(id_), heads_(heads), successors_(successors), target_(target), out_(out) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::MachineBlockFrequencyInfo>();
    usage.addRequired<llvm::MachineBranchProbabilityInfo>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    info_ = function.getSubtarget().getInstrInfo();
    const std::string name = function.getName().str();
    const auto known = successors_.find(name);
    if (known == successors_.end()) return false;  // made by the code generator
    FunctionCosts& costs = out_[name];
    FunctionGraph graph;
    graph.successors = known->second;
    std::map<const MachineBasicBlock*, int> index;
    for (const MachineBasicBlock& block : function) index.emplace(&block, static_cast<int>(index.size()));
    for (const MachineBasicBlock& block : function) {
      graph.machine.push_back(describe(block, index, costs));
    }
    const std::vector<double> cycles = block_cycles(function);
    for (std::size_t i = 0; i < cycles.size(); ++i) graph.machine[i].cost.cycles = cycles[i];
    costs.costs = block_costs(graph);
    return false;
  }

 private:
  // Instructions that the processor will see.
  [[nodiscard]] unsigned count(const MachineInstr& instruction) const {
    if (instruction.isMetaInstruction() || instruction.isDebugInstr() || instruction.isBundle()) return 0;
    const llvm::StringRef name = info_->getName(instruction.getOpcode());
    if (name.startswith("CONSTPOOL") || name.startswith("JUMPTABLE")) return 0;  // data between the code
    if (target_.fixed_size) return (info_->getInstSizeInBytes(instruction) + 3) / 4;
    return 1;
  }

  MachineBlock describe(const MachineBasicBlock& block, const std::map<const MachineBasicBlock*, int>& index,
                        FunctionCosts& costs) {
    const auto& frequency = getAnalysis<llvm::MachineBlockFrequencyInfo>();
    const auto& probability = getAnalysis<llvm::MachineBranchProbabilityInfo>();
    MachineBlock out;
    out.owner = number_of(block.getBasicBlock());
    const auto& heads = heads_.at(block.getParent()->getName().str());
    const auto head = heads.find(&block);
    out.is_head = head != heads.end() && head->second == out.owner;
    out.frequency = std::max<double>(1, static_cast<double>(frequency.getBlockFreq(&block).getFrequency()));
    bool branched = false;
    for (const MachineInstr& instruction : block.instrs()) {
      const unsigned n = count(instruction);
      costs.instructions += n;
      if (!branched) out.cost.instructions += n;
      if (may_leave(instruction)) branched = true;
      if (instruction.isCall()) note_call(instruction, out.owner, costs);
    }
    for (const MachineBasicBlock* next : block.successors()) {
      const llvm::BranchProbability p = probability.getEdgeProbability(&block, next);
      out.exits.push_back(
          {index.at(next), static_cast<double>(p.getNumerator()) / p.getDenominator(), tail(block, next)});
    }
    return out;
  }

  // A branch, or a return that depends on a condition: what follows may not run.
  [[nodiscard]] bool may_leave(const MachineInstr& instruction) const {
    return instruction.isConditionalBranch() || (instruction.isReturn() && info_->isPredicated(instruction));
  }

  static void note_call(const MachineInstr& instruction, int owner, FunctionCosts& costs) {
    for (const llvm::MachineOperand& operand : instruction.operands()) {
      if (operand.isGlobal()) costs.calls[owner].push_back(operand.getGlobal()->getName().str());
      if (operand.isSymbol()) costs.calls[owner].emplace_back(operand.getSymbolName());
    }
  }

  // Instructions behind the first conditional branch that run when the block goes on to `next`.
  [[nodiscard]] double tail(const MachineBasicBlock& block, const MachineBasicBlock* next) const {
    double n = 0;
    bool branched = false;
    for (const MachineInstr& instruction : block.instrs()) {
      if (branched) n += count(instruction);
      if (may_leave(instruction) && !instruction.isBranch()) branched = true;
      if (!instruction.isBranch()) continue;
      const bool leads_there =
          std::any_of(instruction.operands_begin(), instruction.operands_end(),
                      [&](const llvm::MachineOperand& operand) { return operand.isMBB() && operand.getMBB() == next; });
      if (leads_there) return n;
      if (instruction.isConditionalBranch()) branched = true;
    }
    return n;
  }

  std::vector<double> block_cycles(const llvm::MachineFunction& function) {
    const auto& frequency = getAnalysis<llvm::MachineBlockFrequencyInfo>();
    const auto& probability = getAnalysis<llvm::MachineBranchProbabilityInfo>();
    return scoreboard_cycles(function, frequency, probability);
  }

  static inline char id_ = 0;
  const Heads& heads_;
  const Successors& successors_;
  const Target& target_;
  std::map<std::string, FunctionCosts>& out_;
  const llvm::TargetInstrInfo* info_ = nullptr;
};

// Taken before code generation, which changes the IR too.
Successors successors_of(const llvm::Module& module) {
  Successors out;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    auto& blocks = out[function.getName().str()];
    blocks.resize(function.size());
    for (const llvm::BasicBlock& block : function) {
      auto& next = blocks[static_cast<std::size_t>(number_of(&block))];
      for (const llvm::BasicBlock* successor : llvm::successors(&block)) {
        const int number = number_of(successor);
        if (std::find(next.begin(), next.end(), number) == next.end()) next.push_back(number);
      }
      std::sort(next.begin(), next.end());
    }
  }
  return out;
}

}  // namespace

void number_blocks(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // Names are unique in a function: free them all first.
    for (llvm::BasicBlock& block : function) block.setName("");
    int number = 0;
    for (llvm::BasicBlock& block : function) block.setName(kPrefix + llvm::Twine(number++));
  }
}

int number_of(const llvm::BasicBlock* block) {
  if (block == nullptr) return -1;
  llvm::StringRef name = block->getName();
  int number = 0;
  if (!name.consume_front(kPrefix) || name.getAsInteger(10, number)) return -1;
  return number;
}

std::map<std::string, FunctionCosts> machine_costs(llvm::Module& module, llvm::TargetMachine& machine,
                                                   const Target& target) {
  std::map<std::string, FunctionCosts> out;
  Heads heads;
  const Successors successors = successors_of(module);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(llvm::TargetLibraryInfoImpl(machine.getTargetTriple())));
  auto& with_codegen = static_cast<llvm::LLVMTargetMachine&>(machine);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&with_codegen);
  llvm::TargetPassConfig* config = with_codegen.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) llvm::report_fatal_error("the target has no code generator", false);
  passes.add(new HeadPass(heads));
  config->addMachinePasses();
  config->setInitialized();
  passes.add(new CostPass(heads, successors, target, out));
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return out;
}

}  // namespace strata::annotate
