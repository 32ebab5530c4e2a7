// How RegionVectoriser reads tensors: from buffers, or by computing the element where it is wanted.
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Formula/StoredElement.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ subscripts --------------------------------------------------------===//

Value RegionVectoriser::evaluateExtract(tensor::ExtractOp op) {
  Value outside = isThere;
  Subscripts subscripts;
  if (Value any = hasPlaces(op))
    isThere = isThere ? arith::AndIOp::create(builder, location, isThere, any).getResult() : any;
  for (unsigned number = 0; number < op.getIndices().size(); ++number)
    subscripts.push_back(clampedSubscript(op, number));
  Value element = load(op.getTensor(), subscripts);
  isThere = outside;
  return element;
}

Value RegionVectoriser::hasPlaces(tensor::ExtractOp op) {
  Value all;
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  for (auto [number, subscript] : llvm::enumerate(op.getIndices())) {
    if ((!type.isDynamicDim(number) && type.getDimSize(number) > 0) || evaluateIndex(subscript).proved)
      continue;
    Value any = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, sizeOf(op.getTensor(), number),
                                      uniform(0).base);
    all = all ? arith::AndIOp::create(builder, location, all, any).getResult() : any;
  }
  return all;
}

LaneIndex RegionVectoriser::clampedSubscript(tensor::ExtractOp op, unsigned number) {
  LaneIndex subscript = evaluateIndex(op.getIndices()[number]);
  bool isDeferred = llvm::any_of(deferred, [&](Region *formula) { return formula->isAncestor(op->getParentRegion()); });
  if (subscript.proved)
    return subscript;
  // Others are out of range where a condition keeps them from being read, of a tensor without elements.
  bool isReported = status && !isDeferred && comesFromData(op.getIndices()[number]);
  return clampedToSize(subscript, sizeOf(op.getTensor(), number), isReported);
}

void RegionVectoriser::reportOutOfRange(Value isOutOfRange) {
  auto branch = scf::IfOp::create(builder, location, isOutOfRange, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value code = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(ATTN_OUT_OF_RANGE));
  LLVM::StoreOp::create(builder, location, code, status);
}

LaneIndex RegionVectoriser::clampedToSize(const LaneIndex &subscript, Value size, bool isReported) {
  auto compare = [&](arith::CmpIPredicate predicate, Value index, Value limit) -> Value {
    return arith::CmpIOp::create(builder, location, predicate, index, limit);
  };
  if (subscript.isUniform()) {
    Value inside = compare(arith::CmpIPredicate::ult, subscript.base, size);
    if (isReported) {
      Value outside = compare(arith::CmpIPredicate::uge, subscript.base, size);
      reportOutOfRange(anyLane ? arith::AndIOp::create(builder, location, outside, anyLane).getResult() : outside);
    }
    return {arith::SelectOp::create(builder, location, inside, subscript.base, uniform(0).base), 0, {}, true};
  }
  Value index = broadcast(subscript), limit = broadcast(toI32(size)), zero = splat(0, index.getType());
  Value inside = compare(arith::CmpIPredicate::ult, index, limit);
  if (isReported) {
    Value outside = compare(arith::CmpIPredicate::uge, index, limit);
    if (mask)
      outside = arith::AndIOp::create(builder, location, outside, mask);
    reportOutOfRange(vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, outside));
  }
  return {{}, 0, arith::SelectOp::create(builder, location, inside, index, zero), true};
}

void RegionVectoriser::checkSubscripts(Region &formula, ValueRange sizes) {
  RegionVectoriser point = *this;
  point.deferred.clear();
  DenseSet<Operation *> checked;
  point.checkAll(formula, sizes, checked);
}

/// Checks the loads whose subscripts depend on nothing unbound; whether it leaves any.
bool RegionVectoriser::checkAvailable(Region &formula, DenseSet<Operation *> &checked) {
  bool leavesAny = false;
  formula.walk([&](tensor::ExtractOp op) {
    if (!readsByData(op) || checked.contains(op))
      return;
    if (!llvm::all_of(op.getIndices(), [&](Value subscript) { return isAvailable(subscript); })) {
      leavesAny = true;
      return;
    }
    checked.insert(op);
    for (unsigned number = 0; number < op.getIndices().size(); ++number)
      clampedSubscript(op, number);
  });
  return leavesAny;
}

