#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"

using namespace mlir;

namespace attnc {

AttendGradient::AttendGradient(AttendGradientProblem &problem, const AttendGradientSchedule &schedule,
                               const Target &target, StringRef symbol, ModuleOp code)
    : GradientPhase(problem, schedule.lanes, symbol, code), problem(problem), schedule(schedule), target(target) {}

void AttendGradient::emitWhole() {
  openWhole();
  takeTiles();
  clearResults([&](unsigned result) { return needsClearing(result); });
  forEachBatch([&] { computeBatch(); });
}

void AttendGradient::emitClear() {
  openWhole();
  clearResults([&](unsigned result) { return needsClearing(result); });
}

void AttendGradient::emitSplits() {
  openSplit();
  takeTiles();
  clearParts();
  forEachBatch([&] { computeBatch(); });
}

void AttendGradient::emitMerge() {
  openWhole();
  splitCount = frame.size(splits());
  forEachBatch([&] {
    loops.when(loops.less(loops.constant(1), splitCount), [&] { mergeBatch(); });
    mergeTanhRows();
  });
}

//===-------------------------------------------- the chunk ---------------------------------------------------===//

void AttendGradient::openWhole() {
  firstSplitKey = loops.constant(0);
  endSplitKey = keys;
  openChunk(frame.chunk);
}

/// The splits of a batch lie next to each other: the first ones of a causal mask, which have most to do, start first.
void AttendGradient::openSplit() {
  splitCount = frame.size(splits());
  split = loops.rem(frame.chunk, splitCount);
  openChunk(loops.div(frame.chunk, splitCount));
  Value keysOfSplit = loops.mul(loops.ceilDiv(loops.ceilDiv(keys, splitCount), schedule.tileKv), schedule.tileKv);
  firstSplitKey = loops.min(keys, loops.mul(split, keysOfSplit));
  endSplitKey = loops.min(keys, loops.add(firstSplitKey, keysOfSplit));
}

void AttendGradient::takeTiles() {
  int64_t pairs = schedule.tileQ * schedule.tileKv;
  auto panelOf = [&](int64_t features) { return scratch.take(vectorsOf(features) * schedule.lanes, schedule.tileKv); };
  for (const GradientDot &dot : problem.dots)
    keyPanels.push_back(panelOf(dot.features));
  valuePanel = panelOf(problem.values);
  takeTanhTiles();
  for (size_t i = 0; i < std::max<size_t>(1, problem.dots.size() + problem.tanhs.size()); ++i) {
    scoreTiles.push_back(scratch.take(1, pairs));
    gradientTiles.push_back(scratch.take(1, pairs));
  }
  for (size_t i = 0; i < problem.keptPartials.size(); ++i)
    keptTiles.push_back(scratch.take(1, pairs));
  tileEnds = scratch.take(1, schedule.tileQ / stepOfEnds, frame.builder.getI32Type());
  firstTiles = scratch.take(1, schedule.tileKv / stepOfEnds, frame.builder.getI32Type());
  rowLse = scratch.take(attend.rows, 1);
  rowDelta = scratch.take(attend.rows, 1);
}

//===-------------------------------------------- blocks ------------------------------------------------------===//

/// A result of terms of pairs only where it has more elements than there are pairs.
LoopBuilder::Value AttendGradient::needsClearing(unsigned result) {
  auto term = llvm::find_if(problem.terms, [&](auto &each) { return each.result == result && each.isOfPairs; });
  if (term == problem.terms.end())
    return {};
  Value needs = loops.boolean(false);
  for (auto [dimension, number] : llvm::enumerate(term->indices)) {
    Value size = number < outerSizes.size() ? outerSizes[number] : keySizes[number - outerSizes.size()];
    Value extent = loops.sizeOf(frame.result(result), dimension);
    needs = loops.either(needs, loops.compare(arith::CmpIPredicate::ne, size, extent));
  }
  return needs;
}

void AttendGradient::findFirstBatches() {
  isFirst.clear();
  for (const GradientTerm &term : problem.terms) {
    Value first;
    if (term.isOfPairs) {
      first = loops.boolean(true);
      for (unsigned number : term.sharedBy)
        first = loops.both(first, loops.equal(memberOfBatchDim[number], loops.constant(0)));
    }
    isFirst.push_back(first);
  }
}

/// Zeros in the terms of a block of which no pair is kept.
void AttendGradient::clearPairs(const Block &block) {
  for (auto [term, first] : llvm::zip(problem.terms, isFirst)) {
    if (!first)
      continue;
    loops.when(first, [&, &term = term, first = first] {
      loops.loop(loops.constant(0), block.rowCount, loops.constant(1), [&](Value row) {
        RegionVectoriser point = bindRow(loops.add(block.firstRow, row));
        Value lanes = loops.constant(schedule.lanes);
        loops.loop(loops.constant(0), block.keyCount, lanes, [&](Value lane) {
          RegionVectoriser pair = bindPair(point, block, lane);
          addGradient(term.result, term.extract, pair, loops.splat(0.0), first);
        });
      });
    });
  }
}

void AttendGradient::computeBatch() {
  findFirstBatches();
  readScales();
  computeRowTerms();
  startTanhs();
  loops.loop(firstSplitKey, endSplitKey, loops.constant(schedule.tileKv),
             [&](Value firstKey) { computeKeys(firstKey); });
  finishTanhs();
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
  packTanhKeys(firstKey);
  Value keyCount = loops.min(loops.constant(schedule.tileKv), loops.sub(keys, firstKey));
  loops.loop(loops.constant(0), rows, loops.constant(schedule.tileQ), [&](Value firstRow) {
    Value rowCount = loops.min(loops.constant(schedule.tileQ), loops.sub(rows, firstRow));
    visit({firstRow, rowCount, firstKey, keyCount});
  });
  addKeySums(firstKey, keyCount);
}

/// Skips the block where no pair is kept, and leaves out all tests where every pair is.
void AttendGradient::visit(const Block &block) {
  AttendMask mask(attend);
  auto rowAt = [&](Value row) { return bindRow(row); };
  auto keyAt = [&](Value key) { return bindKey(key); };
  mask.prepareRows(loops, {block.firstRow, block.rowCount, rowAt, /*inOrder=*/true});
  AttendMask::KeyRange range = mask.keyRange(loops, keys, *batch);
  AttendMask::Decision decision = mask.decide(loops, block.firstKey, block.keyCount, keyAt);
  Value overlaps = loops.both(loops.less(block.firstKey, range.end),
                              loops.less(range.begin, loops.add(block.firstKey, block.keyCount)));
  Value tileQ = loops.constant(schedule.tileQ), tileKv = loops.constant(schedule.tileKv);
  Value isFull = loops.both(loops.equal(block.rowCount, tileQ), loops.equal(block.keyCount, tileKv));
  auto compute = [&] {
    loops.branch(
        loops.both(decision.all, isFull),
        [&] {
          computeBlock({block.firstRow, tileQ, block.firstKey, tileKv, /*isWhole=*/true});
        },
        [&] {
          Block cut = block;
          cut.isTrimmed = findEnds(block, mask);
          computeBlock(cut);
        });
  };
  loops.branch(loops.both(decision.some, overlaps), compute, [&] { clearPairs(block); });
}

LoopBuilder::Value AttendGradient::endAt(Value tile) {
  Value end = loops.loadScalar(tileEnds, {tile});
  return arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getIndexType(), end);
}

