#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/Formula/LaneOps.h"
#include "compiler/Codegen/Formula/Reductions.h"
#include "compiler/Codegen/Formula/SubscriptChecks.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Codegen/Formula/ViewSubscripts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ supported ops ----------------------------------------------------===//

static bool isFormulaScalar(Type type) {
  return type.isF32() || type.isInteger(32) || type.isInteger(1) || type.isIndex();
}

static Verdict canEvaluateOp(Operation *op) {
  if (isa<linalg::YieldOp, linalg::IndexOp, attn::YieldOp, attn::TermOp, attn::ReduceOp, attn::StopOp, attn::UniformOp,
          tensor::DimOp, affine::AffineApplyOp>(op))
    return Verdict::yes();
  std::string name = op->getName().getStringRef().str();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isFormulaScalar(extract.getType()) ? Verdict::yes()
                                              : Verdict::no("it extracts an element that is not f32, i32 or i1");
  bool math = op->getDialect() && op->getDialect()->getNamespace() == "math";
  if (math ? !isSupportedMath(op) : !isa<arith::ArithDialect>(op->getDialect()))
    return Verdict::no("its formula contains " + name);
  if (op->getNumResults() != 1 || !llvm::all_of(op->getResultTypes(), isFormulaScalar) ||
      !llvm::all_of(op->getOperandTypes(), isFormulaScalar))
    return Verdict::no("its formula contains " + name + " on other types than f32, i32, i1 and index");
  return Verdict::yes();
}

Verdict canVectorise(Region &region) {
  Verdict verdict = Verdict::yes();
  region.walk([&](Operation *op) {
    verdict = canEvaluateOp(op);
    return verdict ? WalkResult::advance() : WalkResult::interrupt();
  });
  return verdict;
}

//===------------------------------------------ active lanes -----------------------------------------------------===//

void RegionVectoriser::setActiveLanes(Value count) {
  guard.mask = guard.anyLane = {};
  if (count)
    guard.mask =
        vector::CreateMaskOp::create(lanes.builder, lanes.location, lanes.vectorOf(lanes.builder.getI1Type()), count);
}

void RegionVectoriser::restrictLanes(Value condition) {
  guard.mask = lanes.both(guard.mask, condition);
  guard.anyLane = vector::ReductionOp::create(lanes.builder, lanes.location, vector::CombiningKind::OR, guard.mask);
}

//===------------------------------------------ values -----------------------------------------------------------===//

Value RegionVectoriser::evaluate(Value value) {
  if (Value known = values.lookup(value))
    return known;
  if (value.getType().isIndex()) {
    LaneIndex index = evaluateIndex(value);
    return index.isUniform() ? index.base : broadcast(index);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  Value result = argument ? evaluateOperand(argument) : evaluateOp(value.getDefiningOp());
  values[value] = result;
  return result;
}

/// A block argument of linalg.generic is an element of an operand.
Value RegionVectoriser::evaluateOperand(BlockArgument argument) {
  auto generic = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  OpOperand &operand = generic->getOpOperand(argument.getArgNumber());
  if (!isa<RankedTensorType>(operand.get().getType()))
    return evaluate(operand.get());
  auto indices = iterations.find(generic);
  assert(indices != iterations.end() && "the iterations of this linalg.generic are not bound");
  Subscripts subscripts, dims = indices->second;
  for (AffineExpr expression : generic.getMatchingIndexingMap(&operand).getResults())
    subscripts.push_back(lanes.affine(expression, dims, {}));
  return load(operand.get(), subscripts);
}

Value RegionVectoriser::evaluateOp(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract);
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && compare.getLhs().getType().isIndex()) {
    LaneIndex a = evaluateIndex(compare.getLhs()), b = evaluateIndex(compare.getRhs());
    return lanes.compare(compare.getPredicate(), a, b);
  }
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    RegionVectoriser *self = this;
    evaluateReduction(self, reduce);
    return values.lookup(reduce.getResult());
  }
  if (isa<arith::ConstantOp>(op))
    return lanes.builder.clone(*op)->getResult(0);
  if (auto stop = dyn_cast<attn::StopOp>(op))
    return evaluate(stop.getOperand());
  // An index that differs between lanes is a vector of i32 already.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    if (Value lanesOfIndex = evaluate(op->getOperand(0));
        lanesOfIndex.getType() == lanes.vectorOf(op->getResult(0).getType()))
      return lanesOfIndex;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand));
  return emitElementwise(lanes, op, operands);
}

//===------------------------------------------ indices ----------------------------------------------------------===//

LaneIndex RegionVectoriser::evaluateIndex(Value index) {
  if (auto known = indices.find(index); known != indices.end())
    return known->second;
  assert(index.getDefiningOp() && "an index of the formula is not bound");
  LaneIndex result = evaluateIndexOp(index.getDefiningOp());
  indices[index] = result;
  return result;
}

