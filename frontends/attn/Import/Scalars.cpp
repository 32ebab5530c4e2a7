// Import of operators, conversions and combiners on scalars.

#include "frontends/attn/Import/Formula.h"

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/ErrorHandling.h"

#include <limits>

using namespace mlir;

namespace attnc {

using namespace typed;

static Value integer(OpBuilder &builder, Location at, mlir::Type type, int64_t value) {
  return arith::ConstantOp::create(builder, at, builder.getIntegerAttr(type, value));
}

static Value real(OpBuilder &builder, Location at, double value) {
  return arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(static_cast<float>(value)));
}

Value constant(OpBuilder &builder, Location at, Element element, const Constant &value) {
  switch (element) {
  case Element::F32:
    return real(builder, at, value.real);
  case Element::I32:
    return integer(builder, at, builder.getI32Type(), value.integer);
  case Element::Bool:
    return integer(builder, at, builder.getI1Type(), value.integer);
  case Element::Index:
    return integer(builder, at, builder.getIndexType(), value.integer);
  }
  llvm_unreachable("an element type");
}

//===- Conversions ------------------------------------------------------------------------------------------------===//

/// Indices are below 2^31, so conversions go through i32, which vectorises well.
Value castTo(OpBuilder &builder, Location at, Element from, Element to, Value value) {
  mlir::Type i32 = builder.getI32Type();
  if (from == to)
    return value;
  if (to == Element::Bool) {
    Constant zero;
    Value none = constant(builder, at, from, zero);
    if (from == Element::F32)
      return arith::CmpFOp::create(builder, at, arith::CmpFPredicate::UNE, value, none);
    return arith::CmpIOp::create(builder, at, arith::CmpIPredicate::ne, value, none);
  }
  if (from == Element::Index)
    value = arith::IndexCastOp::create(builder, at, i32, value);
  else if (from == Element::F32)
    value = arith::FPToSIOp::create(builder, at, i32, value);
  else if (from == Element::Bool && to == Element::F32)
    return arith::UIToFPOp::create(builder, at, builder.getF32Type(), value);
  else if (from == Element::Bool)
    value = arith::ExtUIOp::create(builder, at, i32, value);
  if (to == Element::F32)
    return arith::SIToFPOp::create(builder, at, builder.getF32Type(), value);
  if (to == Element::Index)
    return arith::IndexCastOp::create(builder, at, builder.getIndexType(), value);
  return value;
}

//===- Operators --------------------------------------------------------------------------------------------------===//

/// True for a number computed from indices and sizes without subtraction.
static bool isNonNegative(ExprRef expr) {
  if (expr->as<IndexRef>() || expr->as<StepRef>())
    return true;
  if (auto *number = expr->as<Constant>())
    return number->integer >= 0;
  if (auto *size = expr->as<DimValue>())
    return size->dim.isPlainlyNonNegative();
  auto *node = expr->as<Elementwise>();
  bool isKnown = node && (node->op == Op::Add || node->op == Op::Mul || node->op == Op::Div || node->op == Op::Rem ||
                          node->op == Op::Min || node->op == Op::Max);
  return isKnown && llvm::all_of(node->operands, isNonNegative);
}

namespace {

/// A safe divisor of integers. A processor traps on a division by zero, even if a select discards the result, and on a
/// division of the most negative number by -1.
struct Divisor {
  Value number;          ///< never zero; never -1 if i32
  Value isZero = {};     ///< i1; null if it is known to be false
  Value isMinusOne = {}; ///< of i32
};

} // namespace

static Divisor divisorOf(OpBuilder &builder, Location at, Value b) {
  APInt known;
  if (matchPattern(b, m_ConstantInt(&known)) && !known.isZero() && !known.isAllOnes())
    return {b};
  auto is = [&](int64_t number) -> Value {
    return arith::CmpIOp::create(builder, at, arith::CmpIPredicate::eq, b, integer(builder, at, b.getType(), number));
  };
  Divisor divisor{b, is(0)};
  Value special = divisor.isZero;
  if (!b.getType().isIndex()) { // indices and sizes are far from the most negative number
    divisor.isMinusOne = is(-1);
    special = arith::OrIOp::create(builder, at, divisor.isZero, divisor.isMinusOne);
  }
  Value one = integer(builder, at, b.getType(), 1);
  divisor.number = arith::SelectOp::create(builder, at, special, one, b);
  return divisor;
}

