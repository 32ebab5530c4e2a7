#include "compiler/Codegen/Halide/AttendPhase.h"
#include "compiler/Codegen/Halide/BufferRecord.h"
#include "compiler/Codegen/Halide/StagePhase.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;

namespace attnc::halide {

bool isValueInnermost(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  auto layout = op.getValueLayout();
  return !layout || layout->back() == static_cast<int64_t>(op.getNumOuter() + op.getNumValues()) - 1;
}

namespace {

class AttendPhaseWriter {
public:
  AttendPhaseWriter(const CompiledAttend &attend, func::FuncOp kernel, ModuleOp code)
      : attend(attend), problem(attend.read.problem), pipeline(attend.read.pipeline), tile(attend.tile),
        frame(kernel, kernel.getSymName(), code), loops(frame.builder, frame.location, tile.lanes),
        batch(frame.builder, frame.location, tile.lanes) {}

  KernelCode run() {
    KernelCode made;
    made.phases.push_back({func::FuncOp(problem.kernel).getSymName().str(), chunks()});
    made.workerBytes = SizeExpr(2) * heldBytes();
    made.cost = problem.cost();
    openChunk();
    loops.select(
        sizesFit(), {}, [&] { return call(), Values(); },
        [&] {
          LLVM::StoreOp::create(frame.builder, frame.location, constant32(ATTN_BAD_ARGUMENT), frame.status);
          return Values();
        });
    return made;
  }

private:
  using Values = LoopBuilder::Values;

  Value constant32(int32_t value) {
    return LLVM::ConstantOp::create(frame.builder, frame.location, frame.builder.getI32Type(),
                                    frame.builder.getI32IntegerAttr(value));
  }
  Value narrowed(Value index) {
    return arith::IndexCastOp::create(frame.builder, frame.location, frame.builder.getI32Type(), index);
  }

  //===---------------------------------------- which queries and keys --------------------------------------------===//

  SizeExpr rows() const { return problem.outerSizes[pipeline.row]; }

  SizeExpr chunks() const {
    SizeExpr number = rows().ceilDiv(tile.queries());
    for (unsigned dimension = 0; dimension < pipeline.outer; ++dimension)
      if (dimension != pipeline.row)
        number *= problem.outerSizes[dimension];
    return number;
  }

  /// Of the scores, or of the weights, of all keys.
  SizeExpr heldBytes() const {
    if (tile.form != AttendTile::Form::TwoPass)
      return 0;
    SizeExpr padded = problem.keys.alignTo(tile.keys);
    return (padded * SizeExpr(4 * tile.queries())).alignTo(scratchAlignment);
  }

  void openChunk() {
    Values others;
    SmallVector<unsigned> dimensions;
    for (unsigned dimension = 0; dimension < pipeline.outer; ++dimension)
      if (dimension != pipeline.row) {
        others.push_back(frame.size(problem.outerSizes[dimension]));
        dimensions.push_back(dimension);
      }
    Value blocks = frame.size(rows().ceilDiv(tile.queries()));
    indices.resize(pipeline.outer);
    for (auto [dimension, index] : llvm::zip(dimensions, loops.delinearise(loops.div(frame.chunk, blocks), others)))
      indices[dimension] = index;
    // Under a causal mask later queries have more keys: they come first, so that the threads end together.
    Value block = loops.sub(loops.add(blocks, -1), loops.rem(frame.chunk, blocks));
    indices[pipeline.row] = loops.mul(block, tile.queries());
    queries = loops.min(loops.constant(tile.queries()), loops.sub(frame.size(rows()), indices[pipeline.row]));
    findKeys();
  }

