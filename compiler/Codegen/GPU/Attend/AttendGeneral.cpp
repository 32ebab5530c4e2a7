#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ distribution of work ---------------------------------------------===//

static constexpr int64_t blockKeys = warpThreads;
static constexpr int64_t maxRows = 4;
/// Values of a row in the registers of a thread.
static constexpr int64_t maxValues = 8;
/// Entries of top keys in the registers of a thread.
static constexpr int64_t maxEntries = 32;

static int64_t warpRows(const AttendProblem &problem, const RowNumbers &numbers) {
  int64_t rows = maxRows;
  if (numbers.rows.isConstant())
    rows = std::min<int64_t>(rows, llvm::PowerOf2Ceil(std::max<int64_t>(1, numbers.rows.constant())));
  while (rows > 1 && rows * problem.top() > maxEntries / 2)
    rows /= 2;
  return rows;
}

AttendGeneralShape::AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers)
    : rows(warpRows(problem, numbers)), width(1), accesses(1) {
  rowBlocks = numbers.rows.ceilDiv(rows);
  warps = numbers.batches * rowBlocks;
  valueSlices = 1;
  if (!problem.hasValue())
    return;
  attn::AttendOp op = problem.op;
  int64_t known = problem.values.isConstant() ? problem.values.constant() : 0;
  for (int64_t wide : {4, 2})
    if (width == 1 && known > 0 && known % (wide * warpThreads) == 0 && op.getNumValues() == 1)
      width = wide;
  int64_t maxAccesses = problem.values.isConstant() ? maxValues / width : maxValues / 2;
  int64_t wanted = known > 0 ? (known + warpThreads * width - 1) / (warpThreads * width) : maxAccesses;
  int64_t slices = (wanted + maxAccesses - 1) / maxAccesses;
  accesses = (wanted + slices - 1) / slices;
  valueSlices = SizeExpr::max(1, problem.values.ceilDiv(sliceValues()));
}

Verdict canAttendOnDevice(const AttendProblem &problem) {
  if (problem.normaliser->order() == Normaliser::Order::AllScores)
    return Verdict::no("its normaliser needs all scores of a row at once, which no device code holds");
  if (problem.yields(attn::Statistic::KeySums))
    return Verdict::no("sums of keys over rows have no device code");
  if (problem.top() > maxEntries)
    return Verdict::no("it yields more than " + std::to_string(maxEntries) + " of the largest keys");
  return Verdict::yes();
}

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
    firstRow = loops.mul(loops.rem(block, blocks), loops.constant(shape.rows));
    openRows(loops.div(block, blocks));
    rows.range = memory.cut(rows.range, split, blockKeys);
    loops.loop(loops.constant(0), frame.size(shape.valueSlices), loops.constant(1), [&](Value slice) {
      Value firstValue = loops.mul(slice, shape.sliceValues());
      RowStates states = passKeys(Pass::Online, beginSlice(initialStates(/*withSink=*/false)), {}, firstValue);
      storePartials(states, memory, split, firstValue);
    });
  });
  return {frame.position.symbol, warps.ceilDiv(group.perBlock()), frame.position.threads};
}

void AttendGeneral::emitWarp(Value batchNumber, Value row) {
  firstRow = row;
  openRows(batchNumber);
  emitRows();
}

Value AttendGeneral::scalarOf(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(loops.builder, loops.location, value, 0);
}

Value AttendGeneral::threadSum(Value share) {
  SweepReduction sum{attn::Combine::Add, loops.builder.getF32Type()};
  return loops.splat(group.combine(sum, scalarOf(share))[0]);
}

//===------------------------------------------ rows and keys -----------------------------------------------------===//

void AttendGeneral::openRows(Value batchNumber) {
  rows.openBatch(batchNumber);
  for (int64_t row = 0; row < shape.rows; ++row) {
    Value number = loops.add(firstRow, row);
    rowExists.push_back(rows.exists(number));
    rowIndices.push_back(rows.subscriptsOf(number));
    rowPoints.push_back(rowPoint(1, row));
  }
  tileStart = loops.mul(loops.div(frame.position.thread, loops.constant(warpThreads)), warpThreads);
  rows.open(firstRow, shape.rows);
}

/// The formulas of row `row` of the warp; rows past the end repeat the last one.
RegionVectoriser AttendGeneral::rowPoint(int64_t lanes, int64_t row) {
  return rows.bindRow(rows.formulas(lanes), ValueRange(rowIndices[row]));
}

//===------------------------------------------ passes ------------------------------------------------------------===//

LoopBuilder::Values AttendGeneral::RowStates::packed() const {
  Values all;
  for (const Values *list : {&largest, &sums, &logs, &top, &values})
    all.append(*list);
  return all;
}

AttendGeneral::RowStates AttendGeneral::RowStates::with(ValueRange packed) const {
  RowStates next;
  for (auto [list, into] : {std::pair(&largest, &next.largest),
                            {&sums, &next.sums},
                            {&logs, &next.logs},
                            {&top, &next.top},
                            {&values, &next.values}}) {
    llvm::append_range(*into, packed.take_front(list->size()));
    packed = packed.drop_front(list->size());
  }
  return next;
}

bool AttendGeneral::carriesLogs(Pass pass) const {
  bool hasFactor = problem.normaliser->order() == Normaliser::Order::Factor;
  return problem.yields(attn::Statistic::Entropy) && (pass == Pass::Apply) != hasFactor;
}

/// Whether the pass is the first to compute scores.
bool AttendGeneral::seesScores(Pass pass) const {
  return (pass == Pass::Apply) == (problem.normaliser->order() == Normaliser::Order::AtOnce);
}

