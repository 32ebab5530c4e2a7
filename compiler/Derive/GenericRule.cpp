// The reverse of linalg.generic: of maps, reductions and loads by subscripts.
#include "compiler/Codegen/Fold.h"
#include "compiler/Derive/Reverse.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

namespace {

using attn::Combine;
using P = arith::CmpFPredicate;

/// One result of a generic that has a cotangent: how a body makes it from what it was before and a term, and where the
/// tensors that its reverse reads stand in GenericReverse::tensors.
struct Result {
  unsigned number = 0;
  std::optional<Combine> combine; ///< nothing for a map
  Value term;                     ///< what the body yields, or combines
  unsigned cotangent = 0;
  unsigned value = 0;                    ///< of a maximum or minimum
  unsigned ties = 0;                     ///< how many terms equal it
  unsigned zeros = 0, productOfRest = 0; ///< of a product: how many terms are zero; the product of the others
};

/// What a body reads: operand n of `tensors`, loop index n.
struct Reader {
  OpBuilder &builder;
  Location at;
  std::function<Value(unsigned)> tensor;
  std::function<Value(unsigned)> index;

  template <typename Op, typename... Values> Value make(Values... values) const {
    return Op::create(builder, at, values...);
  }
  Value number(double value) const { return make<arith::ConstantOp>(builder.getF32FloatAttr(value)); }
};

/// A generic, and what its reverses read besides its inputs.
class GenericReverse {
public:
  GenericReverse(OpBuilder &builder, linalg::GenericOp op) : builder(builder), op(op), at(op.getLoc()) {
    auto maps = op.getIndexingMapsArray();
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      addTensor(input, maps[number]);
  }

  /// Says that result `number` has a cotangent; `value` is the result. Fails with an error where there is no reverse.
  LogicalResult addResult(unsigned number, Value value, Value cotangent);
  /// The gradient of an input, or null where it is zero.
  FailureOr<Value> ofInput(unsigned input);
  /// The gradient of the tensor that `extract` loads from, or null.
  FailureOr<Value> ofExtract(tensor::ExtractOp extract);

private:
  using Piece = llvm::function_ref<Value(const Reader &, Value term, Value value)>;
  unsigned addStatistic(const Result &result, double start, bool isProduct, Piece piece);
  unsigned addTensor(Value tensor, AffineMap map);
  std::optional<SmallVector<unsigned>> placesOfLoops(tensor::ExtractOp extract);
  FailureOr<Value> ofSelected(tensor::ExtractOp extract, ArrayRef<unsigned> places);
  FailureOr<Value> ofScattered(tensor::ExtractOp extract);
  void copyForward(const Reader &reader, IRMapping &copies, SmallVectorImpl<Operation *> &ops);
  Value seed(const Reader &reader, const Result &result, Value term);
  FailureOr<attn::Cotangents> reverseBody(const Reader &reader, IRMapping &copies);
  Value loopSize(unsigned loop);
  /// In the body of a generic over `tensors`, whose arguments are `v`.
  Reader readerOf(OpBuilder &inner, ValueRange v) {
    return {inner, at, [v](unsigned n) { return v[n]; },
            [&inner, at = at](unsigned n) { return linalg::IndexOp::create(inner, at, n).getResult(); }};
  }
  AffineMap resultMap(unsigned number) { return op.getMatchingIndexingMap(op.getDpsInitOperand(number)); }

  OpBuilder &builder;
  linalg::GenericOp op;
  Location at;
  SmallVector<Value> tensors; ///< the inputs, then cotangents and statistics
  SmallVector<AffineMap> tensorMaps;
  SmallVector<Result> results;
};

} // namespace

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
          "no gradient passes here: only sums, products, maxima and minima are reduced with one [no-gradient]");
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
    result.productOfRest = addStatistic(
        result, 1, true, [&](const Reader &reader, Value term, Value) { return select(reader, term, 1, term); });
  }
  results.push_back(result);
  return success();
}

/// Clones the body's ops but for combinations, which only the forward needs.
void GenericReverse::copyForward(const Reader &reader, IRMapping &copies, SmallVectorImpl<Operation *> &ops) {
  for (auto [number, argument] : llvm::enumerate(op.getRegionInputArgs()))
    copies.map(argument, reader.tensor(number));
  for (Operation &each : op.getBody()->without_terminator()) {
    bool combines = llvm::any_of(op.getRegionOutputArgs(),
                                 [&](BlockArgument before) { return llvm::is_contained(before.getUsers(), &each); });
    if (combines)
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(each))
      copies.map(index.getResult(), reader.index(index.getDim()));
    else
      ops.push_back(reader.builder.clone(each, copies));
  }
}

