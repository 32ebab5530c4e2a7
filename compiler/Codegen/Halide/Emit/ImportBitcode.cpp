#include "compiler/Codegen/Halide/Emit/ImportBitcode.h"
#include "compiler/Codegen/Halide/Compile/Declarations.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMIRToLLVMTranslation.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace attnc::halide {

/// Limit of a function's stack, which the stack of any caller's thread has room for.
static constexpr uint64_t mostStackBytes = uint64_t(128) << 10;

/// Erases unused strings and tables, which may refer to each other.
static void eraseUnusedData(llvm::Module &module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::GlobalVariable &global : llvm::make_early_inc_range(module.globals())) {
      global.removeDeadConstantUsers();
      if (!global.use_empty())
        continue;
      global.eraseFromParent();
      changed = true;
    }
  }
}

/// Removes everything but the function and the declarations that it calls; keeps the attributes of its parameters.
/// Returns false, with `error`, if it requires other functions or data.
static bool isolate(llvm::Module &module, StringRef symbol, std::string &error) {
  auto isOperation = [](llvm::Function &function) { return function.getName().starts_with(callPrefix); };
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (isOperation(function))
      function.deleteBody();
    else if (!function.isDeclaration() && function.getName() != symbol)
      function.eraseFromParent();
  eraseUnusedData(module);
  for (llvm::NamedMDNode &node : llvm::make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
    else if (function.isDeclaration() && !function.isIntrinsic() && !isOperation(function))
      error = "its code calls " + function.getName().str();
  }
  if (!module.getFunction(symbol))
    error = "its code has no function " + symbol.str();
  else if (!module.global_empty())
    error = "its code has data of its own";
  return error.empty();
}

/// The bytes that the function allocates on the stack; null if they depend on sizes.
static std::optional<uint64_t> stackBytes(llvm::Function &function) {
  uint64_t bytes = 0;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *alloca = dyn_cast<llvm::AllocaInst>(&instruction)) {
      std::optional<llvm::TypeSize> size = alloca->getAllocationSize(function.getParent()->getDataLayout());
      if (!size)
        return std::nullopt;
      bytes += size->getFixedValue();
    }
  return bytes;
}

static void clean(llvm::Function &function, bool mayContract) {
  function.setAttributes(function.getAttributes().removeFnAttributes(function.getContext()));
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    instruction.dropUnknownNonDebugMetadata();
    if (!isa<llvm::FPMathOperator>(instruction))
      continue;
    llvm::FastMathFlags flags;
    flags.setAllowContract(mayContract);
    instruction.setFastMathFlags(flags);
  }
}

static bool isOnStack(const llvm::Value *pointer) {
  return isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

/// Limits the alignment of masked accesses, whose vector is the result or the first operand, and of copies of bytes.
static void alignOperands(llvm::IntrinsicInst &call,
                          llvm::function_ref<llvm::Align(llvm::Align, llvm::Type *)> limit) {
  for (unsigned number = 0; number < call.arg_size(); ++number) {
    llvm::MaybeAlign found = call.getParamAlign(number);
    if (!found || isOnStack(call.getArgOperand(number)))
      continue;
    llvm::Type *accessed = call.getType()->isVoidTy() ? call.getArgOperand(0)->getType() : call.getType();
    llvm::Align align = accessed->isVectorTy() ? limit(*found, accessed) : llvm::Align(1);
    call.removeParamAttr(number, llvm::Attribute::Alignment);
    call.addParamAttr(number, llvm::Attribute::getWithAlignment(call.getContext(), align));
  }
}

/// Limits alignments to the size of an element, the only alignment of tensors (attn/abi.h). For an update that reads
/// its own result, Halide infers an alignment from the index alone, as if it had allocated the tensor.
static void alignToElements(llvm::Function &function) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  auto limit = [&](llvm::Align found, llvm::Type *accessed) {
    return std::min(found, layout.getABITypeAlign(accessed->getScalarType()));
  };
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *load = dyn_cast<llvm::LoadInst>(&instruction); load && !isOnStack(load->getPointerOperand()))
      load->setAlignment(limit(load->getAlign(), load->getType()));
    else if (auto *store = dyn_cast<llvm::StoreInst>(&instruction); store && !isOnStack(store->getPointerOperand()))
      store->setAlignment(limit(store->getAlign(), store->getValueOperand()->getType()));
    else if (auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction))
      alignOperands(*call, limit);
  }
}

