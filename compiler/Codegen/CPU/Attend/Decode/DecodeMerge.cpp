// Phase 2 of the decode algorithm: the partial results of the rows of one batch, merged in the order of the splits. The
// sink of a row counts once for all splits.
#include "compiler/Codegen/CPU/Attend/Decode/DecodeRows.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {
namespace {
class Merge : DecodeContext {
public:
  explicit Merge(const DecodeContext &context) : DecodeContext(context), rows(context) {}
  void emit();

private:
  using Partial = DecodeRows::Partial;
  void mergeRow(int64_t row);
  void mergeValues(int64_t row, Value factor);
  Normaliser::Carriers start(int64_t row);
  Value foldSplits(int64_t row, Value initial, function_ref<Value(const Partial &partial, Value carried)> body);
  Value firstLane(Value vector);

  DecodeRows rows;
};
} // namespace

void emitMerge(const DecodeContext &context) { Merge(context).emit(); }

void Merge::emit() {
  rows.open(frame.chunk);
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (Value hasHead = rows.hasHead(row))
      loops.when(hasHead, [&] { mergeRow(row); });
    else
      mergeRow(row);
  }
}

Value Merge::firstLane(Value vector) { return vector::ExtractOp::create(loops.builder, loops.location, vector, 0); }

/// A loop over the splits, with the partial result of the row in each.
Value Merge::foldSplits(int64_t row, Value initial, function_ref<Value(const Partial &partial, Value carried)> body) {
  return loops.loop(
      loops.constant(0), frame.size(shape.splits), loops.constant(1), {initial},
      [&](Value split, ValueRange carried) { return Values{body(rows.partial(split, row), carried[0])}; })[0];
}

/// The row's carriers before its first key, as scalars.
Normaliser::Carriers Merge::start(int64_t row) {
  Value sink;
  if (problem.hasSink()) {
    RegionVectoriser &point = rows.points[row];
    Value score = point.broadcast(point.evaluate(AttendProblem::yielded(op().getSink())));
    sink = loops.mulf(score, loops.splat(problem.normaliser->scoreScale()));
  }
  Normaliser::Carriers start = problem.normaliser->start(code(), sink);
  return {firstLane(start.largest), firstLane(start.sum)};
}

void Merge::mergeRow(int64_t row) {
  Normaliser::Carriers initial = start(row);
  Value largest = foldSplits(row, initial.largest, [&](const Partial &partial, Value carried) {
    return loops.maxKeepingFirst(carried, loops.loadScalar(partial.memory, {partial.offset}));
  });
  auto correction = [&](Value before) {
    Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(largest));
    return factor ? firstLane(factor) : loops.scalar(1);
  };
  Value initialSum = problem.hasSink() ? loops.mulf(initial.sum, correction(initial.largest)) : initial.sum;
  // The correction of a partial result replaces its largest score.
  Value sum = foldSplits(row, initialSum, [&](const Partial &partial, Value carried) {
    Value factor = correction(loops.loadScalar(partial.memory, {partial.offset}));
    loops.storeScalar(factor, partial.memory, {partial.offset});
    Value weight = loops.loadScalar(partial.memory, {loops.add(partial.offset, 1)});
    return loops.addf(carried, loops.mulf(weight, factor));
  });
  mergeValues(row, problem.normaliser->factor(code(), sum));
  auto lseResult = problem.resultOf(attn::Statistic::Lse);
  if (!lseResult)
    return;
  Value lse = problem.normaliser->lse(code(), {largest, sum});
  Values coordinates;
  for (const LaneIndex &index : outerIndices(problem, rows.points[row]))
    coordinates.push_back(index.base);
  loops.storeScalar(lse, frame.result(*lseResult), coordinates);
}

void Merge::mergeValues(int64_t row, Value factor) {
  loops.loop(loops.constant(0), rows.values, loops.constant(schedule.lanes), [&](Value value) {
    Value sum = foldSplits(row, loops.splat(0.0), [&](const Partial &partial, Value carried) {
      Value offset = loops.add(loops.add(partial.offset, shape.partialHead), value);
      return loops.fma(loops.loadScalar(partial.memory, {partial.offset}), loops.load(partial.memory, {offset}),
                       carried);
    });
    SmallVector<LaneIndex> indices = outerIndices(problem, rows.points[row]);
    indices.push_back(steppingIndex(value));
    if (auto layout = op().getValueLayout())
      indices = permuted(indices, *layout);
    RegionVectoriser element = rows.points[row];
    element.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(rows.values, value)));
    element.store(loops.mulf(sum, loops.splat(factor)), frame.result(*problem.resultOf(attn::Statistic::Value)),
                  indices);
  });
}

} // namespace attnc
