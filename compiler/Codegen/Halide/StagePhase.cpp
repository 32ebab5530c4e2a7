#include "compiler/Codegen/Halide/StagePhase.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

using namespace mlir;

namespace attnc::halide {

SizeExpr valueOf(const Size &size, ArrayRef<SizeExpr> arguments) {
  if (size.isConstant())
    return size.number;
  SizeExpr scaled = SizeExpr(size.factor) * arguments[size.argument];
  // Sizes are not negative; differences of them are, where a tensor is empty and no chunk asks.
  return size.number < 0 ? SizeExpr::max(scaled, -size.number) - SizeExpr(-size.number) : scaled + size.number;
}

SizeExpr bytesOf(const Stage &stage, ArrayRef<SizeExpr> arguments) {
  SizeExpr bytes(4);
  for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension)
    bytes *= valueOf(stage.extent(dimension), arguments);
  return bytes.alignTo(scratchAlignment);
}

namespace {

/// Words of a halide_buffer_t: all, and the two that say where elements and dimensions are.
constexpr int recordWords = 7, hostWord = 2, dimensionsWord = 5;

class PhaseWriter {
public:
  PhaseWriter(const CompiledStage &compiled, unsigned number, StringRef symbol, const StageContext &context)
      : compiled(compiled), stage(compiled.planned.stage), schedule(compiled.schedule), context(context),
        number(number), frame(context.kernel, symbol, context.code), b(frame.location, frame.builder) {}

  SizeExpr run() {
    SizeExpr chunks = divide();
    Value fits = sizesFit();
    if (!fits) {
      call();
      return chunks;
    }
    auto either = scf::IfOp::create(b, fits, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(either.elseBlock());
      LLVM::StoreOp::create(b, constant32(ATTN_BAD_ARGUMENT), frame.status);
    }
    b.setInsertionPointToStart(either.thenBlock());
    call();
    return chunks;
  }

private:
  Value index(const SizeExpr &size) { return frame.size(size); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value constant32(int32_t value) { return LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(value)); }
  Value narrowed(Value value) { return arith::IndexCastOp::create(b, b.getI32Type(), value); }
  SizeExpr valueOf(const Size &size) const { return halide::valueOf(size, context.arguments); }

  /// From the number of a chunk to its first indices and, of a blocked dimension, how many.
  SizeExpr divide() {
    first.assign(stage.result.size(), {});
    count = {};
    SizeExpr chunks(1);
    Value rest = frame.chunk;
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Span &span = schedule.spans[dimension];
      if (span.kind == Span::Kind::Whole)
        continue;
      SizeExpr size = valueOf(stage.extent(dimension));
      SizeExpr parts = span.kind == Span::Kind::One ? size : size.ceilDiv(span.block);
      Value own = arith::RemUIOp::create(b, rest, index(parts));
      rest = arith::DivUIOp::create(b, rest, index(parts));
      chunks *= parts;
      if (span.kind == Span::Kind::Block) {
        own = arith::MulIOp::create(b, own, constant(span.block));
        Value left = arith::SubIOp::create(b, index(size), own);
        count = arith::MinUIOp::create(b, left, constant(span.block));
      }
      first[dimension] = own;
    }
    return chunks;
  }

