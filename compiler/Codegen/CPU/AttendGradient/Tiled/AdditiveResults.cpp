#include "compiler/Codegen/CPU/AttendGradient/Tiled/AdditiveResults.h"

using namespace mlir;

namespace attnc {

void AdditiveResults::bindFeatures(RegionVectoriser &at, Value first) const {
  BlockArgument feature = tanh.feature;
  at.bindIndex(feature, first, 1);
  if (tanh.features % schedule.lanes != 0)
    at.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(loops.constant(tanh.features), first)));
}

void AdditiveResults::add(const Leaves &leaves, RegionVectoriser at, Value first, Value gradient) const {
  bindFeatures(at, first);
  Value zero = loops.splat(0.0), counts = loops.compare(arith::CmpFPredicate::UNE, gradient, zero);
  for (const GradientScope::Leaf &leaf : leaves) {
    Value partial = at.broadcast(at.evaluate(leaf.partial));
    elements.add(leaf.result, leaf.extract, at, loops.choose(counts, loops.mulf(gradient, partial), zero));
  }
}

void AdditiveResults::addRow(const RegionVectoriser &point, Value row, Value first, Value gradient) const {
  if (tanh.rowLeaves.empty())
    return;
  if (!split.number)
    return add(tanh.rowLeaves, point, first, gradient);
  Value place = loops.add(partial.additiveRow(number, split.count, split.number, row), first);
  Value sums = partial.additiveRows(number);
  loops.store(loops.addf(loops.load(sums, ValueRange{place}), gradient), sums, ValueRange{place});
}

void AdditiveResults::clear() const {
  if (tanh.rowLeaves.empty())
    return;
  Value floats = loops.mul(loops.mul(phase.frame.size(phase.batchesOfChunk()), phase.rows), paddedFeatures());
  Value begin = loops.mul(loops.linearise({phase.batchChunk, split.number}, {phase.batchChunk, split.count}), floats);
  phase.clearRun(partial.additiveRows(number), begin, loops.add(begin, floats));
}

void AdditiveResults::mergeRows() const {
  if (tanh.rowLeaves.empty())
    return;
  Value zero = loops.constant(0), one = loops.constant(1), sums = partial.additiveRows(number);
  loops.loop(zero, phase.rows, one, [&](Value row) {
    loops.loop(zero, loops.constant(paddedFeatures()), loops.constant(schedule.lanes), [&](Value first) {
      Value sum = loops.loop(zero, split.count, one, {loops.splat(0.0)}, [&](Value part, ValueRange carried) {
        Value place = loops.add(partial.additiveRow(number, split.count, part, row), first);
        return LoopBuilder::Values{loops.addf(carried[0], loops.load(sums, ValueRange{place}))};
      })[0];
      add(tanh.rowLeaves, phase.bindRow(row), first, sum);
    });
  });
}

void AdditiveResults::mergeShared(Value chunk) const {
  if (!tanh.hasShared())
    return;
  Value zero = loops.constant(0), one = loops.constant(1), sums = partial.additiveShared(number);
  loops.loop(zero, split.count, one, [&](Value part) {
    Value place = partial.additiveSharedRow(number, split.count, part, chunk);
    loops.loop(zero, loops.constant(paddedFeatures()), loops.constant(schedule.lanes), [&](Value first) {
      Value from = loops.add(place, first);
      add(tanh.coefficientLeaves, *phase.batch, first, loops.load(sums, ValueRange{from}));
      add(tanh.sharedLeaves, *phase.batch, first, loops.load(sums, ValueRange{loops.add(from, paddedFeatures())}));
    });
  });
}

} // namespace attnc
