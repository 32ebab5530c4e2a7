#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace attnc {

MemRefType memRefOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(type.getContext(), 8);
  return MemRefType::get(type.getShape(), element);
}

/// Sizes and strides of a dense row-major memref, written into its descriptor.
static void setShape(ImplicitLocOpBuilder &b, MemRefDescriptor &descriptor, MemRefType type, ValueRange sizes) {
  Type i64 = b.getI64Type();
  SmallVector<Value> dims;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      dims.push_back(arith::IndexCastOp::create(b, i64, sizes.front()));
      sizes = sizes.drop_front();
    } else {
      dims.push_back(arith::ConstantOp::create(b, b.getI64IntegerAttr(size)));
    }
  }
  Value stride = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    descriptor.setSize(b, b.getLoc(), d, dims[d]);
    descriptor.setStride(b, b.getLoc(), d, stride);
    if (d > 0)
      stride = b.createOrFold<arith::MulIOp>(stride, dims[d]);
  }
}

Value memRefAt(OpBuilder &builder, Location location, Value pointer, MemRefType type, ValueRange sizes) {
  ImplicitLocOpBuilder b(location, builder);
  LLVMTypeConverter converter(builder.getContext());
  auto descriptor = MemRefDescriptor::poison(b, location, converter.convertType(type));
  descriptor.setAllocatedPtr(b, location, pointer);
  descriptor.setAlignedPtr(b, location, pointer);
  descriptor.setConstantOffset(b, location, 0);
  setShape(b, descriptor, type, sizes);
  return UnrealizedConversionCastOp::create(b, type, Value(descriptor)).getResult(0);
}

KernelFrame::KernelFrame(func::FuncOp kernel, ModuleOp code)
    : code(code), sizes(kernel), builder(kernel.getContext()), location(kernel.getLoc()), kernel(kernel) {}

KernelFrame::KernelFrame(func::FuncOp kernel, StringRef symbol, ModuleOp code) : KernelFrame(kernel, code) {
  func::FuncOp body = openFunctions(symbol, code);
  openBody(body);
  auto own = body.getArguments().take_back(4);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body.front());
  chunk = arith::IndexCastOp::create(builder, location, builder.getIndexType(), own[0]);
  scratchPointer = own[1];
  sharedPointer = own[2];
  status = own[3];
}

static void setAttribute(func::FuncOp function, unsigned argument, StringRef name) {
  function.setArgAttr(argument, name, UnitAttr::get(function.getContext()));
}

SmallVector<bool> KernelFrame::sharingBuffers(func::FuncOp kernel) {
  unsigned numOperands = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<RankedTensorType>);
  SmallVector<bool> sharing(numOperands + kernel.getNumResults(), false);
  unsigned buffer = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    if (auto result = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), inPlaceAttrName))
      sharing[buffer] = sharing[numOperands + result.getInt()] = true;
    ++buffer;
  }
  return sharing;
}

/// Loads member `index` of attn_kernel_args, or element `index` of an array of 8-byte elements.
static Value loadWord(ImplicitLocOpBuilder &b, Type type, Value base, int32_t index) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::GEPOp::create(b, pointer, b.getI64Type(), base, ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(b, type, address);
}

// Parameters of the body: buffers..., sizes..., chunk, scratch, shared, status.
func::FuncOp KernelFrame::openFunctions(StringRef symbol, ModuleOp code) {
  ImplicitLocOpBuilder b(location, builder.getContext());
  b.setInsertionPointToEnd(code.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  unsigned numOperands = sizes.numTensorOperands(), numBuffers = numOperands + kernel.getNumResults();
  SmallVector<Type> types(numBuffers, pointer);
  types.append(sizes.numSymbols() + 1, i64);
  types.append(3, pointer);
  auto body = func::FuncOp::create(b, (symbol + ".body").str(), b.getFunctionType(types, {}));
  body.setPrivate();
  body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  for (auto [number, shares] : llvm::enumerate(sharingBuffers(kernel)))
    if (!shares)
      setAttribute(body, number, LLVM::LLVMDialect::getNoAliasAttrName());
  unsigned scratchParameter = numBuffers + sizes.numSymbols() + 1;
  for (unsigned parameter : {scratchParameter, scratchParameter + 1}) {
    setAttribute(body, parameter, LLVM::LLVMDialect::getNoAliasAttrName());
    body.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(scratchAlignment));
  }

  auto phase = func::FuncOp::create(b, symbol, b.getFunctionType({pointer, i64, pointer}, {}));
  Block *entry = phase.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value args = entry->getArgument(0);
  Value bufferTable = loadWord(b, pointer, args, abi::argsBuffers);
  Value sizeTable = loadWord(b, pointer, args, abi::argsSizes);
  SmallVector<Value> operands;
  for (unsigned number = 0; number < numBuffers; ++number)
    operands.push_back(loadWord(b, pointer, bufferTable, number));
  for (unsigned number = 0; number < sizes.numSymbols(); ++number)
    operands.push_back(loadWord(b, i64, sizeTable, number));
  operands.append({entry->getArgument(1), entry->getArgument(2), loadWord(b, pointer, args, abi::argsShared),
                   loadWord(b, pointer, args, abi::argsStatus)});
  func::CallOp::create(b, body, operands);
  func::ReturnOp::create(b);
  return body;
}

