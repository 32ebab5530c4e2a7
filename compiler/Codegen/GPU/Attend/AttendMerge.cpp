#include "compiler/Codegen/GPU/Attend/AttendMerge.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Parts of a row that a warp has under way.
static constexpr int64_t partsAtOnce = 4;

static int64_t widthOf(const AttendProblem &problem) {
  bool isWhole = problem.values.isConstant() && problem.values.constant() % deviceLanes == 0;
  return isWhole && attn::AttendOp(problem.op).getNumValues() == 1 ? deviceLanes : 1;
}

AttendMerge::AttendMerge(const AttendProblem &problem, const AttendParts &parts, const Target &target, StringRef symbol,
                         ModuleOp code)
    : problem(problem), parts(parts), target(target), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, /*lanes=*/1),
      warp(ThreadGroup::Kind::Warp, frame.place, frame.builder, frame.location), rows(problem, frame, parts.numbers),
      general(problem, target, frame, parts.numbers), memory(parts, problem, frame), width(widthOf(problem)),
      sums(frame.place, "sums", 2 * frame.place.threads * width, frame.builder, frame.location) {}

KernelPhase AttendMerge::emit() {
  OpBuilder &b = loops.builder;
  int64_t rowsOfBlock = general.rowsOfWarp();
  SizeExpr blocksOfBatch = parts.numbers.rows.ceilDiv(rowsOfBlock);
  Value blocks = frame.size(blocksOfBatch);
  batch = loops.div(frame.place.block, blocks);
  warpNumber = loops.div(frame.place.thread, loops.constant(warpThreads));
  rows.openBatch(batch);
  Value first = loops.mul(loops.rem(frame.place.block, blocks), loops.constant(rowsOfBlock));
  Value end = loops.min(rows.rows, loops.add(first, rowsOfBlock));
  Value none = arith::ConstantIntOp::create(b, loops.location, 0, 32);
  Value isNoNumber = loops.loop(first, end, loops.constant(1), {none}, [&](Value row, ValueRange before) {
    return loops.select(
        rows.exists(row), none.getType(), [&] { return Values{mergeRow(row, before[0])}; },
        [&] { return Values{before[0]}; });
  })[0];
  Value any = warp.combine(SweepReduction{attn::Combine::Max, b.getI32Type()}, isNoNumber)[0];
  loops.when(loops.isSet(any), [&] {
    warp.wait(); // other threads have stored what is stored again here
    general.emitWarp(batch, first);
  });
  return {frame.place.symbol, parts.numbers.batches * blocksOfBatch, frame.place.threads};
}

Value AttendMerge::scalarOf(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(loops.builder, loops.location, value, 0);
}

Value AttendMerge::partOf(const Row &row, Value split) { return memory.number(batch, row.number, split); }

/// What a sum is multiplied with that was made with `before` as the largest score.
Value AttendMerge::correctionOf(Value before, const Row &row) {
  Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(row.largest));
  return factor ? scalarOf(factor) : loops.scalar(1);
}

/// Its largest score and its sum, of all parts and of what it has before its first key; stores what follows from them.
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
  auto headOf = [&](const LanePoint &point) { return memory.loadHead(partOf(row, point.index.base)); };
  Value ofParts =
      warp.sweep(memory.splits, 1, largest, [&](const LanePoint &point) { return Values{headOf(point).largest}; })[0];
  row.largest = loops.maxKeepingFirst(scalarOf(start.largest), ofParts);
  Value weights = warp.sweep(memory.splits, 1, sum, [&](const LanePoint &point) {
    PartMemory::Head head = headOf(point);
    return Values{loops.mulf(head.sum, correctionOf(head.largest, row))};
  })[0];
  Value ofStart = loops.mulf(scalarOf(start.sum), correctionOf(scalarOf(start.largest), row));
  Normaliser::Carriers all = {loops.splat(row.largest), loops.splat(loops.addf(ofStart, weights))};
  row.factor = scalarOf(problem.normaliser->factor(code(), all.sum));
  if (auto lse = problem.resultOf(attn::Statistic::Lse))
    loops.when(loops.less(frame.place.thread, loops.constant(1)), [&] {
      RegionVectoriser element = row.point;
      element.store(scalarOf(problem.normaliser->lse(code(), all)), frame.result(*lse), outerIndices(problem, element));
    });
  return row;
}

/// Whether there was a result that is no finite number (i32), in this row or before.
Value AttendMerge::mergeRow(Value number, Value wasNone) {
  Row row = openRow(number);
  return loops.loop(loops.constant(0), rows.values, loops.constant(warpThreads * width), {wasNone},
                    [&](Value first, ValueRange before) {
                      OpBuilder &b = loops.builder;
                      Value found = mergeValues(row, first);
                      return Values{arith::OrIOp::create(b, loops.location, before[0], found).getResult()};
                    })[0];
}

/// The warp's share of the sum of an access of values.
Value AttendMerge::sumOfWarp(const Row &row, Value value) {
  LoopBuilder wide(loops.builder, loops.location, width);
  int64_t warps = frame.place.threads / warpThreads;
  Value last = loops.add(memory.splits, -1);
  return loops.loop(warpNumber, memory.splits, loops.constant(warps * partsAtOnce), {wide.splat(0.0)},
                    [&](Value first, ValueRange before) {
                      Value sum = before[0];
                      for (int64_t each = 0; each < partsAtOnce; ++each) {
                        Value split = loops.add(first, each * warps);
                        Value part = partOf(row, loops.min(split, last));
                        Value factor = correctionOf(memory.loadHead(part).largest, row);
                        Value next = wide.fma(wide.splat(factor), memory.load(part, value, wide.vectorType()), sum);
                        sum = wide.choose(loops.less(split, memory.splits), next, sum);
                      }
                      return Values{sum};
                    })[0];
}

/// What warps have lies in one half of the memory and then in the other: so one barrier is enough, for who is behind it
/// has read what was there before the last one.
Value AttendMerge::halfOf(const Row &row, Value first) {
  int64_t step = warpThreads * width;
  Value turnsOfRow = loops.ceilDiv(rows.values, step), turn = loops.div(first, loops.constant(step));
  Value turns = loops.add(loops.mul(loops.rem(row.number, loops.constant(general.rowsOfWarp())), turnsOfRow), turn);
  return loops.rem(turns, loops.constant(2));
}

/// Values from number `first` on, an access a lane: the last warp has them. All threads of a block come here together.
Value AttendMerge::mergeValues(const Row &row, Value first) {
  OpBuilder &b = loops.builder;
  LoopBuilder wide(b, loops.location, width);
  Value own = loops.add(first, loops.mul(warp.rank, width)), last = loops.add(rows.values, -width);
  Value sum = sumOfWarp(row, loops.min(own, last));
  Value half = loops.mul(halfOf(row, first), frame.place.threads);
  sums.store(sum, loops.mul(loops.add(half, frame.place.thread), width));
  NVVM::Barrier0Op::create(b, loops.location);
  Type i32 = b.getI32Type();
  int64_t threads = frame.place.threads;
  return loops.select(
      loops.less(loops.constant(threads - warpThreads - 1), frame.place.thread), i32,
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
