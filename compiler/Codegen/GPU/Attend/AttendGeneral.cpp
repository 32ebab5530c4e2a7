#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/General/WarpNormaliser.h"
#include "compiler/Codegen/GPU/Attend/General/WarpScores.h"
#include "compiler/Codegen/GPU/Attend/General/WarpTopKeys.h"
#include "compiler/Codegen/GPU/Attend/General/WarpValues.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t blockKeys = warpThreads;

Verdict canAttendOnDevice(const AttendProblem &problem) {
  static_assert(attn::statisticCount == 7, "reject a new statistic, or compute it in General/WarpNormaliser.cpp");
  if (problem.passes.materialisesScores())
    return Verdict::no("its normaliser needs all scores of a row at once, which no device code stores");
  if (problem.yields(attn::Statistic::KeySums))
    return Verdict::no("sums of keys over rows have no device code");
  if (problem.top() > maxTopEntries)
    return Verdict::no("it yields more than " + std::to_string(maxTopEntries) + " of the largest keys");
  return Verdict::yes();
}

//===------------------------------------------ passes ------------------------------------------------------------===//

namespace {

/// The passes over the keys of the rows of one warp.
class WarpPasses : public WarpContext {
public:
  void emitRows() const;
  void emitPartials(PartialResults &memory, Value split) const;

private:
  void emitSlice(Value slice, const RowStates &statistics, const RowTotals &statisticTotals) const;
  RowStates passKeys(KeyPass pass, const RowStates &start, const RowTotals &totals, Value firstValue) const;
  RowStates considerBlock(KeyPass pass, KeyBlock block, const RowStates &before, const RowTotals &totals,
                          Value firstValue, const AttendMask::Decision &decision) const;
  RowStates computeBlock(KeyPass pass, KeyBlock block, RowStates states, const RowTotals &totals,
                         Value firstValue) const;
};

} // namespace

void WarpPasses::emitRows() const {
  WarpNormaliser normaliser{*this};
  RowStates statistics = normaliser.start();
  RowTotals totals;
  if (problem.passes.first) {
    statistics = passKeys(*problem.passes.first, statistics, totals, {});
    totals = normaliser.rowTotals(statistics);
  }
  normaliser.clearWeights();
  loops.loop(loops.constant(0), frame.size(shape.valueSlices), loops.constant(1),
             [&](Value slice) { emitSlice(slice, statistics, totals); });
}

void WarpPasses::emitPartials(PartialResults &memory, Value split) const {
  rows.range = memory.cut(rows.range, split, blockKeys);
  WarpValues values{*this};
  loops.loop(loops.constant(0), frame.size(shape.valueSlices), loops.constant(1), [&](Value slice) {
    Value firstValue = loops.mul(slice, shape.sliceValues());
    RowStates start = values.clear(WarpNormaliser{*this}.start(/*withSink=*/false));
    values.storePartials(passKeys(KeyPass::Online, start, {}, firstValue), memory, split, firstValue);
  });
}

/// One pass for a slice of the values. Results other than values are stored with the first slice.
void WarpPasses::emitSlice(Value slice, const RowStates &statistics, const RowTotals &statisticTotals) const {
  const PassPlan &passes = problem.passes;
  WarpNormaliser normaliser{*this};
  WarpValues values{*this};
  RowStates states = statistics;
  RowTotals totals = statisticTotals;
  if (passes.restartsSums)
    states.sums = normaliser.start().sums;
  Value firstValue = loops.mul(slice, shape.sliceValues());
  states = passKeys(passes.last, values.clear(states), totals, firstValue);
  if (totals.sums.empty())
    totals = normaliser.rowTotals(states);
  values.store(states, passes.isOnline() ? totals.factors : Values(), firstValue);
  loops.when(loops.compare(arith::CmpIPredicate::eq, slice, loops.constant(0)), [&] {
    normaliser.storeStatistics(states, totals);
    WarpTopKeys{*this}.store(states, totals);
  });
}

WarpContext::RowStates WarpPasses::passKeys(KeyPass pass, const RowStates &start, const RowTotals &totals,
                                            Value firstValue) const {
  Values packed = start.packed();
  SmallVector<Type> types = llvm::to_vector(ValueRange(packed).getTypes());
  Value step = loops.constant(blockKeys);
  return start.with(loops.loop(rows.range.begin, rows.range.end, step, packed, [&](Value firstKey, ValueRange carried) {
    Value count = loops.min(step, loops.sub(rows.range.end, firstKey));
    Value key = loops.min(loops.add(firstKey, group.rank), loops.add(rows.range.end, -1));
    KeyBlock block{firstKey, rows.range.end, key, {}};
    AttendMask::Decision decision = rows.decide(firstKey, count);
    RowStates before = start.with(carried);
    return loops.select(
        decision.some, types, [&] { return considerBlock(pass, block, before, totals, firstValue, decision).packed(); },
        [&] { return before.packed(); });
  }));
}

