#include "annotate/tool/scoreboard.hpp"

#include <algorithm>

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSchedule.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace strata::annotate {

namespace {

using llvm::MachineBasicBlock;
using llvm::MachineInstr;

constexpr int kRounds = 24;       // of a loop, until it is steady
constexpr int kSteadyRounds = 8;  // of those, measured

// Runs instructions through a simple pipeline: dispatch in order, wait for operands and units, retire in order.
class Scoreboard {
 public:
  Scoreboard(const llvm::TargetSchedModel& model, const llvm::TargetRegisterInfo& registers)
      : model_(model), registers_(registers) {
    if (model.hasInstrSchedModel()) unit_free_.assign(model.getNumProcResourceKinds(), 0);
    const unsigned window = model.getMCSchedModel()->MicroOpBufferSize;
    in_order_ = window <= 1;
    retired_.assign(std::max(1U, window), 0);
    width_ = std::max(1U, model.getIssueWidth());
  }

  void run(const MachineBasicBlock& block) {
    for (const MachineInstr& instruction : block) run(instruction);
  }

  /// When the next instruction could start.
  [[nodiscard]] double now() const {
    double time = dispatch_;
    for (const double free : unit_free_) time = std::max(time, free);
    return time;
  }
  /// When everything so far has its result.
  [[nodiscard]] double done() const { return std::max(done_, now()); }

 private:
  struct Definition {
    const MachineInstr* instruction;
    unsigned operand;
    double issued;
  };

  void run(const MachineInstr& instruction) {
    if (instruction.isMetaInstruction() || instruction.isDebugInstr()) return;
    const unsigned operations = std::max(1U, model_.getNumMicroOps(&instruction));
    const double slot = static_cast<double>(operations) / width_;
    double start = dispatch_;
    if (!in_order_) start = std::max(start, retired_[oldest_]);
    dispatch_ = start + slot;
    double ready = std::max(start, in_order_ ? last_issue_ : 0.0);
    ready = std::max(ready, operands_ready(instruction));
    ready = std::max(ready, reserve_units(instruction, ready, start));
    last_issue_ = ready;
    const double end = ready + (instruction.isCall() ? 1 : latency(instruction));
    define(instruction, ready);
    if (in_order_) {
      dispatch_ = std::max(dispatch_, ready + 1.0 / width_);
    } else {
      retire(operations, end);
    }
    done_ = std::max(done_, end);
  }

  [[nodiscard]] double latency(const MachineInstr& instruction) const {
    if (!model_.hasInstrSchedModelOrItineraries()) return 1;
    return model_.computeInstrLatency(&instruction);
  }

  [[nodiscard]] double operands_ready(const MachineInstr& instruction) const {
    double ready = 0;
    for (const llvm::MachineOperand& operand : instruction.operands()) {
      if (!operand.isReg() || !operand.getReg().isPhysical() || !operand.readsReg()) continue;
      for (llvm::MCRegUnitIterator unit(operand.getReg().asMCReg(), &registers_); unit.isValid(); ++unit) {
        const auto it = defined_.find(*unit);
        if (it == defined_.end()) continue;
        const Definition& from = it->second;
        // Between a pair of instructions, so that forwarding counts.
        const unsigned wait = from.instruction->isCall()
                                  ? 1
                                  : model_.computeOperandLatency(from.instruction, from.operand, &instruction,
                                                                 instruction.getOperandNo(&operand));
        ready = std::max(ready, from.issued + wait);
        break;
      }
    }
    return ready;
  }

  // Occupies the units the instruction needs; returns when it got all of them.
  double reserve_units(const MachineInstr& instruction, double ready, double start) {
    if (!model_.hasInstrSchedModel()) return ready;
    const llvm::MCSchedClassDesc* kind = model_.resolveSchedClass(&instruction);
    if (!kind->isValid()) return ready;
    const auto* from = model_.getWriteProcResBegin(kind);
    const auto* to = model_.getWriteProcResEnd(kind);
    double issue = ready;
    for (const auto* use = from; use != to; ++use) {
      if (model_.getProcResource(use->ProcResourceIdx)->NumUnits == 0) continue;
      issue = std::max(issue, unit_free_[use->ProcResourceIdx]);
    }
    for (const auto* use = from; use != to; ++use) {
      const unsigned units = model_.getProcResource(use->ProcResourceIdx)->NumUnits;
      if (units == 0) continue;
      double& free = unit_free_[use->ProcResourceIdx];
      // Out of order, a unit is taken by whoever is ready first: only its throughput counts.
      free = std::max(free, in_order_ ? issue : start) + static_cast<double>(use->Cycles) / units;
    }
    return issue;
  }

  void define(const MachineInstr& instruction, double issued) {
    for (const llvm::MachineOperand& operand : instruction.operands()) {
      if (!operand.isReg() || !operand.getReg().isPhysical() || !operand.isDef()) continue;
      for (llvm::MCRegUnitIterator unit(operand.getReg().asMCReg(), &registers_); unit.isValid(); ++unit) {
        defined_[*unit] = {&instruction, instruction.getOperandNo(&operand), issued};
      }
    }
  }

  void retire(unsigned operations, double end) {
    const std::size_t size = retired_.size();
    for (unsigned i = 0; i < operations; ++i) {
      retired_[oldest_] = std::max(end, retired_[(oldest_ + size - 1) % size]);
      oldest_ = (oldest_ + 1) % size;
    }
  }

  const llvm::TargetSchedModel& model_;
  const llvm::TargetRegisterInfo& registers_;
  llvm::DenseMap<unsigned, Definition> defined_;
  std::vector<double> unit_free_;
  std::vector<double> retired_;  // ring of the reorder window
  std::size_t oldest_ = 0;
  bool in_order_ = false;
  double width_ = 1;
  double dispatch_ = 0;
  double last_issue_ = 0;
  double done_ = 0;
};

}  // namespace

std::vector<double> scoreboard_cycles(const llvm::MachineFunction& function,
                                      const llvm::MachineBlockFrequencyInfo& frequency,
                                      const llvm::MachineBranchProbabilityInfo& probability) {
  const llvm::TargetSubtargetInfo& target = function.getSubtarget();
  llvm::TargetSchedModel model;
  model.init(&target);
  const llvm::TargetRegisterInfo& registers = *target.getRegisterInfo();

  const auto steady = [&](const MachineBasicBlock& block) {
    Scoreboard board(model, registers);
    for (int i = 0; i < kRounds - kSteadyRounds; ++i) board.run(block);
    const double from = board.done();
    for (int i = 0; i < kSteadyRounds; ++i) board.run(block);
    return (board.done() - from) / kSteadyRounds;
  };
  const auto likeliest = [&](const MachineBasicBlock& block) {
    const MachineBasicBlock* best = nullptr;
    double most = -1;
    for (const MachineBasicBlock* before : block.predecessors()) {
      const auto p = probability.getEdgeProbability(before, &block);
      const double flow = static_cast<double>(frequency.getBlockFreq(before).getFrequency()) * p.getNumerator();
      if (flow > most) {
        most = flow;
        best = before;
      }
    }
    return best;
  };
  const auto behind = [&](const MachineBasicBlock* before, const MachineBasicBlock& block) {
    Scoreboard board(model, registers);
    if (before != nullptr) board.run(*before);
    const double from = board.now();
    board.run(block);
    return std::max(0.0, board.now() - from);
  };

  std::vector<double> cycles;
  for (const MachineBasicBlock& block : function) {
    cycles.push_back(block.isSuccessor(&block) ? steady(block) : behind(likeliest(block), block));
  }
  return cycles;
}

}  // namespace strata::annotate