  /// Outside of these the mask keeps nothing.
  void findKeys() {
    Value all = frame.size(problem.keys);
    firstKey = loops.constant(0);
    keys = all;
    if (!problem.hasMask())
      return;
    frame.bindTo(batch);
    for (unsigned dimension : problem.batchDims)
      bindOuter(problem, batch, dimension, uniformIndex(indices[dimension]));
    Values sizes, rowIndices;
    for (unsigned dimension : problem.rowDims) {
      sizes.push_back(frame.size(problem.outerSizes[dimension]));
      rowIndices.push_back(indices[dimension]);
    }
    AttendMask mask(problem);
    auto bind = [&](Value row) {
      RegionVectoriser point = batch;
      for (auto [dimension, index] : llvm::zip(problem.rowDims, loops.delinearise(row, sizes)))
        bindOuter(problem, point, dimension, uniformIndex(index));
      return point;
    };
    mask.prepareRows(loops, {loops.linearise(rowIndices, sizes), queries, bind, /*inOrder=*/true});
    AttendMask::KeyRange range = mask.keyRange(loops, all, batch);
    firstKey = range.begin;
    keys = loops.max(loops.constant(0), loops.sub(range.end, range.begin));
  }

  /// Whether all sizes and distances are such as 32 bits hold.
  Value sizesFit() {
    Value fits = loops.boolean(true);
    auto require = [&](const SizeExpr &size, int64_t most) {
      if (!size.isConstant())
        fits = loops.both(fits, loops.less(frame.size(size), loops.constant(most + 1)));
    };
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    for (const SizeExpr &argument : attend.read.arguments)
      require(argument, attend.read.largestSize);
    for (const Buffer &buffer : pipeline.formulas.buffers) {
      SizeExpr stride(1);
      for (const Size &size : llvm::drop_begin(buffer.shape, buffer.shape.empty() ? 0 : 1))
        stride *= valueOf(size);
      require(stride, most);
    }
    require(problem.batches * problem.rows * problem.values, most); // the result may have any order of dimensions
    require(problem.keys * SizeExpr(tile.queries()), most);
    return fits;
  }

  SizeExpr valueOf(const Size &size) const {
    return halide::valueOf(size, attend.read.arguments);
  }

  //===---------------------------------------- records -----------------------------------------------------------===//

  Value record(Value pointer, ArrayRef<RecordDimension> dimensions) {
    ImplicitLocOpBuilder here(frame.location, frame.builder);
    return bufferRecord(here, frame.chunk.getParentBlock(), pointer, dimensions);
  }
  Value pointer(Value memref) {
    ImplicitLocOpBuilder here(frame.location, frame.builder);
    return pointerOf(here, memref);
  }

  Value operand(unsigned wanted, const Buffer &buffer) {
    SmallVector<RecordDimension> dimensions;
    Value stride = loops.constant(1);
    for (const Size &size : llvm::reverse(buffer.shape)) {
      Value count = frame.size(valueOf(size));
      dimensions.push_back({loops.constant(0), count, stride});
      stride = loops.mul(stride, count);
    }
    for (BlockArgument argument : func::FuncOp(problem.kernel).getArguments())
      if (isa<RankedTensorType>(argument.getType()) && wanted-- == 0)
        return record(pointer(frame.buffer(argument)), dimensions);
    llvm_unreachable("a tensor operand that the kernel does not have");
  }

  /// Of the chunk's queries in a result whose dimension d is dimension order[d] of the outer ones and the values.
  Value result(unsigned number, ArrayRef<int64_t> order, bool hasValues) {
    SmallVector<SizeExpr> shape(problem.outerSizes);
    if (hasValues)
      shape.append(problem.valueSizes);
    SmallVector<Value> strides(shape.size());
    Value stride = loops.constant(1), offset = loops.constant(0);
    for (int64_t dimension : llvm::reverse(order)) {
      strides[dimension] = stride;
      if (dimension < static_cast<int64_t>(pipeline.outer))
        offset = loops.add(offset, loops.mul(indices[dimension], stride));
      stride = loops.mul(stride, frame.size(shape[dimension]));
    }
    SmallVector<RecordDimension> dimensions;
    for (unsigned dimension = shape.size(); dimension-- > pipeline.outer;)
      dimensions.push_back({loops.constant(0), frame.size(shape[dimension]), strides[dimension]});
    dimensions.push_back({loops.constant(0), queries, strides[pipeline.row]});
    Value base = pointer(frame.result(number));
    Value word = arith::IndexCastOp::create(frame.builder, frame.location, frame.builder.getI64Type(), offset);
    Value first = LLVM::GEPOp::create(frame.builder, frame.location, base.getType(), frame.builder.getF32Type(), base,
                                      ArrayRef<LLVM::GEPArg>{word});
    return record(first, dimensions);
  }

