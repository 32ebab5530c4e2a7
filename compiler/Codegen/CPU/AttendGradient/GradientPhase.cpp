#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

GradientPhase::GradientPhase(const GradientProblem &problem, int64_t lanes, StringRef symbol, ModuleOp code)
    : attend(problem.attend), frame(attend.kernel, symbol, code), loops(frame.builder, frame.location, lanes),
      scratch(frame), base(frame.builder, frame.location, lanes), problem(problem) {
  attn::AttendOp op = attend.op;
  auto sizesOf = [&](ValueRange sizes, Values &into) {
    Value product = loops.constant(1);
    for (Value size : sizes) {
      into.push_back(frame.index(size));
      product = loops.mul(product, into.back());
    }
    return product;
  };
  sizesOf(op.getOuterSizes(), outerSizes);
  keys = sizesOf(op.getKeySizes(), keySizes);
  rows = frame.size(attend.rows);
  frame.bindTo(base);
  base.bindStatus({}); // the forward pass has reported
}

//===-------------------------------------------- the chunk ---------------------------------------------------===//

/// One at least: gradients of no rows are zeros, and someone has to write them.
static SizeExpr chunksOf(const GradientProblem &problem, const GradientBatchDim &each) {
  return each.members ? SizeExpr::max(1, problem.attend.outerSizes[each.dimension].ceilDiv(each.members)) : SizeExpr(1);
}

SizeExpr GradientPhase::chunks() const {
  SizeExpr product = 1;
  for (const GradientBatchDim &each : problem.batchDims)
    product = product * chunksOf(problem, each);
  return product;
}

SizeExpr GradientPhase::batchesOfChunk() const {
  SizeExpr product = 1;
  for (const GradientBatchDim &each : problem.batchDims)
    product = product * (each.members ? SizeExpr(each.members) : attend.outerSizes[each.dimension]);
  return product;
}

void GradientPhase::openChunk(Value number) {
  Values chunkSizes;
  for (const GradientBatchDim &each : problem.batchDims)
    chunkSizes.push_back(frame.size(chunksOf(problem, each)));
  batchChunk = number;
  Values numbers = loops.delinearise(number, chunkSizes);
  for (auto [each, place] : llvm::zip(problem.batchDims, numbers)) {
    Value size = outerSizes[each.dimension];
    Value first = each.members ? loops.mul(place, each.members) : loops.constant(0);
    firstOfBatchDim.push_back(first);
    Value rest = loops.sub(size, first);
    const SizeExpr &extent = attend.outerSizes[each.dimension];
    bool isOne = each.members == 1 && extent.isConstant() && extent.constant() > 0;
    countOfBatchDim.push_back(isOne          ? loops.constant(1)
                              : each.members ? loops.min(loops.constant(each.members), rest)
                                             : rest);
  }
}

void GradientPhase::forEachBatch(function_ref<void()> body) {
  loops.nest(countOfBatchDim, {}, [&](ValueRange members, ValueRange) {
    batch.emplace(base);
    for (auto [each, first, member] : llvm::zip(problem.batchDims, firstOfBatchDim, members))
      bindOuter(attend, *batch, each.dimension, uniformIndex(loops.add(first, member)));
    memberOfBatchDim.assign(members.begin(), members.end());
    Values most;
    for (const GradientBatchDim &each : problem.batchDims)
      most.push_back(each.members ? loops.constant(each.members) : outerSizes[each.dimension]);
    batchOfChunk = loops.linearise(members, most);
    body();
    return Values();
  });
}

//===-------------------------------------------- rows and keys ---------------------------------------------------===//

RegionVectoriser GradientPhase::bindRow(Value row) {
  Values rowSizes;
  for (unsigned dimension : attend.rowDims)
    rowSizes.push_back(outerSizes[dimension]);
  RegionVectoriser point = *batch;
  for (auto [dimension, index] : llvm::zip(attend.rowDims, loops.delinearise(row, rowSizes)))
    bindOuter(attend, point, dimension, uniformIndex(index));
  return point;
}

RegionVectoriser GradientPhase::bindKey(Value key) {
  RegionVectoriser point = *batch;
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(key, keySizes)))
    bindKeyIndex(attend, point, dimension, uniformIndex(index));
  return point;
}

//===-------------------------------------------- clearing ----------------------------------------------------===//

void GradientPhase::clearResults(function_ref<Value(unsigned)> mayClear) {
  for (unsigned result = 0; result < problem.owned.size(); ++result) {
    Value condition = mayClear ? mayClear(result) : Value();
    if (condition)
      loops.when(condition, [&] { clearResult(result); });
    else
      clearResult(result);
  }
}

