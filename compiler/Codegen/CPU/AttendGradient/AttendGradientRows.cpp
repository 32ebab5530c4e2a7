// Rows of tensors as runs of floats, what is computed once a row, and the panels of keys and values.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

//===-------------------------------------------- rows of tensors ---------------------------------------------===//

static Value offsetOf(LoopBuilder &loops, ValueRange subscripts, Value memref) {
  LoopBuilder::Values sizes;
  for (unsigned dimension = 0; dimension < subscripts.size(); ++dimension)
    sizes.push_back(loops.sizeOf(memref, dimension));
  return loops.linearise(subscripts, sizes);
}

Value AttendGradient::offsetAt(RegionVectoriser &point, tensor::ExtractOp extract, Value memref) {
  Values subscripts;
  for (Value subscript : extract.getIndices())
    subscripts.push_back(point.evaluateIndex(subscript).base);
  return offsetOf(loops, subscripts, memref);
}

AttendGradient::Matrix AttendGradient::rowsOf(tensor::ExtractOp extract, BlockArgument index, Value memref,
                                              int64_t columns) {
  auto placeOf = [this, extract, index, memref](Value row) {
    RegionVectoriser point = bindRow(row);
    point.bindIndex(index, loops.constant(0));
    return offsetAt(point, extract, memref);
  };
  return {loops.flat(memref), placeOf, columns};
}

AttendGradient::Matrix AttendGradient::keysOf(tensor::ExtractOp extract, BlockArgument index, Value memref,
                                              int64_t columns) {
  auto placeOf = [this, extract, index, memref](Value key) {
    RegionVectoriser point = bindKey(key);
    point.bindIndex(index, loops.constant(0));
    return offsetAt(point, extract, memref);
  };
  return {loops.flat(memref), placeOf, columns};
}

/// The rows of a tensor with the shape of the forward op's value.
AttendGradient::Matrix AttendGradient::valueRowsOf(Value tensor) {
  Value memref = frame.buffer(tensor);
  auto placeOf = [this, memref](Value row) {
    RegionVectoriser point = bindRow(row);
    Values subscripts;
    for (const LaneIndex &index : outerIndices(attend, point))
      subscripts.push_back(index.base);
    subscripts.push_back(loops.constant(0));
    if (problem.valueLayout)
      subscripts = permuted(subscripts, *problem.valueLayout);
    return offsetOf(loops, subscripts, memref);
  };
  return {loops.flat(memref), placeOf, problem.values};
}

/// Vector `number` of a row; lanes past its end are zero.
Value AttendGradient::loadRow(const Matrix &matrix, Value offset, int64_t number) {
  int64_t left = matrix.columns - number * schedule.lanes;
  Value place = loops.add(offset, at(number));
  if (left >= schedule.lanes)
    return loops.load(matrix.flat, ValueRange{place});
  return loops.loadFirst(loops.constant(left), matrix.flat, {place});
}

void AttendGradient::storeRow(Value vector, const Matrix &matrix, Value offset, int64_t number) {
  int64_t left = matrix.columns - number * schedule.lanes;
  Value place = loops.add(offset, at(number));
  if (left >= schedule.lanes)
    return loops.store(vector, matrix.flat, ValueRange{place});
  loops.storeFirst(loops.constant(left), vector, matrix.flat, {place});
}

//===-------------------------------------------- once a batch ------------------------------------------------===//

/// The factors of panels: a product is scaled before it is summed, and log2e goes with it where it is the score.
void AttendGradient::readScales() {
  dotScales.clear();
  scoreScales.clear();
  for (const GradientDot &dot : problem.dots) {
    Value scale = loops.scalar(1.0);
    for (auto [factor, divides] : attend.products[dot.product].scales) {
      Value by = batch->evaluate(factor);
      scale = divides ? loops.divf(scale, by) : loops.mulf(scale, by);
    }
    dotScales.push_back(scale);
    scoreScales.push_back(attend.scoreIsProduct ? loops.mulf(scale, loops.scalar(log2e)) : scale);
  }
  valueScale =
      problem.isFolded ? loops.mulf(dotScales[0], batch->evaluate(problem.dots[0].partial)) : loops.scalar(1.0);
}