LaneIndex RegionVectoriser::evaluateIndexOp(Operation *op) {
  if (APInt constant; matchPattern(op, m_ConstantInt(&constant)))
    return lanes.uniform(constant.getSExtValue());
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return iterations.find(op->getParentOp())->second[index.getDim()];
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return {sizeOf(dim.getSource(), *dim.getConstantIndex()), 0, {}, true};
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    Subscripts operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(evaluateIndex(operand));
    ArrayRef<LaneIndex> all = operands;
    unsigned numDims = apply.getAffineMap().getNumDims();
    return lanes.affine(apply.getAffineMap().getResult(0), all.take_front(numDims), all.drop_front(numDims));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value condition = evaluate(select.getCondition());
    LaneIndex a = evaluateIndex(select.getTrueValue()), b = evaluateIndex(select.getFalseValue());
    return lanes.select(condition, a, b);
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) { // a subscript that comes from data
    Value value = evaluate(op->getOperand(0));
    if (isa<VectorType>(value.getType()))
      return {{}, 0, value, false};
    return {cloneOp(lanes.builder, op, value, lanes.builder.getIndexType()), 0, {}, false};
  }
  LaneIndex a = evaluateIndex(op->getOperand(0)), b = evaluateIndex(op->getOperand(1));
  return emitIndexArithmetic(lanes, op, a, b);
}

Value RegionVectoriser::sizeOf(Value tensor, int64_t dimension) {
  if (Value memref = buffers.lookup(tensor))
    return lanes.builder.createOrFold<memref::DimOp>(lanes.location, memref, dimension);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return lanes.uniform(type.getDimSize(dimension)).base;
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return evaluateIndex(empty.getDynamicSize(dimension)).base;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return evaluateIndex(cast<Value>(slice.getMixedSizes()[dimension])).base;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return evaluateIndex(cast<Value>(expand.getMixedOutputShape()[dimension])).base;
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return sizeOf(cast.getSource(), dimension);
  auto destination = cast<DestinationStyleOpInterface>(op);
  return sizeOf(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dimension);
}

