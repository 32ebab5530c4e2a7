#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledBlocks.h"

using namespace mlir;

namespace attnc {

TiledBlocks::TiledBlocks(const TiledContext &context, const MatrixRows &matrices, const ElementGradients &elements,
                         const PartialSums &partial, const SplitRowSums &rowSums,
                         const std::vector<AdditiveResults> &results, const KeySplit &split, PairTerms &terms)
    : TiledContext(context), split(split), terms(terms), tiles(context), trimmed(context, tiles),
      panels(context, matrices, tiles), rowTerms(context, matrices, elements, tiles),
      scores(context, matrices, panels, terms, trimmed, additive, tiles),
      sums(context, matrices, trimmed, rowSums, tiles) {
  for (auto [number, result] : llvm::enumerate(results))
    additive.emplace_back(context, result, partial, split, tiles, number);
}

void TiledBlocks::compute() {
  terms.openBatch();
  panels.readScales();
  rowTerms.compute(split, panels.valueScale);
  for (AdditiveGradient &each : additive)
    each.start();
  loops.loop(split.firstKey, split.endKey, loops.constant(schedule.tileKv),
             [&](Value firstKey) { computeKeys(firstKey); });
  for (AdditiveGradient &each : additive)
    each.finish();
}

void TiledBlocks::computeKeys(Value firstKey) {
  panels.pack(firstKey);
  for (AdditiveGradient &each : additive)
    each.packKeys(firstKey);
  Value keyCount = loops.min(loops.constant(schedule.tileKv), loops.sub(phase.keys, firstKey));
  loops.loop(loops.constant(0), phase.rows, loops.constant(schedule.tileQ), [&](Value firstRow) {
    Value rowCount = loops.min(loops.constant(schedule.tileQ), loops.sub(phase.rows, firstRow));
    visit({firstRow, rowCount, firstKey, keyCount});
  });
  for (AdditiveGradient &each : additive)
    each.addKeys(firstKey, keyCount);
}

/// Skips a block whose pairs are all dropped, and omits all tests if none is.
void TiledBlocks::visit(const PairBlock &block) {
  AttendMask mask(attend);
  auto bindRow = [&](Value row) { return phase.bindRow(row); };
  auto bindKey = [&](Value key) { return phase.bindKey(key); };
  mask.prepareRows(loops, {block.firstRow, block.rowCount, bindRow, /*inOrder=*/true});
  AttendMask::KeyRange range = mask.keyRange(loops, phase.keys, *phase.batch);
  AttendMask::Decision decision = mask.decide(loops, block.firstKey, block.keyCount, bindKey);
  Value overlaps = loops.both(loops.less(block.firstKey, range.end),
                              loops.less(range.begin, loops.add(block.firstKey, block.keyCount)));
  Value tileQ = loops.constant(schedule.tileQ), tileKv = loops.constant(schedule.tileKv);
  Value isFull = loops.both(loops.equal(block.rowCount, tileQ), loops.equal(block.keyCount, tileKv));
  auto computeWhole = [&] { computeBlock({block.firstRow, tileQ, block.firstKey, tileKv, /*isWhole=*/true}); };
  auto computeCut = [&] {
    PairBlock cut = block;
    cut.isTrimmed = !terms.areStored() && trimmed.find(block, mask); // every stored pair has to be computed
    computeBlock(cut);
  };
  auto compute = [&] { loops.branch(loops.both(decision.all, isFull), computeWhole, computeCut); };
  loops.branch(loops.both(decision.some, overlaps), compute, [&] { terms.clear(block); });
}

void TiledBlocks::computeBlock(const PairBlock &block) {
  for (AdditiveGradient &each : additive)
    each.packRows(block);
  scores.computeWeights(block);
  scores.computeGradients(block);
  sums.accumulate(block);
  for (AdditiveGradient &each : additive)
    each.accumulate(block);
}

} // namespace attnc