/// nl and nd. A row without kept pairs has lse = -inf: its weights are exp2(-inf).
void AttendGradient::computeRowTerms() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Matrix values = valueRowsOf(problem.savedOf(attn::Statistic::Value)),
         cotangents = valueRowsOf(problem.cotangentOf(attn::Statistic::Value));
  OpBuilder &builder = loops.builder;
  loops.loop(loops.constant(0), rows, loops.constant(1), [&](Value row) {
    Value valueRow = values.offsetOf(row), cotangentRow = cotangents.offsetOf(row), sum = loops.splat(0.0);
    for (int64_t number = 0; number < vectorsOf(problem.values); ++number)
      sum = loops.fma(loadRow(values, valueRow, number), loadRow(cotangents, cotangentRow, number), sum);
    Value total = vector::ReductionOp::create(builder, loops.location, vector::CombiningKind::ADD, sum,
                                              arith::FastMathFlags::reassoc);
    RegionVectoriser point = bindRow(row);
    Values outer;
    for (const LaneIndex &index : outerIndices(attend, point))
      outer.push_back(index.base);
    Value lse = loops.loadScalar(frame.buffer(problem.savedOf(attn::Statistic::Lse)), outer);
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, lse, loops.scalar(-infinity));
    loops.storeScalar(loops.choose(isEmpty, lse, loops.mulf(lse, loops.scalar(-log2e))), rowLse, {row});
    Value ofLse = problem.cotangentOf(attn::Statistic::Lse)
                      ? loops.loadScalar(frame.buffer(problem.cotangentOf(attn::Statistic::Lse)), outer)
                      : loops.scalar(0.0);
    loops.storeScalar(loops.mulf(loops.subf(ofLse, total), valueScale), rowDelta, {row});
    if (!problem.sink.isEmpty())
      loops.when(split ? loops.equal(split, loops.constant(0)) : loops.boolean(true),
                 [&] { addSinkTerms(point, lse, loops.subf(ofLse, total)); });
  });
}

/// A sink is a key without a value: exp(sink - lse) (dL - sum of dO O).
void AttendGradient::addSinkTerms(RegionVectoriser point, Value lse, Value difference) {
  attn::AttendOp op = attend.op;
  Value sink = point.evaluate(AttendProblem::yielded(op.getSink()));
  Value exponent = loops.mulf(loops.subf(sink, lse), loops.scalar(log2e));
  // Of a row without keys or a sink that counts, both are -inf.
  Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, lse, loops.scalar(-std::numeric_limits<double>::infinity()));
  Value weight = attendExp2(loops, loops.splat(loops.choose(isEmpty, lse, exponent)), target);
  point.setActiveLanes(loops.constant(1));
  addScope(problem.sink, point, loops.mulf(weight, loops.splat(difference)));
}

//===-------------------------------------------- panels ------------------------------------------------------===//

/// panel[key / L][feature][key % L] = scale * matrix[firstKey + key][feature], L lanes of a register tile; the last key
/// is repeated.
void AttendGradient::packPanel(const Matrix &matrix, Value panel, Value scale, Value firstKey) {
  int64_t lanes = schedule.lanes, panelLanes = schedule.panelLanes(), features = vectorsOf(matrix.columns) * lanes;
  Value last = loops.add(keys, -1), factor = loops.splat(scale), zero = loops.constant(0);
  Value used =
      loops.mul(loops.ceilDiv(loops.min(loops.constant(schedule.tileKv), loops.sub(keys, firstKey)), lanes), lanes);
  loops.loop(zero, used, loops.constant(lanes), [&](Value key) {
    Values offsets;
    for (int64_t lane = 0; lane < lanes; ++lane)
      offsets.push_back(matrix.offsetOf(loops.min(loops.add(loops.add(firstKey, key), lane), last)));
    Value place = loops.add(loops.mul(loops.div(key, loops.constant(panelLanes)), features * panelLanes),
                            loops.rem(key, loops.constant(panelLanes)));
    auto transposeAt = [&](Value feature, Value count) {
      Values lines;
      for (Value offset : offsets) {
        Value from = loops.add(offset, feature);
        lines.push_back(count ? loops.loadFirst(count, matrix.flat, {from})
                              : loops.load(matrix.flat, ValueRange{from}));
      }
      for (auto [number, line] : llvm::enumerate(loops.transpose(lines))) {
        Value to = loops.add(place, loops.mul(loops.add(feature, number), panelLanes));
        loops.store(loops.mulf(line, factor), panel, ValueRange{to});
      }
    };
    int64_t whole = matrix.columns / lanes * lanes;
    loops.loop(zero, loops.constant(whole), loops.constant(lanes), [&](Value feature) { transposeAt(feature, {}); });
    if (whole < matrix.columns)
      transposeAt(loops.constant(whole), loops.constant(matrix.columns - whole));
  });
}

} // namespace attnc
