#include "annotate/tool/plain.hpp"

#include <algorithm>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

namespace strata::annotate {

namespace {

using llvm::Function;
using llvm::Instruction;

bool has_extended_float(const llvm::Type* type) {
  if (type->isX86_FP80Ty() || type->isX86_MMXTy()) return true;
  return std::any_of(type->subtype_begin(), type->subtype_end(),
                     [](const llvm::Type* part) { return !part->isPointerTy() && has_extended_float(part); });
}

bool uses_extended_float(const Instruction& instruction) {
  if (has_extended_float(instruction.getType())) return true;
  return std::any_of(instruction.op_begin(), instruction.op_end(),
                     [](const llvm::Use& use) { return has_extended_float(use->getType()); });
}

// Why no other processor can run this; empty if it can. Functions around intrinsics are there to be inlined first.
std::string obstacle(const Instruction& instruction, bool is_inlined) {
  if (uses_extended_float(instruction)) return "long double";
  if (llvm::isa<llvm::CallBrInst>(instruction)) return "assembly that jumps";
  if (!is_inlined) return "";
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return "";
  const llvm::StringRef name = call->getCalledFunction()->getName();
  return name.startswith("llvm.x86.") ? "a vector intrinsic of the host" : "";
}

PlainFunction describe(const Function& function, std::string reason) {
  const llvm::DISubprogram* place = function.getSubprogram();
  return {function.getName().str(), std::move(reason), place == nullptr ? 0 : place->getLine()};
}

std::string obstacle(const Function& function, bool is_inlined) {
  if (function.hasFnAttribute(llvm::Attribute::Naked)) return "a naked function";
  for (const llvm::BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      if (std::string reason = obstacle(instruction, is_inlined); !reason.empty()) return reason;
    }
  }
  return "";
}

void remove_assembly(Function& function) {
  std::vector<Instruction*> found;
  for (llvm::BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->isInlineAsm()) found.push_back(&instruction);
    }
  }
  for (Instruction* instruction : found) {
    instruction->replaceAllUsesWith(llvm::UndefValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
}

}  // namespace

std::vector<PlainFunction> set_aside(llvm::Module& module, bool same_architecture) {
  std::vector<PlainFunction> out;
  if (same_architecture) return out;
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const std::string reason = obstacle(function, false);
    if (reason.empty()) continue;
    out.push_back(describe(function, reason));
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.removeFnAttr(llvm::Attribute::MinSize);
    function.removeFnAttr(llvm::Attribute::OptimizeForSize);
    function.addFnAttr(llvm::Attribute::NoInline);
    function.addFnAttr(llvm::Attribute::OptimizeNone);
  }
  return out;
}

std::vector<PlainFunction> prepare_codegen(llvm::Module& module, const std::vector<PlainFunction>& known) {
  std::vector<PlainFunction> out = known;
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const std::string name = function.getName().str();
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const PlainFunction& plain) { return plain.name == name; });
    const std::string reason = is_known ? "" : obstacle(function, true);
    if (!reason.empty()) out.push_back(describe(function, reason));
    if (is_known || !reason.empty()) {
      function.deleteBody();
      function.setComdat(nullptr);
    } else {
      remove_assembly(function);
    }
  }
  return out;
}

}  // namespace strata::annotate
