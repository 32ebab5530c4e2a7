#include "compiler/Codegen/GPU/Attend/AttendMerge.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Partial results of a row that a warp loads at once.
static constexpr int64_t partialsAtOnce = 4;

static int64_t widthOf(const AttendProblem &problem) {
  bool isWhole = problem.values.isConstant() && problem.values.constant() % deviceLanes == 0;
  return isWhole && attn::AttendOp(problem.op).getNumValues() == 1 ? deviceLanes : 1;
}

AttendMerge::AttendMerge(const AttendProblem &problem, const AttendSplitKv &splitKv, const Target &target,
                         StringRef symbol, ModuleOp code)
    : problem(problem), splitKv(splitKv), target(target), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, /*lanes=*/1),
      warp(ThreadGroup::Kind::Warp, frame.position, frame.builder, frame.location),
      rows(problem, frame, splitKv.numbers), general(problem, target, frame, splitKv.numbers),
      memory(splitKv, problem, frame), width(widthOf(problem)),
      sums(frame.position, "sums", 2 * frame.position.threads * width, frame.builder, frame.location) {}

KernelPhase AttendMerge::emit() {
  OpBuilder &b = loops.builder;
  int64_t blockRows = general.warpRows();
  SizeExpr batchBlocks = splitKv.numbers.rows.ceilDiv(blockRows);
  Value blocks = frame.size(batchBlocks);
  batch = loops.div(frame.position.block, blocks);
  warpNumber = loops.div(frame.position.thread, loops.constant(warpThreads));
  rows.openBatch(batch);
  Value first = loops.mul(loops.rem(frame.position.block, blocks), loops.constant(blockRows));
  Value end = loops.min(rows.rows, loops.add(first, blockRows));
  Value none = arith::ConstantIntOp::create(b, loops.location, 0, 32);
  Value isNoNumber = loops.loop(first, end, loops.constant(1), {none}, [&](Value row, ValueRange before) {
    return loops.select(
        rows.exists(row), none.getType(), [&] { return Values{mergeRow(row, before[0])}; },
        [&] { return Values{before[0]}; });
  })[0];
  Value any = warp.combine(SweepReduction{attn::Combine::Max, b.getI32Type()}, isNoNumber)[0];
  loops.when(loops.isSet(any), [&] {
    warp.sync(); // other threads may have stored the results that are overwritten here
    general.emitWarp(batch, first);
  });
  return {frame.position.symbol, splitKv.numbers.batches * batchBlocks, frame.position.threads};
}

Value AttendMerge::scalarOf(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(loops.builder, loops.location, value, 0);
}

Value AttendMerge::partialNumber(const Row &row, Value split) { return memory.number(batch, row.number, split); }

/// The correction of a sum whose maximum was `before`.
Value AttendMerge::correction(Value before, const Row &row) {
  Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(row.largest));
  return factor ? scalarOf(factor) : loops.scalar(1);
}

/// Computes the row's maximum and sum over all splits and the sink; stores lse.
AttendMerge::Row AttendMerge::openRow(Value number) {
  Row row{rows.bindRow(rows.formulas(1), number), number, {}, {}};
  Value sink;
  if (problem.hasSink()) {
    sink = row.point.broadcast(row.point.evaluate(AttendProblem::yielded(op().getSink())));
    sink = loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
  }
  Normaliser::Carriers start = problem.normaliser->start(code(), sink);
  Type f32 = loops.builder.getF32Type();
  SweepReduction largest{attn::Combine::Max, f32}, sum{attn::Combine::Add, f32};
  auto loadHead = [&](const LanePoint &point) { return memory.loadHead(partialNumber(row, point.index.base)); };
  Value splitMaximum =
      warp.sweep(memory.splits, 1, largest, [&](const LanePoint &point) { return Values{loadHead(point).largest}; })[0];
  row.largest = loops.maxKeepingFirst(scalarOf(start.largest), splitMaximum);
  Value weights = warp.sweep(memory.splits, 1, sum, [&](const LanePoint &point) {
    PartialResults::Head head = loadHead(point);
    return Values{loops.mulf(head.sum, correction(head.largest, row))};
  })[0];
  Value startSum = loops.mulf(scalarOf(start.sum), correction(scalarOf(start.largest), row));
  Normaliser::Carriers all = {loops.splat(row.largest), loops.splat(loops.addf(startSum, weights))};
  row.factor = scalarOf(problem.normaliser->factor(code(), all.sum));
  if (auto lse = problem.resultOf(attn::Statistic::Lse))
    loops.when(loops.less(frame.position.thread, loops.constant(1)), [&] {
      RegionVectoriser element = row.point;
      element.store(scalarOf(problem.normaliser->lse(code(), all)), frame.result(*lse), outerIndices(problem, element));
    });
  return row;
}

