#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"

using namespace mlir;

namespace attnc {

AttendGradient::AttendGradient(AttendGradientProblem &problem, const AttendGradientSchedule &schedule,
                               const Target &target, StringRef symbol, ModuleOp code)
    : problem(problem), attend(problem.attend), schedule(schedule), target(target),
      frame(problem.attend.kernel, symbol, code), loops(frame.builder, frame.location, schedule.lanes), scratch(frame),
      base(frame.builder, frame.location, schedule.lanes) {}

static SizeExpr chunksOf(const AttendGradientProblem &problem, const GradientBatchDim &each) {
  return each.members ? problem.attend.outerSizes[each.dimension].ceilDiv(each.members) : SizeExpr(1);
}

SizeExpr AttendGradient::chunks() const {
  SizeExpr product = 1;
  for (const GradientBatchDim &each : problem.batchDims)
    product = product * chunksOf(problem, each);
  return product;
}

void AttendGradient::emitWhole() {
  openChunk(/*withSplits=*/false);
  takeTiles();
  clearResults();
  forEachBatch([&] { computeBatch(); });
}

void AttendGradient::emitClear() {
  openChunk(/*withSplits=*/false);
  clearResults();
}

void AttendGradient::emitSplits() {
  openChunk(/*withSplits=*/true);
  takeTiles();
  clearParts();
  forEachBatch([&] { computeBatch(); });
}

void AttendGradient::emitMerge() {
  openChunk(/*withSplits=*/false);
  splitCount = frame.size(splits());
  loops.when(loops.less(loops.constant(1), splitCount), [&] { forEachBatch([&] { mergeBatch(); }); });
}

//===-------------------------------------------- the chunk ---------------------------------------------------===//

void AttendGradient::openChunk(bool withSplits) {
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

  Values chunkSizes;
  for (const GradientBatchDim &each : problem.batchDims)
    chunkSizes.push_back(frame.size(chunksOf(problem, each)));
  batchChunk = frame.chunk;
  firstSplitKey = loops.constant(0);
  endSplitKey = keys;
  if (withSplits)
    openSplit(frame.chunk);
  Values numbers = loops.delinearise(batchChunk, chunkSizes);
  for (auto [each, number] : llvm::zip(problem.batchDims, numbers)) {
    Value size = outerSizes[each.dimension];
    Value first = each.members ? loops.mul(number, each.members) : loops.constant(0);
    firstOfBatchDim.push_back(first);
    Value rest = loops.sub(size, first);
    countOfBatchDim.push_back(each.members == 1 ? loops.constant(1)
                              : each.members    ? loops.min(loops.constant(each.members), rest)
                                                : rest);
  }
}

/// The splits of a batch lie next to each other: the first ones of a causal mask, which have most to do, start first.
void AttendGradient::openSplit(Value number) {
  splitCount = frame.size(splits());
  split = loops.rem(number, splitCount);
  batchChunk = loops.div(number, splitCount);
  Value keysOfSplit = loops.mul(loops.ceilDiv(loops.ceilDiv(keys, splitCount), schedule.tileKv), schedule.tileKv);
  firstSplitKey = loops.min(keys, loops.mul(split, keysOfSplit));
  endSplitKey = loops.min(keys, loops.add(firstSplitKey, keysOfSplit));
}

void AttendGradient::forEachBatch(function_ref<void()> body) {
  loops.nest(countOfBatchDim, {}, [&](ValueRange members, ValueRange) {
    batch.emplace(base);
    for (auto [each, first, member] : llvm::zip(problem.batchDims, firstOfBatchDim, members))
      bindOuter(attend, *batch, each.dimension, uniformIndex(loops.add(first, member)));
    Values most;
    for (const GradientBatchDim &each : problem.batchDims)
      most.push_back(each.members ? loops.constant(each.members) : outerSizes[each.dimension]);
    batchOfChunk = loops.linearise(members, most);
    body();
    return Values();
  });
}

void AttendGradient::takeTiles() {
  int64_t pairs = schedule.tileQ * schedule.tileKv;
  auto panelOf = [&](int64_t features) { return scratch.take(vectorsOf(features) * schedule.lanes, schedule.tileKv); };
  for (const GradientDot &dot : problem.dots)
    keyPanels.push_back(panelOf(dot.features));
  valuePanel = panelOf(problem.values);
  for (size_t i = 0; i < std::max<size_t>(1, problem.dots.size()); ++i) {
    scoreTiles.push_back(scratch.take(1, pairs));
    gradientTiles.push_back(scratch.take(1, pairs));
  }
  for (size_t i = 0; i < problem.keptPartials.size(); ++i)
    keptTiles.push_back(scratch.take(1, pairs));
  rowLse = scratch.take(attend.rows, 1);
  rowDelta = scratch.take(attend.rows, 1);
}

//===-------------------------------------------- clearing ----------------------------------------------------===//

void AttendGradient::clearResults() {
  for (unsigned result = 0; result < problem.owned.size(); ++result)
    clearResult(result);
}

/// Zeros in the chunk's part of a result: the owned subscripts bound it, the last chunk has what lies beyond, and of
/// what no subscript splits the first chunk has everything.
void AttendGradient::clearResult(unsigned result) {
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

void AttendGradient::clearRun(Value flat, Value begin, Value end) {
  Value zero = loops.splat(0.0), lanes = loops.constant(schedule.lanes);
  Value whole = loops.add(begin, loops.mul(loops.div(loops.sub(end, begin), lanes), lanes));
  loops.loop(begin, whole, lanes, [&](Value at) { loops.store(zero, flat, ValueRange{at}); });
  loops.storeFirst(loops.sub(end, whole), zero, flat, {whole});
}

//===-------------------------------------------- blocks ------------------------------------------------------===//

void AttendGradient::computeBatch() {
  readScales();
  computeRowTerms();
  loops.loop(firstSplitKey, endSplitKey, loops.constant(schedule.tileKv),
             [&](Value firstKey) { computeKeys(firstKey); });
}

void AttendGradient::computeKeys(Value firstKey) {
  attn::AttendOp op = attend.op;
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    Value memref = frame.buffer(dot.keyFactor.getTensor());
    packPanel(keysOf(dot.keyFactor, dot.feature, memref, dot.features), keyPanels[number], scoreScales[number],
              firstKey);
  }
  tensor::ExtractOp value = problem.value;
  packPanel(keysOf(value, op.getValue().getArguments().back(), frame.buffer(value.getTensor()), problem.values),
            valuePanel, valueScale, firstKey);
  Value keyCount = loops.min(loops.constant(schedule.tileKv), loops.sub(keys, firstKey));
  loops.loop(loops.constant(0), rows, loops.constant(schedule.tileQ), [&](Value firstRow) {
    Value rowCount = loops.min(loops.constant(schedule.tileQ), loops.sub(rows, firstRow));
    visit({firstRow, rowCount, firstKey, keyCount});
  });
}

/// Skips the block where no pair is kept, and leaves out all tests where every pair is.
void AttendGradient::visit(const Block &block) {
  AttendMask mask(attend);
  auto rowAt = [&](Value row) { return bindRow(row); };
  auto keyAt = [&](Value key) { return bindKey(key); };
  mask.prepareRows(loops, {block.firstRow, block.rowCount, rowAt, attend.rowDims.size() <= 1});
  AttendMask::KeyRange range = mask.keyRange(loops, keys);
  AttendMask::Decision decision = mask.decide(loops, block.firstKey, block.keyCount, keyAt);
  Value overlaps = loops.both(loops.less(block.firstKey, range.end),
                              loops.less(range.begin, loops.add(block.firstKey, block.keyCount)));
  Value tileQ = loops.constant(schedule.tileQ), tileKv = loops.constant(schedule.tileKv);
  Value isFull = loops.both(loops.equal(block.rowCount, tileQ), loops.equal(block.keyCount, tileKv));
  loops.when(loops.both(decision.some, overlaps), [&] {
    loops.branch(
        loops.both(decision.all, isFull),
        [&] {
          computeBlock({block.firstRow, tileQ, block.firstKey, tileKv, /*isWhole=*/true});
        },
        [&] { computeBlock(block); });
  });
}

void AttendGradient::computeBlock(const Block &block) {
  computeWeights(block);
  computePairGradients(block);
  accumulateAll(block);
}

} // namespace attnc