/// Zeros in the chunk's part of a result: the owned subscripts bound it, the last chunk has what lies beyond, and of
/// what no subscript splits the first chunk has everything.
void GradientPhase::clearResult(unsigned result) {
  Value memref = frame.result(result), flat = loops.flat(memref);
  unsigned rank = cast<MemRefType>(memref.getType()).getRank();
  Values begins(rank, loops.constant(0)), ends;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    ends.push_back(loops.sizeOf(memref, dimension));
  Values sizes = ends;
  Value isMine = loops.boolean(true);
  unsigned innermost = 0;
  for (auto [number, each] : llvm::enumerate(problem.batchDims)) {
    auto owned = llvm::find_if(problem.owned[result],
                               [&, number = number](const OwnedSubscript &owned) { return owned.batchDim == number; });
    Value first = firstOfBatchDim[number], end = loops.add(first, countOfBatchDim[number]);
    if (owned == problem.owned[result].end()) {
      isMine = loops.both(isMine, loops.equal(first, loops.constant(0)));
      continue;
    }
    // `extent` elements for all members of a chunk.
    Value begin = loops.mul(loops.div(first, loops.constant(each.members)), owned->extent);
    Value isLast = loops.compare(arith::CmpIPredicate::sge, end, outerSizes[each.dimension]);
    begins[owned->position] = begin;
    ends[owned->position] = loops.choose(isLast, ends[owned->position], loops.add(begin, owned->extent));
    innermost = std::max(innermost, owned->position);
  }
  Value run = loops.constant(1);
  for (unsigned dimension = innermost + 1; dimension < rank; ++dimension)
    run = loops.mul(run, sizes[dimension]);
  loops.when(isMine, [&] {
    Values counts;
    for (unsigned dimension = 0; dimension < innermost; ++dimension)
      counts.push_back(loops.sub(ends[dimension], begins[dimension]));
    loops.nest(counts, {}, [&](ValueRange numbers, ValueRange) {
      Value row = loops.constant(0);
      for (auto [dimension, number] : llvm::enumerate(numbers))
        row = loops.add(loops.mul(row, sizes[dimension]), loops.add(begins[dimension], number));
      if (rank > 0)
        row = loops.mul(row, sizes[innermost]);
      Value begin = rank > 0 ? begins[innermost] : loops.constant(0), end = rank > 0 ? ends[innermost] : run;
      clearRun(flat, loops.mul(loops.add(row, begin), run), loops.mul(loops.add(row, end), run));
      return Values();
    });
  });
}

void GradientPhase::clearRun(Value flat, Value begin, Value end) {
  Value zero = loops.splat(0.0), lanes = loops.constant(loops.lanes);
  Value whole = loops.add(begin, loops.mul(loops.div(loops.sub(end, begin), lanes), lanes));
  loops.loop(begin, whole, lanes, [&](Value at) { loops.store(zero, flat, ValueRange{at}); });
  loops.storeFirst(loops.sub(end, whole), zero, flat, {whole});
}

//===-------------------------------------------- gradients of elements ---------------------------------------===//

void GradientPhase::addGradient(unsigned result, tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
                                Value isFirst) {
  Value memref = frame.result(result), active = at.laneMask();
  if (active)
    gradient = loops.choose(active, gradient, loops.splat(0.0));
  SmallVector<LaneIndex> subscripts;
  Values bases;
  for (unsigned dimension = 0; dimension < extract.getIndices().size(); ++dimension) {
    subscripts.push_back(at.clampedSubscript(extract, dimension));
    bases.push_back(subscripts.back().base);
  }
  if (Value any = at.hasPlaces(extract))
    return loops.when(any, [&] { addAt(memref, subscripts, bases, at, gradient, isFirst); });
  addAt(memref, subscripts, bases, at, gradient, isFirst);
}

void GradientPhase::addAt(Value memref, ArrayRef<LaneIndex> subscripts, ValueRange bases, RegionVectoriser &at,
                          Value gradient, Value isFirst) {
  Value active = at.laneMask();
  auto isUniform = [](const LaneIndex &each) { return each.isUniform(); };
  if (llvm::all_of(subscripts, isUniform)) {
    Value sum = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD, gradient,
                                            arith::FastMathFlags::reassoc);
    return loops.storeScalar(loops.addf(loops.loadScalar(memref, bases), sum), memref, bases);
  }
  bool isAffine = llvm::none_of(subscripts, [](const LaneIndex &each) { return each.lanes; });
  if (isAffine && llvm::all_of(ArrayRef(subscripts).drop_back(), isUniform) && subscripts.back().step == 1)
    return addToRun(memref, bases, gradient, active, isFirst);
  // A subscript that moves on with the lane gives each of them another element.
  if (isAffine)
    return addApart(memref, subscripts, gradient, active);
  addOneByOne(memref, subscripts, at, gradient, active);
}