/// Floor division of i32 and of indices: a / 0 is 0, and the most negative number by -1 is itself, consistent with
/// wrapping products and sums.
static Value floorDivide(OpBuilder &builder, Location at, Value a, Value b) {
  Divisor divisor = divisorOf(builder, at, b);
  Value quotient = arith::FloorDivSIOp::create(builder, at, a, divisor.number);
  Value zero = divisor.isZero ? integer(builder, at, b.getType(), 0) : Value();
  if (divisor.isMinusOne)
    quotient = arith::SelectOp::create(builder, at, divisor.isMinusOne,
                                       arith::SubIOp::create(builder, at, zero, a).getResult(), quotient);
  return zero ? arith::SelectOp::create(builder, at, divisor.isZero, zero, quotient).getResult() : quotient;
}

/// Remainder of floor division, with the sign of the divisor; a % 0 is a.
static Value remainder(OpBuilder &builder, Location at, const Elementwise &node, Element element, Value a, Value b) {
  if (element == Element::F32) {
    Value quotient = math::FloorOp::create(builder, at, arith::DivFOp::create(builder, at, a, b).getResult());
    Value whole = arith::MulFOp::create(builder, at, quotient, b);
    return arith::SubFOp::create(builder, at, a, whole);
  }
  if (element == Element::Index && llvm::all_of(node.operands, isNonNegative)) {
    Divisor divisor = divisorOf(builder, at, b);
    Value rest = arith::RemSIOp::create(builder, at, a, divisor.number);
    return divisor.isZero ? arith::SelectOp::create(builder, at, divisor.isZero, a, rest).getResult() : rest;
  }
  Value quotient = floorDivide(builder, at, a, b);
  Value whole = arith::MulIOp::create(builder, at, quotient, b);
  return arith::SubIOp::create(builder, at, a, whole);
}

/// Small integer powers are products; other powers use exp and log.
static Value power(OpBuilder &builder, Location at, const Elementwise &node, Element element, Value base,
                   Value exponent) {
  bool isReal = element == Element::F32;
  if (auto *number = node.operands[1]->as<Constant>()) {
    double wanted = isReal ? number->real : static_cast<double>(number->integer);
    auto times = [&](Value a, Value b) -> Value {
      return isReal ? arith::MulFOp::create(builder, at, a, b).getResult()
                    : arith::MulIOp::create(builder, at, a, b).getResult();
    };
    if (wanted == 1)
      return base;
    if (wanted == 2)
      return times(base, base);
    if (wanted == 3)
      return times(times(base, base), base);
    if (wanted == 4)
      return times(times(base, base), times(base, base));
    if (isReal && wanted == 0.5)
      return math::SqrtOp::create(builder, at, base);
    if (isReal && wanted == -0.5)
      return math::RsqrtOp::create(builder, at, base);
  }
  if (isReal)
    return math::PowFOp::create(builder, at, base, exponent);
  return math::IPowIOp::create(builder, at, base, exponent);
}

static Value compare(OpBuilder &builder, Location at, Op op, Element element, Value a, Value b) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Predicates {
    F real;
    I integer;
  };
  Predicates predicates = op == Op::Eq   ? Predicates{F::OEQ, I::eq}
                          : op == Op::Ne ? Predicates{F::UNE, I::ne}
                          : op == Op::Lt ? Predicates{F::OLT, I::slt}
                          : op == Op::Le ? Predicates{F::OLE, I::sle}
                          : op == Op::Gt ? Predicates{F::OGT, I::sgt}
                                         : Predicates{F::OGE, I::sge};
  if (element == Element::F32)
    return arith::CmpFOp::create(builder, at, predicates.real, a, b);
  return arith::CmpIOp::create(builder, at, predicates.integer, a, b);
}

