#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"

using namespace mlir;

namespace attnc {

GradientPhase::GradientPhase(const GradientProblem &problem, int64_t lanes, StringRef symbol, ModuleOp code)
    : attend(problem.attend), frame(attend.kernel, symbol, code), loops(frame.builder, frame.location, lanes),
      scratch(frame), problem(problem), base(frame.builder, frame.location, lanes) {
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

/// At least one: without rows the gradients are zeros, which a chunk has to store.
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

Value GradientPhase::scaleOf(const PairReduction &product) {
  Value scale = loops.scalar(1.0);
  for (auto [factor, divides] : product.scales) {
    Value by = batch->evaluate(factor);
    scale = divides ? loops.divf(scale, by) : loops.mulf(scale, by);
  }
  return scale;
}

//===-------------------------------------------- clearing ----------------------------------------------------===//

void GradientPhase::clearResults(function_ref<Value(unsigned)> conditionOf) {
  for (unsigned result = 0; result < problem.owned.size(); ++result) {
    Value condition = conditionOf ? conditionOf(result) : Value();
    if (condition)
      loops.when(condition, [&] { clearResult(result); });
    else
      clearResult(result);
  }
}

/// Clears the chunk's range of a result: owned subscripts bound it, the last chunk's range extends to the end, and the
/// first chunk owns all of a dimension that no subscript splits.
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

} // namespace attnc