/// The others are checked in the loops of the arguments that they depend on.
void RegionVectoriser::checkAll(Region &formula, ValueRange sizes, DenseSet<Operation *> &checked) {
  if (!checkAvailable(formula, checked))
    return;
  OpBuilder::InsertionGuard guard(builder);
  RegionVectoriser inside = *this;
  for (auto [index, size] : llvm::zip(formula.getArguments().take_back(sizes.size()), sizes)) {
    auto loop = scf::ForOp::create(builder, location, uniform(0).base, size, uniform(1).base);
    inside.bindIndex(index, loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  if (!inside.checkAvailable(formula, checked))
    return;
  for (auto reduce : formula.getOps<attn::ReduceOp>()) {
    SmallVector<Value> extents;
    for (Value size : reduce.getSizes())
      extents.push_back(inside.evaluateIndex(size).base);
    inside.checkAll(reduce.getBody(), extents, checked);
  }
}

/// Base subscripts of lane 0's row; vectors of subscripts count from 0.
SmallVector<Value> RegionVectoriser::basesOf(ArrayRef<LaneIndex> subscripts) {
  SmallVector<Value> bases;
  for (const LaneIndex &subscript : subscripts)
    bases.push_back(subscript.lanes ? uniform(0).base : subscript.base);
  return bases;
}

/// Elements from the base to each lane's element.
Value RegionVectoriser::laneOffsets(Value memref, ArrayRef<LaneIndex> subscripts) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  memref::ExtractStridedMetadataOp metadata;
  Value sum;
  auto addTo = [&](Value term) { sum = sum ? Value(arith::AddIOp::create(builder, location, sum, term)) : term; };
  for (auto [number, subscript] : llvm::enumerate(subscripts)) {
    if (subscript.isUniform())
      continue;
    Value lanes = subscript.lanes ? subscript.lanes : laneNumbers(subscript.step);
    if (!ShapedType::isDynamic(strides[number])) {
      addTo(scale({{}, 0, lanes, true}, strides[number]).lanes);
      continue;
    }
    if (!metadata)
      metadata = memref::ExtractStridedMetadataOp::create(builder, location, memref);
    Value stride = broadcast(toI32(metadata.getStrides()[number]));
    addTo(arith::MulIOp::create(builder, location, lanes, stride));
  }
  return sum;
}

Value RegionVectoriser::maskOrAll() { return mask ? mask : splat(1, vectorOf(builder.getI1Type())); }

static bool isUniformAccess(ArrayRef<LaneIndex> subscripts) {
  return llvm::all_of(subscripts, [](const LaneIndex &each) { return each.isUniform(); });
}

/// Whether the lanes' elements lie side by side: along one dimension, behind which there are none but of one element.
static bool isContiguous(Value memref, ArrayRef<LaneIndex> subscripts) {
  auto strides = cast<MemRefType>(memref.getType()).getStridesAndOffset().first;
  if (!strides.empty())
    strides.back() = 1; // as bindBuffer wants it, whether its type says so or not
  bool found = false;
  for (auto [subscript, stride] : llvm::zip_equal(subscripts, strides)) {
    if (subscript.isUniform())
      continue;
    if (found || subscript.lanes || subscript.step != 1 || stride != 1)
      return false;
    found = true;
  }
  return found;
}

//===------------------------------------------ buffers -----------------------------------------------------------===//

Value RegionVectoriser::load(Value tensor, ArrayRef<LaneIndex> subscripts) {
  auto &known = loads[tensor];
  for (auto &[at, value] : known)
    if (ArrayRef<LaneIndex>(at) == subscripts)
      return value;
  Value memref = buffers.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value value = memref ? loadFromBuffer(memref, element, subscripts) : computeAt(tensor, subscripts);
  if (!isThere) // else it may be none for this load alone
    loads[tensor].emplace_back(Subscripts(subscripts), value);
  return value;
}

/// Zero where nothing is there.
Value RegionVectoriser::loadScalar(Value memref, ValueRange bases) {
  if (!isThere)
    return memref::LoadOp::create(builder, location, memref, bases);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto either = scf::IfOp::create(builder, location, element, isThere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(either.thenBlock());
  scf::YieldOp::create(builder, location, memref::LoadOp::create(builder, location, memref, bases).getResult());
  builder.setInsertionPointToStart(either.elseBlock());
  scf::YieldOp::create(builder, location, splat(0, element));
  return either.getResult(0);
}

Value RegionVectoriser::loadVector(Value memref, VectorType type, ArrayRef<LaneIndex> subscripts) {
  SmallVector<Value> bases = basesOf(subscripts);
  Value wanted = mask;
  if (isThere) {
    wanted = vector::BroadcastOp::create(builder, location, vectorOf(builder.getI1Type()), isThere);
    wanted = mask ? arith::AndIOp::create(builder, location, mask, wanted).getResult() : wanted;
  }
  if (isContiguous(memref, subscripts) && !wanted)
    return vector::LoadOp::create(builder, location, type, memref, bases);
  Value others = splat(0, type);
  if (isContiguous(memref, subscripts))
    return vector::MaskedLoadOp::create(builder, location, type, memref, bases, wanted, others);
  Value offsets = laneOffsets(memref, subscripts);
  wanted = wanted ? wanted : splat(1, vectorOf(builder.getI1Type()));
  return vector::GatherOp::create(builder, location, type, memref, bases, offsets, wanted, others);
}

Value RegionVectoriser::loadFromBuffer(Value memref, Type element, ArrayRef<LaneIndex> subscripts) {
  auto type = cast<MemRefType>(memref.getType());
  Type stored = type.getElementType();
  subscripts = subscripts.take_back(type.getRank());
  Value value = isUniformAccess(subscripts)
                    ? loadScalar(memref, basesOf(subscripts))
                    : loadVector(memref, vectorOf(stored), subscripts);
  if (stored == element)
    return value;
  if (isNarrow(stored))
    return widenStored(builder, location, value);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, splat(0, value.getType()));
}

void RegionVectoriser::store(Value value, Value memref, ArrayRef<LaneIndex> subscripts) {
  auto type = cast<MemRefType>(memref.getType());
  Type stored = type.getElementType();
  subscripts = subscripts.take_back(type.getRank());
  bool scalar = isUniformAccess(subscripts);
  if (!scalar)
    value = broadcast(value);
  else if (isa<VectorType>(value.getType())) // one place for all lanes: they hold the same, or only the first is active
    value = vector::ExtractOp::create(builder, location, value, 0);
  if (isNarrow(stored))
    value = narrowForStore(builder, location, value, stored);
  else if (getElementTypeOrSelf(value.getType()) != stored)
    value = arith::ExtUIOp::create(builder, location, scalar ? stored : Type(vectorOf(stored)), value);
  SmallVector<Value> bases = basesOf(subscripts);
  if (scalar)
    memref::StoreOp::create(builder, location, value, memref, bases);
  else if (isContiguous(memref, subscripts) && !mask)
    vector::StoreOp::create(builder, location, value, memref, bases);
  else if (isContiguous(memref, subscripts))
    vector::MaskedStoreOp::create(builder, location, memref, bases, mask, value);
  else
    vector::ScatterOp::create(builder, location, /*result=*/Type(), memref, bases, laneOffsets(memref, subscripts),
                              maskOrAll(), value);
}

//===------------------------------------------ producers ---------------------------------------------------------===//

Value RegionVectoriser::computeAt(Value tensor, ArrayRef<LaneIndex> subscripts) {
  Operation *op = tensor.getDefiningOp();
  assert(op && "a tensor of the formula has no buffer");
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return computeGenericAt(generic, cast<OpResult>(tensor).getResultNumber(), subscripts);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return evaluate(fill.getInputs()[0]);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    Subscripts source(subscripts.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      source[from] = subscripts[to];
    return load(transpose.getInput(), source);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return load(slice.getSource(), subscriptsOfSlice(slice, subscripts));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return load(expand.getSrc(), subscriptsOfExpand(expand, subscripts));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return load(collapse.getSrc(), subscriptsOfCollapse(collapse, subscripts));
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return load(cast.getSource(), subscripts);
  if (DenseElementsAttr elements; matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(builder, location, elements.getSplatValue<TypedAttr>());
  if (!isa<tensor::EmptyOp>(op)) // in any build: a number in its place would be a wrong result
    llvm::report_fatal_error("a tensor of the formula has neither a buffer nor a known producer");
  return splat(0, cast<RankedTensorType>(tensor.getType()).getElementType());
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

RegionVectoriser::Subscripts RegionVectoriser::subscriptsOfSlice(tensor::ExtractSliceOp op,
                                                                 ArrayRef<LaneIndex> subscripts) {
  auto toIndex = [&](OpFoldResult value) {
    if (auto constant = dyn_cast<Attribute>(value))
      return uniform(cast<IntegerAttr>(constant).getInt());
    return evaluateIndex(cast<Value>(value));
  };
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Subscripts source;
  for (auto [number, offset, stride] : llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    LaneIndex start = toIndex(offset);
    if (dropped[number]) {
      source.push_back(start);
      continue;
    }
    source.push_back(add(start, multiply(subscripts.front(), toIndex(stride))));
    subscripts = subscripts.drop_front();
  }
  return source;
}

/// A source dimension is the row-major number of the result dimensions that it was split into.
RegionVectoriser::Subscripts RegionVectoriser::subscriptsOfExpand(tensor::ExpandShapeOp op,
                                                                  ArrayRef<LaneIndex> subscripts) {
  Subscripts source;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    LaneIndex number = subscripts[group.front()];
    for (int64_t each : ArrayRef(group).drop_front())
      number = add(multiply(number, {sizeOf(op.getResult(), each), 0, {}, true}), subscripts[each]);
    source.push_back(number);
  }
  return source;
}

RegionVectoriser::Subscripts RegionVectoriser::subscriptsOfCollapse(tensor::CollapseShapeOp op,
                                                                    ArrayRef<LaneIndex> subscripts) {
  Subscripts source(op.getSrcType().getRank());
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    LaneIndex rest = subscripts[number];
    for (int64_t each : llvm::reverse(ArrayRef(group).drop_front())) {
      LaneIndex size{sizeOf(op.getSrc(), each), 0, {}, true};
      LaneIndex quotient = floorDivide(rest, size);
      source[each] = subtract(rest, multiply(quotient, size));
      rest = quotient;
    }
    source[group.front()] = rest;
  }
  return source;
}

} // namespace attnc