void GradientPhase::addToRun(Value memref, ValueRange place, Value gradient, Value active, Value isFirst) {
  OpBuilder &builder = loops.builder;
  Value counts = active;
  if (isFirst) {
    Value isLater =
        loops.splat(arith::XOrIOp::create(builder, loops.location, isFirst, loops.boolean(true)).getResult());
    counts = active ? loops.both(active, isLater) : isLater;
  }
  Value before = counts ? vector::MaskedLoadOp::create(builder, loops.location, loops.vectorType(), memref, place,
                                                       counts, loops.splat(0.0))
                              .getResult()
                        : loops.load(memref, place);
  if (!active)
    return loops.store(loops.addf(before, gradient), memref, place);
  vector::MaskedStoreOp::create(builder, loops.location, memref, place, active, loops.addf(before, gradient));
}

void GradientPhase::addApart(Value memref, ArrayRef<LaneIndex> subscripts, Value gradient, Value active) {
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  Value offset = loops.constant(0), stride = offset;
  for (auto [dimension, subscript] : llvm::enumerate(subscripts)) {
    Value size = loops.sizeOf(memref, dimension);
    offset = loops.add(loops.mul(offset, size), subscript.base);
    stride = loops.add(loops.mul(stride, size), subscript.step);
  }
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  auto type = loops.vectorType(builder.getI32Type());
  Value lane = arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value step = arith::IndexCastOp::create(builder, location, builder.getI32Type(), stride);
  Value places = arith::MulIOp::create(builder, location, lane, loops.splat(step));
  if (!active)
    active = loops.laneMask(loops.constant(loops.lanes));
  Value flat = loops.flat(memref);
  Value before = vector::GatherOp::create(builder, location, loops.vectorType(), flat, ValueRange{offset}, places,
                                          active, loops.splat(0.0));
  vector::ScatterOp::create(builder, location, Type(), flat, ValueRange{offset}, places, active,
                            loops.addf(before, gradient));
}

/// Lanes may meet in one element: one after the other.
void GradientPhase::addOneByOne(Value memref, ArrayRef<LaneIndex> subscripts, RegionVectoriser &at, Value gradient,
                                Value active) {
  OpBuilder &builder = loops.builder;
  Values lanes;
  for (const LaneIndex &subscript : subscripts)
    lanes.push_back(subscript.isUniform() ? Value() : at.broadcast(subscript));
  loops.loop(loops.constant(0), loops.constant(loops.lanes), loops.constant(1), [&](Value lane) {
    auto laneOf = [&](Value vector) -> Value {
      return vector::ExtractOp::create(builder, loops.location, vector, lane);
    };
    Values place;
    for (auto [subscript, vector] : llvm::zip(subscripts, lanes))
      place.push_back(
          vector
              ? arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), laneOf(vector)).getResult()
              : subscript.base);
    loops.when(active ? laneOf(active) : loops.boolean(true), [&] {
      loops.storeScalar(loops.addf(loops.loadScalar(memref, place), laneOf(gradient)), memref, place);
    });
  });
}

/// Adds the terms of a formula whose cotangent is given; a pair whose cotangent is 0 gives none, whatever its
/// derivatives are.
void GradientPhase::addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent) {
  Value zero = loops.splat(0.0);
  auto times = [&](Value partial) {
    if (matchPattern(partial, m_OneFloat()))
      return cotangent;
    Value counts = loops.compare(arith::CmpFPredicate::UNE, cotangent, zero);
    return loops.choose(counts, loops.mulf(cotangent, at.broadcast(at.evaluate(partial))), zero);
  };
  for (const GradientScope::Leaf &leaf : scope.leaves)
    addGradient(leaf.result, leaf.extract, at, times(leaf.partial));
  for (const GradientScope::Sum &sum : scope.sums) {
    Value ofTerm = times(sum.partial);
    attn::ReduceOp op = sum.op;
    Values sizes;
    for (Value size : op.getSizes())
      sizes.push_back(frame.index(size));
    loops.nest(sizes, {}, [&](ValueRange indices, ValueRange) {
      RegionVectoriser inside = at;
      for (auto [argument, index] : llvm::zip(op.getBody().getArguments(), indices))
        inside.bindIndex(argument, index);
      addScope(*sum.term, inside, ofTerm);
      return Values();
    });
  }
}

} // namespace attnc
