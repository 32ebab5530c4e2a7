// Emits a rows kernel: for each row, the sweeps of its RowPlan; chunks are ranges of rows.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Loops/PlaceFold.h"
#include "compiler/Codegen/CPU/Nest/LoopNest.h"
#include "compiler/Codegen/CPU/Rows/RowPlan.h"
#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/OpCost.h"

using namespace mlir;

namespace attnc {

namespace {

/// Elements that make a chunk worth its launch.
constexpr int64_t chunkElements = 32768;
/// Rows in a chunk where the row's length is only known when running.
constexpr int64_t rowsOfUnknownLength = 16;

class RowsEmission {
public:
  RowsEmission(func::FuncOp kernel, const Target &target, ModuleOp code)
      : kernel(kernel), plan(kernel), frame(kernel, kernel.getSymName(), code), b(frame.builder), loc(frame.location),
        lanes(target.f32Lanes) {}

  KernelCode run() {
    measure();
    int64_t perChunk = rowsPerChunk();
    Value count = arith::ConstantIndexOp::create(b, loc, perChunk);
    Value numRows = frame.size(rowCount);
    Value first = arith::MulIOp::create(b, loc, frame.chunk, count);
    Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, first, count), numRows);
    loop(b, loc, first, end, 1, {}, [&](Value row, ValueRange) {
      emitRow(row);
      return SmallVector<Value>();
    });
    recordSchedule(kernel, {{"rows_per_chunk", perChunk}});
    return {{{kernel.getSymName().str(), rowCount.ceilDiv(perChunk)}}, 0, scratchBytes, cost()};
  }

private:
  void measure() {
    for (linalg::GenericOp op : plan.operations()) {
      if (op.getNumLoops() != plan.numRowDimensions() + 1)
        continue;
      rowSizes = loopSizes(op, frame.sizes);
      length = rowSizes.pop_back_val();
      break;
    }
    for (const SizeExpr &size : rowSizes)
      rowCount = rowCount * size;
  }

  int64_t rowsPerChunk() const {
    if (auto chosen = scheduled(kernel, "rows_per_chunk"))
      return std::max<int64_t>(*chosen, 1);
    return length.isConstant() ? std::max<int64_t>(chunkElements / std::max<int64_t>(length.constant(), 1), 1)
                               : rowsOfUnknownLength;
  }

  void emitRow(Value row) {
    RegionVectoriser vectoriser(b, loc, lanes);
    frame.bindTo(vectoriser);
    SmallVector<Value> sizes;
    for (const SizeExpr &size : rowSizes)
      sizes.push_back(frame.size(size));
    at = subscriptsOf(b, loc, row, sizes);
    SmallVector<Value> rowsOfScratch = placeScratch();
    for (unsigned number = 0; number < plan.numSweeps(); ++number)
      emitSweep(vectoriser, number, rowsOfScratch);
    for (auto [number, value] : plan.rowResults())
      vectoriser.store(vectoriser.load(value, at), frame.result(number), at);
  }

