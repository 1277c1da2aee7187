#include "annotate/tool/charges.hpp"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "annotate/tool/abi.hpp"

namespace strata::annotate {

namespace {

using llvm::CallBase;
using llvm::IRBuilder;
using llvm::Value;

// The library function that an intrinsic may become; empty if none.
std::string library_name(const llvm::IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
      return "memcpy";
    case llvm::Intrinsic::memmove:
      return "memmove";
    case llvm::Intrinsic::memset:
      return "memset";
    default:
      break;
  }
  // llvm.sin.f64 becomes sin, llvm.sin.f32 sinf.
  llvm::StringRef name = intrinsic.getCalledFunction()->getName();
  if (!name.consume_front("llvm.") || intrinsic.getType()->isVectorTy()) return "";
  const auto [function, type] = name.split('.');
  if (type == "f64") return function.str();
  return type == "f32" ? function.str() + "f" : "";
}

bool take(std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return false;
  names.erase(it);
  return true;
}

Value* as_word(IRBuilder<>& at, Value* value) {
  if (value->getType()->isPointerTy()) return at.CreatePtrToInt(value, at.getInt64Ty());
  return value->getType()->isIntegerTy() ? at.CreateSExtOrTrunc(value, at.getInt64Ty()) : at.getInt64(0);
}

// Where the result of a call is at hand; null if that place is reached otherwise too.
llvm::Instruction* behind(CallBase* call) {
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call)) {
    llvm::BasicBlock* next = invoke->getNormalDest();
    return next->getSinglePredecessor() == nullptr ? nullptr : &*next->getFirstInsertionPt();
  }
  if (llvm::isa<llvm::CallBrInst>(call) || llvm::cast<llvm::CallInst>(call)->isMustTailCall()) return nullptr;
  return call->getNextNode();
}

}  // namespace

void Charges::find(llvm::Function& function, const FunctionCosts& costs) {
  for (llvm::BasicBlock& block : function) {
    const auto it = costs.calls.find(number_of(&block));
    find_in(block, it == costs.calls.end() ? std::vector<std::string>{} : it->second);
  }
}

void Charges::find_in(llvm::BasicBlock& block, std::vector<std::string> called) {
  std::vector<llvm::IntrinsicInst*> intrinsics;
  for (llvm::Instruction& instruction : block) {
    auto* call = llvm::dyn_cast<CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::InlineAsm>(call->getCalledOperand())) continue;
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call)) {
      intrinsics.push_back(intrinsic);
      continue;
    }
    const llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr && !callee->isDeclaration()) continue;
    const std::string name = callee == nullptr ? "" : callee->getName().str();
    const bool taken = take(called, name);
    const auto cost = library_.find(name);
    // Square roots are computed by an instruction; the library is called for negative numbers only.
    const bool inlined = !taken && (name == "sqrt" || name == "sqrtf");
    if (inlined) continue;
    if (cost != library_.end()) {
      charges_.push_back({call, &cost->second});
    } else {
      unknown_.push_back(call);
    }
  }
  // Of several copies the target calls the library for the long ones, and expands those of a small known size.
  std::stable_sort(intrinsics.begin(), intrinsics.end(), [](const auto* a, const auto* b) {
    const auto weight = [](const llvm::IntrinsicInst* intrinsic) {
      const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(intrinsic);
      const auto* size = copy == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      return size == nullptr ? ~std::uint64_t{0} : size->getZExtValue();
    };
    return weight(a) > weight(b);
  });
  for (llvm::IntrinsicInst* intrinsic : intrinsics) {
    const std::string name = library_name(*intrinsic);
    if (name.empty() || !take(called, name)) continue;
    if (const auto cost = library_.find(name); cost != library_.end()) charges_.push_back({intrinsic, &cost->second});
  }
  if (llvm::isa<llvm::ResumeInst>(block.getTerminator())) {
    const auto cost = library_.find("_Unwind_Resume");
    if (cost != library_.end()) helpers_.push_back({&block, &cost->second});
  }
  // What only the machine code calls: division, floating point and atomics in software.
  for (const std::string& name : called) {
    const auto cost = library_.find(name);
    const bool helper = name.starts_with("__");
    if (helper && cost != library_.end() && block.getModule()->getFunction(name) == nullptr) {
      helpers_.push_back({&block, &cost->second});
    }
  }
}

