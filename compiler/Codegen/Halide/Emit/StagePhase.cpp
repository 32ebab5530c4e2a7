#include "compiler/Codegen/Halide/Emit/StagePhase.h"
#include "compiler/Codegen/Halide/Emit/BufferRecord.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
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
  // Sizes are nonnegative; a difference is negative if a tensor is empty, and then no chunk uses it.
  return size.number < 0 ? SizeExpr::max(scaled, -size.number) - SizeExpr(-size.number) : scaled + size.number;
}

SizeExpr bytesOf(const CompiledStage &compiled, ArrayRef<SizeExpr> arguments) {
  const Stage &stage = compiled.planned.stage;
  SizeExpr bytes(attn_element_bytes(stage.element));
  for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension)
    bytes *= valueOf(stage.extent(dimension), arguments);
  return bytes.alignTo(scratchAlignment);
}

namespace {

/// Emits the calls of a stage's functions for one chunk of its tensor.
class StageCall {
public:
  StageCall(const CompiledStage &compiled, const StageContext &context, KernelFrame &frame, ImplicitLocOpBuilder &b,
            ArrayRef<Value> firsts, ArrayRef<Value> counts)
      : compiled(compiled), stage(compiled.planned.stage), schedule(compiled.schedule), context(context), frame(frame),
        b(b), first(firsts), count(counts) {}