/// A sum or product, over the result's loops, of a piece made of each term and the result's value.
unsigned GenericReverse::addStatistic(const Result &result, double start, bool isProduct, Piece piece) {
  OpOperand *init = op.getDpsInitOperand(result.number);
  Value empty =
      tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, init->get()), builder.getF32Type());
  Value first = arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(start));
  Value filled = linalg::FillOp::create(builder, at, first, empty).getResult(0);
  SmallVector<AffineMap> maps(tensorMaps);
  maps.push_back(resultMap(result.number));
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = readerOf(inner, v);
    IRMapping copies;
    SmallVector<Operation *> ops;
    copyForward(reader, copies, ops);
    Value each = piece(reader, copies.lookupOrDefault(result.term), result.value ? v[result.value] : Value());
    Value next = isProduct ? reader.make<arith::MulFOp>(v.back(), each) : reader.make<arith::AddFOp>(v.back(), each);
    linalg::YieldOp::create(inner, at, next);
  };
  auto statistic =
      linalg::GenericOp::create(builder, at, filled.getType(), tensors, filled, maps, op.getIteratorTypesArray(), body);
  return addTensor(statistic.getResult(0), resultMap(result.number));
}

/// The cotangent of one term.
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
    Value isZero = reader.make<arith::CmpFOp>(P::OEQ, term, zero), rest = reader.tensor(result.productOfRest);
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

FailureOr<Value> GenericReverse::ofInput(unsigned input) {
  AffineMap map = tensorMaps[input];
  if (!map.isProjectedPermutation())
    return op.emitError(
        "no gradient passes here: it reads an operand in an order that can't be turned round [no-gradient]");
  Value tensor = tensors[input];
  unsigned loops = op.getNumLoops();
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::reduction);
  for (AffineExpr each : map.getResults())
    iterators[cast<AffineDimExpr>(each).getPosition()] = utils::IteratorType::parallel;
  bool isReduction = map.getNumResults() < loops;
  Value start = isReduction ? Reverse::zerosLike(builder, at, tensor)
                            : tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, tensor),
                                                      builder.getF32Type())
                                  .getResult();
  SmallVector<AffineMap> maps(tensorMaps);
  maps.push_back(map);
  bool isZero = false, hasFailed = false;
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = readerOf(inner, v);
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

/// The number of iterations of a loop.
Value GenericReverse::loopSize(unsigned loop) {
  AffineExpr wanted = builder.getAffineDimExpr(loop);
  for (auto [tensor, map] : llvm::zip(tensors, tensorMaps))
    for (auto [position, each] : llvm::enumerate(map.getResults()))
      if (each == wanted)
        return tensor::DimOp::create(builder, at, tensor, position);
  return {};
}

/// Where every loop is a subscript of its own and one more comes from data: the subscripts of the loops. No element is
/// read twice then.
std::optional<SmallVector<unsigned>> GenericReverse::placesOfLoops(tensor::ExtractOp extract) {
  SmallVector<unsigned> places(op.getNumLoops());
  llvm::SmallBitVector found(op.getNumLoops());
  unsigned fromData = 0;
  for (auto [place, subscript] : llvm::enumerate(extract.getIndices())) {
    auto index = subscript.getDefiningOp<linalg::IndexOp>();
    if (!index || found.test(index.getDim())) {
      ++fromData;
      continue;
    }
    places[index.getDim()] = place;
    found.set(index.getDim());
  }
  return fromData == 1 && found.all() ? std::optional(places) : std::nullopt;
}

FailureOr<Value> GenericReverse::ofExtract(tensor::ExtractOp extract) {
  std::optional<SmallVector<unsigned>> places = placesOfLoops(extract);
  return places ? ofSelected(extract, *places) : ofScattered(extract);
}

