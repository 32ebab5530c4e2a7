#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

bool isAligned(func::FuncOp kernel) {
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number)
    if (kernel.getArgAttr(number, unalignedAttrName))
      return false;
  for (unsigned number = 0; number < kernel.getNumResults(); ++number)
    if (kernel.getResultAttr(number, unalignedAttrName))
      return false;
  return true;
}

unsigned bufferNumber(Value tensor) {
  BlockArgument argument = argumentOf(tensor);
  auto before = argument.getOwner()->getArgumentTypes();
  return llvm::count_if(llvm::make_range(before.begin(), before.begin() + argument.getArgNumber()),
                        llvm::IsaPred<RankedTensorType>);
}

/// Alignments in bytes of the kernel's tensors: operands, then results.
static SmallVector<int64_t> tensorAlignments(func::FuncOp kernel) {
  SmallVector<int64_t> alignments;
  auto add = [&](Type type, Attribute isUnaligned) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      alignments.push_back(isUnaligned ? elementBytes(tensor.getElementType()) : deviceAlignment);
  };
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    add(type, kernel.getArgAttr(number, unalignedAttrName));
  for (auto [number, type] : llvm::enumerate(kernel.getResultTypes()))
    add(type, kernel.getResultAttr(number, unalignedAttrName));
  return alignments;
}

static func::FuncOp openFunction(func::FuncOp kernel, const KernelSizes &sizes, StringRef symbol, ModuleOp code,
                                 int64_t threads) {
  OpBuilder builder = OpBuilder::atBlockEnd(code.getBody());
  Type pointer = LLVM::LLVMPointerType::get(code.getContext());
  SmallVector<bool> sharing = KernelFrame::sharingBuffers(kernel);
  SmallVector<Type> types(sharing.size(), pointer);
  types.append(sizes.numSymbols(), builder.getI64Type());
  types.append(2, pointer);
  auto function = func::FuncOp::create(builder, kernel.getLoc(), symbol, builder.getFunctionType(types, {}));
  function->setAttr(threadsAttrName, builder.getI64IntegerAttr(threads));
  for (auto [number, shares, alignment] : llvm::enumerate(sharing, tensorAlignments(kernel))) {
    function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(alignment));
    if (shares)
      continue;
    function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (number < sizes.numTensorOperands())
      function.setArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  }
  return function;
}

DeviceFrame::DeviceFrame(func::FuncOp kernel, StringRef symbol, ModuleOp code, int64_t threads)
    : KernelFrame(kernel, code), function(openFunction(kernel, sizes, symbol, code, threads)) {
  openBody(function);
  status = function.getArguments().back();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  auto toIndex = [&](Value number) {
    return arith::IndexCastUIOp::create(builder, location, builder.getIndexType(), number);
  };
  Type i32 = builder.getI32Type();
  chunk = toIndex(NVVM::BlockIdXOp::create(builder, location, i32));
  position = {chunk, toIndex(NVVM::ThreadIdXOp::create(builder, location, i32)), code, symbol.str(), threads};
}

} // namespace attnc