void Charges::insert() {
  for (const Charge& charge : charges_) insert(charge);
  for (const auto& [block, cost] : helpers_) {
    IRBuilder<> at(block->getTerminator());
    charge(at, *cost, at.getInt64(0));
  }
  for (CallBase* call : unknown_) {
    // While it runs, host time is its own.
    IRBuilder<> before(call);
    const llvm::Function* callee = call->getCalledFunction();
    llvm::Constant* name = counters_.text(callee == nullptr ? "indirect call" : callee->getName().str());
    counters_.store_pointer(before, counters_.thread(before), abi::kCallee, name);
    if (llvm::Instruction* next = behind(call); next != nullptr && !call->doesNotReturn()) {
      IRBuilder<> after(next);
      llvm::Constant* nobody = llvm::ConstantPointerNull::get(after.getInt8PtrTy());
      counters_.store_pointer(after, counters_.thread(after), abi::kCallee, nobody);
    }
  }
}

void Charges::insert(const Charge& charge_of) {
  CallBase* call = charge_of.call;
  const LibraryCost& cost = *charge_of.cost;
  IRBuilder<> before(call);
  const auto argument = [&](unsigned index) -> Value* {
    return index < call->arg_size() ? call->getArgOperand(index) : before.getInt64(0);
  };
  const auto helper = [&](const char* name, std::vector<Value*> values) -> Value* {
    std::vector<llvm::Type*> types(values.size(), before.getInt64Ty());
    auto* type = llvm::FunctionType::get(before.getInt64Ty(), types, false);
    for (Value*& value : values) value = as_word(before, value);
    return before.CreateCall(counters_.module().getOrInsertFunction(name, type), values);
  };
  switch (cost.measure) {
    case Measure::kConstant:
      return charge(before, cost, before.getInt64(0));
    case Measure::kArgument:
      return charge(before, cost, as_word(before, argument(cost.argument)));
    case Measure::kText:
      return charge(before, cost, helper("__strata_length", {argument(cost.argument)}));
    case Measure::kSame:
      if (cost.argument == 0) return charge(before, cost, helper("__strata_same_text", {argument(0), argument(1)}));
      return charge(before, cost, helper("__strata_same", {argument(0), argument(1), argument(cost.argument)}));
    case Measure::kResult:
    case Measure::kDistance:
      break;
  }
  llvm::Instruction* next = behind(call);
  if (next == nullptr) return charge(before, cost, before.getInt64(0));
  IRBuilder<> after(next);
  Value* size = as_word(after, call);
  if (cost.measure == Measure::kDistance) {
    // A null result means: not found, in a text of unknown length.
    Value* distance = after.CreateSub(size, as_word(after, argument(0)));
    size = after.CreateSelect(after.CreateICmpEQ(size, after.getInt64(0)), after.getInt64(0), distance);
  }
  charge(after, cost, size);
}

void Charges::charge(IRBuilder<>& at, const LibraryCost& cost, Value* size) {
  Value* own = counters_.record(at, counters_.thread(at), counters_.add_library_record(cost.name));
  auto* type = llvm::FunctionType::get(at.getVoidTy(), {own->getType(), at.getInt8PtrTy(), at.getInt64Ty()}, false);
  at.CreateCall(counters_.module().getOrInsertFunction(abi::kCharge, type), {own, table_of(cost), size});
}

llvm::Constant* Charges::table_of(const LibraryCost& cost) {
  llvm::Module& module = counters_.module();
  const std::string name = "__strata_cost." + cost.name;
  llvm::GlobalVariable* table = module.getNamedGlobal(name);
  if (table == nullptr) {
    std::vector<double> data{static_cast<double>(cost.points.size())};
    for (const CostPoint& point : cost.points) {
      data.insert(data.end(), {point.size, point.instructions * abi::kUnit, point.cycles * abi::kUnit});
    }
    llvm::Constant* content = llvm::ConstantDataArray::get(module.getContext(), data);
    table =
        new llvm::GlobalVariable(module, content->getType(), true, llvm::GlobalValue::InternalLinkage, content, name);
  }
  return llvm::ConstantExpr::getPointerCast(table, llvm::Type::getInt8PtrTy(module.getContext()));
}

}  // namespace strata::annotate
