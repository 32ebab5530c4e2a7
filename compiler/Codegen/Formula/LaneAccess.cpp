#include "compiler/Codegen/Formula/LaneAccess.h"
#include "attn/status.h"
#include "compiler/Codegen/Formula/StoredElement.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ addresses ---------------------------------------------------------===//

static bool isUniformAccess(ArrayRef<LaneIndex> subscripts) {
  return llvm::all_of(subscripts, [](const LaneIndex &each) { return each.isUniform(); });
}

/// Whether the lanes vary along one dimension of unit stride.
static bool isContiguous(Value memref, ArrayRef<LaneIndex> subscripts) {
  auto strides = cast<MemRefType>(memref.getType()).getStridesAndOffset().first;
  if (!strides.empty())
    strides.back() = 1; // as bindBuffer requires, even if the type has a dynamic stride
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

/// Subscripts of lane 0; vectors of subscripts count from 0.
static SmallVector<Value> baseSubscripts(const LaneArithmetic &lanes, ArrayRef<LaneIndex> subscripts) {
  SmallVector<Value> bases;
  for (const LaneIndex &subscript : subscripts)
    bases.push_back(subscript.lanes ? lanes.uniform(0).base : subscript.base);
  return bases;
}

/// Elements from the base to each lane's element.
static Value laneOffsets(const LaneArithmetic &lanes, Value memref, ArrayRef<LaneIndex> subscripts) {
  OpBuilder &b = lanes.builder;
  auto [strides, offset] = cast<MemRefType>(memref.getType()).getStridesAndOffset();
  memref::ExtractStridedMetadataOp metadata;
  Value sum;
  auto addTo = [&](Value term) { sum = sum ? Value(arith::AddIOp::create(b, lanes.location, sum, term)) : term; };
  for (auto [number, subscript] : llvm::enumerate(subscripts)) {
    if (subscript.isUniform())
      continue;
    Value indices = subscript.lanes ? subscript.lanes : lanes.laneNumbers(subscript.step);
    if (!ShapedType::isDynamic(strides[number])) {
      addTo(lanes.scale({{}, 0, indices, true}, strides[number]).lanes);
      continue;
    }
    if (!metadata)
      metadata = memref::ExtractStridedMetadataOp::create(b, lanes.location, memref);
    Value stride = lanes.broadcast(lanes.toI32(metadata.getStrides()[number]));
    addTo(arith::MulIOp::create(b, lanes.location, indices, stride));
  }
  return sum;
}

static Value allLanes(const LaneArithmetic &lanes) { return lanes.splat(1, lanes.vectorOf(lanes.builder.getI1Type())); }

//===------------------------------------------ loads -------------------------------------------------------------===//

static Value loadScalar(const LaneArithmetic &lanes, Value memref, ValueRange bases, Value exists) {
  OpBuilder &b = lanes.builder;
  if (!exists)
    return memref::LoadOp::create(b, lanes.location, memref, bases);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto either = scf::IfOp::create(b, lanes.location, element, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  scf::YieldOp::create(b, lanes.location, memref::LoadOp::create(b, lanes.location, memref, bases).getResult());
  b.setInsertionPointToStart(either.elseBlock());
  scf::YieldOp::create(b, lanes.location, lanes.splat(0, element));
  return either.getResult(0);
}

/// The active lanes, or no lane if the buffer has no elements; null: all lanes.
static Value maskOfElements(const LaneArithmetic &lanes, const AccessGuard &guard) {
  if (!guard.exists)
    return guard.mask;
  VectorType type = lanes.vectorOf(lanes.builder.getI1Type());
  return lanes.both(guard.mask, vector::BroadcastOp::create(lanes.builder, lanes.location, type, guard.exists));
}

static Value loadVector(const LaneArithmetic &lanes, Value memref, VectorType type, ArrayRef<LaneIndex> subscripts,
                        const AccessGuard &guard) {
  OpBuilder &b = lanes.builder;
  SmallVector<Value> bases = baseSubscripts(lanes, subscripts);
  Value mask = maskOfElements(lanes, guard);
  if (isContiguous(memref, subscripts) && !mask)
    return vector::LoadOp::create(b, lanes.location, type, memref, bases);
  Value others = lanes.splat(0, type);
  if (isContiguous(memref, subscripts))
    return vector::MaskedLoadOp::create(b, lanes.location, type, memref, bases, mask, others);
  Value offsets = laneOffsets(lanes, memref, subscripts);
  mask = mask ? mask : allLanes(lanes);
  return vector::GatherOp::create(b, lanes.location, type, memref, bases, offsets, mask, others);
}

/// A stored element as an element of a formula.
static Value asFormulaElement(const LaneArithmetic &lanes, Value value, Type element) {
  Type stored = getElementTypeOrSelf(value.getType());
  if (stored == element)
    return value;
  if (isNarrow(stored))
    return widenStored(lanes.builder, lanes.location, value);
  assert(element.isInteger(1) && "a type that is neither narrow nor bool is stored as it is");
  Value zero = lanes.splat(0, value.getType());
  return arith::CmpIOp::create(lanes.builder, lanes.location, arith::CmpIPredicate::ne, value, zero);
}

Value loadLanes(const LaneArithmetic &lanes, Value memref, Type element, ArrayRef<LaneIndex> subscripts,
                const AccessGuard &guard) {
  auto type = cast<MemRefType>(memref.getType());
  subscripts = subscripts.take_back(type.getRank());
  Value value = isUniformAccess(subscripts)
                    ? loadScalar(lanes, memref, baseSubscripts(lanes, subscripts), guard.exists)
                    : loadVector(lanes, memref, lanes.vectorOf(type.getElementType()), subscripts, guard);
  return asFormulaElement(lanes, value, element);
}

bool canLoadClampedRun(const LaneArithmetic &lanes, Value memref, ArrayRef<LaneIndex> outer, const ClampedRun &run) {
  SmallVector<LaneIndex> subscripts(outer);
  subscripts.push_back(run.run);
  return lanes.lanes > 1 && cast<MemRefType>(memref.getType()).getRank() == int64_t(subscripts.size()) &&
         llvm::all_of(outer, [](const LaneIndex &each) { return each.isUniform(); }) &&
         isContiguous(memref, subscripts);
}

/// Lanes from that of `first` to that of `end` read adjacent elements, and the others the element at a limit. The
/// limits become numbers of lanes in 64 bits, because a subscript may exceed 32 bits.
Value loadClampedRun(const LaneArithmetic &lanes, Value memref, Type element, ArrayRef<LaneIndex> outer,
                     const ClampedRun &run, Value size, const AccessGuard &guard) {
  OpBuilder &b = lanes.builder;
  Location location = lanes.location;
  Value none = lanes.uniform(0).base, one = lanes.uniform(1).base, all = lanes.uniform(lanes.lanes).base;
  SmallVector<Value> bases = baseSubscripts(lanes, outer);
  bases.push_back({});
  auto elementAt = [&](const LaneIndex &limit) -> Value {
    bases.back() = clampToSize(lanes, limit, size, guard, /*status=*/{}).base;
    return lanes.broadcast(loadScalar(lanes, memref, bases, guard.exists));
  };
  auto isLaneBelow = [&](Value end) -> Value {
    Value lane = lanes.laneNumbers(1);
    return arith::CmpIOp::create(b, location, arith::CmpIPredicate::slt, lane, lanes.broadcast(lanes.toI32(end)));
  };
  auto laneOf = [&](Value subscript) -> Value {
    Value lane = arith::SubIOp::create(b, location, subscript, run.run.base);
    return arith::MinSIOp::create(b, location, arith::MaxSIOp::create(b, location, lane, none), all);
  };
  Value first = run.least ? arith::MaxSIOp::create(b, location, run.least->base, none) : none, end = size;
  if (run.greatest)
    end = arith::MinSIOp::create(b, location, arith::AddIOp::create(b, location, run.greatest->base, one), end);
  Value isBeforeFirst = isLaneBelow(laneOf(first)), isBeforeEnd = isLaneBelow(laneOf(end));
  Value mask =
      arith::SelectOp::create(b, location, isBeforeFirst, lanes.splat(0, isBeforeFirst.getType()), isBeforeEnd);
  VectorType type = lanes.vectorOf(cast<MemRefType>(memref.getType()).getElementType());
  Value others = run.least ? elementAt(*run.least) : lanes.splat(0, type);
  if (run.greatest)
    others = arith::SelectOp::create(b, location, isBeforeFirst, others, elementAt(*run.greatest));
  bases.back() = run.run.base;
  Value value = vector::MaskedLoadOp::create(b, location, type, memref, bases,
                                             lanes.both(maskOfElements(lanes, guard), mask), others);
  return asFormulaElement(lanes, value, element);
}

//===------------------------------------------ stores ------------------------------------------------------------===//

void storeLanes(const LaneArithmetic &lanes, Value value, Value memref, ArrayRef<LaneIndex> subscripts, Value mask) {
  OpBuilder &b = lanes.builder;
  Location location = lanes.location;
  auto type = cast<MemRefType>(memref.getType());
  Type stored = type.getElementType();
  subscripts = subscripts.take_back(type.getRank());
  bool scalar = isUniformAccess(subscripts);
  if (!scalar)
    value = lanes.broadcast(value);
  else if (isa<VectorType>(value.getType())) // one element for all lanes: they are equal, or only the first is active
    value = vector::ExtractOp::create(b, location, value, 0);
  if (isNarrow(stored))
    value = narrowForStore(b, location, value, stored);
  else if (getElementTypeOrSelf(value.getType()) != stored)
    value = arith::ExtUIOp::create(b, location, scalar ? stored : Type(lanes.vectorOf(stored)), value);
  SmallVector<Value> bases = baseSubscripts(lanes, subscripts);
  if (scalar)
    memref::StoreOp::create(b, location, value, memref, bases);
  else if (isContiguous(memref, subscripts) && !mask)
    vector::StoreOp::create(b, location, value, memref, bases);
  else if (isContiguous(memref, subscripts))
    vector::MaskedStoreOp::create(b, location, memref, bases, mask, value);
  else {
    Value offsets = laneOffsets(lanes, memref, subscripts);
    vector::ScatterOp::create(b, location, /*result=*/Type(), memref, bases, offsets, mask ? mask : allLanes(lanes),
                              value);
  }
}

//===------------------------------------------ range checks ------------------------------------------------------===//

static void reportOutOfRange(const LaneArithmetic &lanes, Value isOutOfRange, Value status) {
  OpBuilder &b = lanes.builder;
  auto branch = scf::IfOp::create(b, lanes.location, isOutOfRange, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value code = arith::ConstantOp::create(b, lanes.location, b.getI32IntegerAttr(ATTN_OUT_OF_RANGE));
  LLVM::StoreOp::create(b, lanes.location, code, status);
}

LaneIndex clampToSize(const LaneArithmetic &lanes, const LaneIndex &subscript, Value size, const AccessGuard &guard,
                      Value status) {
  OpBuilder &b = lanes.builder;
  Location location = lanes.location;
  auto compare = [&](arith::CmpIPredicate predicate, Value index, Value limit) -> Value {
    return arith::CmpIOp::create(b, location, predicate, index, limit);
  };
  if (subscript.isUniform()) {
    Value inside = compare(arith::CmpIPredicate::ult, subscript.base, size);
    if (status)
      reportOutOfRange(lanes, lanes.both(compare(arith::CmpIPredicate::uge, subscript.base, size), guard.anyLane),
                       status);
    return {arith::SelectOp::create(b, location, inside, subscript.base, lanes.uniform(0).base), 0, {}, true};
  }
  Value index = lanes.broadcast(subscript), limit = lanes.broadcast(lanes.toI32(size)),
        zero = lanes.splat(0, index.getType());
  Value inside = compare(arith::CmpIPredicate::ult, index, limit);
  if (status) {
    Value outside = lanes.both(compare(arith::CmpIPredicate::uge, index, limit), guard.mask);
    reportOutOfRange(lanes, vector::ReductionOp::create(b, location, vector::CombiningKind::OR, outside), status);
  }
  return {{}, 0, arith::SelectOp::create(b, location, inside, index, zero), true};
}

} // namespace attnc
