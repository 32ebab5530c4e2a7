#include "compiler/Codegen/Kernels/Loops/PointwiseKernel.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Kernels/Loops/Computation.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attnc {

GenericKernel::GenericKernel(linalg::GenericOp op, KernelFrame opened, int64_t lanes)
    : op(op), frame(std::move(opened)), b(frame.builder), loc(frame.location), lanes(lanes),
      sizes(loopSizes(op, frame.sizes)) {}

Value GenericKernel::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

void GenericKernel::bindViews(RegionVectoriser &vectoriser) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>())
      if (Value source = frame.buffer(collapse.getSrc()))
        vectoriser.bindBuffer(collapse.getResult(),
                              memref::CollapseShapeOp::create(b, loc, source, collapse.getReassociationIndices()));
}

void GenericKernel::storeResults(RegionVectoriser &vectoriser, ArrayRef<LaneIndex> at) {
  SmallVector<Value> values;
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    values.push_back(vectoriser.evaluate(yielded));
  for (auto [result, value] : llvm::enumerate(values))
    storeResult(vectoriser, value, result, at);
}

/// The element of the epilogue for an element of the reduction.
static Value applyEpilogue(RegionVectoriser vectoriser, linalg::GenericOp epilogue, Value folded,
                           ArrayRef<LaneIndex> at) {
  vectoriser.bindIterations(epilogue, at);
  for (OpOperand *operand : epilogue.getDpsInputOperands())
    if (operand->get().getDefiningOp<linalg::GenericOp>())
      vectoriser.bindValue(epilogue.getMatchingBlockArgument(operand), folded);
  Value value = vectoriser.evaluate(epilogue.getBody()->getTerminator()->getOperand(0));
  return isa<VectorType>(folded.getType()) ? vectoriser.broadcast(value) : value;
}

void GenericKernel::storeResult(RegionVectoriser &vectoriser, Value value, unsigned result, ArrayRef<LaneIndex> at) {
  if (linalg::GenericOp epilogue = epilogueOf(op)) {
    SmallVector<LaneIndex> subscripts = resultSubscripts(result, at);
    return vectoriser.store(applyEpilogue(vectoriser, epilogue, value, subscripts), frame.result(0), subscripts);
  }
  for (auto [number, from] : llvm::enumerate(computedResults(op->getParentOfType<func::FuncOp>()))) {
    Value buffer = frame.result(number);
    if (auto expand = from.getDefiningOp<tensor::ExpandShapeOp>()) {
      buffer = memref::CollapseShapeOp::create(b, loc, buffer, expand.getReassociationIndices());
      from = expand.getSrc();
    }
    if (from == op.getResult(result))
      vectoriser.store(value, buffer, resultSubscripts(result, at));
  }
}

SmallVector<LaneIndex> GenericKernel::resultSubscripts(unsigned result, ArrayRef<LaneIndex> at) {
  SmallVector<LaneIndex> subscripts;
  for (AffineExpr each : op.getMatchingIndexingMap(op.getDpsInitOperand(result)).getResults())
    subscripts.push_back(at[cast<AffineDimExpr>(each).getPosition()]);
  return subscripts;
}

KernelCost GenericKernel::cost() {
  SizeExpr points(1);
  for (const SizeExpr &size : sizes)
    points = points * size;
  SizeExpr flops = points * SizeExpr(costOf(op.getRegion()).flops);
  if (linalg::GenericOp epilogue = epilogueOf(op))
    flops += frame.sizes.resultElements(0) * SizeExpr(costOf(epilogue.getRegion()).flops);
  return {flops, frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
}

//===------------------------------------------ points ------------------------------------------------------------===//

PointwiseKernel::PointwiseKernel(linalg::GenericOp op, KernelFrame opened, int64_t lanes, int64_t scheduleLanes)
    : GenericKernel(op, std::move(opened), lanes), schedule(scheduleLoops(op, frame.sizes, scheduleLanes)),
      indices(op.getNumLoops()) {
  bool folds = op.getNumReductionLoops() != 0;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    auto fold = matchFold(op, result);
    folds = folds && fold;
    if (fold)
      reductions.push_back({fold->kind, op.getRegionOutputArgs()[result].getType()});
  }
  if (!folds)
    reductions.clear();
}

