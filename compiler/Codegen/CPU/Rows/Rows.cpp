// Emits a rows kernel: for each row, the sweeps of its RowPlan; chunks are ranges of rows.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Loops/ArgmaxReduction.h"
#include "compiler/Codegen/CPU/Rows/RowsInLanes.h"
#include "compiler/Codegen/Kernels/Rows/RowsKernel.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"

using namespace mlir;

namespace attnc {

namespace {

class RowsEmission : RowsKernel {
public:
  RowsEmission(func::FuncOp kernel, const Target &target, ModuleOp code)
      : RowsKernel(kernel, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes) {
    lanes = lanesFor(length, lanes);
  }

  KernelCode run() {
    SizeExpr chunks = countChunks();
    auto [first, end] = rowsOfChunk(chunks);
    SmallVector<Value> sizes;
    for (const SizeExpr &size : rowSizes)
      sizes.push_back(frame.size(size));
    eachElement(b, loc, first, end, sizes, [&](ArrayRef<LaneIndex> row) { emitRow(row); });
    KernelCode code;
    code.phases = {{kernel.getSymName().str(), chunks}};
    code.sharedBytes = 0;
    code.workerBytes = scratchBytes;
    code.cost = cost();
    return code;
  }

private:
  /// Also sets `rowsPerChunk`, which the schedule requests, or which follows from a constant length of rows.
  SizeExpr countChunks() {
    if (int64_t chosen = scheduled(kernel, "rows_per_chunk").value_or(0))
      rowsPerChunk = scheduleKey(KernelKind::Rows, "rows_per_chunk").roundedUp(chosen, lanes);
    else if (length.isConstant())
      rowsPerChunk = std::max<int64_t>(rowsChunkElements / std::max<int64_t>(length.constant(), 1), 1);
    recordSchedule(kernel, {{"rows_per_chunk", rowsPerChunk}});
    return rowsPerChunk ? rowCount.ceilDiv(rowsPerChunk)
                        : (rowCount * (length + 1)).ceilDiv(rowsChunkElements); // a chunk even if rows are empty
  }

  /// The first row of the chunk, and the first row after it. If `rowsPerChunk` is 0, chunks have equal shares of the
  /// rows; if there are more chunks than rows, some have none.
  std::pair<Value, Value> rowsOfChunk(const SizeExpr &chunks) {
    Value rows = frame.size(rowCount), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value next = arith::AddIOp::create(b, loc, frame.chunk, one);
    auto times = [&](Value chunk, Value count) { return arith::MulIOp::create(b, loc, chunk, count).getResult(); };
    if (rowsPerChunk) {
      Value count = arith::ConstantIndexOp::create(b, loc, rowsPerChunk);
      return {times(frame.chunk, count), arith::MinSIOp::create(b, loc, times(next, count), rows)};
    }
    Value all = frame.size(chunks);
    return {arith::DivUIOp::create(b, loc, times(frame.chunk, rows), all),
            arith::DivUIOp::create(b, loc, times(next, rows), all)};
  }

  void emitRow(ArrayRef<LaneIndex> row) {
    RegionVectoriser vectoriser = openRow(row);
    SmallVector<Value> buffers = allocateStored();
    for (unsigned number = 0; number < plan.numSweeps(); ++number)
      emitSweep(vectoriser, number, buffers);
    for (auto [number, value] : plan.rowResults())
      vectoriser.store(vectoriser.load(value, at), frame.result(number), at);
  }

  /// The buffer of each stored map: a result, or a row of scratch.
  SmallVector<Value> allocateStored() {
    SmallVector<Value> buffers;
    SizeExpr offset;
    for (const RowPlan::Stored &stored : plan.stored()) {
      if (stored.result) {
        buffers.push_back(frame.result(*stored.result));
        continue;
      }
      Type element = cast<RankedTensorType>(stored.map.getType()).getElementType();
      int64_t size = length.isConstant() ? length.constant() : ShapedType::kDynamic;
      MemRefType type = memRefOf(RankedTensorType::get({size}, element));
      SmallVector<Value> dynamic;
      if (!length.isConstant())
        dynamic.push_back(frame.size(length));
      buffers.push_back(frame.scratch(frame.size(offset), type, dynamic));
      offset = offset + (length * SizeExpr(elementBytes(element))).alignTo(scratchAlignment);
    }
    scratchBytes = offset;
    return buffers;
  }

