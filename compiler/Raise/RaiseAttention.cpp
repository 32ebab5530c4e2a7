//===- RaiseAttention.cpp - attn-raise-attention ------------------------------------------------------------------===//
//
// Rewrites a sum over keys, weighted by a softmax or a ratio over these keys, to attn.attend (Raise.h,
// NormalisedScore.h).
//
// Precondition: imported code after common-subexpression elimination. Postcondition: no such sum is left, unless its
// attention weights have other users.
//
// The reduced loops of the sum are the keys. Another loop is an outer index if the attention weights depend on it, else
// an index of the value. All-pairs tensors are expanded into the formulas; tensors of queries or keys alone are read.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/Fold.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Raise/Legality.h"
#include "compiler/Raise/NormalisedScore.h"
#include "compiler/Raise/PairFormula.h"
#include "compiler/Raise/Raise.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attnc {
namespace {

using Expr = ElementExprs::Expr;

/// A sum over keys as attention.
struct Attention {
  linalg::GenericOp sum;
  SmallVector<unsigned> keys, outer, values; ///< variables
  SmallVector<unsigned> queries;             ///< outer variables that no value depends on
  SmallVector<unsigned> results;             ///< variables of the sum's result, by dimension
  NormalisedScore normalised;
  Expr weight = nullptr;         ///< the factor that contains the normalised score
  SmallVector<Expr> factors;     ///< the others
  Operation *division = nullptr; ///< the op in the sum's user that divides by the row sum
};

class AttentionRaiser {
public:
  explicit AttentionRaiser(func::FuncOp function) : function(function), shapes(function), exprs(shapes) {}

  /// Returns whether a sum was raised.
  bool run() {
    SmallVector<linalg::GenericOp> sums;
    function.walk([&](linalg::GenericOp op) {
      if (isSum(op))
        sums.push_back(op);
    });
    bool any = false;
    for (linalg::GenericOp sum : sums)
      if (auto attention = read(sum); attention && !isRefused(reasonId(Reason::AttentionRaised), sum, sum))
        any |= raise(*attention);
    if (any)
      removeUnused(function);
    return any;
  }

private:
  static bool isSum(linalg::GenericOp op) {
    if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0 || !startsFromZero(op, 0))
      return false;
    auto fold = matchFold(op, 0);
    return fold && fold->kind == attn::Combine::Add && fold->term.getType().isF32();
  }

  std::optional<Attention> read(linalg::GenericOp sum);
  bool findNormalised(Attention &attention);
  std::optional<Reason> reasonAgainst(const Attention &attention);
  bool findDivision(Attention &attention, NormalisedScoreMatcher &matcher, Expr exponential);
  bool dependsOnPairs(const Attention &attention, Expr expr);
  void missed(const Attention &attention, Reason reason);
  bool raise(Attention &attention);
  SmallVector<Value> sizesOf(OpBuilder &builder, Location location, ArrayRef<unsigned> variables);

  func::FuncOp function;
  SymbolicShapes shapes;
  ElementExprs exprs;
};

} // namespace

//===-------------------------------------------- reading -----------------------------------------------------===//

/// Splits a term into factors, up to a bound.
static void flatten(Expr term, SmallVectorImpl<Expr> &factors) {
  static constexpr size_t mostFactors = 8;
  if (!scalarOp<arith::MulFOp>(term) || factors.size() >= mostFactors)
    return factors.push_back(term);
  for (Expr operand : term->operands)
    flatten(operand, factors);
}

void AttentionRaiser::missed(const Attention &attention, Reason reason) {
  Decision decision{false, reason, placeOf(attention.sum), "", "", function.getName().str(), false, {}};
  recordDecision(function->getParentOfType<ModuleOp>(), decision);
}