  /// Emits the check that all sizes and strides fit in 32 bits; null if this is known.
  Value sizesFit() {
    Value fits;
    auto require = [&](const SizeExpr &size, int64_t most) {
      if (size.isConstant())
        return;
      // An argument may also be a position, which is negative before a guard.
      Value shifted = arith::AddIOp::create(b, index(size), constant(most));
      Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, shifted, constant(2 * most));
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

  /// Emits the check that each data-dependent subscript has an element to read, because Checked reads element 0 if it
  /// is out of range. Null if this is known. An empty dimension is valid if a loop of the result, or a loop that the
  /// subscript depends on, has no iteration; a subscript outside of an empty reduction is read.
  Value hasElements() {
    Value all;
    for (const auto &[number, node] : llvm::enumerate(stage.nodes)) {
      if (node.op != Op::Checked)
        continue;
      const Node &limit = stage.nodes[node.operands[1]];
      if (limit.op == Op::Integer && limit.integer > 0)
        continue;
      Value size = limit.op == Op::Integer ? constant(0) : index(context.arguments[limit.integer]);
      Value holds = compareWithZero(arith::CmpIPredicate::ne, size);
      for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
        if (llvm::is_contained(stage.result, loop) || dependsOn(stage, unsigned(number), loop)) {
          Value isNone = compareWithZero(arith::CmpIPredicate::eq, index(valueOf(stage.loops[loop].size)));
          holds = arith::OrIOp::create(b, holds, isNone);
        }
      all = all ? arith::AndIOp::create(b, all, holds).getResult() : holds;
    }
    return all;
  }

  void run() {
    SmallVector<Value> operands;
    for (auto [source, buffer] : llvm::zip(compiled.planned.sources, stage.buffers))
      operands.push_back(recordOf(source, buffer));
    for (const SizeExpr &argument : context.arguments)
      operands.push_back(narrowed(index(argument)));
    std::optional<unsigned> ragged = schedule.raggedDimension(stage);
    if (!ragged)
      return callOn(compiled.main, schedule, operands, first, count);
    Value points = constant(schedule.points(*ragged)), indices = count[*ragged];
    Value isTile = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, indices, points);
    auto either = scf::IfOp::create(b, isTile, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.elseBlock());
    callOn(compiled.rest, schedule.ofRest(*ragged), operands, first, count);
    b.setInsertionPointToStart(either.thenBlock());
    Value left = arith::RemUIOp::create(b, indices, points);
    SmallVector<Value> ofTiles(count);
    ofTiles[*ragged] = arith::SubIOp::create(b, indices, left);
    callOn(compiled.main, schedule, operands, first, ofTiles);
    Value isLeft = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, constant(0));
    b.setInsertionPointToStart(scf::IfOp::create(b, isLeft, /*withElseRegion=*/false).thenBlock());
    // The last tile ends at the chunk's end and recomputes elements of the tile before.
    SmallVector<Value> at(first);
    Value end = arith::AddIOp::create(b, at[*ragged], indices);
    at[*ragged] = arith::SubIOp::create(b, end, points);
    ofTiles[*ragged] = points;
    callOn(compiled.main, schedule, operands, at, ofTiles);
  }

private:
  Value index(const SizeExpr &size) { return frame.size(size); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value compareWithZero(arith::CmpIPredicate predicate, Value value) {
    return arith::CmpIOp::create(b, predicate, value, constant(0));
  }
  Value narrowed(Value value) { return arith::IndexCastOp::create(b, b.getI32Type(), value); }
  SizeExpr valueOf(const Size &size) const { return halide::valueOf(size, context.arguments); }
  SmallVector<SizeExpr> shapeOf(ArrayRef<Size> sizes) const {
    return llvm::map_to_vector(sizes, [&](const Size &size) { return valueOf(size); });
  }
  SmallVector<SizeExpr> shapeOfResult() const {
    SmallVector<SizeExpr> shape;
    for (unsigned dimension = 0; dimension < stage.result.size(); ++dimension)
      shape.push_back(valueOf(stage.extent(dimension)));
    return shape;
  }

  //===---------------------------------------- buffers -----------------------------------------------------------===//

  Value pointerOf(Value memref) { return halide::pointerOf(b, memref); }

  /// Emits the address of the tensor that a stage writes.
  Value pointerOf(const CompiledStage &written) {
    if (written.planned.result)
      return pointerOf(frame.result(*written.planned.result));
    auto type = MemRefType::get({1}, b.getF32Type());
    OpBuilder::InsertionGuard guard(frame.builder);
    frame.builder.restoreInsertionPoint(b.saveInsertionPoint());
    Value offset = index(written.offset);
    return pointerOf(frame.shared(offset, type));
  }

  Value pointerOf(unsigned operand) {
    for (BlockArgument argument : const_cast<func::FuncOp &>(context.kernel).getArguments())
      if (isa<RankedTensorType>(argument.getType()) && operand-- == 0)
        return pointerOf(frame.buffer(argument));
    llvm_unreachable("a tensor operand that the kernel does not have");
  }

  Value recordOf(const PlannedStage::Source &source, const Buffer &buffer) {
    if (!source.isStage)
      return recordOf(pointerOf(source.number), shapeOf(buffer.shape));
    Value pointer = pointerOf(context.stages[source.number]);
    return recordOf(pointer, shapeOf(buffer.shape));
  }

  /// Emits the buffer of a dense tensor; its leading dimensions may be limited to a chunk.
  Value recordOf(Value pointer, ArrayRef<SizeExpr> shape, ArrayRef<Value> at = {}, ArrayRef<Value> counts = {}) {
    SmallVector<RecordDimension> dimensions;
    SizeExpr stride(1);
    for (unsigned dimension = shape.size(); dimension-- > 0;) {
      Value first = dimension < at.size() && at[dimension] ? at[dimension] : constant(0);
      Value extent = dimension < counts.size() && counts[dimension] ? counts[dimension] : index(shape[dimension]);
      dimensions.push_back({first, extent, index(stride)});
      stride *= shape[dimension];
    }
    return bufferRecord(b, frame.chunk.getParentBlock(), pointer, dimensions);
  }

  /// Emits the address of the first element that a call writes.
  Value firstElement(ArrayRef<Value> at) {
    Value base = pointerOf(compiled), offset = constant(0);
    for (auto [dimension, size] : llvm::enumerate(shapeOfResult())) {
      offset = b.createOrFold<arith::MulIOp>(offset, index(size));
      if (!at[dimension])
        continue;
      offset = b.createOrFold<arith::AddIOp>(offset, at[dimension]);
    }
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), offset);
    Type element = b.getIntegerType(8 * attn_element_bytes(stage.element));
    return LLVM::GEPOp::create(b, base.getType(), element, base, ArrayRef<LLVM::GEPArg>{word});
  }

  //===---------------------------------------- calls -------------------------------------------------------------===//

  void callOn(LLVM::LLVMFuncOp function, const Schedule &own, ArrayRef<Value> common, ArrayRef<Value> at,
              ArrayRef<Value> indices) {
    SmallVector<Value> operands(common), counts(stage.result.size());
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Span &span = own.spans[dimension];
      if (span.kind == Span::Kind::Whole)
        continue;
      operands.push_back(narrowed(at[dimension]));
      if (span.kind == Span::Kind::Block)
        operands.push_back(
            narrowed(b.createOrFold<arith::DivUIOp>(indices[dimension], constant(own.points(dimension)))));
      counts[dimension] = indices[dimension];
    }
    operands.push_back(recordOf(firstElement(at), shapeOfResult(), at, counts));
    operands.push_back(frame.status);
    LLVM::CallOp::create(b, function, operands);
  }

  const CompiledStage &compiled;
  const Stage &stage;
  const Schedule &schedule;
  const StageContext &context;
  KernelFrame &frame;
  ImplicitLocOpBuilder &b;
  SmallVector<Value> first, count; ///< range of the chunk in each dimension; null if whole
};