/// Fills the tables of a block; false where the mask does not tell. What is stored must be computed for every pair.
bool AttendGradient::findEnds(const Block &block, const AttendMask &mask) {
  bool isKnown = attend.hasMask() && llvm::none_of(isFirst, [](Value first) { return bool(first); });
  Value zero = loops.constant(0), one = loops.constant(1), step = loops.constant(stepOfEnds);
  Value tiles = loops.ceilDiv(block.rowCount, stepOfEnds);
  auto asI32 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getI32Type(), index);
  };
  loops.loop(zero, isKnown ? tiles : zero, one, [&](Value tile) {
    Value first = loops.mul(tile, stepOfEnds), count = loops.min(step, loops.sub(block.rowCount, first));
    auto rowAt = [&](Value row) { return bindRow(row); };
    Value end = mask.keyEnd(loops, {loops.add(block.firstRow, first), count, rowAt, /*inOrder=*/true}, keys, *batch);
    isKnown = isKnown && end;
    if (end)
      loops.storeScalar(asI32(loops.max(zero, loops.min(loops.sub(end, block.firstKey), block.keyCount))), tileEnds,
                        {tile});
  });
  if (!isKnown)
    return false;
  loops.loop(zero, loops.ceilDiv(block.keyCount, stepOfEnds), one, [&](Value keyTile) {
    Value key = loops.mul(keyTile, stepOfEnds);
    Value found = loops.loop(zero, tiles, one, {tiles}, [&](Value tile, ValueRange carried) {
      return Values{loops.choose(loops.less(key, endAt(tile)), loops.min(carried[0], tile), carried[0])};
    })[0];
    loops.storeScalar(asI32(found), firstTiles, {keyTile});
  });
  return true;
}

void AttendGradient::computeBlock(const Block &block) {
  packTanhRows(block);
  computeWeights(block);
  computePairGradients(block);
  accumulateAll(block);
}

} // namespace attnc
