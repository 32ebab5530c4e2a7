#include "compiler/Codegen/CPU/Rows/RowsInLanes.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Kernels/Rows/RowsKernel.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

namespace {

/// Instructions of a group of rows, whose elements are unrolled.
constexpr int64_t mostInstructions = 1024;

/// The sizes of the loops over rows and, last, of those over elements.
SmallVector<SizeExpr> sizesOf(func::FuncOp kernel, const RowPlan &plan) {
  KernelSizes sizes(kernel);
  for (linalg::GenericOp op : plan.operations())
    if (op.getNumLoops() == plan.numRowDimensions() + 1)
      return loopSizes(op, sizes);
  return {};
}

class RowsInLanesEmission : RowsKernel {
public:
  RowsInLanesEmission(func::FuncOp kernel, const Target &target, ModuleOp code)
      : RowsKernel(kernel, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes) {
    laneLoop = rowSizes.size() - 1;
    while (laneLoop > 0 && rowSizes[laneLoop] == SizeExpr(1))
      --laneLoop;
    if (rowSizes[laneLoop].isConstant())
      lanes = lanesOf(rowSizes[laneLoop].constant());
  }

  KernelCode run() {
    SizeExpr groups = rowSizes[laneLoop].ceilDiv(lanes), all = groups;
    SmallVector<Value> sizes;
    for (const SizeExpr &size : ArrayRef(rowSizes).take_front(laneLoop)) {
      sizes.push_back(frame.size(size));
      all = all * size;
    }
    sizes.push_back(frame.size(groups));
    int64_t perChunk = groupsPerChunk();
    Value count = index(perChunk), first = arith::MulIOp::create(b, loc, frame.chunk, count);
    Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, first, count), frame.size(all));
    eachElement(b, loc, first, end, sizes, [&](ArrayRef<LaneIndex> group) { emitGroup(group); });
    recordSchedule(kernel, {{"rows_per_chunk", perChunk * lanes}});
    return {{{kernel.getSymName().str(), all.ceilDiv(perChunk)}}, 0, 0, cost()};
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  /// Vectors half as wide if they leave fewer lanes unused, as for 24 rows.
  int64_t lanesOf(int64_t rows) const {
    constexpr int64_t vectorCost = 4; // besides its lanes
    auto costWith = [&](int64_t width) { return llvm::divideCeil(rows, width) * (width + vectorCost); };
    return lanes > 4 && costWith(lanes / 2) < costWith(lanes) ? lanes / 2 : lanes;
  }

  int64_t groupsPerChunk() const {
    int64_t rows = scheduled(kernel, "rows_per_chunk").value_or(0);
    return std::max<int64_t>((rows ? rows : rowsChunkElements / length.constant()) / lanes, 1);
  }

  /// L rows; the last subscript of `group` is their number along the loop in lanes.
  void emitGroup(ArrayRef<LaneIndex> group) {
    RegionVectoriser rows(b, loc, lanes);
    frame.bindTo(rows);
    at.assign(group.begin(), group.end());
    Value firstRow = arith::MulIOp::create(b, loc, group.back().base, index(lanes));
    at.back() = {firstRow, 1, {}, true};
    while (at.size() < rowSizes.size())
      at.push_back({index(0), 0, {}, true});
    const SizeExpr &size = rowSizes[laneLoop];
    if (!size.isConstant() || size.constant() % lanes != 0) {
      Value left = arith::SubIOp::create(b, loc, frame.size(size), firstRow);
      rows.setActiveLanes(arith::MinSIOp::create(b, loc, left, index(lanes)));
    }
    elements.clear();
    for (int64_t each = 0; each < length.constant(); ++each)
      elements.push_back({index(each), 0, {}, true});
    for (unsigned number = 0; number < plan.numSweeps(); ++number)
      emitSweep(rows, number);
    for (auto [number, value] : plan.rowResults())
      rows.store(rows.load(value, at), frame.result(number), at);
  }

  SmallVector<LaneIndex> subscriptsOf(const LaneIndex &element) const {
    SmallVector<LaneIndex> subscripts = at;
    subscripts.push_back(element);
    return subscripts;
  }

  void emitSweep(RegionVectoriser &rows, unsigned number) {
    hoistScalars(rows, number);
    SweepWork work = workOf(number, SmallVector<Value>(plan.stored().size()));
    SmallVector<Value> folded;
    for (const LaneIndex &element : elements) {
      RegionVectoriser point = rows;
      for (auto [fold, reduction] : llvm::enumerate(work.reductions)) {
        auto [op, result] = work.folds[fold];
        point.bindIterations(op, subscriptsOf(element));
        Value term = point.broadcast(point.evaluate(matchFold(op, result)->term));
        if (folded.size() < work.reductions.size())
          folded.push_back(term);
        else
          folded[fold] = combine(b, loc, reduction.kind, folded[fold], term);
      }
    }
    store(rows, number);
    for (auto [fold, reduction, value] : llvm::zip_equal(work.folds, work.reductions, folded)) {
      auto [op, result] = fold;
      rows.bindElement(op->getResult(result), at, withStart(rows, op, result, reduction, value));
    }
  }

  /// Maps that this sweep stores. Results are written after all have been computed, as they may overwrite operands.
  void store(RegionVectoriser &rows, unsigned number) {
    SmallVector<std::tuple<Value, Value, SmallVector<LaneIndex>>> results;
    for (const RowPlan::Stored &stored : plan.stored())
      for (const LaneIndex &element : elements) {
        if (stored.sweep != number)
          continue;
        SmallVector<LaneIndex> subscripts = subscriptsOf(element);
        Value value = RegionVectoriser(rows).load(stored.map, subscripts);
        rows.bindElement(stored.map, subscripts, value);
        if (stored.result)
          results.emplace_back(value, frame.result(*stored.result), subscripts);
      }
    for (auto &[value, buffer, subscripts] : results)
      rows.store(value, buffer, subscripts);
  }

  size_t laneLoop;
  SmallVector<LaneIndex> elements; ///< the subscripts of a row's elements
};

} // namespace

bool suitsRowsInLanes(func::FuncOp kernel, const Target &target) {
  RowPlan plan(kernel);
  SmallVector<SizeExpr> sizes = sizesOf(kernel, plan);
  if (sizes.size() < 2 || !sizes.back().isConstant())
    return false;
  int64_t length = sizes.pop_back_val().constant(), instructions = 0;
  if (length < 1 || length >= target.f32Lanes)
    return false;
  bool folds = false;
  for (linalg::GenericOp op : plan.operations()) {
    instructions += length * costOf(op.getRegion()).instructions;
    if (plan.role(op) != RowRole::Reduction)
      continue;
    folds = true;
    if (!llvm::all_of(llvm::seq(op.getNumResults()), [&](unsigned result) { return bool(matchFold(op, result)); }))
      return false;
  }
  // Few rows would leave lanes unused, too.
  for (const SizeExpr &size : llvm::reverse(sizes))
    if (!(size == SizeExpr(1)))
      return folds && instructions <= mostInstructions && (!size.isConstant() || size.constant() > length);
  return false;
}

KernelCode emitRowsInLanes(func::FuncOp kernel, const Target &target, ModuleOp code) {
  return RowsInLanesEmission(kernel, target, code).run();
}

} // namespace attnc
