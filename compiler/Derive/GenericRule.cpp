// The reverse-mode rule of linalg.generic for maps and reductions.
#include "compiler/Analysis/Fold.h"
#include "compiler/Derive/GenericReverse.h"
#include "compiler/Derive/Reverse.h"

using namespace mlir;

namespace attnc {

using attn::Combine;
using P = arith::CmpFPredicate;

unsigned GenericReverse::addTensor(Value tensor, AffineMap map) {
  tensors.push_back(tensor);
  tensorMaps.push_back(map);
  return tensors.size() - 1;
}

LogicalResult GenericReverse::addResult(unsigned number, Value value, Value cotangent) {
  Result result;
  result.number = number;
  result.term = op.getBody()->getTerminator()->getOperand(number);
  if (!op.getRegionOutputArgs()[number].use_empty()) {
    std::optional<FoldMatch> fold = matchFold(op, number);
    if (!fold)
      return op.emitError(
          "no gradient passes here: of reductions, only sums, products, maxima and minima have one [no-gradient]");
    result.combine = fold->kind;
    result.term = fold->term;
  }
  result.cotangent = addTensor(cotangent, resultMap(number));
  if (result.combine == Combine::Max || result.combine == Combine::Min) {
    result.value = addTensor(value, resultMap(number));
    result.ties = addStatistic(result, 0, false, [](const Reader &reader, Value term, Value y) {
      Value equal = reader.make<arith::CmpFOp>(P::OEQ, term, y);
      return reader.make<arith::SelectOp>(equal, reader.number(1), reader.number(0));
    });
  }
  if (result.combine == Combine::Mul) {
    auto select = [](const Reader &reader, Value term, double ifZero, Value otherwise) {
      Value isZero = reader.make<arith::CmpFOp>(P::OEQ, term, reader.number(0));
      return reader.make<arith::SelectOp>(isZero, reader.number(ifZero), otherwise);
    };
    result.zeros = addStatistic(result, 0, false, [&](const Reader &reader, Value term, Value) {
      return select(reader, term, 1, reader.number(0));
    });
    result.productOfOthers = addStatistic(
        result, 1, true, [&](const Reader &reader, Value term, Value) { return select(reader, term, 1, term); });
  }
  results.push_back(result);
  return success();
}

/// Clones the body's ops except combiners, which only the forward needs.
void GenericReverse::copyForward(const Reader &reader, IRMapping &copies, SmallVectorImpl<Operation *> &ops) {
  for (auto [number, argument] : llvm::enumerate(op.getRegionInputArgs()))
    copies.map(argument, reader.tensor(number));
  for (Operation &each : op.getBody()->without_terminator()) {
    bool combines = llvm::any_of(op.getRegionOutputArgs(),
                                 [&](BlockArgument before) { return llvm::is_contained(before.getUsers(), &each); });
    bool isThere = llvm::all_of(each.getResults(), [&](Value made) { return copies.contains(made); });
    if (combines || isThere)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(each))
      copies.map(index.getResult(), reader.index(index.getDim()));
    else
      ops.push_back(reader.builder.clone(each, copies));
  }
}

/// Emits a sum or product, over the result's loops, of a function of each term and the result's value.
unsigned GenericReverse::addStatistic(const Result &result, double start, bool isProduct, Summand summand) {
  OpOperand *init = op.getDpsInitOperand(result.number);
  Value empty =
      tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, init->get()), builder.getF32Type());
  Value first = arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(start));
  Value filled = linalg::FillOp::create(builder, at, first, empty).getResult(0);
  SmallVector<AffineMap> maps(tensorMaps);
  maps.push_back(resultMap(result.number));
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = makeReader(inner, v);
    IRMapping copies;
    SmallVector<Operation *> ops;
    copyForward(reader, copies, ops);
    Value each = summand(reader, copies.lookupOrDefault(result.term), result.value ? v[result.value] : Value());
    Value next = isProduct ? reader.make<arith::MulFOp>(v.back(), each) : reader.make<arith::AddFOp>(v.back(), each);
    linalg::YieldOp::create(inner, at, next);
  };
  auto statistic =
      linalg::GenericOp::create(builder, at, filled.getType(), tensors, filled, maps, op.getIteratorTypesArray(), body);
  return addTensor(statistic.getResult(0), resultMap(result.number));
}

