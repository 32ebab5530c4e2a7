#include "compiler/Codegen/Halide/Emit/BufferRecord.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc::halide {

/// Words of a halide_buffer_t: their number, and the positions of the pointers to elements and to dimensions.
static constexpr int recordWords = 7, hostWord = 2, dimensionsWord = 5;

Value pointerOf(ImplicitLocOpBuilder &b, Value memref) {
  LLVMTypeConverter converter(b.getContext());
  Type type = converter.convertType(memref.getType());
  Value descriptor = UnrealizedConversionCastOp::create(b, type, memref).getResult(0);
  return MemRefDescriptor(descriptor).alignedPtr(b, b.getLoc());
}

Value bufferRecord(ImplicitLocOpBuilder &b, Block *function, Value pointer, ArrayRef<RecordDimension> dimensions) {
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), recordWords + 2 * dimensions.size());
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Value record;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(function); // only allocas at the start of a function are static
    Value one = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(1));
    record = LLVM::AllocaOp::create(b, pointerType, type, one, /*alignment=*/8);
  }
  auto wordOf = [&](int word) {
    return LLVM::GEPOp::create(b, pointerType, b.getI64Type(), record, ArrayRef<LLVM::GEPArg>{word});
  };
  LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, type), record);
  LLVM::StoreOp::create(b, pointer, wordOf(hostWord));
  LLVM::StoreOp::create(b, wordOf(recordWords), wordOf(dimensionsWord));
  for (auto [number, dimension] : llvm::enumerate(dimensions)) {
    Value place = wordOf(recordWords + 2 * static_cast<int>(number));
    Value fields[] = {dimension.first, dimension.count, dimension.stride};
    for (auto [word, value] : llvm::enumerate(fields)) {
      Value narrowed = arith::IndexCastOp::create(b, b.getI32Type(), value);
      LLVM::StoreOp::create(b, narrowed,
                            LLVM::GEPOp::create(b, pointerType, b.getI32Type(), place,
                                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)}));
    }
  }
  return record;
}

} // namespace attnc::halide
