// Transfer functions of index notation and attention.
#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

/// How far before the current position a subscript reads; null if it may read after it.
static std::optional<Reach> reachOf(Value subscript, const BodyIndices &indices, Reach atKey) {
  subscript = BodyIndices::stripCasts(subscript);
  if (std::optional<BodyIndices::Linear> sum = indices.read(subscript)) {
    if (sum->key == 0 && sum->position == 1 && sum->constant <= 0)
      return Reach::window(-sum->constant);
    if (sum->key == 1 && sum->position == 0 && sum->constant <= 0)
      return Reach::window(-sum->constant).after(atKey);
    return sum->key == 0 && sum->position == 0 && sum->constant == 0 ? std::optional(Reach::causal()) : std::nullopt;
  }
  Operation *op = subscript.getDefiningOp();
  if (!isa_and_nonnull<arith::SelectOp, arith::MaxSIOp>(op))
    return std::nullopt;
  // max(i - 2, 0) reads the first position if i < 2.
  if (isa<arith::MaxSIOp>(op) && getConstantIntValue(BodyIndices::stripCasts(op->getOperand(1))) == 0)
    return reachOf(op->getOperand(0), indices, atKey);
  std::optional<Reach> a = reachOf(op->getOperands().end()[-2], indices, atKey),
                       b = reachOf(op->getOperands().back(), indices, atKey);
  return a && b ? std::optional(a->join(*b)) : std::nullopt;
}

LogicalResult PositionAnalysis::checkRow(tensor::ExtractOp extract, const BodyIndices &indices) {
  std::optional<unsigned> row = dims.rowDim(extract.getTensor());
  if (row && !indices.isRow(extract.getIndices()[*row]))
    return mixes(extract, "of one row depends on other rows of `" + dims.rowName + "`, whose lengths may differ");
  return success();
}

LogicalResult PositionAnalysis::readExtract(tensor::ExtractOp extract, const BodyIndices &indices, Reach atKey,
                                            PositionFact &fact) {
  PositionFact source = this->fact(extract.getTensor());
  fact.fromArguments |= source.fromArguments;
  fact.perRow |= source.perRow && !indices.roles.row;
  if (source.along == PositionFact::Along::Nothing)
    return success();
  if (failed(checkRow(extract, indices)))
    return failure();
  if (source.along == PositionFact::Along::TimeStep)
    return readTimeStep(extract, source, indices, fact);
  std::optional<unsigned> dim = dims.positionDim(extract.getTensor());
  bool isEnd = source.along == PositionFact::Along::End || dims.isLastPosition(extract.getIndices()[*dim]);
  if (isEnd) {
    if (indices.roles.hasPosition() || indices.roles.key)
      return mixes(extract, "depends on the last one: this reads it");
    fact.along = PositionFact::Along::End;
    fact.reach = fact.reach.join(source.reach);
    ownReads.insert(extract);
    return success();
  }
  Value subscript = extract.getIndices()[*dim];
  std::optional<Reach> reach = reachOf(subscript, indices, atKey);
  if (!reach || !indices.roles.hasPosition())
    return mixes(extract, "may depend on any: this is not known to read only positions up to its own");
  if (reach->isMixing())
    return mixes(indices.owner, "depends on positions j > i: the mask of this attend does not restrict j to j <= i");
  fact.reach = fact.reach.join(reach->after(source.reach));
  if (indices.roles.timeStep)
    fact.along = std::max(fact.along, PositionFact::Along::TimeStep);
  if (indices.isPosition(subscript))
    ownReads.insert(extract);
  else {
    cacheReads.insert(extract);
    cache(extract.getTensor(), *reach);
  }
  return success();
}

/// Joins the fact of a value of the time step, or of one that is computed from such values.
LogicalResult PositionAnalysis::readTimeStep(Operation *op, PositionFact source, const BodyIndices &indices,
                                             PositionFact &fact) {
  if (indices.roles.position)
    return mixes(op, "would be computed for all positions in each time step of the scan");
  fact.along = std::max(fact.along, source.along);
  fact.reach = fact.reach.join(source.reach);
  return success();
}

/// The users of the result are analysed instead.
static bool isIntegerArithmetic(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::IndexCastOp>(op);
}

