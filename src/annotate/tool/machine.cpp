#include "annotate/tool/machine.hpp"

#include <array>

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>

namespace strata::annotate {

namespace {

constexpr std::array kMachineAttributes = {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                                           "min-legal-vector-width"};

// What a pointer is known to be aligned to without the front end's generosity.
llvm::Align natural_alignment(const llvm::Value* pointer, const llvm::DataLayout& layout) {
  const llvm::Value* object = pointer->stripPointerCasts();
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) {
    return layout.getABITypeAlign(local->getAllocatedType());
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    return layout.getABITypeAlign(global->getValueType());
  }
  return llvm::Align(8);
}

void relax_copy(llvm::MemIntrinsic& copy, const llvm::DataLayout& layout) {
  const auto relaxed = [&](const llvm::Value* pointer, llvm::MaybeAlign given) -> llvm::MaybeAlign {
    if (!given || *given < llvm::Align(16)) return {};
    const llvm::Align natural = natural_alignment(pointer, layout);
    return natural > *given ? llvm::MaybeAlign{} : llvm::MaybeAlign{natural};
  };
  if (const auto align = relaxed(copy.getRawDest(), copy.getDestAlign())) copy.setDestAlignment(*align);
  if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy)) {
    if (const auto align = relaxed(transfer->getRawSource(), transfer->getSourceAlign())) {
      transfer->setSourceAlignment(*align);
    }
  }
}

void relax_instruction(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    if (local->getAllocatedType()->isArrayTy() && local->getAlign() == llvm::Align(16)) {
      local->setAlignment(layout.getABITypeAlign(local->getAllocatedType()));
    }
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    load->setAlignment(std::min(load->getAlign(), layout.getABITypeAlign(load->getType())));
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    store->setAlignment(std::min(store->getAlign(), layout.getABITypeAlign(store->getValueOperand()->getType())));
  } else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    relax_copy(*copy, layout);
  }
}

}  // namespace

llvm::CodeGenOpt::Level codegen_level(const std::string& level) {
  if (level == "0") return llvm::CodeGenOpt::None;
  if (level == "1") return llvm::CodeGenOpt::Less;
  if (level == "3") return llvm::CodeGenOpt::Aggressive;
  return llvm::CodeGenOpt::Default;
}

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple, const std::string& cpu,
                                                  const std::string& features, const std::string& level) {
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) llvm::report_fatal_error(llvm::StringRef(problem), false);
  const llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, llvm::None, codegen_level(level)));
}

MachineAttributes::MachineAttributes(const llvm::Module& module)
    : triple_(module.getTargetTriple()), layout_(module.getDataLayoutStr()) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    Attributes attributes;
    for (const char* name : kMachineAttributes) {
      if (function.hasFnAttribute(name)) {
        attributes[name] = function.getFnAttribute(name).getValueAsString().str();
      }
    }
    usual_ = attributes;
    functions_[function.getName().str()] = std::move(attributes);
  }
}

void MachineAttributes::restore(llvm::Module& module) const {
  module.setTargetTriple(triple_);
  module.setDataLayout(layout_);
  for (llvm::Function& function : module) {
    for (const char* name : kMachineAttributes) function.removeFnAttr(name);
    if (function.isDeclaration()) continue;
    const auto it = functions_.find(function.getName().str());
    for (const auto& [name, value] : it == functions_.end() ? usual_ : it->second) function.addFnAttr(name, value);
  }
}

void retarget(llvm::Module& module, const llvm::TargetMachine& machine, const Target& target,
              const std::string& level) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  const bool is_arm64 = machine.getTargetTriple().isAArch64();
  const bool is_arm = machine.getTargetTriple().isARM() || machine.getTargetTriple().isThumb();
  const bool is_bare = machine.getTargetTriple().getOS() == llvm::Triple::UnknownOS;
  for (llvm::Function& function : module) {
    std::string frame = "none";
    if (function.hasFnAttribute("frame-pointer")) {
      frame = function.getFnAttribute("frame-pointer").getValueAsString().str();
    }
    if (is_arm64) frame = "non-leaf";
    if (is_arm) frame = level == "0" || is_bare ? "all" : "none";
    for (const char* name : kMachineAttributes) function.removeFnAttr(name);
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("frame-pointer", frame);
    if (!is_arm64 && !is_arm) function.addFnAttr("tune-cpu", "generic");
  }
}

void relax_alignment(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& global : module.globals()) {
    if (!global.isDeclaration() && global.getValueType()->isArrayTy() && global.getAlign() == llvm::Align(16)) {
      global.setAlignment(layout.getABITypeAlign(global.getValueType()));
    }
  }
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) relax_instruction(instruction, layout);
    }
  }
}

}  // namespace strata::annotate
