// Transfer functions of views and loops.
#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

LogicalResult PositionAnalysis::rule(linalg::FillOp op) {
  if (dims.countsPositions(op.getInputs().front()))
    return mixes(op, "depends on the number of positions");
  if (dependsOnTimeStep(op, op.getInputs().front()))
    return mixes(op, "fills this tensor with its number; expected a formula, as in `[b, d < 8] => f32(t)`");
  setFact(op.getResult(0), {});
  return success();
}

/// `groups` are dimensions of `wide` that correspond to one dimension of the other side.
LogicalResult PositionAnalysis::reshapeRule(Operation *op, Value wide, ArrayRef<ReassociationIndices> groups) {
  PositionFact source = fact(op->getOperand(0));
  std::optional<unsigned> position = dims.positionDim(wide), row = dims.rowDim(wide);
  for (const ReassociationIndices &group : groups) {
    bool hasPosition = position && llvm::is_contained(group, *position);
    bool hasRow = row && source.along != PositionFact::Along::Nothing && llvm::is_contained(group, *row);
    SizeExpr others(1);
    for (int64_t dim : group)
      if (!(hasPosition && dim == *position) && !(hasRow && dim == *row))
        others *= dims.shapes.extent(wide, dim);
    if ((hasPosition && hasRow) || ((hasPosition || hasRow) && !(others == SizeExpr(1))))
      return mixes(op, "loses its dimension: this merges it with others");
  }
  setFact(op->getResult(0), source);
  return success();
}

LogicalResult PositionAnalysis::rule(tensor::ExtractSliceOp op) {
  PositionFact source = fact(op.getSource());
  std::optional<unsigned> position = dims.positionDim(op.getSource()), row = dims.rowDim(op.getSource());
  if (row && source.along != PositionFact::Along::Nothing &&
      !(dims.shapes.size(op.getMixedSizes()[*row]) == SizeExpr::symbol(*dims.rowSymbol)))
    return mixes(op, "of one row is not computed with the others: this takes a slice of `" + dims.rowName + "`");
  if (position) {
    OpFoldResult offset = op.getMixedOffsets()[*position];
    SizeExpr size = dims.shapes.size(op.getMixedSizes()[*position]);
    bool isLast = size == SizeExpr(1) && isa<Value>(offset) && dims.isLastPosition(cast<Value>(offset));
    if (isLast)
      source.along = PositionFact::Along::End;
    else if (!(size == SizeExpr::symbol(dims.alongSymbol)))
      return mixes(op, "is not read here: this takes a slice of the positions");
  } else if (llvm::any_of(op.getMixedOffsets(), [&](OpFoldResult offset) {
               return isa<Value>(offset) && dependsOnTimeStep(op, cast<Value>(offset));
             })) {
    return mixes(op, "starts this slice; expected a formula, as in `[b, d] => x[b, t + d]`");
  } else if (dims.positionDim(op.getResult()) && dims.hasRows() && !dims.rowDim(op.getSource())) {
    // The first `seq` rows of a table: those of a call start at the row's length.
    source.perRow = true;
  }
  if (dims.positionDim(op.getResult()))
    source.reach = source.reach.join(Reach::pointwise());
  setFact(op.getResult(), source);
  return success();
}

LogicalResult PositionAnalysis::rule(tensor::ConcatOp op) {
  PositionFact joined;
  for (Value input : op.getInputs()) {
    if (dims.positionDim(input) == op.getDim())
      return mixes(op, "is not a position of the operands: this concatenates positions");
    if (fact(input).along != PositionFact::Along::Nothing && dims.rowDim(input) == op.getDim())
      return mixes(op, "of one row is not computed with the others: this concatenates rows");
    joined = joined.join(fact(input));
  }
  setFact(op.getResult(), joined);
  return success();
}

/// Least fixpoint over the carried values. A reach that grows from iteration to iteration becomes causal at once, as
/// the lattice has no bound on the number of iterations.
LogicalResult PositionAnalysis::loopRule(scf::ForOp op) {
  for (auto [argument, init] : llvm::zip_equal(op.getRegionIterArgs(), op.getInits()))
    setFact(argument, fact(init));
  for (bool isStable = false; !isStable;) {
    if (failed(analyse(*op.getBody())))
      return failure();
    isStable = true;
    for (auto [argument, next] : llvm::zip_equal(op.getRegionIterArgs(), op.getYieldedValues())) {
      PositionFact before = fact(argument), joined = before.join(fact(next));
      if (!(joined.reach == before.reach) && !before.reach.isNothing())
        joined.reach = joined.reach.join(Reach::causal());
      setFact(argument, joined);
      isStable &= fact(argument) == before;
    }
  }
  for (auto [argument, result] : llvm::zip_equal(op.getRegionIterArgs(), op.getResults()))
    setFact(result, fact(argument));
  return success();
}

} // namespace attnc
