// attn.reduce as loops that several vectorisers share, and what is known of a value before anything is emitted.
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ analysis ----------------------------------------------------------===//

static Value yieldedBy(attn::ReduceOp op) { return op.getBody().front().getTerminator()->getOperand(0); }

static bool isInside(Value value, Operation *op) { return op->isAncestor(value.getParentBlock()->getParentOp()); }

bool RegionVectoriser::isAvailable(Value value) {
  DenseMap<Value, bool> seen;
  return isAvailable(value, seen);
}

bool RegionVectoriser::isAvailable(Value value, DenseMap<Value, bool> &seen) {
  if (values.contains(value) || indices.contains(value) || isa<RankedTensorType>(value.getType()))
    return true;
  if (auto found = seen.find(value); found != seen.end())
    return found->second;
  bool available = true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    available = iterations.contains(argument.getOwner()->getParentOp());
  } else if (Operation *op = value.getDefiningOp(); isa<linalg::IndexOp>(op)) {
    available = iterations.contains(op->getParentOp());
  } else {
    for (Value operand : op->getOperands())
      available = available && isAvailable(operand, seen);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        available = available && (isInside(operand, op) || isAvailable(operand, seen));
    });
  }
  return seen[value] = available;
}

bool RegionVectoriser::varies(Value value) {
  DenseMap<Value, bool> seen;
  return varies(value, seen);
}

bool RegionVectoriser::varies(Value value, DenseMap<Value, bool> &seen) {
  if (Value known = values.lookup(value))
    return isa<VectorType>(known.getType());
  if (auto known = indices.find(value); known != indices.end())
    return !known->second.isUniform();
  if (auto found = seen.find(value); found != seen.end())
    return found->second;
  auto anyIndex = [&](Operation *generic, auto wanted) {
    auto found = iterations.find(generic);
    return found != iterations.end() && llvm::any_of(llvm::enumerate(found->second), [&](auto each) {
             return wanted(each.index()) && !each.value().isUniform();
           });
  };
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto generic = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp())) {
      AffineMap map = generic.getMatchingIndexingMap(&generic->getOpOperand(argument.getArgNumber()));
      result = anyIndex(generic, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
    }
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = anyIndex(index->getParentOp(), [&](unsigned dim) { return dim == index.getDim(); });
  } else if (auto reduce = value.getDefiningOp<attn::ReduceOp>()) {
    result = varies(yieldedBy(reduce), seen);
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      result = result || (!isa<RankedTensorType>(operand.getType()) && varies(operand, seen));
  }
  return seen[value] = result;
}

void RegionVectoriser::evaluateAvailable(Value value) {
  DenseSet<Value> seen;
  evaluateAvailable(value, seen);
}

void RegionVectoriser::evaluateAvailable(Value value, DenseSet<Value> &seen) {
  if (isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return;
  if (isAvailable(value)) {
    if (value.getType().isIndex())
      evaluateIndex(value);
    else
      evaluate(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      evaluateAvailable(operand, seen);
  });
}

//===------------------------------------------ loops -------------------------------------------------------------===//

/// The reductions that `value` needs, innermost operands first, not those inside other reductions.
static void collectReductions(Value value, DenseSet<Value> &seen, SmallVectorImpl<attn::ReduceOp> &reductions) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value).second)
    return;
  for (Value operand : op->getOperands())
    collectReductions(operand, seen, reductions);
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    reduce.getBody().walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!isInside(operand, reduce))
          collectReductions(operand, seen, reductions);
    });
    reductions.push_back(reduce);
  }
}

SmallVector<Value> RegionVectoriser::evaluateTogether(ArrayRef<RegionVectoriser *> tile, Value value) {
  DenseSet<Value> seen;
  SmallVector<attn::ReduceOp> reductions;
  collectReductions(value, seen, reductions);
  for (attn::ReduceOp reduce : reductions)
    reduceTogether(tile, reduce);
  SmallVector<Value> results;
  for (RegionVectoriser *each : tile)
    results.push_back(each->evaluate(value));
  return results;
}

void RegionVectoriser::reduceTogether(ArrayRef<RegionVectoriser *> tile, attn::ReduceOp op) {
  RegionVectoriser &first = *tile.front();
  if (llvm::all_of(tile, [&](RegionVectoriser *each) { return each->values.contains(op.getResult()); }))
    return;
  OpBuilder &b = first.builder;
  Location location = first.location;
  SmallVector<Value> sizes, accumulators;
  for (Value size : op.getSizes())
    sizes.push_back(first.evaluateIndex(size).base);
  bool vector = llvm::any_of(tile, [&](RegionVectoriser *each) { return each->varies(op.getResult()); });
  Type scalar = op.getResult().getType();
  for (RegionVectoriser *each : tile) {
    each->evaluateAvailable(yieldedBy(op));
    Type type = vector ? Type(each->vectorOf(scalar)) : scalar;
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
    each->values[op.getResult()] = result;
}

void RegionVectoriser::yieldReduced(ArrayRef<RegionVectoriser *> tile, attn::ReduceOp op, ValueRange inductions,
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
  SmallVector<Value> terms = evaluateTogether(inner, yieldedBy(op)), sums;
  OpBuilder &b = tile.front()->builder;
  for (auto [each, term, accumulator] : llvm::zip(tile, terms, accumulators)) {
    Value value = isa<VectorType>(accumulator.getType()) ? each->broadcast(term) : term;
    sums.push_back(combine(b, each->location, op.getCombine(), accumulator, value));
  }
  scf::YieldOp::create(b, tile.front()->location, sums);
}

Value combine(OpBuilder &b, Location location, attn::Combine kind, Value a, Value x) {
  bool real = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  auto contract = arith::FastMathFlags::contract;
  switch (kind) {
  case attn::Combine::Add:
    return real ? Value(arith::AddFOp::create(b, location, a, x, contract))
                : Value(arith::AddIOp::create(b, location, a, x));
  case attn::Combine::Mul:
    return real ? Value(arith::MulFOp::create(b, location, a, x)) : Value(arith::MulIOp::create(b, location, a, x));
  case attn::Combine::Max:
    return real ? Value(arith::MaximumFOp::create(b, location, a, x))
                : Value(arith::MaxSIOp::create(b, location, a, x));
  case attn::Combine::Min:
    return real ? Value(arith::MinimumFOp::create(b, location, a, x))
                : Value(arith::MinSIOp::create(b, location, a, x));
  }
  llvm_unreachable("unknown combiner");
}

Value neutralElement(OpBuilder &b, Location location, attn::Combine kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (auto real = dyn_cast<FloatType>(element)) {
    double neutral[] = {0, 1, -INFINITY, INFINITY};
    attribute = b.getFloatAttr(real, neutral[static_cast<int>(kind)]);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    APInt neutral[] = {APInt(width, 0), APInt(width, 1), APInt::getSignedMinValue(width),
                       APInt::getSignedMaxValue(width)};
    attribute = b.getIntegerAttr(element, neutral[static_cast<int>(kind)]);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, location, attribute);
}

} // namespace attnc
