#include "compiler/Codegen/CPU/AttendGradient/Tiled/KeyPanels.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"

using namespace mlir;

namespace attnc {

/// A product is scaled before it is summed, and log2e goes with it where it is the score.
void KeyPanels::readScales() {
  const AttendProblem &attend = problem.attend;
  dotScales.clear();
  scoreScales.clear();
  for (const GradientDot &dot : problem.dots) {
    Value scale = phase.scaleOf(attend.products[dot.product]);
    dotScales.push_back(scale);
    scoreScales.push_back(attend.scoreIsProduct ? loops.mulf(scale, loops.scalar(log2e)) : scale);
  }
  valueScale =
      problem.isFolded ? loops.mulf(dotScales[0], phase.batch->evaluate(problem.dots[0].partial)) : loops.scalar(1.0);
}

void KeyPanels::pack(Value firstKey) {
  attn::AttendOp op = problem.attend.op;
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    packPanel(matrices.keyFactor(dot), tiles.keyPanels[number], scoreScales[number], firstKey);
  tensor::ExtractOp value = problem.value;
  Value memref = phase.frame.buffer(value.getTensor());
  packPanel(matrices.ofKeys(value, op.getValue().getArguments().back(), memref, problem.values), tiles.valuePanel,
            valueScale, firstKey);
}

/// One panel after the other by the routine that also packs queries.
void KeyPanels::packStrided(const Matrix &matrix, Value panels, Value scale, Value firstKey) {
  int64_t width = schedule.panelLanes(), features = schedule.paddedTo(matrix.columns), lanes = schedule.lanes;
  Value keys = loops.min(loops.constant(schedule.tileKv), loops.sub(phase.keys, firstKey));
  loops.loop(loops.constant(0), keys, loops.constant(width), [&](Value key) {
    Value left = loops.sub(keys, key),
          filled = loops.min(loops.constant(width), loops.mul(loops.ceilDiv(left, lanes), lanes));
    StridedRows rows = matrices.strided(matrix, loops.add(firstKey, key), left);
    packRows(loops, phase.frame.code, rows, MissingRows::Copies, {panels, loops.mul(key, features), width}, filled,
             scale);
  });
}

void KeyPanels::packPanel(const Matrix &matrix, Value panel, Value scale, Value firstKey) {
  if (matrix.isStrided)
    return packStrided(matrix, panel, scale, firstKey);
  int64_t lanes = schedule.lanes, panelLanes = schedule.panelLanes(), features = schedule.paddedTo(matrix.columns);
  Value keys = phase.keys, last = loops.add(keys, -1), factor = loops.splat(scale), zero = loops.constant(0);
  Value used =
      loops.mul(loops.ceilDiv(loops.min(loops.constant(schedule.tileKv), loops.sub(keys, firstKey)), lanes), lanes);
  loops.loop(zero, used, loops.constant(lanes), [&](Value key) {
    Values offsets;
    for (int64_t lane = 0; lane < lanes; ++lane)
      offsets.push_back(matrix.offsetOf(loops.min(loops.add(loops.add(firstKey, key), lane), last)));
    Value begin = loops.add(loops.mul(loops.div(key, loops.constant(panelLanes)), features * panelLanes),
                            loops.rem(key, loops.constant(panelLanes)));
    auto transposeAt = [&](Value feature, Value count) {
      Values lines;
      for (Value offset : offsets) {
        Value from = loops.add(offset, feature);
        lines.push_back(count ? loops.loadFirst(count, matrix.flat, {from})
                              : loops.load(matrix.flat, ValueRange{from}));
      }
      for (auto [number, line] : llvm::enumerate(loops.transpose(lines))) {
        Value to = loops.add(begin, loops.mul(loops.add(feature, number), panelLanes));
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
