#include "annotate/tool/emit.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace strata::annotate {

Result<void> emit(llvm::Module& module, llvm::TargetMachine& machine, const std::string& file, bool assembly) {
  std::error_code problem;
  llvm::raw_fd_ostream out(file, problem, llvm::sys::fs::OF_None);
  if (problem) return Error{{file, 0, 0, ""}, problem.message(), "choose a place that can be written"};
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(llvm::TargetLibraryInfoImpl(machine.getTargetTriple())));
  const llvm::CodeGenFileType type = assembly ? llvm::CGFT_AssemblyFile : llvm::CGFT_ObjectFile;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type)) {
    return Error{{file, 0, 0, ""}, "LLVM cannot write this kind of file", ""};
  }
  passes.run(module);
  return {};
}

}  // namespace strata::annotate
