// Reader of an additive score (SumOfTanh.h) for its gradient: its three formulas, and their derivatives by their
// operands.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradientProblem.h"
#include "dialects/Attn/ScalarDerivatives.h"

using namespace mlir;

namespace attnc {

static Value createProduct(OpBuilder &builder, Location location, const SumOfTanh::Product &product) {
  Value result = product.value ? product.value
                               : arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1)).getResult();
  for (auto [factor, divides] : product.factors)
    result = divides ? arith::DivFOp::create(builder, location, result, factor).getResult()
                     : arith::MulFOp::create(builder, location, result, factor).getResult();
  return product.isNegative ? arith::NegFOp::create(builder, location, result).getResult() : result;
}

static Value createSum(OpBuilder &builder, Location location, ArrayRef<SumOfTanh::Product> terms) {
  Value sum;
  for (const SumOfTanh::Product &term : terms) {
    Value value = createProduct(builder, location, term);
    sum = sum ? arith::AddFOp::create(builder, location, sum, value).getResult() : value;
  }
  return sum;
}

void createTanhFormulas(const PairReduction &product, GradientTanh &tanh) {
  attn::ReduceOp op = product.op;
  Block &body = op.getBody().front();
  OpBuilder builder(body.getTerminator());
  tanh.feature = body.getArgument(0);
  tanh.features = product.features.constant();
  tanh.rowTerm = createSum(builder, op.getLoc(), product.tanhs->rowTerms);
  tanh.keyTerm = createSum(builder, op.getLoc(), product.tanhs->keyTerms);
  tanh.coefficient = createProduct(builder, op.getLoc(), product.tanhs->coefficient);
}

Verdict readTanhLeaves(GradientTanh &tanh, IndexUses &uses, uint64_t pairs,
                       function_ref<std::optional<unsigned>(Value)> resultOf) {
  Block &body = *tanh.feature.getOwner();
  SmallVector<Operation *> forward;
  for (Operation &inner : body.without_terminator())
    forward.push_back(&inner);
  auto readFormula = [&](Value formula, std::vector<GradientScope::Leaf> &own,
                         std::vector<GradientScope::Leaf> &shared) -> Verdict {
    OpBuilder builder(body.getTerminator());
    attn::Cotangents partials;
    partials[formula] = arith::ConstantOp::create(builder, formula.getLoc(), builder.getF32FloatAttr(1));
    if (Operation *unknown = attn::differentiate(builder, forward, partials))
      return Verdict::no("the derivative of " + unknown->getName().getStringRef().str() + " is not known");
    for (Operation *inner : forward) {
      auto extract = dyn_cast<tensor::ExtractOp>(inner);
      Value partial = extract ? partials.lookup(extract) : Value();
      auto result = partial ? resultOf(extract.getTensor()) : std::nullopt;
      if (!result)
        continue;
      bool isShared = !(uses.of(extract) & pairs);
      if (isShared && (uses.of(partial) & pairs))
        return Verdict::no("a factor of an additive score that is the same for all pairs needs a gradient");
      (isShared ? shared : own).push_back({extract, partial, *result});
    }
    return Verdict::yes();
  };
  if (Verdict verdict = readFormula(tanh.rowTerm, tanh.rowLeaves, tanh.sharedLeaves); !verdict)
    return verdict;
  if (Verdict verdict = readFormula(tanh.keyTerm, tanh.keyLeaves, tanh.sharedLeaves); !verdict)
    return verdict;
  return readFormula(tanh.coefficient, tanh.coefficientLeaves, tanh.coefficientLeaves);
}

} // namespace attnc