void KernelFrame::openBody(func::FuncOp body) {
  Block *entry = body.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  auto parameters = entry->getArguments();
  unsigned numBuffers = sizes.numTensorOperands() + kernel.getNumResults();
  for (Value size : parameters.slice(numBuffers, sizes.numSymbols()))
    symbolValues.push_back(arith::IndexCastOp::create(builder, location, builder.getIndexType(), size));

  ArrayRef<Value> dynamic = symbolValues;
  unsigned buffer = 0;
  auto take = [&](Type tensor) -> Value {
    MemRefType type = memRefOf(tensor);
    Value memref =
        memRefAt(builder, location, parameters[buffer++], type, dynamic.take_front(type.getNumDynamicDims()));
    dynamic = dynamic.drop_front(type.getNumDynamicDims());
    return memref;
  };
  for (BlockArgument argument : kernel.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      buffers[argument] = buffers[widened(argument)] = take(argument.getType());
  for (Type type : kernel.getResultTypes())
    results.push_back(take(type));
  lastSize = &entry->back();
  auto end = func::ReturnOp::create(builder, location);
  builder.setInsertionPoint(end);
}

Value KernelFrame::size(const SizeExpr &size) {
  for (auto &[expression, value] : computedSizes)
    if (expression == size)
      return value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(lastSize);
  Value value = size.materialise(builder, location, symbolValues);
  // materialise() may have created no op (a symbol) or several, the last of which is the value.
  if (Operation *op = value.getDefiningOp(); op && lastSize->isBeforeInBlock(op))
    lastSize = op;
  computedSizes.emplace_back(size, value);
  return value;
}

Value KernelFrame::view(Value pointer, Value offset, MemRefType type, ValueRange dynamicSizes) {
  Value bytes = arith::IndexCastOp::create(builder, location, builder.getI64Type(), offset);
  Value address = LLVM::GEPOp::create(builder, location, pointer.getType(), builder.getI8Type(), pointer,
                                      ArrayRef<LLVM::GEPArg>{bytes});
  return memRefAt(builder, location, address, type, dynamicSizes);
}

Value KernelFrame::scratch(Value offset, MemRefType type, ValueRange dynamicSizes) {
  return view(scratchPointer, offset, type, dynamicSizes);
}
Value KernelFrame::shared(Value offset, MemRefType type, ValueRange dynamicSizes) {
  return view(sharedPointer, offset, type, dynamicSizes);
}
Value KernelFrame::scratch(int64_t offset, MemRefType type, ValueRange dynamicSizes) {
  return scratch(arith::ConstantIndexOp::create(builder, location, offset), type, dynamicSizes);
}
Value KernelFrame::shared(int64_t offset, MemRefType type, ValueRange dynamicSizes) {
  return shared(arith::ConstantIndexOp::create(builder, location, offset), type, dynamicSizes);
}

void KernelFrame::bindTo(RegionVectoriser &vectoriser) {
  for (auto [tensor, memref] : buffers)
    vectoriser.bindBuffer(tensor, memref);
  unsigned symbol = symbolValues.size();
  for (BlockArgument argument : llvm::reverse(kernel.getArguments()))
    if (argument.getType().isIndex())
      vectoriser.bindIndex(argument, symbolValues[--symbol]);
  vectoriser.bindStatus(status);
}

} // namespace attnc