/// If interval analysis cannot decide the mask of a block, its pairs are tested first.
WarpContext::RowStates WarpPasses::considerBlock(KeyPass pass, KeyBlock block, const RowStates &before,
                                                 const RowTotals &totals, Value firstValue,
                                                 const AttendMask::Decision &decision) const {
  block.unmasked = WarpScores{*this}.unmaskedPairs(block, decision.all);
  auto compute = [&] { return computeBlock(pass, block, before, totals, firstValue).packed(); };
  if (LoopBuilder::constantOf(decision.unsure) == 0)
    return before.with(compute());
  SmallVector<Type> types = llvm::to_vector(ValueRange(before.packed()).getTypes());
  return before.with(
      loops.select(WarpScores{*this}.hasUnmasked(block), types, compute, [&] { return before.packed(); }));
}

WarpContext::RowStates WarpPasses::computeBlock(KeyPass pass, KeyBlock block, RowStates states, const RowTotals &totals,
                                                Value firstValue) const {
  WarpScores pairs{*this};
  WarpNormaliser normaliser{*this};
  Values masks = block.unmasked, scores = pairs.compute(block);
  if (problem.passes.isFirst(pass)) {
    pairs.check(block, op().getScore(), masks);
    WarpTopKeys{*this}.update(block, scores, states);
  }
  if (problem.normaliser->usesMaximum() && pass != KeyPass::Apply)
    normaliser.raiseMaxima(scores, states);
  Values weights = normaliser.computeWeights(pass, scores, states, totals);
  if (pass == KeyPass::Statistics)
    return states;
  weights = normaliser.pairWeights(block, weights);
  normaliser.storeWeights(block, weights);
  if (problem.hasValue()) {
    pairs.check(block, op().getValue(), block.unmasked, rows.valueSizes);
    WarpValues{*this}.accumulate(block, weights, states, firstValue);
  }
  return states;
}

//===------------------------------------------ warps -------------------------------------------------------------===//

AttendGeneral::AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame,
                             const RowNumbers &numbers)
    : problem(problem), target(target), shape(problem, numbers), frame(frame),
      loops(frame.builder, frame.location, /*lanes=*/1),
      group(ThreadGroup::Kind::Warp, frame.position, frame.builder, frame.location), rows(problem, frame, numbers),
      weightTile(frame.position, "weights", frame.position.threads * shape.rows, frame.builder, frame.location),
      maskTile(frame.position, "kept", frame.position.threads, frame.builder, frame.location) {}

KernelPhase AttendGeneral::emit() {
  loops.when(loops.less(group.number, frame.size(shape.warps)), [&] {
    // Under a causal mask later rows have more work; they go first, so that all multiprocessors finish together.
    Value blocks = frame.size(shape.rowBlocks);
    Value block = loops.sub(loops.add(blocks, -1), loops.rem(group.number, blocks));
    emitWarp(loops.div(group.number, blocks), loops.mul(block, shape.rows));
  });
  return {frame.position.symbol, shape.warps.ceilDiv(group.perBlock()), frame.position.threads};
}

KernelPhase AttendGeneral::emitPartials(const AttendSplitKv &splitKv) {
  PartialResults memory(splitKv, problem, frame);
  SizeExpr warps = shape.warps * splitKv.splits;
  loops.when(loops.less(group.number, frame.size(warps)), [&] {
    Value blocks = frame.size(shape.rowBlocks), block = loops.div(group.number, memory.splits);
    Value split = loops.rem(group.number, memory.splits);
    Value firstRow = loops.mul(loops.rem(block, blocks), loops.constant(shape.rows));
    WarpRows warp = openRows(loops.div(block, blocks), firstRow);
    WarpPasses{context(warp)}.emitPartials(memory, split);
  });
  return {frame.position.symbol, warps.ceilDiv(group.perBlock()), frame.position.threads};
}

void AttendGeneral::emitWarp(Value batchNumber, Value firstRow) {
  WarpRows warp = openRows(batchNumber, firstRow);
  WarpPasses{context(warp)}.emitRows();
}

WarpRows AttendGeneral::openRows(Value batchNumber, Value firstRow) {
  WarpRows warp;
  warp.first = firstRow;
  rows.openBatch(batchNumber);
  for (int64_t row = 0; row < shape.rows; ++row) {
    Value number = loops.add(firstRow, row);
    warp.exist.push_back(rows.exists(number));
    warp.subscripts.push_back(rows.subscriptsOf(number));
    warp.points.push_back(rows.bindRow(rows.formulas(1), ValueRange(warp.subscripts[row])));
  }
  warp.tileStart = loops.mul(loops.div(frame.position.thread, loops.constant(warpThreads)), warpThreads);
  rows.open(firstRow, shape.rows);
  return warp;
}

WarpContext AttendGeneral::context(WarpRows &warp) {
  return {problem, target, shape, frame, loops, group, rows, weightTile, maskTile, warp};
}

} // namespace attnc
