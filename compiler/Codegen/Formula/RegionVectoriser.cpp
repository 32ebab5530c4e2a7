#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace attnc {

RegionVectoriser::RegionVectoriser(OpBuilder &builder, Location location, int64_t lanes)
    : builder(builder), location(location), lanes(lanes) {}

//===------------------------------------------ what it takes -----------------------------------------------------===//

static bool isScalarOfFormula(Type type) {
  return type.isF32() || type.isInteger(32) || type.isInteger(1) || type.isIndex();
}

static Verdict takesOp(Operation *op) {
  if (isa<linalg::YieldOp, linalg::IndexOp, attn::YieldOp, attn::TermOp, attn::ReduceOp, attn::StopOp, attn::UniformOp,
          tensor::DimOp, affine::AffineApplyOp>(op))
    return Verdict::yes();
  std::string name = op->getName().getStringRef().str();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isScalarOfFormula(extract.getType()) ? Verdict::yes()
                                                : Verdict::no("it extracts an element that is not f32, i32 or i1");
  bool math = op->getDialect() && op->getDialect()->getNamespace() == "math";
  if (math ? !isSupportedMath(op) : !isa<arith::ArithDialect>(op->getDialect()))
    return Verdict::no("its formula holds " + name);
  if (op->getNumResults() != 1 || !llvm::all_of(op->getResultTypes(), isScalarOfFormula) ||
      !llvm::all_of(op->getOperandTypes(), isScalarOfFormula))
    return Verdict::no("its formula holds " + name + " on other types than f32, i32, i1 and index");
  return Verdict::yes();
}

Verdict RegionVectoriser::canEvaluate(Region &region) {
  Verdict verdict = Verdict::yes();
  region.walk([&](Operation *op) {
    verdict = takesOp(op);
    return verdict ? WalkResult::advance() : WalkResult::interrupt();
  });
  return verdict;
}

//===------------------------------------------ bindings ----------------------------------------------------------===//

void RegionVectoriser::bindIndex(Value index, Value scalarBase, int64_t step) {
  indices[index] = LaneIndex{scalarBase, step, {}, true};
}
void RegionVectoriser::bindIndex(Value index, LaneIndex value) { indices[index] = value; }
void RegionVectoriser::bindValue(Value value, Value vectorOrScalar) { values[value] = vectorOrScalar; }
void RegionVectoriser::bindBuffer(Value tensor, Value memref) { buffers[tensor] = memref; }

void RegionVectoriser::bindElement(Value tensor, ArrayRef<LaneIndex> subscripts, Value value) {
  loads[tensor].emplace_back(Subscripts(subscripts), value);
}

void RegionVectoriser::bindIterations(linalg::GenericOp op, ArrayRef<LaneIndex> iterationIndices) {
  iterations[op] = Subscripts(iterationIndices);
}

void RegionVectoriser::setActiveLanes(Value count) {
  mask = anyLane = {};
  if (count)
    mask = vector::CreateMaskOp::create(builder, location, VectorType::get({lanes}, builder.getI1Type()), count);
}

void RegionVectoriser::restrictLanes(Value wanted) {
  mask = mask ? arith::AndIOp::create(builder, location, mask, wanted).getResult() : wanted;
  anyLane = vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, mask);
}

//===------------------------------------------ values ------------------------------------------------------------===//

VectorType RegionVectoriser::vectorOf(Type element) const {
  return VectorType::get({lanes}, element.isIndex() ? builder.getI32Type() : element);
}

Value RegionVectoriser::splat(int64_t constant, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, constant))
                                                : TypedAttr(builder.getIntegerAttr(element, constant));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(builder, location, attribute);
}

Value RegionVectoriser::broadcast(Value scalarOrVector) {
  Type type = scalarOrVector.getType();
  if (isa<VectorType>(type))
    return scalarOrVector;
  if (type.isIndex())
    scalarOrVector = toI32(scalarOrVector);
  Attribute constant;
  if (matchPattern(scalarOrVector, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(vectorOf(type), constant));
  return vector::BroadcastOp::create(builder, location, vectorOf(type), scalarOrVector);
}

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
    subscripts.push_back(evaluateAffine(expression, dims, {}));
  return load(operand.get(), subscripts);
}

