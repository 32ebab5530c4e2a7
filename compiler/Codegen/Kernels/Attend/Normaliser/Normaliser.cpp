#include "compiler/Codegen/Kernels/Attend/Normaliser/Normaliser.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

std::shared_ptr<const Normaliser> Normaliser::of(attn::AttendOp op) {
  switch (op.getNormaliser()) {
  case attn::Normaliser::Softmax:
    return makeSoftmax();
  case attn::Normaliser::Ratio:
    return makeRatio();
  case attn::Normaliser::None:
    return makeNone();
  case attn::Normaliser::Entmax:
    return makeEntmax(op.getAlpha()->convertToDouble());
  case attn::Normaliser::Hard:
    return makeHard();
  case attn::Normaliser::StickBreaking:
    return makeStickBreaking();
  }
  llvm_unreachable("a normaliser");
}

Normaliser::Carriers Normaliser::start(const Code &code, Value) const {
  return {code.loops.splat(-std::numeric_limits<float>::max()), code.loops.splat(0.0)};
}

Value Normaliser::correction(const Code &, Value, Value) const { return {}; }

Value Normaliser::logWeight(const Code &code, Value, Value weight, const Carriers &) const {
  return code.log2OfMagnitude(weight);
}

Value Normaliser::logCorrection(const Code &, Value, Value) const { return {}; }

Normaliser::Weighed Normaliser::weigh(const Code &, Value score, const Carriers &carriers) const {
  return {score, carriers.sum};
}

/// With p = w / l for the keys and the sink, their entropy is H = log l - t / l; the term of the sink is subtracted.
Value Normaliser::entropy(const Code &code, const Carriers &carriers, Value logs, Value sink) const {
  LoopBuilder &loops = code.loops;
  if (order() != Order::Factor)
    return loops.mulf(logs, loops.splat(-1 / log2e));
  Value sum = carriers.sum, zero = loops.splat(0.0);
  Value logOfSum = code.log2OfMagnitude(sum), entropy = loops.subf(logOfSum, loops.mulf(logs, code.inverse(sum)));
  if (sink) {
    Value log = loops.subf(loops.subf(sink, carriers.largest), logOfSum);
    log = loops.maxKeepingFirst(loops.splat(-128.0), log);
    entropy = loops.fma(code.exp2(log), log, entropy);
  }
  Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, sum, zero);
  return loops.choose(isEmpty, zero, loops.mulf(entropy, loops.splat(1 / log2e)));
}

Value Normaliser::lse(const Code &, const Carriers &) const {
  llvm_unreachable("the verifier asks whether there is one");
}

LoopBuilder::Values Normaliser::weighMaterialised(const MaterialisedScores &, ValueRange) const {
  llvm_unreachable("of those that need all scores");
}

//===-------------------------------------------- code --------------------------------------------------------===//

Value NormaliserCode::like(Value other, double number) const {
  return isa<VectorType>(other.getType()) ? loops.splat(number) : loops.scalar(number);
}

Value NormaliserCode::inverse(Value x) const {
  Value zero = like(x, 0);
  Value isZero = loops.compare(arith::CmpFPredicate::OEQ, x, zero);
  return loops.choose(isZero, zero, loops.divf(like(x, 1), x));
}

Value NormaliserCode::exp2(Value x) const { return attendExp2(loops, x, target); }

Value NormaliserCode::log2OfMagnitude(Value x) const {
  Value size = math::AbsFOp::create(loops.builder, loops.location, x), zero = like(x, 0);
  Value isZero = loops.compare(arith::CmpFPredicate::OEQ, x, zero);
  return loops.choose(isZero, zero, math::Log2Op::create(loops.builder, loops.location, size));
}

Value NormaliserCode::sumOfLanes(Value vector) const {
  return vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD, vector,
                                     arith::FastMathFlags::reassoc);
}

//===-------------------------------------------- materialised scores -----------------------------------------===//

MaterialisedScores::Values MaterialisedScores::sweep(ValueRange start, Body body) const {
  LoopBuilder &loops = code.loops;
  Value step = loops.constant(vectors * loops.lanes), last = loops.add(first, loops.mul(steps, step));
  return loops.loop(first, last, step, start, [&](Value place, ValueRange before) {
    Values carried(before);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value at = loops.add(place, vector * loops.lanes);
      if (Value next = body(loops.load(memref, {at}), vector, carried))
        loops.store(next, memref, {at});
    }
    return carried;
  });
}

Value MaterialisedScores::total(Value vector) const {
  return keysInLanes ? code.loops.splat(code.sumOfLanes(vector)) : vector;
}

MaterialisedScores MaterialisedRow::scores() const {
  Value steps = code.loops.ceilDiv(code.loops.sub(end, begin), code.loops.lanes);
  return {code, weights, begin, steps, 1, /*keysInLanes=*/true};
}

MaterialisedRow::Values MaterialisedRow::sweep(ValueRange start, function_ref<Values(Value, ValueRange)> body) const {
  return code.loops.loop(begin, end, code.loops.constant(code.loops.lanes), start, body);
}

MaterialisedRow::CotangentSums MaterialisedRow::sumCotangents(Value q) const {
  LoopBuilder &loops = code.loops;
  Values zeros(2, loops.splat(0.0));
  Values sums = sweep(zeros, [&](Value place, ValueRange carried) {
    Value factor = load(q, place);
    return Values{loops.fma(factor, load(cotangents, place), carried[0]), loops.addf(carried[1], factor)};
  });
  return {code.sumOfLanes(sums[0]), code.sumOfLanes(sums[1])};
}

Value MaterialisedRow::meanCotangent(Value q) const {
  CotangentSums sums = sumCotangents(q);
  return code.loops.mulf(sums.weighted, code.inverse(sums.ofWeights));
}

void MaterialisedRow::subtract(Value mean, function_ref<Value(Value place)> factor) const {
  sweep({}, [&](Value place, ValueRange) {
    Value difference = code.loops.subf(load(cotangents, place), code.loops.splat(mean));
    store(code.loops.mulf(difference, factor(place)), cotangents, place);
    return Values();
  });
}

void MaterialisedRow::centre(Value q) const {
  subtract(meanCotangent(q), [&](Value place) { return load(q, place); });
}

} // namespace attnc
