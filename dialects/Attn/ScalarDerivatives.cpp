#include "dialects/Attn/ScalarDerivatives.h"
#include "dialects/Attn/Attn.h"
#include "llvm/ADT/StringMap.h"
#include <numbers>

using namespace mlir;
using namespace mlir::attn;

void attn::addCotangent(OpBuilder &builder, Location location, Cotangents &cotangents, Value value, Value term) {
  Value &sum = cotangents[value];
  sum = sum ? arith::AddFOp::create(builder, location, sum, term).getResult() : term;
}

namespace {

/// For a value used only under a select's condition, that condition. The derivative of the arm that is not selected may
/// be infinite, and its product with a zero cotangent NaN.
using Guards = llvm::DenseMap<Value, Value>;

/// Reverse-mode rule of one op, emitted as arithmetic on values.
class Rule {
public:
  Rule(OpBuilder &builder, Operation *op, Value cotangent, Cotangents &cotangents, Guards &guards)
      : dy(cotangent), builder(builder), op(op), cotangents(cotangents), guards(guards),
        guard(guards.lookup(op->getResult(0))) {}

  const Value dy;
  Value x(unsigned operand = 0) const { return op->getOperand(operand); }
  Value y() const { return op->getResult(0); }

  void give(unsigned operand, Value term) {
    giveUnder(guard, operand, guard && term != dy ? select(guard, term, number(0)) : term);
  }
  /// Adds `term` to the cotangent of the operand. The term is zero where `condition` is false.
  void giveUnder(Value condition, unsigned operand, Value term) {
    Value to = op->getOperand(operand);
    if (!cotangents.contains(to))
      guards[to] = condition;
    else if (guards.lookup(to) != condition)
      guards[to] = Value();
    addCotangent(builder, op->getLoc(), cotangents, to, term);
  }
  /// Returns the conjunction of the condition with the op's own guard.
  Value within(Value condition) { return guard ? make<arith::AndIOp>(guard, condition) : condition; }
  Value isNot(Value condition) {
    Value always = make<arith::ConstantOp>(builder.getBoolAttr(true));
    return make<arith::XOrIOp>(condition, always);
  }
  template <typename Op, typename... Values> Value make(Values... values) {
    return Op::create(builder, op->getLoc(), values...);
  }
  Value add(Value a, Value b) { return make<arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return make<arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return make<arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<arith::DivFOp>(a, b); }
  Value neg(Value a) { return make<arith::NegFOp>(a); }
  Value number(double value) {
    return make<arith::ConstantOp>(builder.getFloatAttr(y().getType(), value)); // of the type of the result
  }
  Value select(Value condition, Value a, Value b) { return make<arith::SelectOp>(condition, a, b); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) { return make<arith::CmpFOp>(predicate, a, b); }

private:
  OpBuilder &builder;
  Operation *op;
  Cotangents &cotangents;
  Guards &guards;
  const Value guard; ///< null if unconditional
};

using P = arith::CmpFPredicate;
using Function = void (*)(Rule &);

void ofNothing(Rule &) {}
void ofAdd(Rule &r) {
  r.give(0, r.dy);
  r.give(1, r.dy);
}
void ofSub(Rule &r) {
  r.give(0, r.dy);
  r.give(1, r.neg(r.dy));
}
void ofMul(Rule &r) {
  r.give(0, r.mul(r.dy, r.x(1)));
  r.give(1, r.mul(r.dy, r.x(0)));
}
void ofDiv(Rule &r) {
  Value share = r.div(r.dy, r.x(1));
  r.give(0, share);
  r.give(1, r.neg(r.mul(share, r.y())));
}
/// Adds the cotangent to operand `first` where `takesFirst` is true, otherwise to the other operand.
void ofChoice(Rule &r, Value takesFirst, unsigned first) {
  Value zero = r.number(0);
  r.give(first, r.select(takesFirst, r.dy, zero));
  r.give(first + 1, r.select(takesFirst, zero, r.dy));
}
void ofMaximum(Rule &r) { ofChoice(r, r.compare(P::OGE, r.x(0), r.x(1)), 0); }
void ofMinimum(Rule &r) { ofChoice(r, r.compare(P::OLE, r.x(0), r.x(1)), 0); }
void ofSelect(Rule &r) {
  Value zero = r.number(0), condition = r.x(0);
  r.giveUnder(r.within(condition), 1, r.select(condition, r.dy, zero));
  r.giveUnder(r.within(r.isNot(condition)), 2, r.select(condition, zero, r.dy));
}
void ofAbs(Rule &r) {
  Value zero = r.number(0), below = r.select(r.compare(P::OLT, r.x(), zero), r.neg(r.dy), zero);
  r.give(0, r.select(r.compare(P::OGT, r.x(), zero), r.dy, below));
}
void ofSqrt(Rule &r) { r.give(0, r.div(r.mul(r.number(0.5), r.dy), r.y())); }
void ofRsqrt(Rule &r) { r.give(0, r.mul(r.mul(r.number(-0.5), r.dy), r.mul(r.y(), r.mul(r.y(), r.y())))); }
void ofTanh(Rule &r) { r.give(0, r.mul(r.dy, r.sub(r.number(1), r.mul(r.y(), r.y())))); }
void ofErf(Rule &r) {
  Value bell = r.make<math::ExpOp>(r.neg(r.mul(r.x(), r.x())));
  r.give(0, r.mul(r.mul(r.number(2 * std::numbers::inv_sqrtpi), r.dy), bell));
}
void ofPow(Rule &r) {
  Value less = r.make<math::PowFOp>(r.x(0), r.sub(r.x(1), r.number(1))), zero = r.number(0);
  r.give(0, r.mul(r.mul(r.dy, r.x(1)), less));
  Value byExponent = r.mul(r.mul(r.dy, r.y()), r.make<math::LogOp>(r.x(0)));
  r.give(1, r.select(r.compare(P::OGT, r.x(0), zero), byExponent, zero));
}

const llvm::StringMap<Function> &rules() {
  static const llvm::StringMap<Function> table = {
      {"arith.addf", ofAdd},
      {"arith.subf", ofSub},
      {"arith.mulf", ofMul},
      {"arith.divf", ofDiv},
      {"arith.negf", [](Rule &r) { r.give(0, r.neg(r.dy)); }},
      {"arith.maximumf", ofMaximum},
      {"arith.minimumf", ofMinimum},
      {"arith.select", ofSelect},
      {"math.absf", ofAbs},
      {"math.exp", [](Rule &r) { r.give(0, r.mul(r.dy, r.y())); }},
      {"math.log", [](Rule &r) { r.give(0, r.div(r.dy, r.x())); }},
      {"math.sqrt", ofSqrt},
      {"math.rsqrt", ofRsqrt},
      {"math.tanh", ofTanh},
      {"math.sin", [](Rule &r) { r.give(0, r.mul(r.dy, r.make<math::CosOp>(r.x()))); }},
      {"math.cos", [](Rule &r) { r.give(0, r.neg(r.mul(r.dy, r.make<math::SinOp>(r.x())))); }},
      {"math.erf", ofErf},
      {"math.powf", ofPow},
      {"math.floor", ofNothing},
      {"attn.stop", ofNothing},
      {"attn.uniform", ofNothing},
      {"arith.constant", ofNothing},
      {"arith.sitofp", ofNothing},
      {"arith.uitofp", ofNothing},
  };
  return table;
}

bool isLeaf(Operation *op) { return op->getNumRegions() != 0 || isa<tensor::ExtractOp>(op); }

} // namespace

Operation *attn::differentiate(OpBuilder &builder, ArrayRef<Operation *> forward, Cotangents &cotangents) {
  Guards guards;
  for (Operation *op : llvm::reverse(forward)) {
    Value cotangent = op->getNumResults() == 1 ? cotangents.lookup(op->getResult(0)) : Value();
    if (!cotangent || isLeaf(op))
      continue;
    Function function = rules().lookup(op->getName().getStringRef());
    if (!function)
      return op;
    Rule rule(builder, op, cotangent, cotangents, guards);
    function(rule);
  }
  return nullptr;
}