static void evaluateAvailableParts(RegionVectoriser &of, Value value, DenseSet<Value> &seen) {
  if (isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return;
  if (of.isAvailable(value)) {
    if (value.getType().isIndex())
      of.evaluateIndex(value);
    else
      of.evaluate(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      evaluateAvailableParts(of, operand, seen);
  });
}

void RegionVectoriser::evaluateAvailable(Value value) {
  DenseSet<Value> seen;
  evaluateAvailableParts(*this, value, seen);
}

//===------------------------------------------ elements ---------------------------------------------------------===//

Value RegionVectoriser::evaluateExtract(tensor::ExtractOp op) {
  Value existsBefore = guard.exists;
  Subscripts subscripts;
  guard.exists = lanes.both(guard.exists, hasElement(op));
  unsigned rank = op.getIndices().size();
  for (unsigned number = 0; number + 1 < rank; ++number)
    subscripts.push_back(clampedSubscript(op, number));
  Value element = rank > 0 ? evaluateClampedRun(op, subscripts) : Value();
  if (!element && rank > 0)
    subscripts.push_back(clampedSubscript(op, rank - 1));
  element = element ? element : load(op.getTensor(), subscripts);
  guard.exists = existsBefore;
  return element;
}

/// The subscript as a run between limits; null if it is none.
std::optional<ClampedRun> RegionVectoriser::clampedRun(Value subscript) {
  struct Limit {
    bool isLeast;
    LaneIndex bound;
  };
  SmallVector<Limit> limits; // the outermost is first
  Value inner = subscript;
  for (Operation *op = inner.getDefiningOp(); isa_and_present<arith::MaxSIOp, arith::MinSIOp>(op);
       op = inner.getDefiningOp()) {
    LaneIndex left = evaluateIndex(op->getOperand(0)), right = evaluateIndex(op->getOperand(1));
    if (left.isUniform() == right.isUniform())
      return std::nullopt;
    inner = op->getOperand(left.isUniform() ? 1 : 0);
    limits.push_back({isa<arith::MaxSIOp>(op), left.isUniform() ? left : right});
  }
  LaneIndex free = evaluateIndex(inner);
  if (limits.empty() || free.lanes || free.step != 1)
    return std::nullopt;
  // Composes the limits, from the innermost to the outermost one: `least` is the result for a very small subscript,
  // `greatest` for a very large one.
  ClampedRun run{free, {}, {}};
  auto apply = [&](const Limit &next, std::optional<LaneIndex> &limit, bool isOwn) {
    OpBuilder &b = lanes.builder;
    Value bound = next.bound.base;
    if (limit && next.isLeast)
      bound = arith::MaxSIOp::create(b, lanes.location, limit->base, bound);
    else if (limit)
      bound = arith::MinSIOp::create(b, lanes.location, limit->base, bound);
    if (limit || isOwn)
      limit = LaneIndex{bound, 0, {}, false};
  };
  for (const Limit &each : llvm::reverse(limits)) {
    apply(each, run.least, each.isLeast);
    apply(each, run.greatest, !each.isLeast);
  }
  return run;
}

/// The element, if the lanes vary along the last dimension alone and its subscript is a run between limits; else null.
Value RegionVectoriser::evaluateClampedRun(tensor::ExtractOp op, ArrayRef<LaneIndex> outer) {
  unsigned last = op.getIndices().size() - 1;
  Value memref = buffers.lookup(op.getTensor());
  if (!memref || needsCheck(op, last))
    return {};
  std::optional<ClampedRun> run = clampedRun(op.getIndices()[last]);
  if (!run || !canLoadClampedRun(lanes, memref, outer, *run))
    return {};
  return loadClampedRun(lanes, memref, op.getType(), outer, *run, sizeOf(op.getTensor(), last), guard);
}

Value RegionVectoriser::hasElement(tensor::ExtractOp op) {
  Value all;
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  for (auto [number, subscript] : llvm::enumerate(op.getIndices())) {
    bool isStatic = !type.isDynamicDim(number) && type.getDimSize(number) > 0;
    if (isStatic || isProved(op, number) || (evaluateIndex(subscript).proved && !needsCheck(op, number)))
      continue;
    Value size = sizeOf(op.getTensor(), number);
    all = lanes.both(all, arith::CmpIOp::create(lanes.builder, lanes.location, arith::CmpIPredicate::ne, size,
                                                lanes.uniform(0).base));
  }
  return all;
}

LaneIndex RegionVectoriser::clampedSubscript(tensor::ExtractOp op, unsigned number) {
  Value index = op.getIndices()[number];
  LaneIndex subscript = evaluateIndex(index);
  bool isUnproved = needsCheck(op, number);
  if (isProved(op, number) || (subscript.proved && !isUnproved))
    return subscript;
  bool isDeferred = llvm::any_of(deferred, [&](Region *formula) { return formula->isAncestor(op->getParentRegion()); });
  // A proved subscript is out of range only if its condition fails, or if the tensor is empty.
  bool isReported = status && !isDeferred && isUnproved;
  return clampToSize(lanes, subscript, sizeOf(op.getTensor(), number), guard, isReported ? status : Value());
}

void RegionVectoriser::checkSubscripts(Region &formula, ValueRange sizes) {
  RegionVectoriser point = *this;
  point.deferred.clear();
  emitSubscriptChecks(point, formula, sizes);
}

Value RegionVectoriser::load(Value tensor, ArrayRef<LaneIndex> subscripts) {
  for (auto &[at, value] : loads[tensor])
    if (ArrayRef<LaneIndex>(at) == subscripts)
      return value;
  Value memref = buffers.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value value = memref ? loadLanes(lanes, memref, element, subscripts, guard) : computeAt(tensor, subscripts);
  if (!guard.exists) // otherwise the value holds for this load alone
    loads[tensor].emplace_back(Subscripts(subscripts), value);
  return value;
}

Value RegionVectoriser::computeAt(Value tensor, ArrayRef<LaneIndex> subscripts) {
  Operation *op = tensor.getDefiningOp();
  assert(op && "a tensor of the formula has no buffer");
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return computeGenericAt(generic, cast<OpResult>(tensor).getResultNumber(), subscripts);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return evaluate(fill.getInputs()[0]);
  if (std::optional<SourceElement> source = sourceElement(*this, op, subscripts))
    return load(source->tensor, source->subscripts);
  if (DenseElementsAttr elements; matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(lanes.builder, lanes.location, elements.getSplatValue<TypedAttr>());
  if (!isa<tensor::EmptyOp>(op)) // in release builds, too: any value would be a wrong result
    llvm::report_fatal_error("a tensor of the formula has neither a buffer nor a known producer");
  return lanes.splat(0, cast<RankedTensorType>(tensor.getType()).getElementType());
}

Value RegionVectoriser::computeGenericAt(linalg::GenericOp op, unsigned result, ArrayRef<LaneIndex> subscripts) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  Subscripts at(op.getNumLoops());
  for (auto [subscript, expression] : llvm::zip(subscripts, map.getResults()))
    at[cast<AffineDimExpr>(expression).getPosition()] = subscript;
  RegionVectoriser inner = *this;
  inner.bindIterations(op, at);
  return inner.evaluate(op.getBody()->getTerminator()->getOperand(result));
}

} // namespace attnc