/// The cotangent of one term of the reduction.
Value GenericReverse::seed(const Reader &reader, const Result &result, Value term) {
  Value dy = reader.tensor(result.cotangent), zero = reader.number(0);
  switch (result.combine.value_or(Combine::Add)) {
  case Combine::Add:
    return dy;
  case Combine::Max:
  case Combine::Min: {
    Value taken = reader.make<arith::CmpFOp>(P::OEQ, term, reader.tensor(result.value));
    return reader.make<arith::SelectOp>(taken, reader.make<arith::DivFOp>(dy, reader.tensor(result.ties)), zero);
  }
  case Combine::Mul: {
    // The product of the other terms: zero where another one is.
    Value isZero = reader.make<arith::CmpFOp>(P::OEQ, term, zero), rest = reader.tensor(result.productOfOthers);
    Value ownZeros = reader.make<arith::SelectOp>(isZero, reader.number(1), zero);
    Value others = reader.make<arith::SelectOp>(isZero, rest, reader.make<arith::DivFOp>(rest, term));
    Value alone = reader.make<arith::CmpFOp>(P::OEQ, reader.tensor(result.zeros), ownZeros);
    return reader.make<arith::SelectOp>(alone, reader.make<arith::MulFOp>(dy, others), zero);
  }
  }
  llvm_unreachable("a combiner");
}

FailureOr<attn::Cotangents> GenericReverse::reverseBody(const Reader &reader, IRMapping &copies) {
  SmallVector<Operation *> ops;
  copyForward(reader, copies, ops);
  attn::Cotangents cotangents;
  for (const Result &result : results) {
    Value term = copies.lookupOrDefault(result.term);
    attn::addCotangent(reader.builder, at, cotangents, term, seed(reader, result, term));
  }
  if (Operation *unknown = attn::differentiate(reader.builder, ops, cotangents))
    return unknown->emitError("no gradient passes here [no-gradient]");
  return cotangents;
}

FailureOr<Value> GenericReverse::inputGradient(unsigned input) {
  AffineMap map = tensorMaps[input];
  if (!map.isProjectedPermutation())
    return op.emitError(
        "no gradient passes here: it reads an operand in an order that can't be inverted [no-gradient]");
  Value tensor = tensors[input];
  unsigned loops = op.getNumLoops();
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::reduction);
  for (AffineExpr each : map.getResults())
    iterators[cast<AffineDimExpr>(each).getPosition()] = utils::IteratorType::parallel;
  bool isReduction = map.getNumResults() < loops;
  Value start = isReduction ? zerosLike(builder, at, tensor)
                            : tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, tensor),
                                                      builder.getF32Type())
                                  .getResult();
  SmallVector<AffineMap> maps(tensorMaps);
  maps.push_back(map);
  bool isZero = false, hasFailed = false;
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = makeReader(inner, v);
    IRMapping copies;
    auto cotangents = reverseBody(reader, copies);
    hasFailed = failed(cotangents);
    Value gradient = hasFailed ? Value() : cotangents->lookup(v[input]);
    isZero = !gradient;
    if (isZero)
      gradient = reader.number(0);
    linalg::YieldOp::create(inner, at, isReduction ? reader.make<arith::AddFOp>(v.back(), gradient) : gradient);
  };
  auto gradient = linalg::GenericOp::create(builder, at, start.getType(), tensors, start, maps, iterators, body);
  if (!hasFailed && !isZero)
    return gradient.getResult(0);
  gradient.erase();
  return hasFailed ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
}

LogicalResult applyRule(BlockCotangents &block, linalg::GenericOp op) {
  GenericReverse generic(block.builder, op);
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value dy = block.cotangent(result);
    if (!dy)
      continue;
    if (failed(generic.addResult(number, block.stored(result), dy)))
      return failure();
    if (!op.getRegionOutputArgs()[number].use_empty() && block.isActive(op.getDpsInits()[number]))
      return op.emitError(
          "no gradient passes here: its reduction starts from a value that is not constant [no-gradient]");
  }
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    if (!block.isActive(input))
      continue;
    auto term = generic.inputGradient(number);
    if (failed(term))
      return failure();
    if (*term)
      block.addTerm(input, *term);
  }
  SmallVector<tensor::ExtractOp> loads;
  op.getBody()->walk([&](tensor::ExtractOp load) {
    if (block.isActive(load.getTensor()))
      loads.push_back(load);
  });
  for (tensor::ExtractOp load : loads) {
    auto term = generic.loadGradient(load);
    if (failed(term))
      return failure();
    if (*term)
      block.addTerm(load.getTensor(), *term);
  }
  return success();
}

} // namespace attnc
