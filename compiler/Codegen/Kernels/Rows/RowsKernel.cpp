#include "compiler/Codegen/Kernels/Rows/RowsKernel.h"
#include "compiler/Analysis/OpCost.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

RowsKernel::RowsKernel(func::FuncOp kernel, KernelFrame opened, int64_t lanes)
    : kernel(kernel), plan(kernel), frame(std::move(opened)), b(frame.builder), loc(frame.location), lanes(lanes) {
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

RegionVectoriser RowsKernel::openRow(Value row) {
  SmallVector<Value> sizes;
  for (const SizeExpr &size : rowSizes)
    sizes.push_back(frame.size(size));
  return openRow(subscriptsOf(b, loc, row, sizes));
}

RegionVectoriser RowsKernel::openRow(ArrayRef<LaneIndex> row) {
  RegionVectoriser vectoriser(b, loc, lanes);
  frame.bindTo(vectoriser);
  at.assign(row.begin(), row.end());
  return vectoriser;
}

RowsKernel::SweepWork RowsKernel::workOf(unsigned number, ArrayRef<Value> buffers) {
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
    if (stored.sweep == number && buffer)
      work.stores.emplace_back(stored.map, buffer);
  return work;
}

void RowsKernel::bindStored(RegionVectoriser &row, unsigned number, ArrayRef<Value> buffers) const {
  for (auto [stored, buffer] : llvm::zip(plan.stored(), buffers))
    if (stored.sweep == number && buffer && !stored.isRounded)
      row.bindBuffer(stored.map, buffer);
}

void RowsKernel::hoistScalars(RegionVectoriser &row, unsigned number) {
  for (linalg::GenericOp op : plan.operations())
    if (plan.role(op) == RowRole::Scalar && plan.sweepOf(op) <= number)
      for (Value result : op->getResults())
        row.load(result, at);
}

void RowsKernel::emitPoint(const RegionVectoriser &row, const SweepWork &work, const LanePoint &point,
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
  // All are read before one is stored, as a result may overwrite an operand.
  SmallVector<Value> values;
  for (auto [map, buffer] : work.stores)
    values.push_back(vectoriser.load(map, indices));
  for (auto [store, value] : llvm::zip_equal(work.stores, values))
    vectoriser.store(value, store.second, indices);
}

void RowsKernel::bindFolds(RegionVectoriser &row, const SweepWork &work, ValueRange folded) {
  for (auto [fold, reduction, value] : llvm::zip(work.folds, work.reductions, folded)) {
    auto [op, result] = fold;
    row.bindElement(op->getResult(result), at, withStart(row, op, result, reduction, value));
  }
}

Value RowsKernel::withStart(RegionVectoriser &row, linalg::GenericOp op, unsigned result,
                            const SweepReduction &reduction, Value folded) {
  Value init = op.getDpsInitOperand(result)->get();
  Value none = neutralElement(b, loc, reduction.kind, reduction.element);
  Attribute filled, neutral;
  if (auto fill = init.getDefiningOp<linalg::FillOp>(); fill &&
                                                        matchPattern(fill.getInputs()[0], m_Constant(&filled)) &&
                                                        matchPattern(none, m_Constant(&neutral)) && filled == neutral)
    return folded;
  Value start = row.load(init, at);
  return combine(b, loc, reduction.kind, isa<VectorType>(folded.getType()) ? row.broadcast(start) : start, folded);
}

KernelCost RowsKernel::cost() const {
  SizeExpr flops;
  for (linalg::GenericOp op : plan.operations()) {
    SizeExpr points = rowCount;
    if (plan.role(op) != RowRole::Scalar)
      points = points * length;
    flops = flops + points * SizeExpr(costOf(op.getRegion()).flops);
  }
  return {flops, frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
}

} // namespace attnc
