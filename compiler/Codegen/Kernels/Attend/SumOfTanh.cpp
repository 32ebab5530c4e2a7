#include "compiler/Codegen/Kernels/Attend/SumOfTanh.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- reading it --------------------------------------------------===//

namespace {

class Matcher {
public:
  using Side = SumOfTanh::Side;
  using Product = SumOfTanh::Product;
  explicit Matcher(function_ref<Side(Value)> sideOf) : sideOf(sideOf) {}

  /// The coefficient's factors around the tanh, and its argument's terms.
  bool readTerm(Value value) {
    Operation *definer = value.getDefiningOp();
    if (!definer)
      return false;
    if (isa<math::TanhOp>(definer))
      return readSum(definer->getOperand(0), Product()) && !found.rowTerms.empty() && hasKey;
    if (isa<arith::NegFOp>(definer)) {
      found.coefficient.isNegative = !found.coefficient.isNegative;
      return readTerm(definer->getOperand(0));
    }
    auto factor = factorOf(definer);
    if (!factor)
      return false;
    found.coefficient.factors.push_back({factor->factor, factor->divides});
    return readTerm(factor->rest);
  }

  SumOfTanh found;

private:
  struct Factor {
    Value factor, rest;
    bool divides;
  };
  /// The factor of a product or quotient that is the same for all pairs.
  std::optional<Factor> factorOf(Operation *definer) {
    if (!isa<arith::MulFOp, arith::DivFOp>(definer))
      return std::nullopt;
    Value left = definer->getOperand(0), right = definer->getOperand(1);
    if (sideOf(right) == Side::Neither && sideOf(left) != Side::Neither)
      return Factor{right, left, isa<arith::DivFOp>(definer)};
    if (isa<arith::MulFOp>(definer) && sideOf(left) == Side::Neither && sideOf(right) != Side::Neither)
      return Factor{left, right, false};
    return std::nullopt;
  }

  bool readSum(Value value, Product around) {
    Side side = sideOf(value);
    if (side != Side::Both) {
      hasKey |= side == Side::Key;
      around.value = value;
      (side == Side::Row ? found.rowTerms : found.keyTerms).push_back(around);
      return true;
    }
    Operation *definer = value.getDefiningOp();
    if (!definer)
      return false;
    Product negative = around;
    negative.isNegative = !around.isNegative;
    if (isa<arith::AddFOp, arith::SubFOp>(definer))
      return readSum(definer->getOperand(0), around) &&
             readSum(definer->getOperand(1), isa<arith::SubFOp>(definer) ? negative : around);
    if (isa<arith::NegFOp>(definer))
      return readSum(definer->getOperand(0), negative);
    auto factor = factorOf(definer);
    if (!factor)
      return false;
    around.factors.push_back({factor->factor, factor->divides});
    return readSum(factor->rest, around);
  }

  function_ref<Side(Value)> sideOf;
  bool hasKey = false;
};

} // namespace

std::optional<SumOfTanh> SumOfTanh::match(attn::ReduceOp op, function_ref<Side(Value)> sideOf) {
  if (op.getCombine() != attn::Combine::Add || op.getSizes().size() != 1)
    return std::nullopt;
  Matcher matcher(sideOf);
  if (!matcher.readTerm(op.getBody().front().getTerminator()->getOperand(0)))
    return std::nullopt;
  return matcher.found;
}

//===-------------------------------------------- evaluating it -----------------------------------------------===//

Value SumOfTanh::Product::evaluate(LoopBuilder &loops, RegionVectoriser &at) const {
  Value result = value ? at.broadcast(at.evaluate(value)) : loops.splat(1.0);
  for (auto [factor, divides] : factors) {
    Value by = at.broadcast(at.evaluate(factor));
    result = divides ? loops.divf(result, by) : loops.mulf(result, by);
  }
  return isNegative ? loops.subf(loops.splat(0.0), result) : result;
}

Value SumOfTanh::evaluate(LoopBuilder &loops, RegionVectoriser &at, ArrayRef<Product> terms) {
  Value sum;
  for (const Product &term : terms) {
    Value value = term.evaluate(loops, at);
    sum = sum ? loops.addf(sum, value) : value;
  }
  return sum;
}

Value SumOfTanhCode::power(Value term) {
  return math::ExpOp::create(loops.builder, loops.location, loops.addf(term, term));
}

Value trueInAllLanes(LoopBuilder &loops) {
  auto type = loops.vectorType(loops.builder.getI1Type());
  return arith::ConstantOp::create(loops.builder, loops.location, DenseElementsAttr::get(type, true));
}

Value holdsInAllLanes(LoopBuilder &loops, Value flags) {
  return vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::AND, flags);
}

Value SumOfTanhCode::isWithin(Value x, double most) {
  Value magnitude = math::AbsFOp::create(loops.builder, loops.location, x);
  Value bound = isa<VectorType>(x.getType()) ? loops.splat(most) : loops.scalar(most);
  return loops.compare(arith::CmpFPredicate::OLE, magnitude, bound);
}

Value SumOfTanhCode::denominator(Value rowPower, Value keyPower) {
  Value t = loops.fma(rowPower, keyPower, loops.splat(1.0)), most = loops.splat(2147483648.0);
  return loops.choose(loops.compare(arith::CmpFPredicate::OLT, t, most), t, most);
}

/// A reciprocal estimate and one Newton iteration, if the instruction set has an estimate: a division takes five times
/// as long.
Value SumOfTanhCode::inverse(Value x) {
  bool isEstimated = target.isa->reciprocal == ReciprocalSequence::Estimate14 && loops.lanes == target.f32Lanes;
  if (!isEstimated)
    return loops.divf(loops.splat(1.0), x);
  OpBuilder &builder = loops.builder;
  Value allLanes = arith::ConstantOp::create(builder, loops.location, builder.getIntegerAttr(builder.getI16Type(), -1));
  Value rough = LLVM::CallIntrinsicOp::create(builder, loops.location, loops.vectorType(),
                                              builder.getStringAttr("llvm.x86.avx512.rcp14.ps.512"),
                                              ValueRange{x, loops.splat(0.0), allLanes})
                    .getResult(0);
  Value negative = loops.mulf(x, loops.splat(-1.0));
  return loops.fma(rough, loops.fma(negative, rough, loops.splat(1.0)), rough);
}

Value SumOfTanhCode::addFractions(Value sum, ValueRange t, ValueRange c) {
  Value low = loops.fma(c[0], t[1], loops.mulf(c[1], t[0])), lowProduct = loops.mulf(t[0], t[1]);
  Value high = loops.fma(c[2], t[3], loops.mulf(c[3], t[2])), highProduct = loops.mulf(t[2], t[3]);
  Value numerator = loops.fma(low, highProduct, loops.mulf(high, lowProduct));
  return loops.fma(numerator, inverse(loops.mulf(lowProduct, highProduct)), sum);
}

LoopBuilder::Values SumOfTanhCode::inverses(ValueRange t) {
  Value low = loops.mulf(t[0], t[1]), high = loops.mulf(t[2], t[3]), all = inverse(loops.mulf(low, high));
  Value ofLow = loops.mulf(all, high), ofHigh = loops.mulf(all, low);
  return {loops.mulf(ofLow, t[1]), loops.mulf(ofLow, t[0]), loops.mulf(ofHigh, t[3]), loops.mulf(ofHigh, t[2])};
}

} // namespace attnc
