// The reverse-mode rule of linalg.generic for loads by subscripts.
#include "compiler/Derive/CotangentTensors.h"
#include "compiler/Derive/GenericReverse.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

/// An operand, and its dimension, that a loop indexes; null if there is none.
std::optional<std::pair<Value, unsigned>> GenericReverse::dimensionOf(unsigned loop) {
  for (auto [tensor, map] : llvm::zip(tensors, tensorMaps))
    if (auto position = map.getResultPosition(builder.getAffineDimExpr(loop)))
      return std::pair(tensor, *position);
  return std::nullopt;
}

/// The number of iterations of a loop.
Value GenericReverse::loopSize(unsigned loop) {
  auto dimension = dimensionOf(loop);
  return dimension ? tensor::DimOp::create(builder, at, dimension->first, dimension->second) : Value();
}

/// If the subscripts are all loops, each over its whole dimension, and one more arbitrary subscript: the dimensions of
/// the loops. Each element is then read at most once.
std::optional<SmallVector<unsigned>> GenericReverse::loopDimensions(tensor::ExtractOp load, SymbolicShapes &shapes) {
  SmallVector<unsigned> loopDims(op.getNumLoops());
  llvm::SmallBitVector found(op.getNumLoops());
  unsigned fromData = 0;
  for (auto [dim, subscript] : llvm::enumerate(load.getIndices())) {
    auto index = subscript.getDefiningOp<linalg::IndexOp>();
    auto dimension = index ? dimensionOf(index.getDim()) : std::nullopt;
    if (!dimension || found.test(index.getDim()) ||
        !(shapes.extent(dimension->first, dimension->second) == shapes.extent(load.getTensor(), dim))) {
      ++fromData;
      continue;
    }
    loopDims[index.getDim()] = dim;
    found.set(index.getDim());
  }
  return fromData == 1 && found.all() ? std::optional(loopDims) : std::nullopt;
}

FailureOr<Value> GenericReverse::loadGradient(tensor::ExtractOp load) {
  SymbolicShapes shapes(op->getParentOfType<func::FuncOp>());
  if (std::optional<SmallVector<unsigned>> loopDims = loopDimensions(load, shapes))
    return selectGradient(load, *loopDims);
  auto inverse = InverseRead::compute(op, load, shapes);
  return inverse ? gatherGradient(load, *inverse) : scatterGradient(load);
}

/// A map that selects the term if the element was read. It fuses with the other terms of the tensor's gradient.
FailureOr<Value> GenericReverse::selectGradient(tensor::ExtractOp load, ArrayRef<unsigned> loopDims) {
  Value tensor = load.getTensor();
  unsigned rank = loopDims.size() + 1, fromData = 0;
  while (llvm::is_contained(loopDims, fromData))
    ++fromData;
  SmallVector<AffineExpr> dims;
  for (unsigned dim : loopDims)
    dims.push_back(builder.getAffineDimExpr(dim));
  SmallVector<AffineMap> maps;
  for (AffineMap map : tensorMaps)
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, rank, 0));
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, tensor), builder.getF32Type());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  bool isZero = false, hasFailed = false;
  auto body = [&](OpBuilder &inner, Location, ValueRange v) {
    Reader reader = makeReader(inner, v);
    reader.index = [&](unsigned loop) { return linalg::IndexOp::create(inner, at, loopDims[loop]).getResult(); };
    IRMapping copies;
    auto cotangents = reverseBody(reader, copies);
    hasFailed = failed(cotangents);
    Value term = hasFailed ? Value() : cotangents->lookup(copies.lookup(load.getResult()));
    isZero = !term;
    Value zero = reader.number(0), here = linalg::IndexOp::create(inner, at, fromData);
    Value subscript = copies.lookupOrDefault(load.getIndices()[fromData]);
    Value isRead = reader.make<arith::CmpIOp>(arith::CmpIPredicate::eq, here, subscript);
    linalg::YieldOp::create(inner, at, isZero ? zero : reader.make<arith::SelectOp>(isRead, term, zero));
  };
  auto gradient = linalg::GenericOp::create(builder, at, empty.getType(), tensors, empty, maps, loops, body);
  if (!hasFailed && !isZero)
    return gradient.getResult(0);
  gradient.erase();
  return hasFailed ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
}

FailureOr<Value> GenericReverse::scatterGradient(tensor::ExtractOp load) {
  SmallVector<Value> sizes;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    sizes.push_back(loopSize(loop));
    if (!sizes.back())
      return op.emitError("no gradient passes here: no operand has the size of a loop [no-gradient]");
  }
  Value init = zerosLike(builder, at, load.getTensor());
  auto scatter = attn::ScatterAddOp::create(builder, at, init.getType(), sizes, init);
  OpBuilder inner(builder.getContext());
  Block *block = inner.createBlock(&scatter.getBody());
  for (size_t loop = 0; loop < sizes.size(); ++loop)
    block->addArgument(inner.getIndexType(), at);
  auto element = [&](unsigned number) -> Value {
    SmallVector<Value> subscripts;
    for (AffineExpr each : tensorMaps[number].getResults())
      subscripts.push_back(block->getArgument(cast<AffineDimExpr>(each).getPosition()));
    return tensor::ExtractOp::create(inner, at, tensors[number], subscripts);
  };
  llvm::DenseMap<unsigned, Value> loaded;
  Reader reader{inner, at,
                [&](unsigned number) {
                  Value &value = loaded[number];
                  return value ? value : value = element(number);
                },
                [&](unsigned number) -> Value { return block->getArgument(number); }};
  IRMapping copies;
  auto cotangents = reverseBody(reader, copies);
  Value term = failed(cotangents) ? Value() : cotangents->lookup(copies.lookup(load.getResult()));
  if (!term) {
    scatter.erase();
    return failed(cotangents) ? FailureOr<Value>(failure()) : FailureOr<Value>(Value());
  }
  SmallVector<Value> subscripts;
  for (Value subscript : load.getIndices())
    subscripts.push_back(copies.lookupOrDefault(subscript));
  attn::TermOp::create(inner, at, term, subscripts);
  return scatter.getResult();
}

} // namespace attnc
