#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledGradient.h"

using namespace mlir;

namespace attnc {

TiledGradient::TiledGradient(const AttendGradientProblem &problem, const AttendGradientSchedule &schedule,
                             const Target &target, StringRef symbol, ModuleOp code)
    : schedule(schedule), phase(problem, schedule.lanes, symbol, code),
      loops(phase.loops), context{problem, schedule, target, phase}, matrices(context), elements(phase.frame, loops),
      partial(context), rowSums(context, matrices, partial, split), terms(context, elements) {
  for (unsigned number = 0; number < problem.tanhs.size(); ++number)
    additive.emplace_back(context, elements, partial, split, number);
}

//===-------------------------------------------- chunks ------------------------------------------------------===//

void TiledGradient::openWhole() {
  split.firstKey = loops.constant(0);
  split.endKey = phase.keys;
  phase.openChunk(phase.frame.chunk);
}

/// The splits of a batch lie next to each other: the first ones of a causal mask, which have most work, start first.
void TiledGradient::openSplit() {
  Value keys = phase.keys;
  split.count = phase.frame.size(splits());
  split.number = loops.rem(phase.frame.chunk, split.count);
  phase.openChunk(loops.div(phase.frame.chunk, split.count));
  Value keysOfSplit = loops.mul(loops.ceilDiv(loops.ceilDiv(keys, split.count), schedule.tileKv), schedule.tileKv);
  split.firstKey = loops.min(keys, loops.mul(split.number, keysOfSplit));
  split.endKey = loops.min(keys, loops.add(split.firstKey, keysOfSplit));
}

void TiledGradient::clearResults() {
  phase.clearResults([&](unsigned result) { return terms.needsClearing(result); });
}

//===-------------------------------------------- phases ------------------------------------------------------===//

void TiledGradient::emitWhole() {
  openWhole();
  TiledBlocks blocks(context, matrices, elements, partial, rowSums, additive, split, terms);
  clearResults();
  phase.forEachBatch([&] { blocks.compute(); });
}

void TiledGradient::emitClear() {
  openWhole();
  clearResults();
}

void TiledGradient::emitSplits() {
  openSplit();
  TiledBlocks blocks(context, matrices, elements, partial, rowSums, additive, split, terms);
  rowSums.clear();
  for (const AdditiveResults &each : additive)
    each.clear();
  phase.forEachBatch([&] { blocks.compute(); });
}

void TiledGradient::emitMerge() {
  openWhole();
  split.count = phase.frame.size(splits());
  phase.forEachBatch([&] {
    loops.when(loops.less(loops.constant(1), split.count), [&] { rowSums.merge(); });
    for (const AdditiveResults &each : additive)
      each.mergeRows();
  });
}

void TiledGradient::emitShared() {
  split.count = phase.frame.size(splits());
  loops.loop(loops.constant(0), phase.frame.size(chunks()), loops.constant(1), [&](Value chunk) {
    phase.openChunk(chunk);
    phase.forEachBatch([&] {
      for (const AdditiveResults &each : additive)
        each.mergeShared(chunk);
    });
  });
}

} // namespace attnc