/// Each element asks whether it was read: a map, which fuses with the other terms of the tensor's gradient.
FailureOr<Value> GenericReverse::ofSelected(tensor::ExtractOp extract, ArrayRef<unsigned> places) {
  Value tensor = extract.getTensor();
  unsigned rank = places.size() + 1, fromData = 0;
  while (llvm::is_contained(places, fromData))
    ++fromData;
  SmallVector<AffineExpr> dims;
  for (unsigned place : places)
    dims.push_back(builder.getAffineDimExpr(place));
  SmallVector<AffineMap> maps;
  for (AffineMap map : tensorMaps)
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, rank, 0));
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, tensor), builder.getF32Type());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  bool isZero = false, hasFailed = false;
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = readerOf(inner, v);
    reader.index = [&](unsigned loop) { return linalg::IndexOp::create(inner, at, places[loop]).getResult(); };
    IRMapping copies;
    auto cotangents = reverseBody(reader, copies);
    hasFailed = failed(cotangents);
    Value term = hasFailed ? Value() : cotangents->lookup(copies.lookup(extract.getResult()));
    isZero = !term;
    Value zero = reader.number(0), here = linalg::IndexOp::create(inner, at, fromData);
    Value subscript = copies.lookupOrDefault(extract.getIndices()[fromData]);
    Value isRead = reader.make<arith::CmpIOp>(arith::CmpIPredicate::eq, here, subscript);
    linalg::YieldOp::create(inner, at, isZero ? zero : reader.make<arith::SelectOp>(isRead, term, zero));
  };
  auto gradient = linalg::GenericOp::create(builder, at, empty.getType(), tensors, empty, maps, loops, body);
  if (!hasFailed && !isZero)
    return gradient.getResult(0);
  gradient.erase();
  return hasFailed ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
}

FailureOr<Value> GenericReverse::ofScattered(tensor::ExtractOp extract) {
  SmallVector<Value> sizes;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    sizes.push_back(loopSize(loop));
    if (!sizes.back())
      return op.emitError("no gradient passes here: no operand says how often a loop runs [no-gradient]");
  }
  Value init = Reverse::zerosLike(builder, at, extract.getTensor());
  auto scatter = attn::ScatterAddOp::create(builder, at, init.getType(), sizes, init);
  OpBuilder inner(builder.getContext());
  Block *block = inner.createBlock(&scatter.getBody());
  for (size_t loop = 0; loop < sizes.size(); ++loop)
    block->addArgument(inner.getIndexType(), at);
  auto load = [&](unsigned number) -> Value {
    SmallVector<Value> subscripts;
    for (AffineExpr each : tensorMaps[number].getResults())
      subscripts.push_back(block->getArgument(cast<AffineDimExpr>(each).getPosition()));
    return tensor::ExtractOp::create(inner, at, tensors[number], subscripts);
  };
  llvm::DenseMap<unsigned, Value> loaded;
  Reader reader{inner, at,
                [&](unsigned number) {
                  Value &value = loaded[number];
                  return value ? value : value = load(number);
                },
                [&](unsigned number) -> Value { return block->getArgument(number); }};
  IRMapping copies;
  auto cotangents = reverseBody(reader, copies);
  Value term = failed(cotangents) ? Value() : cotangents->lookup(copies.lookup(extract.getResult()));
  if (!term) {
    scatter.erase();
    return failed(cotangents) ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
  }
  SmallVector<Value> subscripts;
  for (Value subscript : extract.getIndices())
    subscripts.push_back(copies.lookupOrDefault(subscript));
  attn::TermOp::create(inner, at, term, subscripts);
  return scatter.getResult();
}

LogicalResult Reverse::reverse(linalg::GenericOp op) {
  GenericReverse generic(builder, op);
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value dy = cotangent(result);
    if (!dy)
      continue;
    if (failed(generic.addResult(number, stored(result), dy)))
      return failure();
    if (!op.getRegionOutputArgs()[number].use_empty() && isActive(op.getDpsInits()[number]))
      return op.emitError("no gradient passes here: it reduces from a value that is not constant [no-gradient]");
  }
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    if (!isActive(input))
      continue;
    auto term = generic.ofInput(number);
    if (failed(term))
      return failure();
    if (*term)
      give(input, *term);
  }
  SmallVector<tensor::ExtractOp> extracts;
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    if (isActive(extract.getTensor()))
      extracts.push_back(extract);
  });
  for (tensor::ExtractOp extract : extracts) {
    auto term = generic.ofExtract(extract);
    if (failed(term))
      return failure();
    if (*term)
      give(extract.getTensor(), *term);
  }
  return success();
}

} // namespace attnc
