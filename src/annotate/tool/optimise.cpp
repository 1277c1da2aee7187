#include "annotate/tool/optimise.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/ErrorHandling.h>

#include "annotate/tool/split_conditions.hpp"

namespace strata::annotate {

namespace {

// The analyses a pass pipeline needs; they refer to each other, so they live and die together.
struct Analyses {
  llvm::LoopAnalysisManager loop;
  llvm::FunctionAnalysisManager function;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager module;

  Analyses(llvm::PassBuilder& builder, const llvm::Module& of) {
    const llvm::TargetLibraryInfoImpl library{llvm::Triple(of.getTargetTriple())};
    function.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(module);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(function);
    builder.registerLoopAnalyses(loop);
    builder.crossRegisterProxies(loop, function, graph, module);
  }
};

llvm::OptimizationLevel level_of(const std::string& level) {
  if (level == "0") return llvm::OptimizationLevel::O0;
  if (level == "1") return llvm::OptimizationLevel::O1;
  if (level == "3") return llvm::OptimizationLevel::O3;
  if (level == "s") return llvm::OptimizationLevel::Os;
  if (level == "z") return llvm::OptimizationLevel::Oz;
  return llvm::OptimizationLevel::O2;
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const char* passes) {
  llvm::PassBuilder builder(&machine);
  Analyses analyses(builder, module);
  llvm::ModulePassManager manager;
  if (auto problem = builder.parsePassPipeline(manager, passes)) llvm::report_fatal_error(std::move(problem));
  manager.run(module, analyses.module);
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const std::string& level) {
  // The settings that clang derives from the level.
  const bool above_one = level != "0" && level != "1";
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = above_one;
  tuning.LoopInterleaving = above_one;
  tuning.LoopVectorization = above_one && level != "z";
  tuning.SLPVectorization = above_one;
  // Keeps the passes away from functions that must not be optimised.
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skip(false);
  skip.registerCallbacks(callbacks);
  llvm::PassBuilder builder(&machine, tuning, llvm::None, &callbacks);
  Analyses analyses(builder, module);
  const llvm::OptimizationLevel wanted = level_of(level);
  llvm::ModulePassManager manager = wanted == llvm::OptimizationLevel::O0
                                        ? builder.buildO0DefaultPipeline(wanted)
                                        : builder.buildPerModuleDefaultPipeline(wanted);
  manager.run(module, analyses.module);
}

void settle_control_flow(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine,
             "function(simplifycfg<forward-switch-cond;switch-to-lookup;no-keep-loops;hoist-common-insts;"
             "sink-common-insts>)");
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) split_conditions(function);
  }
}

void fold_counting(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, "function(instcombine,loop-simplify,lcssa,loop(indvars),instcombine)");
}

}  // namespace strata::annotate