class PhaseWriter {
public:
  PhaseWriter(const CompiledStage &compiled, StringRef symbol, const StageContext &context)
      : compiled(compiled), context(context), frame(context.kernel, symbol, context.code),
        b(frame.location, frame.builder) {}

  SizeExpr run() {
    SizeExpr chunks = divide();
    StageCall call(compiled, context, frame, b, first, count);
    require(call.sizesFit(), ATTN_BAD_ARGUMENT);
    require(call.hasElements(), ATTN_OUT_OF_RANGE);
    call.run();
    return chunks;
  }

private:
  /// Emits a guard around the following code, unless the condition is null. If it is false, the status becomes `code`.
  void require(Value holds, int32_t code) {
    if (!holds)
      return;
    auto either = scf::IfOp::create(b, holds, /*withElseRegion=*/true);
    b.setInsertionPointToStart(either.elseBlock());
    Value status = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(code));
    LLVM::StoreOp::create(b, status, frame.status);
    b.setInsertionPointToStart(either.thenBlock());
  }

  Value index(const SizeExpr &size) { return frame.size(size); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  /// Emits the first indices and counts of a chunk. Returns the number of chunks.
  SizeExpr divide() {
    const Stage &stage = compiled.planned.stage;
    const Schedule &schedule = compiled.schedule;
    first.resize(stage.result.size());
    count.resize(stage.result.size());
    SizeExpr chunks(1);
    Value rest = frame.chunk;
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Span &span = schedule.spans[dimension];
      if (!span.divides())
        continue;
      SizeExpr size = valueOf(stage.extent(dimension), context.arguments);
      SizeExpr parts = span.kind == Span::Kind::One ? size : size.ceilDiv(span.block);
      Value own = arith::RemUIOp::create(b, rest, index(parts));
      rest = arith::DivUIOp::create(b, rest, index(parts));
      chunks *= parts;
      count[dimension] = constant(1);
      if (span.kind == Span::Kind::Block) {
        own = arith::MulIOp::create(b, own, constant(span.block));
        Value left = arith::SubIOp::create(b, index(size), own);
        count[dimension] = arith::MinUIOp::create(b, left, constant(span.block));
      }
      first[dimension] = own;
    }
    return chunks;
  }

  const CompiledStage &compiled;
  const StageContext &context;
  KernelFrame frame;
  ImplicitLocOpBuilder b;
  SmallVector<Value> first, count; ///< range of the chunk in each dimension; null if whole
};

} // namespace

KernelPhase emitStagePhase(unsigned number, StringRef symbol, const StageContext &context) {
  SizeExpr chunks = PhaseWriter(context.stages[number], symbol, context).run();
  return {symbol.str(), chunks};
}

} // namespace attnc::halide
