#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

//===-------------------------------------------- layout ------------------------------------------------------===//

SizeExpr PartialSums::splits() const {
  if (!problem.splitsKeys)
    return 1;
  SizeExpr wanted = SizeExpr(5) - SizeExpr::min(phase.chunks(), 4);
  return SizeExpr::max(1, SizeExpr::min(wanted, problem.attend.keys.ceilDiv(512)));
}

SizeExpr PartialSums::dotFloats(const GradientDot &dot) const {
  if (!dot.rowResult)
    return 0;
  SizeExpr parts = phase.chunks() * (splits() - SizeExpr(1));
  return (parts * phase.batchesOfChunk() * problem.attend.rows * SizeExpr(dot.features)).alignTo(schedule.lanes);
}

SizeExpr PartialSums::rowFloats(const GradientTanh &tanh) const {
  if (tanh.rowLeaves.empty() || !problem.splitsKeys)
    return 0;
  SizeExpr features = schedule.paddedTo(tanh.features);
  return phase.chunks() * splits() * phase.batchesOfChunk() * problem.attend.rows * features;
}

SizeExpr PartialSums::sharedFloats(const GradientTanh &tanh) const {
  if (!tanh.hasShared())
    return 0;
  return phase.chunks() * splits() * phase.batchesOfChunk() * SizeExpr(2 * schedule.paddedTo(tanh.features));
}

SizeExpr PartialSums::floatsBefore(unsigned additive) const {
  SizeExpr floats = 0;
  for (const GradientDot &dot : problem.dots)
    floats = floats + dotFloats(dot);
  for (const GradientTanh &tanh : ArrayRef(problem.tanhs).take_front(additive))
    floats = floats + rowFloats(tanh) + sharedFloats(tanh);
  return floats;
}

SizeExpr PartialSums::sharedBytes() const { return floatsBefore(problem.tanhs.size()) * SizeExpr(4); }

Value PartialSums::sums(const SizeExpr &before, const SizeExpr &floats) const {
  KernelFrame &frame = phase.frame;
  auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
  return frame.shared(frame.size(before * SizeExpr(4)), type, frame.size(floats));
}

Value PartialSums::dot(unsigned number) const {
  SizeExpr before = 0;
  for (const GradientDot &dot : ArrayRef(problem.dots).take_front(number))
    before = before + dotFloats(dot);
  return sums(before, dotFloats(problem.dots[number]));
}

Value PartialSums::additiveRows(unsigned number) const {
  return sums(floatsBefore(number), rowFloats(problem.tanhs[number]));
}

Value PartialSums::additiveShared(unsigned number) const {
  const GradientTanh &tanh = problem.tanhs[number];
  return sums(floatsBefore(number) + rowFloats(tanh), sharedFloats(tanh));
}

Value PartialSums::dotRow(unsigned number, Value splitCount, Value part, Value row) const {
  Value parts = loops.sub(splitCount, loops.constant(1)), batches = phase.frame.size(phase.batchesOfChunk());
  Value place = loops.linearise({phase.batchChunk, part, phase.batchOfChunk, row},
                                {phase.batchChunk, parts, batches, phase.rows});
  return loops.mul(place, problem.dots[number].features);
}

Value PartialSums::additiveRow(unsigned number, Value splitCount, Value part, Value row) const {
  Value batches = phase.frame.size(phase.batchesOfChunk()), count = splitCount ? splitCount : loops.constant(1);
  Value place = loops.linearise({phase.batchChunk, part, phase.batchOfChunk, row},
                                {phase.batchChunk, count, batches, phase.rows});
  return loops.mul(place, schedule.paddedTo(problem.tanhs[number].features));
}

Value PartialSums::additiveSharedRow(unsigned number, Value splitCount, Value part, Value chunk) const {
  Value batches = phase.frame.size(phase.batchesOfChunk()), count = splitCount ? splitCount : loops.constant(1);
  Value place = loops.linearise({chunk, part, phase.batchOfChunk}, {chunk, count, batches});
  return loops.mul(place, 2 * schedule.paddedTo(problem.tanhs[number].features));
}

//===-------------------------------------------- rows of dot products ----------------------------------------===//

Matrix SplitRowSums::result(const GradientDot &dot) const {
  return matrices.ofRows(dot.rowFactor, dot.feature, phase.frame.result(*dot.rowResult), dot.features);
}

Matrix SplitRowSums::rows(unsigned number) const {
  const GradientDot &dot = problem.dots[number];
  Matrix own = result(dot);
  if (!split.number)
    return own;
  Value isFirst = loops.equal(split.number, loops.constant(0)), part = loops.sub(split.number, loops.constant(1));
  auto offsetOf = [this, number, isFirst, part, offsetInResult = own.offsetOf](Value row) {
    return loops.choose(isFirst, offsetInResult(row), partial.dotRow(number, split.count, part, row));
  };
  return {loops.choose(isFirst, loops.dynamic(own.flat), partial.dot(number)), offsetOf, dot.features, own.isStrided};
}

void SplitRowSums::clear() const {
  Value isFirst = loops.equal(split.number, loops.constant(0)), part = loops.sub(split.number, loops.constant(1));
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    if (!dot.rowResult)
      continue;
    Value parts = loops.sub(split.count, loops.constant(1)), zero = loops.constant(0);
    Value floats = loops.mul(loops.mul(phase.frame.size(phase.batchesOfChunk()), phase.rows), dot.features);
    Value begin = loops.mul(loops.linearise({phase.batchChunk, part}, {phase.batchChunk, parts}), floats);
    Value count = loops.choose(isFirst, zero, floats);
    phase.clearRun(partial.dot(number), begin, loops.add(begin, count));
  }
}

void SplitRowSums::merge() const {
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    if (!dot.rowResult)
      continue;
    Matrix into = result(dot);
    Matrix part = {partial.dot(number), {}, dot.features};
    Value zero = loops.constant(0), one = loops.constant(1), parts = loops.sub(split.count, one);
    loops.loop(zero, phase.rows, one, [&, number = number, features = dot.features](Value row) {
      Value place = into.offsetOf(row);
      for (int64_t vector = 0; vector < schedule.vectorsOf(features); ++vector) {
        Value start = loadVector(loops, into, place, vector);
        Value sum = loops.loop(zero, parts, one, {start}, [&](Value each, ValueRange carried) {
          Value offset = partial.dotRow(number, split.count, each, row);
          return LoopBuilder::Values{loops.addf(carried[0], loadVector(loops, part, offset, vector))};
        })[0];
        storeVector(loops, sum, into, place, vector);
      }
    });
  }
}

} // namespace attnc