/// Moves the additions of constants after the widening of subscripts from 32 to 64 bits. The rows of a tile then share
/// an address, with offsets that fit in instructions.
static void widenBeforeConstants(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *wide = dyn_cast<llvm::SExtInst>(&instruction);
    auto *sum = wide ? dyn_cast<llvm::AddOperator>(wide->getOperand(0)) : nullptr;
    auto *constant = sum ? dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
    if (!constant || !sum->hasNoSignedWrap())
      continue;
    llvm::IRBuilder<> builder(wide);
    llvm::Value *number = builder.CreateSExt(sum->getOperand(0), wide->getType());
    auto *offset = llvm::ConstantInt::get(wide->getType(), constant->getSExtValue(), /*IsSigned=*/true);
    wide->replaceAllUsesWith(builder.CreateNSWAdd(number, offset));
    wide->eraseFromParent();
  }
}

/// The first element of the loaded vector that a shuffle reads; null if an op other than a shuffle reads the vector.
static std::optional<int> firstRead(llvm::LoadInst &load) {
  int length = cast<llvm::FixedVectorType>(load.getType())->getNumElements(), first = length;
  for (llvm::User *user : load.users()) {
    auto *shuffle = dyn_cast<llvm::ShuffleVectorInst>(user);
    if (!shuffle)
      return std::nullopt;
    for (int element : shuffle->getShuffleMask()) {
      bool isOfSecond = element >= length;
      if (element >= 0 && shuffle->getOperand(isOfSecond) == &load)
        first = std::min(first, isOfSecond ? element - length : element);
    }
  }
  return first;
}

/// Masks unread elements at the start of strided loads. Halide loads every n-th element with a dense load that starts
/// at a multiple of n; for x[n * i - 1] and i = 0 the load starts before x.
static void maskUnreadFronts(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *load = dyn_cast<llvm::LoadInst>(&instruction);
    auto *type = load ? dyn_cast<llvm::FixedVectorType>(load->getType()) : nullptr;
    std::optional<int> first = type && !isOnStack(load->getPointerOperand()) ? firstRead(*load) : std::nullopt;
    if (!first || *first == 0 || *first == int(type->getNumElements()))
      continue;
    llvm::IRBuilder<> builder(load);
    llvm::SmallVector<llvm::Constant *> wanted;
    for (int element = 0; element < int(type->getNumElements()); ++element)
      wanted.push_back(builder.getInt1(element >= *first));
    load->replaceAllUsesWith(builder.CreateMaskedLoad(type, load->getPointerOperand(), load->getAlign(),
                                                      llvm::ConstantVector::get(wanted)));
    load->eraseFromParent();
  }
}

LLVM::LLVMFuncOp importBitcode(const Bitcode &bitcode, StringRef symbol, const Operations &operations,
                               bool mayContract, Location location, ModuleOp code, std::string &error) {
  llvm::LLVMContext llvmContext;
  llvm::MemoryBufferRef buffer(StringRef(bitcode.bytes.data(), bitcode.bytes.size()), symbol);
  auto parsed = llvm::parseBitcodeFile(buffer, llvmContext);
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return {};
  }
  if (!isolate(**parsed, bitcode.symbol, error))
    return {};
  (*parsed)->getFunction(bitcode.symbol)->setName(symbol);
  if (std::optional<uint64_t> bytes = stackBytes(*(*parsed)->getFunction(symbol)); !bytes || *bytes > mostStackBytes) {
    error = "its schedule needs more than 128 KiB on the stack";
    return {};
  }
  clean(*(*parsed)->getFunction(symbol), mayContract);
  maskUnreadFronts(*(*parsed)->getFunction(symbol));
  alignToElements(*(*parsed)->getFunction(symbol));
  widenBeforeConstants(*(*parsed)->getFunction(symbol));
  DialectRegistry registry;
  registerLLVMDialectImport(registry);
  code.getContext()->appendDialectRegistry(registry);
  code.getContext()->loadDialect<DLTIDialect, LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> imported =
      translateLLVMIRToModule(std::move(*parsed), code.getContext(), /*emitExpensiveWarnings=*/false);
  auto function = imported ? imported->lookupSymbol<LLVM::LLVMFuncOp>(symbol) : LLVM::LLVMFuncOp();
  if (!function) {
    error = "its code can't be expressed in MLIR";
    return {};
  }
  function->remove();
  code.push_back(function);
  function.setLinkage(LLVM::Linkage::Internal);
  function->walk([&](Operation *op) { op->setLoc(location); });
  auto pointer = LLVM::LLVMPointerType::get(code.getContext());
  if (failed(function.insertArgument(function.getNumArguments(), pointer, {}, location)))
    llvm_unreachable("a function of LLVM takes another argument");
  insertOperations(function, operations, function.getArguments().back());
  return function;
}

} // namespace attnc::halide