  void emitSweep(RegionVectoriser &row, unsigned number, ArrayRef<Value> buffers) {
    hoistScalars(row, number);
    SweepWork work = workOf(number, buffers);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), end = frame.size(length);
    // Before the sweep, whose stored maps may overwrite an operand of these.
    for (linalg::GenericOp op : work.serial)
      emitSerially(row, op, zero, end);
    if (!work.folds.empty() || !work.stores.empty()) {
      auto known = length.isConstant() ? std::optional(length.constant()) : std::nullopt;
      SweepShape shape{lanes, work.folds.empty() ? 2 : 4, known};
      SmallVector<Value> partial = sweep(b, loc, zero, end, shape, work.reductions, [&](ArrayRef<LanePoint> points) {
        SmallVector<Value> terms;
        for (const LanePoint &point : points)
          emitPoint(row, work, point, terms);
        return terms;
      });
      for (auto [reduction, vector] : llvm::zip(work.reductions, partial))
        vector = combineLanes(b, loc, reduction.kind, vector);
      bindFolds(row, work, partial);
    }
    bindStored(row, number, buffers);
  }

  void emitArgmax(RegionVectoriser &row, linalg::GenericOp op, const ArgmaxReduction &fold, ArrayRef<Value> starts,
                  Value end) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    auto evaluate = [&](const LanePoint &point) -> BestAndIndex {
      RegionVectoriser vectoriser = row;
      if (point.active)
        vectoriser.setActiveLanes(point.active);
      SmallVector<LaneIndex> indices = at;
      indices.push_back(point.index);
      vectoriser.bindIterations(op, indices);
      return {vectoriser.evaluate(fold.term), vectoriser.evaluate(fold.index)};
    };
    auto [best, index] =
        sweepArgmax(b, loc, zero, end, {lanes, 4, std::nullopt}, fold, {starts[0], starts[1]}, evaluate);
    row.bindElement(op.getResult(0), at, best);
    row.bindElement(op.getResult(1), at, index);
  }

  /// Reductions that are not folds of one combiner: argmax reductions in lanes, others element by element.
  void emitSerially(RegionVectoriser &row, linalg::GenericOp op, Value begin, Value end) {
    SmallVector<Value> starts;
    for (OpOperand &init : op.getDpsInitsMutable())
      starts.push_back(row.load(init.get(), at));
    if (std::optional<ArgmaxReduction> fold = matchArgmax(op))
      return emitArgmax(row, op, *fold, starts, end);
    SmallVector<Value> results = loop(b, loc, begin, end, 1, starts, [&](Value index, ValueRange carried) {
      RegionVectoriser vectoriser = row;
      SmallVector<LaneIndex> indices = at;
      indices.push_back({index, 0, {}, true});
      vectoriser.bindIterations(op, indices);
      for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), carried))
        vectoriser.bindValue(argument, value);
      return llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(),
                                 [&](Value value) { return vectoriser.evaluate(value); });
    });
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      row.bindElement(result, at, value);
  }

  int64_t rowsPerChunk = 0; ///< 0: as many as have about rowsChunkElements elements
  SizeExpr scratchBytes;
};

} // namespace

Verdict supportsRows(func::FuncOp kernel, const Target &) { return RowPlan(kernel).verdict(); }

FailureOr<KernelCode> emitRows(func::FuncOp kernel, const Target &target, ModuleOp code) {
  if (suitsRowsInLanes(kernel, target))
    return emitRowsInLanes(kernel, target, code);
  return RowsEmission(kernel, target, code).run();
}

} // namespace attnc