static Value realOperation(OpBuilder &builder, Location at, Op op, ArrayRef<Value> v) {
  switch (op) {
  case Op::Add:
    return arith::AddFOp::create(builder, at, v[0], v[1]);
  case Op::Sub:
    return arith::SubFOp::create(builder, at, v[0], v[1]);
  case Op::Mul:
    return arith::MulFOp::create(builder, at, v[0], v[1]);
  case Op::Div:
    return arith::DivFOp::create(builder, at, v[0], v[1]);
  case Op::Min:
    return arith::MinimumFOp::create(builder, at, v[0], v[1]);
  case Op::Max:
    return arith::MaximumFOp::create(builder, at, v[0], v[1]);
  case Op::Neg:
    return arith::NegFOp::create(builder, at, v[0]);
  case Op::Abs:
    return math::AbsFOp::create(builder, at, v[0]);
  case Op::Stop:
    return attn::StopOp::create(builder, at, v[0]);
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR)                                                         \
  case Op::OP:                                                                                                         \
    return MLIR::create(builder, at, v[0]);
#include "frontends/attn/Check/MathFunctions.def"
  default:
    llvm_unreachable("an operator on real numbers");
  }
}

static Value integerOperation(OpBuilder &builder, Location at, Op op, ArrayRef<Value> v) {
  switch (op) {
  case Op::Add:
    return arith::AddIOp::create(builder, at, v[0], v[1]);
  case Op::Sub:
    return arith::SubIOp::create(builder, at, v[0], v[1]);
  case Op::Mul:
    return arith::MulIOp::create(builder, at, v[0], v[1]);
  case Op::Div:
    return floorDivide(builder, at, v[0], v[1]);
  case Op::Min:
    return arith::MinSIOp::create(builder, at, v[0], v[1]);
  case Op::Max:
    return arith::MaxSIOp::create(builder, at, v[0], v[1]);
  case Op::Neg:
    return arith::SubIOp::create(builder, at, integer(builder, at, v[0].getType(), 0), v[0]);
  case Op::Abs: {
    Value negated = arith::SubIOp::create(builder, at, integer(builder, at, v[0].getType(), 0), v[0]);
    return arith::MaxSIOp::create(builder, at, v[0], negated);
  }
  case Op::Floor:
    return v[0];
  default:
    llvm_unreachable("an operator on integers");
  }
}

Value operation(OpBuilder &builder, Location at, const Expr &expr, ArrayRef<Value> v) {
  const Elementwise &node = std::get<Elementwise>(expr.node);
  Element element = node.operands.back()->type.element;
  switch (node.op) {
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compare(builder, at, node.op, element, v[0], v[1]);
  case Op::And:
    return arith::AndIOp::create(builder, at, v[0], v[1]);
  case Op::Or:
    return arith::OrIOp::create(builder, at, v[0], v[1]);
  case Op::Not:
    return arith::XOrIOp::create(builder, at, v[0], integer(builder, at, builder.getI1Type(), 1));
  case Op::Select:
    return arith::SelectOp::create(builder, at, v[0], v[1], v[2]);
  case Op::Rem:
    return remainder(builder, at, node, element, v[0], v[1]);
  case Op::Pow:
    return power(builder, at, node, element, v[0], v[1]);
  default:
    return element == Element::F32 ? realOperation(builder, at, node.op, v) : integerOperation(builder, at, node.op, v);
  }
}

//===- Combiners --------------------------------------------------------------------------------------------------===//

Value combine(OpBuilder &builder, Location at, Combiner combiner, Element element, Value left, Value right) {
  bool isReal = element == Element::F32;
  auto apply = [&](Op op) {
    return isReal ? realOperation(builder, at, op, {left, right}) : integerOperation(builder, at, op, {left, right});
  };
  switch (combiner) {
  case Combiner::Add:
    return apply(Op::Add);
  case Combiner::Mul:
    return apply(Op::Mul);
  case Combiner::Max:
    return apply(Op::Max);
  case Combiner::Min:
    return apply(Op::Min);
  case Combiner::And:
    return arith::AndIOp::create(builder, at, left, right);
  case Combiner::Or:
    return arith::OrIOp::create(builder, at, left, right);
  case Combiner::ArgMax:
  case Combiner::ArgMin:
    break;
  }
  llvm_unreachable("a combiner of two values");
}

Value identity(OpBuilder &builder, Location at, Combiner combiner, Element element) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isLow = combiner == Combiner::Max || combiner == Combiner::ArgMax;
  bool isHigh = combiner == Combiner::Min || combiner == Combiner::ArgMin;
  Constant value;
  if (isLow || isHigh) {
    value.real = isLow ? -infinity : infinity;
    value.integer = isLow ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
  } else {
    value.integer = combiner == Combiner::Mul || combiner == Combiner::And;
    value.real = static_cast<double>(value.integer);
  }
  return constant(builder, at, element, value);
}

} // namespace attnc
