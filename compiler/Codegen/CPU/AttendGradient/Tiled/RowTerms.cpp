#include "compiler/Codegen/CPU/AttendGradient/Tiled/RowTerms.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

void RowTerms::compute(const KeySplit &split, Value valueScale) {
  Matrix values = matrices.ofValues(problem.savedOf(attn::Statistic::Value)),
         cotangents = matrices.ofValues(problem.cotangentOf(attn::Statistic::Value));
  OpBuilder &builder = loops.builder;
  loops.loop(loops.constant(0), phase.rows, loops.constant(1), [&](Value row) {
    Value valueRow = values.offsetOf(row), cotangentRow = cotangents.offsetOf(row), sum = loops.splat(0.0);
    for (int64_t number = 0; number < schedule.vectorsOf(problem.values); ++number)
      sum = loops.fma(loadVector(loops, values, valueRow, number), loadVector(loops, cotangents, cotangentRow, number),
                      sum);
    Value total = vector::ReductionOp::create(builder, loops.location, vector::CombiningKind::ADD, sum,
                                              arith::FastMathFlags::reassoc);
    RegionVectoriser point = phase.bindRow(row);
    LoopBuilder::Values outer;
    for (const LaneIndex &index : outerIndices(problem.attend, point))
      outer.push_back(index.base);
    Value lse = loops.loadScalar(phase.frame.buffer(problem.savedOf(attn::Statistic::Lse)), outer);
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, lse, loops.scalar(-infinity));
    loops.storeScalar(loops.choose(isEmpty, lse, loops.mulf(lse, loops.scalar(-log2e))), tiles.rowLse, {row});
    Value lseCotangent = problem.cotangentOf(attn::Statistic::Lse)
                             ? loops.loadScalar(phase.frame.buffer(problem.cotangentOf(attn::Statistic::Lse)), outer)
                             : loops.scalar(0.0);
    loops.storeScalar(loops.mulf(loops.subf(lseCotangent, total), valueScale), tiles.rowDelta, {row});
    if (!problem.sink.isEmpty())
      loops.when(split.number ? loops.equal(split.number, loops.constant(0)) : loops.boolean(true),
                 [&] { addSink(point, lse, loops.subf(lseCotangent, total)); });
  });
}

void RowTerms::addSink(RegionVectoriser point, Value lse, Value difference) {
  attn::AttendOp op = problem.attend.op;
  Value sink = point.evaluate(AttendProblem::yielded(op.getSink()));
  Value exponent = loops.mulf(loops.subf(sink, lse), loops.scalar(log2e));
  // In a row without keys whose sink is -inf, both are -inf.
  Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, lse, loops.scalar(-infinity));
  Value weight = attendExp2(loops, loops.splat(loops.choose(isEmpty, lse, exponent)), target);
  point.setActiveLanes(loops.constant(1));
  elements.addScope(problem.sink, point, loops.mulf(weight, loops.splat(difference)));
}

} // namespace attnc
