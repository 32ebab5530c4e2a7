// The gradients of rows as splits of the keys share them: the first split adds in the result, each other one in a part
// of the shared scratch, and the merge adds the parts in order.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"

using namespace mlir;

namespace attnc {

/// Four for one chunk, one less for each more, and at least 512 keys each.
SizeExpr AttendGradient::splits() const {
  if (!problem.splitsKeys)
    return 1;
  SizeExpr wanted = SizeExpr(5) - SizeExpr::min(chunks(), 4);
  return SizeExpr::max(1, SizeExpr::min(wanted, attend.keys.ceilDiv(512)));
}

/// One part of each chunk and each split but the first.
SizeExpr AttendGradient::partFloats(const GradientDot &dot) const {
  if (!dot.rowResult)
    return 0;
  SizeExpr parts = chunks() * (splits() - SizeExpr(1));
  return (parts * batchesOfChunk() * attend.rows * SizeExpr(dot.features)).alignTo(schedule.lanes);
}

SizeExpr AttendGradient::sharedBytes() const {
  SizeExpr floats = 0;
  for (const GradientDot &dot : problem.dots)
    floats = floats + partFloats(dot);
  for (const GradientTanh &tanh : problem.tanhs)
    floats = floats + rowPartFloats(tanh) + sharedPartFloats(tanh);
  return floats * SizeExpr(4);
}

Value AttendGradient::partsOf(unsigned number) {
  SizeExpr before = 0;
  for (const GradientDot &dot : ArrayRef(problem.dots).take_front(number))
    before = before + partFloats(dot);
  auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
  return frame.shared(frame.size(before * SizeExpr(4)), type, frame.size(partFloats(problem.dots[number])));
}

/// Where a row of the batch begins in part `part` (the second split's is 0) of the chunk.
Value AttendGradient::partRow(unsigned number, Value part, Value row) {
  Value parts = loops.sub(splitCount, loops.constant(1)), batches = frame.size(batchesOfChunk());
  Value place = loops.linearise({batchChunk, part, batchOfChunk, row}, {batchChunk, parts, batches, rows});
  return loops.mul(place, problem.dots[number].features);
}

/// The sums of a dot product's row factor: the result's, or this split's part.
AttendGradient::Matrix AttendGradient::rowSums(unsigned number) {
  const GradientDot &dot = problem.dots[number];
  Matrix result = rowsOf(dot.rowFactor, dot.feature, frame.result(*dot.rowResult), dot.features);
  if (!split)
    return result;
  Value isFirst = loops.equal(split, loops.constant(0)), part = loops.sub(split, loops.constant(1));
  auto placeOf = [this, number, isFirst, part, ofResult = result.offsetOf](Value row) {
    return loops.choose(isFirst, ofResult(row), partRow(number, part, row));
  };
  return {loops.choose(isFirst, loops.dynamic(result.flat), partsOf(number)), placeOf, dot.features};
}

/// Zeros in this split's parts.
void AttendGradient::clearParts() {
  Value isFirst = loops.equal(split, loops.constant(0)), part = loops.sub(split, loops.constant(1));
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    if (!dot.rowResult)
      continue;
    Value parts = loops.sub(splitCount, loops.constant(1)), zero = loops.constant(0);
    Value floats = loops.mul(loops.mul(frame.size(batchesOfChunk()), rows), dot.features);
    Value begin = loops.mul(loops.linearise({batchChunk, part}, {batchChunk, parts}), floats);
    Value count = loops.choose(isFirst, zero, floats);
    clearRun(partsOf(number), begin, loops.add(begin, count));
  }
  clearTanhParts();
}

void AttendGradient::mergeBatch() {
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    if (!dot.rowResult)
      continue;
    Matrix into = rowsOf(dot.rowFactor, dot.feature, frame.result(*dot.rowResult), dot.features);
    Matrix part = {partsOf(number), {}, dot.features};
    Value zero = loops.constant(0), one = loops.constant(1), parts = loops.sub(splitCount, one);
    loops.loop(zero, rows, one, [&, number = number, features = dot.features](Value row) {
      Value place = into.offsetOf(row);
      for (int64_t vector = 0; vector < vectorsOf(features); ++vector) {
        Value sum = loops.loop(zero, parts, one, {loadRow(into, place, vector)}, [&](Value each, ValueRange carried) {
          return Values{loops.addf(carried[0], loadRow(part, partRow(number, each, row), vector))};
        })[0];
        storeRow(sum, into, place, vector);
      }
    });
  }
}

} // namespace attnc
