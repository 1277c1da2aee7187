// The counters as annotated code sees them: the area of the running thread, the records of this module in it, and the
// table that tells the run-time library whose records they are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "annotate/targets.hpp"

namespace strata::annotate {

class Counters {
 public:
  Counters(llvm::Module& module, const Target& target);

  /// A record for a function of this module; returns its number.
  std::uint64_t add_record(const llvm::Function& function);
  /// A record for a library function; the same for the same name.
  std::uint64_t add_library_record(const std::string& name);

  /// Address of the running thread's area.
  [[nodiscard]] llvm::Value* thread(llvm::IRBuilder<>& at);
  /// Address of a record in it.
  [[nodiscard]] llvm::Value* record(llvm::IRBuilder<>& at, llvm::Value* thread, std::uint64_t number);
  /// Adds to the counter at `offset` bytes from `area`.
  void add(llvm::IRBuilder<>& at, llvm::Value* area, std::uint64_t offset, llvm::Value* amount);
  /// Stores a pointer at `offset` bytes from `area`.
  void store_pointer(llvm::IRBuilder<>& at, llvm::Value* area, std::uint64_t offset, llvm::Value* pointer);
  /// A text of this module.
  [[nodiscard]] llvm::Constant* text(const std::string& text);
  [[nodiscard]] llvm::Module& module() { return module_; }

  /// Writes the table and its registration.
  void finish();

 private:
  llvm::Module& module_;
  const Target& target_;
  llvm::GlobalVariable* thread_;
  llvm::StructType* table_type_;
  llvm::GlobalVariable* table_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint64_t> library_;
  std::map<std::string, llvm::Constant*> texts_;
};

}  // namespace strata::annotate