  /// Where each stored map goes: a result, or a row of scratch.
  SmallVector<Value> placeScratch() {
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
      offset = offset + (length * SizeExpr(KernelSizes::elementBytes(element))).alignTo(scratchAlignment);
    }
    scratchBytes = offset;
    return buffers;
  }

  /// What happens in one sweep.
  struct SweepWork {
    SmallVector<std::pair<linalg::GenericOp, unsigned>> folds; ///< reduction and result, in lanes
    SmallVector<SweepReduction> reductions;
    SmallVector<std::pair<Value, Value>> stores; ///< map and buffer
    SmallVector<linalg::GenericOp> serial;       ///< reductions that are no fold of one combiner
  };

  SweepWork workOf(unsigned number, ArrayRef<Value> buffers) {
    SweepWork work;
    for (linalg::GenericOp op : plan.operations()) {
      if (plan.role(op) != RowRole::Reduction || plan.sweepOf(op) != number)
        continue;
      bool folds =
          llvm::all_of(llvm::seq(op.getNumResults()), [&](unsigned result) { return bool(matchFold(op, result)); });
      if (!folds) {
        work.serial.push_back(op);
        continue;
      }
      for (unsigned result = 0; result < op.getNumResults(); ++result) {
        work.folds.emplace_back(op, result);
        work.reductions.push_back({matchFold(op, result)->kind, op.getRegionOutputArgs()[result].getType()});
      }
    }
    for (auto [stored, buffer] : llvm::zip(plan.stored(), buffers))
      if (stored.sweep == number)
        work.stores.emplace_back(stored.map, buffer);
    return work;
  }

  void emitSweep(RegionVectoriser &row, unsigned number, ArrayRef<Value> buffers) {
    hoistScalars(row, number);
    SweepWork work = workOf(number, buffers);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), end = frame.size(length);
    if (!work.folds.empty() || !work.stores.empty()) {
      auto known = length.isConstant() ? std::optional(length.constant()) : std::nullopt;
      SweepShape shape{lanes, work.folds.empty() ? 2 : 4, known};
      SmallVector<Value> partial = sweep(b, loc, zero, end, shape, work.reductions, [&](ArrayRef<LanePoint> points) {
        SmallVector<Value> terms;
        for (const LanePoint &point : points)
          emitPoint(row, work, point, terms);
        return terms;
      });
      for (auto [fold, reduction, vector] : llvm::zip(work.folds, work.reductions, partial)) {
        auto [op, result] = fold;
        Value start = row.load(op.getDpsInitOperand(result)->get(), at);
        Value folded = combine(b, loc, reduction.kind, start, combineLanes(b, loc, reduction.kind, vector));
        row.bindElement(op->getResult(result), at, folded);
      }
    }
    for (linalg::GenericOp op : work.serial)
      emitSerially(row, op, zero, end);
    for (auto [map, buffer] : work.stores)
      row.bindBuffer(map, buffer);
  }

  /// Scalars that are known by now, computed outside the sweep's loop.
  void hoistScalars(RegionVectoriser &row, unsigned number) {
    for (linalg::GenericOp op : plan.operations())
      if (plan.role(op) == RowRole::Scalar && plan.sweepOf(op) <= number)
        for (Value result : op->getResults())
          row.load(result, at);
  }

  void emitPoint(const RegionVectoriser &row, const SweepWork &work, const LanePoint &point,
                 SmallVector<Value> &terms) {
    RegionVectoriser vectoriser = row;
    if (point.active)
      vectoriser.setActiveLanes(point.active);
    SmallVector<LaneIndex> indices = at;
    indices.push_back(point.index);
    for (auto [op, result] : work.folds) {
      vectoriser.bindIterations(op, indices);
      terms.push_back(vectoriser.evaluate(matchFold(op, result)->term));
    }
    // All are read before one is stored: a result may lie where another reads.
    SmallVector<Value> values;
    for (auto [map, buffer] : work.stores)
      values.push_back(vectoriser.load(map, indices));
    for (auto [store, value] : llvm::zip_equal(work.stores, values))
      vectoriser.store(value, store.second, indices);
  }

  void emitPlaces(RegionVectoriser &row, linalg::GenericOp op, const PlaceFold &fold, ArrayRef<Value> starts,
                  Value end) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    auto evaluate = [&](const LanePoint &point) -> BestAndPlace {
      RegionVectoriser vectoriser = row;
      if (point.active)
        vectoriser.setActiveLanes(point.active);
      SmallVector<LaneIndex> indices = at;
      indices.push_back(point.index);
      vectoriser.bindIterations(op, indices);
      return {vectoriser.evaluate(fold.term), vectoriser.evaluate(fold.place)};
    };
    auto [best, place] =
        foldPlaces(b, loc, zero, end, {lanes, 4, std::nullopt}, fold, {starts[0], starts[1]}, evaluate);
    row.bindElement(op.getResult(0), at, best);
    row.bindElement(op.getResult(1), at, place);
  }

  /// Any other fold goes element by element, but for those that find places.
  void emitSerially(RegionVectoriser &row, linalg::GenericOp op, Value begin, Value end) {
    SmallVector<Value> starts;
    for (OpOperand &init : op.getDpsInitsMutable())
      starts.push_back(row.load(init.get(), at));
    if (std::optional<PlaceFold> fold = matchPlaceFold(op))
      return emitPlaces(row, op, *fold, starts, end);
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

  KernelCost cost() const {
    SizeExpr flops;
    for (linalg::GenericOp op : plan.operations()) {
      SizeExpr points = rowCount;
      if (plan.role(op) != RowRole::Scalar)
        points = points * length;
      flops = flops + points * SizeExpr(costOf(op.getRegion()).flops);
    }
    return {flops, frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
  }

  func::FuncOp kernel;
  RowPlan plan;
  KernelFrame frame;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  SmallVector<SizeExpr> rowSizes;
  SizeExpr rowCount = 1, length, scratchBytes;
  SmallVector<LaneIndex> at; ///< subscripts of the current row
};

} // namespace

Verdict supportsRows(func::FuncOp kernel, const Target &) { return RowPlan(kernel).verdict(); }

FailureOr<KernelCode> emitRows(func::FuncOp kernel, const Target &target, ModuleOp code) {
  return RowsEmission(kernel, target, code).run();
}

} // namespace attnc