void PointwiseKernel::emitTile(const RegionVectoriser &outside, ArrayRef<LanePoint> points) {
  std::vector<RegionVectoriser> tile;
  SmallVector<Subscripts> at;
  for (size_t each = 0; each < std::max<size_t>(points.size(), 1); ++each) {
    tile.push_back(outside);
    at.push_back(indices);
    if (points.empty())
      continue;
    at.back()[*schedule.vector] = points[each].index;
    if (points[each].active)
      tile.back().setActiveLanes(points[each].active);
  }
  SmallVector<Value> carried;
  if (!schedule.sequential.empty()) {
    for (auto [vectoriser, subscripts] : llvm::zip(tile, at))
      for (unsigned result = 0; result < op.getNumResults(); ++result)
        carried.push_back(startOf(vectoriser, result, subscripts, !points.empty()));
    carried = emitSequential(tile, at, 0, carried);
  }
  size_t next = 0;
  for (auto [vectoriser, subscripts] : llvm::zip(tile, at)) {
    vectoriser.bindIterations(op, subscripts);
    if (carried.empty())
      storeResults(vectoriser, subscripts);
    else
      for (unsigned result = 0; result < op.getNumResults(); ++result)
        storeResult(vectoriser, carried[next++], result, subscripts);
  }
}

Value PointwiseKernel::startOf(RegionVectoriser &vectoriser, unsigned result, ArrayRef<LaneIndex> at, bool vector) {
  Value start = vectoriser.load(op.getDpsInitOperand(result)->get(), resultSubscripts(result, at));
  return vector ? vectoriser.broadcast(start) : start;
}

SmallVector<Value> PointwiseKernel::emitSequential(ArrayRef<RegionVectoriser> tile, ArrayRef<Subscripts> at,
                                                   unsigned depth, ValueRange carried) {
  if (depth == schedule.sequential.size())
    return evaluateOnce(tile, at, carried);
  unsigned dim = schedule.sequential[depth];
  auto iteration = [&](Value index, ValueRange inner) {
    SmallVector<Subscripts> deeper(at);
    for (Subscripts &each : deeper)
      each[dim] = {index, 0, {}, true};
    return emitSequential(tile, deeper, depth + 1, inner);
  };
  if (!isUnrolled(depth, tile.size()))
    return loop(b, loc, constant(0), frame.size(schedule.sizes[dim]), 1, carried, iteration);
  SmallVector<Value> values(carried);
  for (int64_t each = 0; each < schedule.sizes[dim].constant(); ++each)
    values = iteration(constant(each), values);
  return values;
}

bool PointwiseKernel::isUnrolled(unsigned depth, size_t points) {
  constexpr int64_t mostIterations = 16, mostInstructions = 256;
  SizeExpr iterations(1);
  for (unsigned dim : ArrayRef(schedule.sequential).drop_front(depth))
    iterations = iterations * schedule.sizes[dim];
  if (!iterations.isConstant() || iterations.constant() > mostIterations)
    return false;
  return iterations.constant() * int64_t(points) * costOf(op.getRegion()).instructions <= mostInstructions;
}

/// The region once for each point, with the loop-carried values as its output arguments.
SmallVector<Value> PointwiseKernel::evaluateOnce(ArrayRef<RegionVectoriser> tile, ArrayRef<Subscripts> at,
                                                 ValueRange carried) {
  SmallVector<Value> results;
  for (auto [outside, subscripts] : llvm::zip(tile, at)) {
    RegionVectoriser vectoriser = outside;
    vectoriser.bindIterations(op, subscripts);
    bool vector = false;
    for (BlockArgument argument : op.getRegionOutputArgs()) {
      vectoriser.bindValue(argument, carried.front());
      vector = isa<VectorType>(carried.front().getType());
      carried = carried.drop_front();
    }
    for (Value value : op.getBody()->getTerminator()->getOperands()) {
      Value result = vectoriser.evaluate(value);
      results.push_back(vector ? vectoriser.broadcast(result) : result);
    }
  }
  return results;
}

} // namespace attnc