/// Merges a row. Returns whether a result, of this row or before (i32), is not finite.
Value AttendMerge::mergeRow(Value number, Value notFinite) {
  Row row = openRow(number);
  return loops.loop(loops.constant(0), rows.values, loops.constant(warpThreads * width), {notFinite},
                    [&](Value first, ValueRange before) {
                      OpBuilder &b = loops.builder;
                      Value found = mergeValues(row, first);
                      return Values{arith::OrIOp::create(b, loops.location, before[0], found).getResult()};
                    })[0];
}

/// The warp's sum of an access of values over its splits.
Value AttendMerge::warpSum(const Row &row, Value value) {
  LoopBuilder wide(loops.builder, loops.location, width);
  int64_t warps = frame.position.threads / warpThreads;
  Value last = loops.add(memory.splits, -1);
  return loops.loop(warpNumber, memory.splits, loops.constant(warps * partialsAtOnce), {wide.splat(0.0)},
                    [&](Value first, ValueRange before) {
                      Value sum = before[0];
                      for (int64_t each = 0; each < partialsAtOnce; ++each) {
                        Value split = loops.add(first, each * warps);
                        Value partial = partialNumber(row, loops.min(split, last));
                        Value factor = correction(memory.loadHead(partial).largest, row);
                        Value next = wide.fma(wide.splat(factor), memory.load(partial, value, wide.vectorType()), sum);
                        sum = wide.choose(loops.less(split, memory.splits), next, sum);
                      }
                      return Values{sum};
                    })[0];
}

/// Double buffering of the warps' sums: halves 0 and 1 alternate. One barrier for each access then suffices, as a
/// thread that has passed it has read the half before the previous barrier.
Value AttendMerge::bufferHalf(const Row &row, Value first) {
  int64_t step = warpThreads * width;
  Value rowAccesses = loops.ceilDiv(rows.values, step), access = loops.div(first, loops.constant(step));
  Value accesses = loops.add(loops.mul(loops.rem(row.number, loops.constant(general.warpRows())), rowAccesses), access);
  return loops.rem(accesses, loops.constant(2));
}

/// Merges the values from number `first` on, one access for each lane; the last warp adds the sums of the warps.
/// Contains a block barrier.
Value AttendMerge::mergeValues(const Row &row, Value first) {
  OpBuilder &b = loops.builder;
  LoopBuilder wide(b, loops.location, width);
  Value own = loops.add(first, loops.mul(warp.rank, width)), last = loops.add(rows.values, -width);
  Value sum = warpSum(row, loops.min(own, last));
  Value half = loops.mul(bufferHalf(row, first), frame.position.threads);
  sums.store(sum, loops.mul(loops.add(half, frame.position.thread), width));
  NVVM::Barrier0Op::create(b, loops.location);
  Type i32 = b.getI32Type();
  int64_t threads = frame.position.threads;
  return loops.select(
      loops.less(loops.constant(threads - warpThreads - 1), frame.position.thread), i32,
      [&] {
        Value total;
        for (int64_t at = 0; at < threads; at += warpThreads) {
          Value next = sums.load(wide.vectorType(), loops.mul(loops.add(half, loops.add(warp.rank, at)), width));
          total = total ? wide.addf(total, next) : next;
        }
        total = wide.mulf(total, wide.splat(row.factor));
        loops.when(loops.less(own, rows.values), [&] { storeValues(row, own, total); });
        Value isNoNumber = wide.hasNan(wide.mulf(total, wide.splat(0.0)));
        return Values{arith::ExtUIOp::create(b, loops.location, i32, isNoNumber)};
      },
      [&] { return Values{arith::ConstantIntOp::create(b, loops.location, 0, 32)}; })[0];
}

void AttendMerge::storeValues(const Row &row, Value value, Value sum) {
  RegionVectoriser element = rows.bindRow(rows.formulas(width), row.number);
  SmallVector<LaneIndex> indices = outerIndices(problem, element);
  if (width > 1)
    indices.push_back(steppingIndex(value));
  else
    for (Value index : loops.delinearise(value, rows.valueSizes))
      indices.push_back(uniformIndex(index));
  if (auto layout = op().getValueLayout())
    indices = permuted(indices, *layout);
  Value stored = width > 1 ? sum : scalarOf(sum);
  element.store(stored, frame.result(*problem.resultOf(attn::Statistic::Value)), indices);
}

} // namespace attnc
