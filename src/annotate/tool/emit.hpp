// Host code of an annotated module: an object file or assembly.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/result.hpp"

namespace strata::annotate {

[[nodiscard]] Result<void> emit(llvm::Module& module, llvm::TargetMachine& machine, const std::string& file,
                                bool assembly);

}  // namespace strata::annotate