LogicalResult PositionAnalysis::readBody(const BodyIndices &indices, Reach atKey, PositionFact &fact) {
  bool usesPosition = false;
  WalkResult walk = indices.owner->walk([&](Operation *inner) -> WalkResult {
    if (inner == indices.owner)
      return WalkResult::advance();
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (extract && failed(readExtract(extract, indices, atKey, fact)))
      return WalkResult::interrupt();
    bool isReduce = isa<attn::ReduceOp>(inner), isArithmetic = isIntegerArithmetic(inner);
    for (Value operand : inner->getOperands()) {
      bool isLast = extract && ownReads.contains(extract) && dims.isLastPosition(operand);
      bool counts =
          !isa<RankedTensorType>(operand.getType()) && !isArithmetic && !isLast && dims.countsPositions(operand);
      if (counts)
        return (void)mixes(inner, isReduce ? "depends on others: this combines all positions"
                                           : "depends on the number of positions"),
               WalkResult::interrupt();
      if (isa<arith::IndexCastOp>(inner) || (extract && ownReads.contains(extract)))
        continue;
      bool usesTimeStep = !isa<RankedTensorType>(operand.getType()) && dependsOnTimeStep(indices.owner, operand);
      usesPosition |= usesTimeStep || indices.isPosition(operand);
      if (usesTimeStep && failed(readTimeStep(inner, {.along = PositionFact::Along::TimeStep}, indices, fact)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  fact.perRow |= usesPosition && dims.hasRows() && !indices.roles.row;
  return success();
}

LogicalResult PositionAnalysis::rule(linalg::GenericOp op) {
  BodyIndices indices(op, dims.roles(op));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto isReduced = [&](std::optional<unsigned> loop) {
    return loop && iterators[*loop] == utils::IteratorType::reduction;
  };
  if (isReduced(indices.roles.position))
    return mixes(op, "depends on others: this combines all positions");
  PositionFact fact;
  for (Value operand : op.getInputs()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    PositionFact source = this->fact(operand);
    if (source.along == PositionFact::Along::End && indices.roles.hasPosition())
      return mixes(op, "depends on the last one: this reads it");
    if (source.along == PositionFact::Along::TimeStep && failed(readTimeStep(op, source, indices, fact)))
      return failure();
    if (source.along != PositionFact::Along::Nothing && dims.rowDim(operand) && isReduced(indices.roles.row))
      return mixes(op, "of one row depends on the others: this combines all rows of `" + dims.rowName + "`");
    fact.along = std::max(fact.along, source.along == PositionFact::Along::End ? source.along : fact.along);
    fact.reach = fact.reach.join(source.reach);
    fact.fromArguments |= source.fromArguments;
    fact.perRow |= source.perRow && !indices.roles.row;
  }
  if (failed(readBody(indices, Reach::mixing(), fact)))
    return failure();
  if (indices.roles.position)
    fact.reach = fact.reach.join(Reach::pointwise());
  for (Value result : op.getResults())
    setFact(result, fact);
  return success();
}

LogicalResult PositionAnalysis::rule(attn::AttendOp op) {
  BodyIndices indices(op, dims.roles(op));
  Reach atKey = Reach::mixing();
  PositionFact fact;
  if (llvm::count_if(op.getKeySizes(), [&](Value size) { return dims.isPositionCount(size); }) > 1)
    return mixes(op, "depends on pairs of positions: two key indices of this attend are positions");
  if (indices.roles.key) {
    if (!indices.roles.hasPosition())
      return mixes(op, "depends on others: this attends to all positions");
    MaskBounds bounds = maskBounds(op, indices);
    if (bounds.ahead && *bounds.ahead <= 0)
      atKey = bounds.behind ? Reach::window(std::max<int64_t>(*bounds.behind, 0)) : Reach::causal();
    if (atKey.isMixing())
      return mixes(op, "depends on positions j > i: the mask of this attend does not restrict j to j <= i");
    if (bounds.behind && op.getResultFor(attn::Statistic::Top))
      return mixes(op, "numbers keys, which a ring buffer does not store in order: `top` of a window");
  }
  if (indices.roles.position && op.getResultFor(attn::Statistic::KeySums) &&
      llvm::is_contained(*op.getSummed(), int64_t(*indices.roles.position)))
    return mixes(op, "depends on others: `key_sums` sums over all positions");
  if (indices.roles.position && indices.roles.row && op.getResultFor(attn::Statistic::KeySums) &&
      llvm::is_contained(*op.getSummed(), int64_t(*indices.roles.row)))
    return mixes(op, "of one row depends on the others: `key_sums` sums over all rows of `" + dims.rowName + "`");
  if (failed(readBody(indices, atKey, fact)))
    return failure();
  if (indices.roles.position)
    fact.reach = fact.reach.join(Reach::pointwise());
  for (Value result : op.getResults())
    setFact(result, fact);
  return success();
}

} // namespace attnc