  /// Whether all sizes and strides are such as 32 bits hold; null where that is known.
  Value sizesFit() {
    Value fits;
    auto require = [&](const SizeExpr &size, int64_t most) {
      if (size.isConstant())
        return;
      Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, index(size), constant(most));
      fits = fits ? arith::AndIOp::create(b, fits, holds).getResult() : holds;
    };
    for (const SizeExpr &argument : context.arguments)
      require(argument, compiled.largestSize);
    auto requireStrides = [&](ArrayRef<SizeExpr> shape) {
      SizeExpr stride(1);
      for (const SizeExpr &size : shape.drop_front(shape.empty() ? 0 : 1))
        stride *= size;
      require(stride, std::numeric_limits<int32_t>::max());
    };
    for (const Buffer &buffer : stage.buffers)
      requireStrides(shapeOf(buffer.shape));
    requireStrides(shapeOfResult());
    return fits;
  }

  //===---------------------------------------- buffers -----------------------------------------------------------===//

  Value pointerOf(Value memref) {
    LLVMTypeConverter converter(b.getContext());
    Type type = converter.convertType(memref.getType());
    Value descriptor = UnrealizedConversionCastOp::create(b, type, memref).getResult(0);
    return MemRefDescriptor(descriptor).alignedPtr(b, b.getLoc());
  }

  Value shared(unsigned number) {
    auto type = MemRefType::get({1}, b.getF32Type());
    OpBuilder::InsertionGuard guard(frame.builder);
    frame.builder.restoreInsertionPoint(b.saveInsertionPoint());
    return pointerOf(frame.shared(index(context.offsets[number]), type));
  }

  Value pointerOf(const PlannedStage::Source &source) {
    if (source.isStage)
      return shared(source.number);
    unsigned wanted = context.operands[source.number];
    for (BlockArgument argument : const_cast<func::FuncOp &>(context.kernel).getArguments())
      if (isa<RankedTensorType>(argument.getType()) && wanted-- == 0)
        return pointerOf(frame.buffer(argument));
    llvm_unreachable("a tensor operand that the kernel does not have");
  }

  Value wordOf(Value record, int word) {
    return LLVM::GEPOp::create(b, record.getType(), b.getI64Type(), record, ArrayRef<LLVM::GEPArg>{word});
  }

  /// A halide_buffer_t of a dense tensor, with its dimensions behind it: innermost first, each the first index, how
  /// many, their distance, and flags. LLVM takes it apart.
  Value recordOf(Value pointer, ArrayRef<SizeExpr> shape, ArrayRef<Value> at = {}, ArrayRef<Value> counts = {}) {
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), recordWords + 2 * shape.size());
    auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
    Value record;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(frame.chunk.getParentBlock()); // allocas elsewhere stay
      record = LLVM::AllocaOp::create(b, pointerType, type, constant32(1), /*alignment=*/8);
    }
    LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, type), record);
    LLVM::StoreOp::create(b, pointer, wordOf(record, hostWord));
    LLVM::StoreOp::create(b, wordOf(record, recordWords), wordOf(record, dimensionsWord));
    SizeExpr stride(1);
    for (unsigned number = 0; number < shape.size(); ++number) {
      unsigned dimension = shape.size() - 1 - number;
      Value first = !at.empty() && at[dimension] ? at[dimension] : constant(0);
      Value extent = !counts.empty() && counts[dimension] ? counts[dimension] : index(shape[dimension]);
      Value place = wordOf(record, recordWords + 2 * number);
      Value fields[] = {first, extent, index(stride)};
      for (auto [word, value] : llvm::enumerate(fields))
        LLVM::StoreOp::create(b, narrowed(value),
                              LLVM::GEPOp::create(b, pointerType, b.getI32Type(), place,
                                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)}));
      stride *= shape[dimension];
    }
    return record;
  }

  SmallVector<SizeExpr> shapeOf(ArrayRef<Size> sizes) const {
    return llvm::map_to_vector(sizes, [&](const Size &size) { return valueOf(size); });
  }
  SmallVector<SizeExpr> shapeOfResult() const {
    SmallVector<SizeExpr> shape;
    for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension)
      shape.push_back(valueOf(stage.extent(dimension)));
    return shape;
  }

  /// Where the chunk's first element of the result lies.
  Value firstElement(ArrayRef<Value> at) {
    Value base = isLast() ? pointerOf(frame.result(0)) : shared(number);
    Value offset = constant(0);
    for (auto [dimension, size] : llvm::enumerate(shapeOfResult())) {
      offset = b.createOrFold<arith::MulIOp>(offset, index(size));
      if (at[dimension])
        offset = b.createOrFold<arith::AddIOp>(offset, at[dimension]);
    }
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), offset);
    Type element = isLast() ? cast<MemRefType>(frame.result(0).getType()).getElementType() : b.getF32Type();
    return LLVM::GEPOp::create(b, base.getType(), element, base, ArrayRef<LLVM::GEPArg>{word});
  }

  bool isLast() const { return number == context.offsets.size(); }

  //===---------------------------------------- calls -------------------------------------------------------------===//

  void call() {
    SmallVector<Value> operands;
    for (auto [source, buffer] : llvm::zip(compiled.planned.sources, stage.buffers))
      operands.push_back(recordOf(pointerOf(source), shapeOf(buffer.shape)));
    for (const SizeExpr &argument : context.arguments)
      operands.push_back(narrowed(index(argument)));
    std::optional<unsigned> ragged = schedule.raggedDimension(stage);
    if (!ragged)
      return callOn(compiled.main, schedule, operands, first, count);
    Value points = constant(schedule.points(*ragged));
    Value isTile = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, count, points);
    auto either = scf::IfOp::create(b, isTile, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.elseBlock());
    callOn(compiled.rest, schedule.ofRest(*ragged), operands, first, count);
    b.setInsertionPointToStart(either.thenBlock());
    Value left = arith::RemUIOp::create(b, count, points);
    callOn(compiled.main, schedule, operands, first, arith::SubIOp::create(b, count, left));
    Value isLeft = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, constant(0));
    b.setInsertionPointToStart(scf::IfOp::create(b, isLeft, /*withElseRegion=*/false).thenBlock());
    // The last tile ends where the chunk does, and has elements of the one before once more.
    SmallVector<Value> at(first);
    Value end = arith::AddIOp::create(b, at[*ragged], count);
    at[*ragged] = arith::SubIOp::create(b, end, points);
    callOn(compiled.main, schedule, operands, at, points);
  }

  void callOn(LLVM::LLVMFuncOp function, const Schedule &own, ArrayRef<Value> common, ArrayRef<Value> at,
              Value indices) {
    SmallVector<Value> operands(common), counts(stage.result.size());
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Span &span = own.spans[dimension];
      if (span.kind != Span::Kind::Whole)
        operands.push_back(narrowed(at[dimension]));
      if (span.kind == Span::Kind::Block)
        operands.push_back(narrowed(b.createOrFold<arith::DivUIOp>(indices, constant(own.points(dimension)))));
      if (span.kind != Span::Kind::Whole)
        counts[dimension] = span.kind == Span::Kind::Block ? indices : constant(1);
    }
    operands.push_back(recordOf(firstElement(at), shapeOfResult(), at, counts));
    operands.push_back(frame.status);
    LLVM::CallOp::create(b, function, operands);
  }

  const CompiledStage &compiled;
  const Stage &stage;
  const Schedule &schedule;
  const StageContext &context;
  unsigned number;
  KernelFrame frame;
  ImplicitLocOpBuilder b;
  SmallVector<Value> first; ///< of each dimension; null where a chunk has it whole
  Value count;              ///< indices of the blocked dimension
};

} // namespace

KernelPhase emitStagePhase(const CompiledStage &stage, unsigned number, StringRef symbol, const StageContext &context) {
  SizeExpr chunks = PhaseWriter(stage, number, symbol, context).run();
  return {symbol.str(), chunks};
}

} // namespace attnc::halide
