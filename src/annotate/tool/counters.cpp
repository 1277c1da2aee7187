#include "annotate/tool/counters.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "annotate/tool/abi.hpp"

namespace strata::annotate {

using llvm::Constant;
using llvm::ConstantExpr;
using llvm::GlobalValue;
using llvm::GlobalVariable;
using llvm::IRBuilder;
using llvm::Type;

Counters::Counters(llvm::Module& module, const Target& target) : module_(module), target_(target) {
  llvm::LLVMContext& context = module.getContext();
  Type* pointer = Type::getInt8PtrTy(context);
  Type* word = Type::getInt64Ty(context);
  thread_ = new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage, nullptr, abi::kThread, nullptr,
                               GlobalValue::InitialExecTLSModel);
  table_type_ = llvm::StructType::create(
      {word, word, pointer->getPointerTo(), pointer, Type::getDoubleTy(context), pointer}, "strata.module");
  table_ = new GlobalVariable(module, table_type_, false, GlobalValue::InternalLinkage,
                              Constant::getNullValue(table_type_), "__strata_table");
}

std::uint64_t Counters::add_record(const llvm::Function& function) {
  std::string name = "f" + function.getName().str();
  if (const llvm::DISubprogram* place = function.getSubprogram()) {
    name += '\t' + place->getFilename().str() + ':' + std::to_string(place->getLine());
  }
  names_.push_back(std::move(name));
  return names_.size() - 1;
}

std::uint64_t Counters::add_library_record(const std::string& name) {
  const auto [it, added] = library_.try_emplace(name, names_.size());
  if (added) names_.push_back("l" + name);
  return it->second;
}

llvm::Value* Counters::thread(IRBuilder<>& at) { return at.CreateLoad(at.getInt8PtrTy(), thread_); }

llvm::Value* Counters::record(IRBuilder<>& at, llvm::Value* thread, std::uint64_t number) {
  llvm::Value* base = at.CreateLoad(at.getInt64Ty(), at.CreateStructGEP(table_type_, table_, 0));
  llvm::Value* records = at.CreateInBoundsGEP(at.getInt8Ty(), thread, base);
  return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), records, abi::kRecords + number * abi::kRecordSize);
}

void Counters::add(IRBuilder<>& at, llvm::Value* area, std::uint64_t offset, llvm::Value* amount) {
  llvm::Value* raw = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), area, offset);
  llvm::Value* counter = at.CreateBitCast(raw, at.getInt64Ty()->getPointerTo());
  at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt64Ty(), counter), amount), counter);
}

void Counters::store_pointer(IRBuilder<>& at, llvm::Value* area, std::uint64_t offset, llvm::Value* pointer) {
  llvm::Value* raw = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), area, offset);
  at.CreateStore(pointer, at.CreateBitCast(raw, at.getInt8PtrTy()->getPointerTo()));
}

Constant* Counters::text(const std::string& text) {
  Constant*& known = texts_[text];
  if (known == nullptr) {
    Constant* data = llvm::ConstantDataArray::getString(module_.getContext(), text);
    auto* global = new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data, "");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = ConstantExpr::getPointerCast(global, Type::getInt8PtrTy(module_.getContext()));
  }
  return known;
}

void Counters::finish() {
  if (names_.empty()) {
    table_->eraseFromParent();
    if (thread_->use_empty()) thread_->eraseFromParent();
    return;
  }
  llvm::LLVMContext& context = module_.getContext();
  Type* pointer = Type::getInt8PtrTy(context);
  Type* word = Type::getInt64Ty(context);
  std::vector<Constant*> names;
  for (const std::string& name : names_) names.push_back(text(name));
  auto* list_type = llvm::ArrayType::get(pointer, names.size());
  auto* list = new GlobalVariable(module_, list_type, true, GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(list_type, names), "__strata_names");
  table_->setInitializer(llvm::ConstantStruct::get(
      table_type_, {llvm::ConstantInt::get(word, 0), llvm::ConstantInt::get(word, names.size()),
                    ConstantExpr::getPointerCast(list, pointer->getPointerTo()), text(target_.name),
                    llvm::ConstantFP::get(Type::getDoubleTy(context), target_.hz), Constant::getNullValue(pointer)}));

  auto* type = llvm::FunctionType::get(Type::getVoidTy(context), false);
  auto* start = llvm::Function::Create(type, GlobalValue::InternalLinkage, "__strata_start", module_);
  IRBuilder<> at(llvm::BasicBlock::Create(context, "", start));
  const llvm::FunctionCallee enter = module_.getOrInsertFunction(abi::kRegister, Type::getVoidTy(context), pointer);
  at.CreateCall(enter, {at.CreateBitCast(table_, pointer)});
  at.CreateRetVoid();
  llvm::appendToGlobalCtors(module_, start, 1);
}

}  // namespace strata::annotate
