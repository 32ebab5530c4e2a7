#include "compiler/Codegen/Formula/LaneOps.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// Products may be fused with sums, which changes the last bit and saves an instruction, unless the op is exact
/// (KeepExact.cpp).
Value cloneOp(OpBuilder &builder, Operation *op, ValueRange operands, Type resultType) {
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

static bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp>(op);
}

/// The divisor, or one if it is zero: a division by zero traps, even in an inactive lane.
static Value nonZero(const LaneArithmetic &lanes, Value divisor) {
  Value zero = lanes.splat(0, divisor.getType()), one = lanes.splat(1, divisor.getType());
  Value isZero = arith::CmpIOp::create(lanes.builder, lanes.location, arith::CmpIPredicate::eq, divisor, zero);
  return arith::SelectOp::create(lanes.builder, lanes.location, isZero, one, divisor);
}

/// One division for all lanes and, once it has been moved out of the loop, for a whole row.
static Value multiplyByReciprocal(const LaneArithmetic &lanes, Value dividend, Value divisor) {
  Value one =
      arith::ConstantOp::create(lanes.builder, lanes.location, lanes.builder.getFloatAttr(divisor.getType(), 1));
  Value reciprocal = lanes.builder.createOrFold<arith::DivFOp>(lanes.location, one, divisor);
  return arith::MulFOp::create(lanes.builder, lanes.location, dividend, lanes.broadcast(reciprocal),
                               arith::FastMathFlags::contract);
}

/// i32 of f32: saturates, and maps NaN to 0; the plain conversion is undefined there. On x86, LLVM lowers its
/// intrinsic on a vector to scalar code.
static Value toInteger(const LaneArithmetic &lanes, Value real, Type type) {
  if (!isa<VectorType>(type)) {
    StringAttr name = lanes.builder.getStringAttr("llvm.fptosi.sat");
    return LLVM::CallIntrinsicOp::create(lanes.builder, lanes.location, type, name, real).getResult(0);
  }
  auto compare = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return arith::CmpFOp::create(lanes.builder, lanes.location, predicate, real, bound);
  };
  auto select = [&](Value condition, Value then, Value otherwise) -> Value {
    return arith::SelectOp::create(lanes.builder, lanes.location, condition, then, otherwise);
  };
  constexpr int64_t least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
  Value zero = lanes.splat(0, real.getType()),
        below = compare(arith::CmpFPredicate::OLT, lanes.splat(least, real.getType())),
        above = compare(arith::CmpFPredicate::OGE, lanes.splat(greatest + 1, real.getType())),
        isNan = compare(arith::CmpFPredicate::UNO, real);
  Value outside = arith::OrIOp::create(lanes.builder, lanes.location,
                                       arith::OrIOp::create(lanes.builder, lanes.location, below, above), isNan);
  Value whole = arith::FPToSIOp::create(lanes.builder, lanes.location, type, select(outside, zero, real));
  return select(below, lanes.splat(least, type), select(above, lanes.splat(greatest, type), whole));
}

Value emitElementwise(const LaneArithmetic &lanes, Operation *op, SmallVector<Value> operands) {
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  bool vector = llvm::any_of(operands, isVector);
  if (vector && isa<arith::DivFOp>(op) && !isVector(operands[1]) && !op->hasAttr(exactAttrName))
    return multiplyByReciprocal(lanes, operands[0], operands[1]);
  if (vector)
    for (auto [number, operand] : llvm::enumerate(operands))
      if (!(isa<arith::SelectOp>(op) && number == 0))
        operand = lanes.broadcast(operand);
  if (vector && isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return operands[0]; // on lanes an index is an i32
  if (isIntegerDivision(op) && !matchPattern(operands[1], m_Constant()))
    operands[1] = nonZero(lanes, operands[1]);
  Type type = op->getResult(0).getType();
  Type resultType = vector ? Type(lanes.vectorOf(type)) : type;
  if (isa<arith::FPToSIOp>(op))
    return toInteger(lanes, operands[0], resultType);
  return cloneOp(lanes.builder, op, operands, resultType);
}

/// Whether an index is constant throughout the kernel: products with it are affine.
static bool isSize(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return matchPattern(index, m_Constant()) || index.getDefiningOp<tensor::DimOp>();
}

/// Whether an index may exceed 32 bits: it is computed from a product that is not a small multiple of an index.
static bool mayExceed32Bits(Value index) {
  Operation *op = index.getDefiningOp();
  if (APInt constant; op && matchPattern(index, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue()) >= int64_t(1) << 30;
  if (!op || isa<linalg::IndexOp, tensor::DimOp, arith::IndexCastOp, affine::AffineApplyOp>(op))
    return false;
  if (isa<arith::MulIOp>(op)) {
    constexpr int64_t small = 16;
    auto isSmall = [](Value factor) {
      APInt constant;
      return matchPattern(factor, m_ConstantInt(&constant)) && std::abs(constant.getSExtValue()) <= small;
    };
    if (!llvm::any_of(op->getOperands(), isSmall))
      return true;
  }
  return llvm::any_of(op->getOperands(),
                      [](Value operand) { return operand.getType().isIndex() && mayExceed32Bits(operand); });
}

/// Whether more than sums and products modulo 2^32 follows from an index: sums and products of numbers that wrap around
/// are right again if they are subscripts.
static bool needsAllBits(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(user) ? needsAllBits(user) : !isa<tensor::ExtractOp>(user);
  });
}

LaneIndex emitIndexArithmetic(const LaneArithmetic &lanes, Operation *op, LaneIndex a, LaneIndex b) {
  bool isScalar = a.isUniform() && b.isUniform();
  if (isa<arith::MulIOp>(op) && !isScalar && mayExceed32Bits(op->getResult(0)) && needsAllBits(op))
    (a.isUniform() ? b : a) = lanes.widened(a.isUniform() ? b : a);
  if (isa<arith::AddIOp>(op))
    return lanes.add(a, b);
  if (isa<arith::SubIOp>(op))
    return lanes.subtract(a, b);
  bool affine = isSize(op->getOperand(0)) || isSize(op->getOperand(1));
  LaneIndex result;
  if (isa<arith::MulIOp>(op)) {
    result = lanes.multiply(a, b);
  } else if (isa<arith::FloorDivSIOp>(op) && constantOf(b).value_or(0) > 0) {
    result = lanes.floorDivide(a, b);
  } else {
    auto [left, right] = isScalar ? std::pair(a.base, b.base) : lanes.vectorsOf(a, b);
    if (isIntegerDivision(op) && !matchPattern(right, m_Constant()))
      right = nonZero(lanes, right);
    Value value = cloneOp(lanes.builder, op, {left, right}, left.getType());
    result = isScalar ? LaneIndex{value, 0, {}, true} : LaneIndex{{}, 0, value, true};
    affine = affine && isIntegerDivision(op);
  }
  result.proved = affine && a.proved && b.proved;
  return result;
}

} // namespace attnc
