// Target machines of LLVM, and moving a module from one to another: triple, data layout and function attributes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "annotate/targets.hpp"

namespace strata::annotate {

/// Optimisation level of the code generator that belongs to clang's -O`level`.
[[nodiscard]] llvm::CodeGenOpt::Level codegen_level(const std::string& level);

[[nodiscard]] std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple, const std::string& cpu,
                                                                const std::string& features, const std::string& level);

/// The attributes that belong to a machine, by function, so that they can be put back.
class MachineAttributes {
 public:
  /// Remembers those of all functions of `module`.
  explicit MachineAttributes(const llvm::Module& module);
  /// Puts them back, with triple and data layout; functions made meanwhile get those of any other.
  void restore(llvm::Module& module) const;
  [[nodiscard]] const std::string& triple() const { return triple_; }

 private:
  using Attributes = std::map<std::string, std::string>;
  std::string triple_;
  std::string layout_;
  std::map<std::string, Attributes> functions_;
  Attributes usual_;
};

/// Makes `module` one for `target`, as clang would have with -O`level`.
void retarget(llvm::Module& module, const llvm::TargetMachine& machine, const Target& target, const std::string& level);

/// Front ends for x86 align arrays more than the language asks for, others do not.
void relax_alignment(llvm::Module& module);

}  // namespace strata::annotate
