// strata-annotate: bitcode of one source in, host object with counters for a target out. Called by strata-cc and
// strata-c++. Exit code 3 says that this file cannot be annotated: the driver then compiles it as it is.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/InitializePasses.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "annotate/tool/emit.hpp"
#include "annotate/tool/instrument.hpp"
#include "annotate/tool/machine.hpp"
#include "annotate/tool/machine_costs.hpp"
#include "annotate/tool/optimise.hpp"
#include "annotate/tool/options.hpp"
#include "annotate/tool/plain.hpp"

namespace strata::annotate {

namespace {

constexpr int kWrongUse = 2;
constexpr int kCannotAnnotate = 3;

void start_llvm() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeARMTargetInfo();
  LLVMInitializeARMTarget();
  LLVMInitializeARMTargetMC();
  LLVMInitializeARMAsmPrinter();
  llvm::PassRegistry& passes = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(passes);
  llvm::initializeCodeGen(passes);
  llvm::initializeAnalysis(passes);
  llvm::initializeTarget(passes);
  llvm::initializeTransformUtils(passes);
  llvm::initializeScalarOpts(passes);
  // The control flow is settled before code generation, see settle_control_flow(); it must not change once more.
  auto& options = llvm::cl::getRegisteredOptions();
  for (const char* name : {"aarch64-enable-atomic-cfg-tidy", "arm-atomic-cfg-tidy"}) {
    if (const auto it = options.find(name); it != options.end()) it->second->addOccurrence(1, name, "0");
  }
}

void print(const Errors& errors) { std::fprintf(stderr, "%s\n", to_text(errors).c_str()); }

void warn(const ToolOptions& options, const std::vector<PlainFunction>& plain) {
  if (options.quiet) return;
  for (const PlainFunction& function : plain) {
    const std::string place =
        function.line == 0 ? options.source : options.source + ":" + std::to_string(function.line);
    std::fprintf(stderr, "%s: warning: '%s' is left plain because of %s; its time shows as unaccounted\n",
                 place.c_str(), function.name.c_str(), function.reason.c_str());
  }
}

Result<LibraryCosts> read_costs(const std::string& file) {
  if (file.empty()) return LibraryCosts{};
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{{file, 0, 0, ""}, "cannot be read", "make it with strata calibrate"};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_library_costs(text, file);
}

void write_map(const std::string& file, const std::map<std::string, FunctionCosts>& costs) {
  std::ofstream out(file);
  for (const auto& [name, function] : costs) {
    out << "function " << name << ' ' << function.instructions << '\n';
    for (std::size_t i = 0; i < function.costs.block.size(); ++i) {
      out << "block " << i << ' ' << function.costs.block[i].instructions << ' ' << function.costs.block[i].cycles
          << '\n';
    }
    for (const auto& [edge, cost] : function.costs.edge) {
      out << "edge " << edge.first << ' ' << edge.second << ' ' << cost.instructions << ' ' << cost.cycles << '\n';
    }
    for (const auto& [from, to] : function.costs.ambiguous) out << "ambiguous " << from << ' ' << to << '\n';
  }
}

// Turns `module` into its annotated self.
void annotate(std::unique_ptr<llvm::Module>& module, const ToolOptions& options, const Target& target,
              const LibraryCosts& library) {
  const MachineAttributes host(*module);
  const bool same = llvm::Triple(host.triple()).getArch() == llvm::Triple(target.triple).getArch();
  const auto machine = make_machine(target.triple, target.cpu, target.features, options.level);
  const std::vector<PlainFunction> aside = set_aside(*module, same);
  retarget(*module, *machine, target, options.level);
  if (!same) relax_alignment(*module);
  optimise(*module, *machine, options.level);
  if (options.level != "0") settle_control_flow(*module, *machine);
  number_blocks(*module);

  // Code generation takes the original: the order of uses in a clone differs, and with it what is generated.
  auto twin = llvm::CloneModule(*module);
  const std::vector<PlainFunction> plain = same ? aside : prepare_codegen(*module, aside);
  warn(options, plain);
  const auto costs = machine_costs(*module, *machine, target);
  if (!options.map.empty()) write_map(options.map, costs);
  module = std::move(twin);

  Instrumentation how{costs, library, target, {}, options.exceptions};
  for (const PlainFunction& function : plain) how.plain.insert(function.name);
  instrument(*module, how);
  host.restore(*module);
}

int run(int count, char** words) {
  const auto options = read_tool_options(count, words);
  if (!options.ok()) {
    print(options.errors());
    return kWrongUse;
  }
  const auto library = read_costs(options->costs);
  if (!library.ok()) {
    print(library.errors());
    return kWrongUse;
  }
  start_llvm();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIRFile(options->input, problem, context);
  if (!module) {
    problem.print("strata-annotate", llvm::errs());
    return kWrongUse;
  }
  const std::string host_triple = module->getTargetTriple();
  annotate(module, *options, *options->targets.front(), *library);
  const auto host = make_machine(host_triple, "", "", options->level);
  if (options->level != "0") fold_counting(*module, *host);
  if (llvm::verifyModule(*module)) return kCannotAnnotate;
  if (const auto written = emit(*module, *host, options->output, options->assembly); !written.ok()) {
    print(written.errors());
    return kWrongUse;
  }
  return 0;
}

}  // namespace

}  // namespace strata::annotate

int main(int count, char** words) { return strata::annotate::run(count, words); }