Value RegionVectoriser::evaluateOp(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract);
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && compare.getLhs().getType().isIndex())
    return compareIndices(compare);
  if (auto reduce = dyn_cast<attn::ReduceOp>(op)) {
    RegionVectoriser *self = this;
    reduceTogether(self, reduce);
    return values.lookup(reduce.getResult());
  }
  if (isa<arith::ConstantOp>(op))
    return builder.clone(*op)->getResult(0);
  if (auto stop = dyn_cast<attn::StopOp>(op))
    return evaluate(stop.getOperand());
  // An index that differs between lanes is a vector of i32 already.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    if (Value lanesOfIndex = evaluate(op->getOperand(0));
        lanesOfIndex.getType() == vectorOf(op->getResult(0).getType()))
      return lanesOfIndex;
  return evaluateElementwise(op);
}

static bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp>(op);
}

/// One division for all lanes and, once it has been moved out of the loop, for a whole row.
Value RegionVectoriser::multiplyByReciprocal(Value dividend, Value divisor) {
  Value one = arith::ConstantOp::create(builder, location, builder.getFloatAttr(divisor.getType(), 1));
  Value reciprocal = builder.createOrFold<arith::DivFOp>(location, one, divisor);
  return arith::MulFOp::create(builder, location, dividend, broadcast(reciprocal), arith::FastMathFlags::contract);
}

Value RegionVectoriser::evaluateElementwise(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand));
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  bool vector = llvm::any_of(operands, isVector);
  if (vector && isa<arith::DivFOp>(op) && !isVector(operands[1]) && !op->hasAttr(exactAttrName))
    return multiplyByReciprocal(operands[0], operands[1]);
  if (vector)
    for (auto [number, operand] : llvm::enumerate(operands))
      if (!(isa<arith::SelectOp>(op) && number == 0))
        operand = broadcast(operand);
  if (vector && isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return operands[0]; // in the lanes an index is an i32
  if (isIntegerDivision(op) && !matchPattern(operands[1], m_Constant())) {
    // Division by zero traps, even in a lane that nobody wants.
    Value zero = splat(0, operands[1].getType()), one = splat(1, operands[1].getType());
    Value isZero = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, operands[1], zero);
    operands[1] = arith::SelectOp::create(builder, location, isZero, one, operands[1]);
  }
  Type type = op->getResult(0).getType();
  Type resultType = vector ? Type(vectorOf(type)) : type;
  if (isa<arith::FPToSIOp>(op))
    return toInteger(operands[0], resultType);
  return clone(op, operands, resultType);
}

/// i32 of f32: saturates, and makes 0 of NaN; the plain conversion is undefined there. LLVM takes its intrinsic
/// for that apart into scalars where it is given a vector (x86).
Value RegionVectoriser::toInteger(Value real, Type type) {
  if (!isa<VectorType>(type)) {
    StringAttr name = builder.getStringAttr("llvm.fptosi.sat");
    return LLVM::CallIntrinsicOp::create(builder, location, type, name, real).getResult(0);
  }
  auto compare = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return arith::CmpFOp::create(builder, location, predicate, real, bound);
  };
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return arith::SelectOp::create(builder, location, condition, then, otherwise);
  };
  constexpr int64_t least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
  Value zero = splat(0, real.getType()), below = compare(arith::CmpFPredicate::OLT, splat(least, real.getType())),
        above = compare(arith::CmpFPredicate::OGE, splat(greatest + 1, real.getType())),
        isNan = compare(arith::CmpFPredicate::UNO, real);
  Value outside = arith::OrIOp::create(builder, location, arith::OrIOp::create(builder, location, below, above), isNan);
  Value whole = arith::FPToSIOp::create(builder, location, type, select(outside, zero, real));
  return select(below, splat(least, type), select(above, splat(greatest, type), whole));
}

/// The same op on other operands. Products may be fused with sums, which changes the last bit and saves an instruction,
/// unless that bit decides (KeepExact.cpp).
Value RegionVectoriser::clone(Operation *op, ValueRange operands, Type resultType) {
  OperationState state(op->getLoc(), op->getName(), operands, resultType, op->getAttrs());
  Operation *copy = builder.create(state);
  copy->removeAttr(exactAttrName);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(copy);
      fast && !op->hasAttr(exactAttrName) && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(copy)) {
    auto flags = fast.getFastMathFlagsAttr() ? fast.getFastMathFlagsAttr().getValue() : arith::FastMathFlags::none;
    copy->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(copy->getContext(), flags | arith::FastMathFlags::contract));
  }
  return copy->getResult(0);
}

} // namespace attnc