  /// What a tile keeps for all of its keys, queries innermost.
  Value held(const SizeExpr &offset, Value count) {
    auto type = MemRefType::get({1}, frame.builder.getF32Type());
    Value memory = frame.scratch(frame.size(offset), type), width = loops.constant(tile.queries());
    return record(pointer(memory), {{loops.constant(0), width, loops.constant(1)}, {loops.constant(0), count, width}});
  }

  //===---------------------------------------- calls -------------------------------------------------------------===//

  void call() {
    Values operands;
    for (auto [number, buffer] : llvm::zip(attend.read.operands, pipeline.formulas.buffers))
      if (number)
        operands.push_back(operand(*number, buffer));
    for (const SizeExpr &argument : attend.read.arguments)
      operands.push_back(narrowed(frame.size(argument)));
    for (Value index : indices)
      operands.push_back(narrowed(index));
    for (Value each : {firstKey, keys, queries})
      operands.push_back(narrowed(each));
    addResults(operands);
    operands.push_back(frame.status);
    LLVM::CallOp::create(frame.builder, frame.location, attend.main, operands);
    Value found = LLVM::LoadOp::create(frame.builder, frame.location, frame.builder.getI32Type(), suspect);
    Value isSuspect = loops.compare(arith::CmpIPredicate::ne, found, constant32(0));
    loops.when(isSuspect, [&] { LLVM::CallOp::create(frame.builder, frame.location, attend.kept, operands); });
  }

  void addResults(Values &operands) {
    attn::AttendOp op = problem.op;
    SmallVector<int64_t> order;
    if (auto layout = op.getValueLayout())
      order.assign(layout->begin(), layout->end());
    else
      order = llvm::to_vector(llvm::seq<int64_t>(0, pipeline.outer + pipeline.values.size()));
    operands.push_back(result(*problem.resultOf(attn::Statistic::Value), order, /*hasValues=*/true));
    if (pipeline.yieldsLse)
      operands.push_back(result(*problem.resultOf(attn::Statistic::Lse),
                                llvm::to_vector(llvm::seq<int64_t>(0, pipeline.outer)), /*hasValues=*/false));
    {
      OpBuilder::InsertionGuard guard(frame.builder);
      frame.builder.setInsertionPointToStart(frame.chunk.getParentBlock());
      suspect =
          LLVM::AllocaOp::create(frame.builder, frame.location, LLVM::LLVMPointerType::get(frame.builder.getContext()),
                                 frame.builder.getI32Type(), constant32(1), /*alignment=*/8);
    }
    operands.push_back(record(suspect, {}));
    if (tile.form != AttendTile::Form::TwoPass)
      return;
    Value unit = loops.constant(tile.keys), padded = loops.mul(loops.ceilDiv(keys, tile.keys), unit);
    operands.push_back(held(0, padded));
    operands.push_back(held(heldBytes(), keys));
  }

  const CompiledAttend &attend;
  const AttendProblem &problem;
  const AttendPipeline &pipeline;
  const AttendTile &tile;
  KernelFrame frame;
  LoopBuilder loops;
  RegionVectoriser batch;
  Values indices; ///< of each outer dimension, the first of the rows'
  Value queries, firstKey, keys, suspect;
};

} // namespace

KernelCode emitAttendPhase(const CompiledAttend &attend, func::FuncOp kernel, ModuleOp code) {
  return AttendPhaseWriter(attend, kernel, code).run();
}

} // namespace attnc::halide