std::optional<Attention> AttentionRaiser::read(linalg::GenericOp sum) {
  ElementExprs::Root root = exprs.root(sum);
  Attention attention;
  attention.sum = sum;
  auto placed = plainDims(sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)));
  if (!placed)
    return std::nullopt;
  for (unsigned loop : *placed)
    attention.results.push_back(root.loops[loop]);
  for (auto [loop, kind] : llvm::enumerate(sum.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      attention.keys.push_back(root.loops[loop]);
  flatten(root.term, attention.factors);
  if (attention.factors.size() < 2 || !findNormalised(attention))
    return std::nullopt;
  for (unsigned variable : attention.results)
    (exprs.dependsOn(attention.weight, {variable}) ? attention.outer : attention.values).push_back(variable);
  auto isAbsentFromValues = [&](unsigned variable) {
    return llvm::none_of(attention.factors, [&](Expr factor) { return exprs.dependsOn(factor, {variable}); });
  };
  llvm::copy_if(attention.outer, std::back_inserter(attention.queries), isAbsentFromValues);
  if (attention.queries.empty())
    attention.queries = attention.outer;
  if (auto reason = reasonAgainst(attention)) {
    missed(attention, *reason);
    return std::nullopt;
  }
  return attention;
}

std::optional<Reason> AttentionRaiser::reasonAgainst(const Attention &attention) {
  Expr normalised = attention.normalised.whole;
  if (!vanishesWith(exprs, attention.weight, normalised))
    return Reason::ZeroWeightContributes;
  for (Expr formula : {attention.normalised.score, attention.weight})
    if (auto reason = reasonAgainstPairs(exprs, formula, normalised, attention.queries, attention.keys))
      return reason;
  return std::nullopt;
}

/// Whether `expr` depends on a key and on an index of the result.
bool AttentionRaiser::dependsOnPairs(const Attention &attention, Expr expr) {
  return exprs.dependsOn(expr, attention.keys) && exprs.dependsOn(expr, attention.results);
}

/// Whether the attention weights have users other than the sum. They are then materialised anyway.
static bool areReadElsewhere(const NormalisedScore &normalised) {
  return llvm::any_of(normalised.tensors, [](Value tensor) {
    return llvm::count_if(tensor.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) > 1;
  });
}

bool AttentionRaiser::findNormalised(Attention &attention) {
  std::optional<Reason> reasonAgainst;
  for (Expr &factor : attention.factors) {
    if (!dependsOnPairs(attention, factor))
      continue;
    NormalisedScoreMatcher matcher(exprs, attention.keys);
    auto take = [&] {
      attention.weight = factor;
      attention.factors.erase(&factor);
      return true;
    };
    if (auto normalised = matcher.findIn(factor)) {
      attention.normalised = *normalised;
      if (!areReadElsewhere(*normalised))
        return take();
      matcher.reasonAgainst = Reason::SeveralUses;
    } else if (Expr exponential = matcher.findExponential(factor)) {
      if (findDivision(attention, matcher, exponential))
        return take();
      bool isScore = exprs.contains(exponential, [](Expr part) { return part->kind == ElementExpr::Kind::Reduce; });
      auto isValue = [&](Expr other) { return !NormalisedScoreMatcher(exprs, attention.keys).findExponential(other); };
      if (!matcher.reasonAgainst && isScore && llvm::any_of(attention.factors, isValue))
        matcher.reasonAgainst = Reason::NotNormalised;
    }
    if (!reasonAgainst)
      reasonAgainst = matcher.reasonAgainst;
  }
  if (reasonAgainst)
    missed(attention, *reasonAgainst);
  return false;
}

/// (sum_j exp(s_j) v_j) / sum_j exp(s_j): the reader of the sum divides.
bool AttentionRaiser::findDivision(Attention &attention, NormalisedScoreMatcher &matcher, Expr exponential) {
  Value result = attention.sum.getResult(0);
  if (!result.hasOneUse())
    return false;
  auto reader = dyn_cast<linalg::GenericOp>(*result.user_begin());
  if (!reader || !isPointwise(reader))
    return false;
  OpOperand &use = *result.use_begin();
  BlockArgument element = reader.getMatchingBlockArgument(&use);
  auto dims = plainDims(reader.getMatchingIndexingMap(&use));
  if (!element.hasOneUse() || !dims)
    return false;
  SmallVector<AffineExpr> loops(reader.getNumLoops());
  for (auto [place, loop] : llvm::enumerate(*dims))
    loops[loop] = exprs.variable(attention.results[place]);
  Operation *op = *element.user_begin();
  Value divisor;
  if (auto division = dyn_cast<arith::DivFOp>(op); division && division.getLhs() == element)
    divisor = division.getRhs();
  if (!divisor)
    return false;
  auto normalised = matcher.matchQuotient(exponential, exprs.valueAt(reader, loops, divisor));
  if (!normalised)
    return false;
  attention.normalised = *normalised;
  attention.normalised.whole = exponential;
  attention.division = op;
  return true;
}

//===-------------------------------------------- writing -----------------------------------------------------===//

SmallVector<Value> AttentionRaiser::sizesOf(OpBuilder &builder, Location location, ArrayRef<unsigned> variables) {
  return llvm::map_to_vector(variables, [&](unsigned variable) -> Value {
    auto [tensor, dim] = exprs.extent(variable);
    return getValueOrCreateConstantIndexOp(builder, location, tensor::getMixedSize(builder, location, tensor, dim));
  });
}

bool AttentionRaiser::raise(Attention &attention) {
  OpBuilder builder(attention.sum), before(attention.sum);
  Location location = attention.sum.getLoc();
  PairFormulas formulas(exprs, builder, location,
                        [&](ArrayRef<unsigned> variables) { return sizesOf(before, location, variables); });
  formulas.setPairs(attention.queries, attention.keys);

  SmallVector<unsigned> iterated(attention.outer);
  iterated.append(attention.values);
  SmallVector<int64_t> layout;
  for (unsigned variable : attention.results)
    layout.push_back(llvm::find(iterated, variable) - iterated.begin());
  auto attend = attn::AttendOp::create(
      builder, location, attention.sum.getResultTypes(), sizesOf(builder, location, attention.outer),
      sizesOf(builder, location, attention.keys), sizesOf(builder, location, attention.values),
      attention.normalised.normaliser, builder.getStrArrayAttr({"value"}),
      llvm::is_sorted(layout) ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(layout), FloatAttr(), IntegerAttr(),
      DenseI64ArrayAttr());
  before.setInsertionPoint(attend);

  SmallVector<unsigned> pair(attention.outer);
  pair.append(attention.keys);
  SmallVector<unsigned> all(pair);
  all.append(attention.values);
  MaskedScore score = splitMask(exprs, attention.normalised.score);
  formulas.write(attend.getScore(), pair, [&] { return formulas.emit(score.score); });
  if (!score.conditions.empty())
    formulas.write(attend.getMask(), pair, [&] { return formulas.emitConditions(score.conditions); });
  if (exprs.open(attention.weight) != attention.normalised.whole)
    formulas.writeWeight(attend.getWeight(), pair, attention.normalised.whole, attention.weight);
  formulas.write(attend.getValue(), all, [&] { return formulas.emitProduct(attention.factors); });
  if (formulas.failed()) {
    attend.erase();
    missed(attention, Reason::ReadByData);
    return false;
  }

  recordDecision(function->getParentOfType<ModuleOp>(),
                 {true, Reason::AttentionRaised, placeOf(attention.sum), "", "", function.getName().str(), false, {}});
  if (attention.division) {
    attention.division->getResult(0).replaceAllUsesWith(attention.division->getOperand(0));
    attention.division->erase();
  }
  attention.sum.getResult(0).replaceAllUsesWith(attend.getResult(0));
  attention.sum.erase();
  return true;
}

//===-------------------------------------------- the pass ----------------------------------------------------===//

#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "compiler/Raise/Passes.h.inc"
namespace {

struct RaiseAttention : impl::RaiseAttentionPassBase<RaiseAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    FrozenRewritePatternSet unused(std::move(patterns));
    for (func::FuncOp function : hostFunctions(getOperation()))
      if (AttentionRaiser(function).run() && failed(applyPatternsGreedily(function, unused)))
        return signalPassFailure();
  }
};

} // namespace

void buildRaisePipeline(OpPassManager &passes) {
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createRaiseAttentionPass());
  // Ops of which only sizes are used are removed.
  passes.addPass(createResolveSizesPass());
  passes.addPass(createCanonicalizerPass());
}

} // namespace attnc
