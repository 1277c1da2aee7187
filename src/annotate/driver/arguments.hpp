// The arguments of a C compiler, read as far as a driver in front of clang has to: what is a source, what is linked,
// which options concern only one of the steps.
#pragma once

#include <string>
#include <vector>

#include "annotate/targets.hpp"

namespace strata::annotate {

struct CompilerArguments {
  enum class Step { kPassThrough, kPreprocess, kAssembly, kObject, kLink };
  struct Source {
    std::string file;
    std::string language;  ///< as of -x in force; empty: by the name
    std::size_t position;  ///< in `words`
  };

  std::vector<std::string> words;  ///< everything for clang, response files opened, our own options removed
  std::vector<Source> sources;     ///< what is annotated: C and C++, not assembly or LLVM's own
  std::vector<const Target*> targets;
  Step step = Step::kLink;
  std::string output;       ///< of -o; empty if not given
  std::string level = "0";  ///< 0, 1, 2, 3, s, z
  bool char_is_given = false;
  bool has_lto = false;
  bool dependencies = false;       ///< -MD or -MMD
  bool dependency_file = false;    ///< -MF
  bool dependency_target = false;  ///< -MT or -MQ
  bool is_static = false;
  bool is_shared = false;
  bool quiet = false;
};

/// `environment` is the value of STRATA_TARGET, may be empty.
[[nodiscard]] Result<CompilerArguments> read_compiler_arguments(const std::vector<std::string>& words,
                                                                const std::string& environment);

/// Words for compiling only: without inputs, -o, -c, -S, and what only the linker understands.
[[nodiscard]] std::vector<std::string> compile_words(const CompilerArguments& arguments);

/// Whether a file of that name holds C++.
[[nodiscard]] bool is_cpp(const CompilerArguments::Source& source, bool driver_is_cpp);

}  // namespace strata::annotate
