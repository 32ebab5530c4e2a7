#include "compiler/Codegen/Formula/Reductions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

static Value yieldedValue(attn::ReduceOp op) { return op.getBody().front().getTerminator()->getOperand(0); }

/// The reductions that `value` depends on, innermost operands first, without those inside other reductions.
static void collectReductions(Value value, DenseSet<Value> &seen, SmallVectorImpl<attn::ReduceOp> &reductions) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value).second)
    return;
  for (Value operand : op->getOperands())
    collectReductions(operand, seen, reductions);
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    reduce.getBody().walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!isDefinedInside(operand, reduce))
          collectReductions(operand, seen, reductions);
    });
    reductions.push_back(reduce);
  }
}

SmallVector<Value> evaluateTogether(ArrayRef<RegionVectoriser *> tile, Value value) {
  DenseSet<Value> seen;
  SmallVector<attn::ReduceOp> reductions;
  collectReductions(value, seen, reductions);
  for (attn::ReduceOp reduce : reductions)
    evaluateReduction(tile, reduce);
  return llvm::map_to_vector(tile, [&](RegionVectoriser *each) { return each->evaluate(value); });
}

/// Yields the accumulators combined with the terms at these loop indices.
static void yieldReduced(ArrayRef<RegionVectoriser *> tile, attn::ReduceOp op, ValueRange inductions,
                         ValueRange accumulators) {
  std::vector<RegionVectoriser> copies;
  SmallVector<RegionVectoriser *> inner;
  copies.reserve(tile.size());
  for (RegionVectoriser *each : tile) {
    RegionVectoriser &copy = copies.emplace_back(*each);
    for (auto [index, induction] : llvm::zip(op.getBody().getArguments(), inductions))
      copy.bindIndex(index, induction);
    inner.push_back(&copy);
  }
  SmallVector<Value> terms = evaluateTogether(inner, yieldedValue(op)), sums;
  const LaneArithmetic &lanes = tile.front()->getLanes();
  for (auto [term, accumulator] : llvm::zip(terms, accumulators)) {
    Value value = isa<VectorType>(accumulator.getType()) ? lanes.broadcast(term) : term;
    sums.push_back(combine(lanes.builder, lanes.location, op.getCombine(), accumulator, value));
  }
  scf::YieldOp::create(lanes.builder, lanes.location, sums);
}

void evaluateReduction(ArrayRef<RegionVectoriser *> tile, attn::ReduceOp op) {
  if (llvm::all_of(tile, [&](RegionVectoriser *each) { return each->isBound(op.getResult()); }))
    return;
  const LaneArithmetic &lanes = tile.front()->getLanes();
  OpBuilder &b = lanes.builder;
  Location location = lanes.location;
  SmallVector<Value> sizes, accumulators;
  for (Value size : op.getSizes())
    sizes.push_back(tile.front()->evaluateIndex(size).base);
  bool vector = llvm::any_of(tile, [&](RegionVectoriser *each) { return each->varies(op.getResult()); });
  Type scalar = op.getResult().getType();
  for (RegionVectoriser *each : tile) {
    each->evaluateAvailable(yieldedValue(op));
    Type type = vector ? Type(lanes.vectorOf(scalar)) : scalar;
    accumulators.push_back(neutralElement(b, location, op.getCombine(), type));
  }
  OpBuilder::InsertionGuard guard(b);
  Value zero = arith::ConstantIndexOp::create(b, location, 0), one = arith::ConstantIndexOp::create(b, location, 1);
  SmallVector<Value> inductions;
  SmallVector<scf::ForOp> loops;
  ValueRange carried = accumulators;
  for (Value size : sizes) {
    auto loop = scf::ForOp::create(b, location, zero, size, one, carried);
    if (!loops.empty())
      scf::YieldOp::create(b, location, loop.getResults());
    loops.push_back(loop);
    inductions.push_back(loop.getInductionVar());
    carried = loop.getRegionIterArgs();
    b.setInsertionPointToStart(loop.getBody());
  }
  yieldReduced(tile, op, inductions, carried);
  for (auto [each, result] : llvm::zip(tile, loops.front().getResults()))
    each->bindValue(op.getResult(), result);
}

} // namespace attnc