/// The sink score of a row, as the normaliser requires it; null without a sink.
Value AttendGeneral::sinkScore(int64_t row) {
  if (!problem.hasSink())
    return {};
  Value sink = rowPoints[row].broadcast(rowPoints[row].evaluate(AttendProblem::yielded(op().getSink())));
  return loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
}

/// Only thread r starts row r with the sink, so that it is added once.
AttendGeneral::RowStates AttendGeneral::initialStates(bool withSink) {
  RowStates start;
  Value zero = loops.splat(0.0);
  for (int64_t row = 0; row < shape.rows; ++row) {
    Normaliser::Carriers carriers = problem.normaliser->start(code(), withSink ? sinkScore(row) : Value());
    start.largest.push_back(carriers.largest);
    start.sums.push_back(loops.choose(isOneThread(row), carriers.sum, zero));
    if (problem.yields(attn::Statistic::Entropy))
      start.logs.push_back(zero);
    for (int64_t rank = 0; rank < problem.top(); ++rank) {
      Value none = arith::ConstantIntOp::create(loops.builder, loops.location, -1, 32);
      start.top.append({loops.splat(-std::numeric_limits<double>::infinity()), none});
    }
  }
  return start;
}

AttendGeneral::RowTotals AttendGeneral::rowTotals(const RowStates &states) {
  RowTotals totals;
  for (Value share : states.sums) {
    totals.sums.push_back(threadSum(share));
    totals.factors.push_back(problem.normaliser->factor(code(), totals.sums.back()));
  }
  return totals;
}

void AttendGeneral::emitRows() {
  RowStates statistics = initialStates();
  RowTotals totals;
  bool inTwoPasses = problem.normaliser->order() == Normaliser::Order::Factor && problem.needsFinalWeights();
  if (inTwoPasses) {
    statistics = passKeys(Pass::Statistics, statistics, totals, {});
    totals = rowTotals(statistics);
  }
  clearWeights();
  loops.loop(loops.constant(0), frame.size(shape.valueSlices), loops.constant(1),
             [&](Value slice) { emitSlice(slice, statistics, totals); });
}

/// The states with the values set to zero.
AttendGeneral::RowStates AttendGeneral::beginSlice(RowStates states) {
  LoopBuilder wide(loops.builder, loops.location, shape.width);
  if (problem.hasValue())
    states.values.assign(shape.rows * shape.accesses, wide.splat(0.0));
  return states;
}

/// One pass for a slice of the values. Results other than values are stored with the first slice.
void AttendGeneral::emitSlice(Value slice, const RowStates &statistics, const RowTotals &statisticTotals) {
  bool isOnline = problem.normaliser->order() == Normaliser::Order::Factor && !problem.needsFinalWeights();
  RowStates states = statistics;
  RowTotals totals = statisticTotals;
  if (problem.normaliser->followsKeys() && !isOnline)
    states.sums = initialStates().sums; // normalisers that follow keys accumulate l in each pass
  Value firstValue = loops.mul(slice, shape.sliceValues());
  states = passKeys(isOnline ? Pass::Online : Pass::Apply, beginSlice(states), totals, firstValue);
  if (totals.sums.empty())
    totals = rowTotals(states);
  storeValues(states, isOnline ? totals.factors : Values(), firstValue);
  loops.when(loops.compare(arith::CmpIPredicate::eq, slice, loops.constant(0)),
             [&] { storeStatistics(states, totals); });
}

AttendGeneral::RowStates AttendGeneral::passKeys(Pass pass, const RowStates &start, const RowTotals &totals,
                                                 Value firstValue) {
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
AttendGeneral::RowStates AttendGeneral::considerBlock(Pass pass, KeyBlock block, const RowStates &before,
                                                      const RowTotals &totals, Value firstValue,
                                                      const AttendMask::Decision &decision) {
  block.unmasked = unmaskedPairs(block, decision.all);
  auto compute = [&] { return computeBlock(pass, block, before, totals, firstValue).packed(); };
  if (LoopBuilder::constantOf(decision.unsure) == 0)
    return before.with(compute());
  SmallVector<Type> types = llvm::to_vector(ValueRange(before.packed()).getTypes());
  return before.with(loops.select(hasUnmasked(block), types, compute, [&] { return before.packed(); }));
}

Value AttendGeneral::hasUnmasked(const KeyBlock &block) {
  Value any = block.unmasked[0];
  for (Value unmasked : ArrayRef(block.unmasked).drop_front())
    any = loops.either(any, unmasked);
  Type i32 = loops.builder.getI32Type();
  Value number = arith::ExtUIOp::create(loops.builder, loops.location, i32, any);
  return loops.isSet(group.combine(SweepReduction{attn::Combine::Max, i32}, number)[0]);
}

AttendGeneral::RowStates AttendGeneral::computeBlock(Pass pass, KeyBlock block, RowStates states,
                                                     const RowTotals &totals, Value firstValue) {
  Values masks = block.unmasked, scores = computeScores(pass, block);
  if (seesScores(pass)) {
    checkPairs(block, op().getScore(), masks);
    updateTop(block, scores, states);
  }
  if (problem.normaliser->usesMaximum() && pass != Pass::Apply)
    raiseMaxima(scores, states);
  Values weights = computeWeights(pass, block, scores, states, totals);
  if (pass == Pass::Statistics)
    return states;
  weights = pairWeights(block, weights);
  storeWeights(block, weights);
  if (problem.hasValue()) {
    checkPairs(block, op().getValue(), block.unmasked, rows.valueSizes);
    shareWeights(block, weights);
    addValues(block, states, firstValue);
  }
  return states;
}

} // namespace attnc
