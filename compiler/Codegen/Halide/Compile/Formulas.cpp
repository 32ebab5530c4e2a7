#include "compiler/Codegen/Halide/Compile/Formulas.h"
#include "compiler/Codegen/Halide/Compile/Declarations.h"
#include "compiler/ElementTypes/ElementTable.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace attnc::halide {

namespace H = Halide;

H::Type typeOf(attn_dtype element) {
  switch (element) {
  case ATTN_F32:
    return H::Float(32);
  case ATTN_I32:
    return H::Int(32);
  default: // bool, and the bits of narrow formats
    return H::UInt(8 * static_cast<int>(attn_element_bytes(element)));
  }
}

static H::Expr callOf(const H::Type &type, const std::string &function, const std::vector<H::Expr> &operands) {
  return H::Internal::Call::make(type, function, operands, H::Internal::Call::PureExtern);
}

H::Expr stored(attn_dtype element, const H::Expr &value) {
  if (element == widened(element))
    return H::cast(typeOf(element), value);
  return H::cast<uint16_t>(callOf(H::Int(32), narrowPrefix + elementTypeName(element).str(), {value}));
}

static H::Expr isNan(const H::Expr &value) {
  // Halide simplifies x == x to true.
  return (H::reinterpret<int32_t>(value) & 0x7fffffff) > 0x7f800000;
}

H::Expr extremum(bool larger, const H::Expr &a, const H::Expr &b) {
  if (!a.type().is_float())
    return larger ? H::max(a, b) : H::min(a, b);
  H::Expr either = H::select(larger ? a > b : a < b, a, b); // b if one of them is NaN
  return H::Internal::is_const(a)   ? extremum(larger, b, a)
         : H::Internal::is_const(b) ? H::select(larger ? b > a : b < a, b, a)
                                    : H::select(isNan(a), a, either);
}

H::Expr folded(Fold fold, const H::Expr &before, const H::Expr &term) {
  switch (fold) {
  case Fold::Add:
    return before + term;
  case Fold::Mul:
    return before * term;
  case Fold::Min:
  case Fold::Max:
    return extremum(fold == Fold::Max, before, term);
  }
  return {};
}

H::Expr Formulas::valueOf(unsigned number) {
  if (!values[number].defined())
    values[number] = compute(stage.nodes[number]);
  return values[number];
}

H::Expr Formulas::valueOf(const Size &size) const {
  H::Expr number = static_cast<int>(size.number);
  return size.isConstant() ? number : number + static_cast<int>(size.factor) * sizes[size.argument];
}

H::Expr Formulas::element(const Node &node) {
  std::vector<H::Expr> subscripts;
  for (size_t dimension = node.operands.size(); dimension-- > 0;)
    subscripts.push_back(valueOf(node.operands[dimension]));
  H::Expr loaded = load(node.integer, subscripts);
  attn_dtype inMemory = stage.buffers[node.integer].element;
  if (inMemory != widened(inMemory))
    return callOf(H::Float(32), widenPrefix + elementTypeName(inMemory).str(), {H::cast<int32_t>(loaded)});
  return node.element == ATTN_BOOL ? loaded != H::cast<uint8_t>(0) : loaded;
}

/// Opaque calls have truth values as 32-bit numbers.
H::Expr Formulas::call(const Node &node) {
  std::vector<H::Expr> operands;
  for (unsigned operand : node.operands) {
    H::Expr value = valueOf(operand);
    operands.push_back(value.type().is_bool() ? H::cast<int32_t>(value) : value);
  }
  H::Type type = node.element == ATTN_F32 ? H::Float(32) : H::Int(32);
  H::Expr result = callOf(type, functionOf(node), operands);
  return node.element == ATTN_BOOL ? result != 0 : result;
}

/// Halide treats 0 and -0 as equal numbers and computes them once.
static H::Expr numberOf(float number) {
  bool isNegativeZero = number == 0 && std::signbit(number);
  return isNegativeZero ? H::reinterpret<float>(H::Expr(std::numeric_limits<int32_t>::min())) : H::Expr(number);
}

static H::Expr computeUnary(Op op, const H::Expr &a) {
  switch (op) {
  case Op::Negate: // Halide's negation is 0 - a, which is 0 for 0.
    return H::reinterpret<float>(H::reinterpret<int32_t>(a) ^ std::numeric_limits<int32_t>::min());
  case Op::Absolute:
    return H::abs(a);
  case Op::SquareRoot:
    return H::sqrt(a);
  case Op::Floor:
    return H::floor(a);
  default:
    return H::ceil(a);
  }
}

static H::Expr computeBinary(Op op, const H::Expr &a, const H::Expr &b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Min:
  case Op::Max:
    return extremum(op == Op::Max, a, b);
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Remainder:
    return a % b;
  case Op::And:
    return a && b;
  case Op::Or:
    return a || b;
  case Op::ExclusiveOr:
    return a != b;
  default: // Halide rounds the quotient of integers down if the divisor is positive.
    return a / b;
  }
}

std::vector<bool> Formulas::nodesWithQuotients(const Stage &stage) {
  std::vector<bool> has;
  for (const Node &node : stage.nodes)
    has.push_back(node.op == Op::FloorDivide || std::any_of(node.operands.begin(), node.operands.end(),
                                                            [&](unsigned operand) { return has[operand]; }));
  return has;
}

/// Halide 14 misreads x / 2 * 2 == x on vectors as a condition on the number of the vector, but preserves inequalities.
static H::Expr areEqual(const H::Expr &a, const H::Expr &b) { return a <= b && b <= a; }

H::Expr Formulas::compute(const Node &node) {
  auto operand = [&](unsigned number) { return valueOf(node.operands[number]); };
  switch (node.op) {
  case Op::Number:
    return numberOf(static_cast<float>(node.number));
  case Op::Integer:
    return node.element == ATTN_BOOL ? H::Internal::make_bool(node.integer != 0)
                                          : H::Expr(static_cast<int>(node.integer));
  case Op::Index:
    return iterations[node.integer];
  case Op::Argument:
    return sizes[node.integer];
  case Op::Select:
    return H::select(operand(0), operand(1), operand(2));
  case Op::ToF32:
    return H::cast<float>(operand(0));
  case Op::Folded:
    return folded;
  case Op::Load:
    return element(node);
  case Op::Call:
  case Op::Repeated:
    return call(node);
  case Op::Equal:
  case Op::NotEqual: {
    bool isKept = !hasQuotient[node.operands[0]] && !hasQuotient[node.operands[1]];
    if (isKept)
      return computeBinary(node.op, operand(0), operand(1));
    H::Expr equal = areEqual(operand(0), operand(1));
    return node.op == Op::Equal ? equal : !equal;
  }
  case Op::Checked:
    return H::unsafe_promise_clamped(call(node), 0, operand(1) - 1);
  default:
    return node.operands.size() == 1 ? computeUnary(node.op, operand(0))
                                     : computeBinary(node.op, operand(0), operand(1));
  }
}

} // namespace attnc::halide
