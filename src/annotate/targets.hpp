// The processors that code can be annotated for: how LLVM names them, and what a front end must be told so that the
// program it reads is the one the target would run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace strata::annotate {

struct Target {
  std::string name;      ///< as the user writes it: "cortex-a72"
  std::string summary;   ///< one line
  std::string triple;    ///< LLVM's name of architecture and ABI
  std::string cpu;       ///< LLVM's name of the processor
  std::string features;  ///< LLVM's feature string, as clang passes it
  int bits = 64;         ///< of a pointer: 32-bit programs run as 32-bit programs on the host
  bool unsigned_char = false;
  bool fixed_size = false;  ///< every instruction has four bytes
  double hz = 1e9;          ///< clock of the usual board, for time without a board
  std::string library;      ///< target whose table of library costs it uses; empty: its own
  std::string qemu_cpu;     ///< QEMU's name of the processor; empty if user-mode QEMU does not know it
};

[[nodiscard]] const std::vector<Target>& targets();
[[nodiscard]] const Target* find_target(std::string_view name);
/// Reads "cortex-a72" or "cortex-a72,cortex-a53"; `origin` is the option or variable, for messages.
[[nodiscard]] Result<std::vector<const Target*>> read_targets(const std::string& text, const std::string& origin);

inline constexpr const char* kDefaultTarget = "cortex-a72";

}  // namespace strata::annotate
