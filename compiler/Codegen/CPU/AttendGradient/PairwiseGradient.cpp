#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradient.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include <limits>

using namespace mlir;

namespace attnc {

PairwiseGradient::PairwiseGradient(PairwiseGradientProblem &problem, const Target &target, StringRef symbol,
                                   ModuleOp code)
    : problem(problem), attend(problem.attend), target(target), phase(problem, target.f32Lanes, symbol, code),
      loops(phase.loops), elements(phase.frame, loops) {}

void PairwiseGradient::emit() {
  phase.openChunk(phase.frame.chunk);
  SizeExpr padded = attend.keys + SizeExpr(loops.lanes); // the last vector may reach past the last key
  weights = phase.scratch.take(padded, 1);
  flags = phase.scratch.take(padded, 1);
  cotangents = phase.scratch.take(padded, 1);
  slopes = phase.scratch.take(attend.normaliser->keepsSlopes() ? padded : SizeExpr(0), 1);
  phase.clearResults();
  phase.forEachBatch(
      [&] { loops.loop(loops.constant(0), phase.rows, loops.constant(1), [&](Value row) { computeRow(row); }); });
}

//===-------------------------------------------- a row -------------------------------------------------------===//

void PairwiseGradient::computeRow(Value row) {
  RegionVectoriser point = phase.bindRow(row);
  AttendMask mask(attend);
  auto rowAt = [&](Value each) { return phase.bindRow(each); };
  mask.prepareRows(loops, {row, loops.constant(1), rowAt, /*inOrder=*/true});
  AttendMask::KeyRange range = mask.keyRange(loops, phase.keys, *phase.batch);
  keyBegin = range.begin;
  keyEnd = loops.min(range.end, phase.keys);

  MaterialisedRow materialised = {{loops, target}, keyBegin, keyEnd, weights, cotangents, slopes, {}, {}, {}, {}};
  if (problem.savedOf(attn::Statistic::Lse))
    materialised.lse = cotangentAt(point, problem.savedOf(attn::Statistic::Lse), {});
  if (problem.cotangentOf(attn::Statistic::Lse))
    materialised.ofLse = cotangentAt(point, problem.cotangentOf(attn::Statistic::Lse), {});
  if (attend.hasSink())
    materialised.sink = point.evaluate(AttendProblem::yielded(attn::AttendOp(attend.op).getSink()));
  forEachKeys(point, [&](Pairs &pairs) { keepScore(pairs); });
  attend.normaliser->weighRow(materialised);
  auto forEachKept = [&](llvm::function_ref<void(Pairs &)> body) {
    forEachKeys(point, [&](Pairs &pairs) {
      pairs.kept = loops.compare(arith::CmpFPredicate::UNE, load(flags, pairs), loops.splat(0.0));
      body(pairs);
    });
  };
  forEachKept([&](Pairs &pairs) { keepCotangent(pairs); });
  if (problem.score.isEmpty() && problem.sink.isEmpty())
    return;
  Value ofSink = attend.normaliser->differentiateRow(materialised);
  if (!problem.score.isEmpty())
    forEachKept(
        [&](Pairs &pairs) { elements.addScope(problem.score, pairs.at, keep(pairs, load(cotangents, pairs))); });
  if (!problem.sink.isEmpty()) {
    RegionVectoriser alone = point;
    alone.setActiveLanes(loops.constant(1));
    elements.addScope(problem.sink, alone, ofSink);
  }
}

/// Visits the row's keys a vector at a time.
void PairwiseGradient::forEachKeys(const RegionVectoriser &row, llvm::function_ref<void(Pairs &)> body) {
  loops.loop(keyBegin, keyEnd, loops.constant(loops.lanes), [&](Value key) {
    Pairs pairs = {row, key, {}};
    for (auto [dimension, index] : llvm::enumerate(steppingSubscripts(loops, key, phase.keySizes)))
      bindKeyIndex(attend, pairs.at, dimension, index);
    pairs.at.setActiveLanes(loops.sub(keyEnd, key));
    body(pairs);
  });
}

/// An element of a tensor that begins with the outer indices.
LoopBuilder::Value PairwiseGradient::cotangentAt(RegionVectoriser &at, Value tensor, ArrayRef<LaneIndex> last) {
  SmallVector<LaneIndex> subscripts = outerIndices(attend, at);
  llvm::append_range(subscripts, last);
  if (problem.valueLayout && tensor == problem.cotangentOf(attn::Statistic::Value))
    subscripts = permuted(subscripts, *problem.valueLayout);
  return at.load(tensor, subscripts);
}

//===-------------------------------------------- keys of a row -----------------------------------------------===//

void PairwiseGradient::keepScore(Pairs &pairs) {
  attn::AttendOp op = attend.op;
  Value score = pairs.at.broadcast(pairs.at.evaluate(AttendProblem::yielded(op.getScore())));
  pairs.kept = pairs.at.laneMask();
  if (attend.hasMask())
    pairs.kept = loops.both(pairs.kept, loops.splat(pairs.at.evaluate(AttendProblem::yielded(op.getMask()))));
  Value lowest = loops.splat(-std::numeric_limits<double>::infinity());
  pairs.kept = loops.both(pairs.kept, loops.compare(arith::CmpFPredicate::UNE, score, lowest));
  store(loops.choose(pairs.kept, score, loops.splat(attend.normaliser->droppedScore())), weights, pairs);
  store(keep(pairs, loops.splat(1.0)), flags, pairs);
}

/// Turns p into dp.
void PairwiseGradient::keepCotangent(Pairs &pairs) {
  attn::AttendOp op = attend.op;
  Value probability = keep(pairs, load(weights, pairs)), weight = probability;
  if (attend.hasWeight()) {
    pairs.at.bindValue(op.getWeight().getArgument(0), probability);
    weight = keep(pairs, pairs.at.broadcast(pairs.at.evaluate(AttendProblem::yielded(op.getWeight()))));
  }
  Value cotangent = loops.addf(passValues(pairs, weight), passWeights(pairs));
  if (problem.cotangentOf(attn::Statistic::TopWeights))
    cotangent = passTop(pairs, cotangent);
  cotangent = keep(pairs, cotangent);
  if (attend.hasWeight()) {
    elements.addScope(problem.weight, pairs.at, cotangent);
    Value partial = problem.weightPartial;
    cotangent =
        partial ? keep(pairs, loops.mulf(cotangent, pairs.at.broadcast(pairs.at.evaluate(partial)))) : loops.splat(0.0);
  }
  if (problem.cotangentOf(attn::Statistic::Entropy))
    cotangent = passEntropy(pairs, probability, cotangent);
  store(cotangent, cotangents, pairs);
}

/// The cotangents of the weights as a result and by their sums.
LoopBuilder::Value PairwiseGradient::passWeights(Pairs &pairs) {
  SmallVector<LaneIndex> ofKeys = steppingSubscripts(loops, pairs.key, phase.keySizes);
  Value cotangent = loops.splat(0.0);
  if (Value weights = problem.cotangentOf(attn::Statistic::Weights))
    cotangent = pairs.at.broadcast(cotangentAt(pairs.at, weights, ofKeys));
  if (Value sums = problem.cotangentOf(attn::Statistic::KeySums)) {
    SmallVector<LaneIndex> subscripts = unsummedIndices(attend, pairs.at);
    llvm::append_range(subscripts, ofKeys);
    cotangent = loops.addf(cotangent, pairs.at.broadcast(pairs.at.load(sums, subscripts)));
  }
  return cotangent;
}

/// Adds the cotangents of the top weights to the pairs whose keys are the top keys.
LoopBuilder::Value PairwiseGradient::passTop(Pairs &pairs, Value cotangent) {
  OpBuilder &builder = loops.builder;
  Value keys = pairs.at.broadcast(steppingIndex(pairs.key));
  Values place;
  for (const LaneIndex &index : outerIndices(attend, pairs.at))
    place.push_back(index.base);
  place.push_back({});
  attn::AttendOp op = attend.op;
  Value count = loops.constant(*op.getTop());
  return loops.loop(loops.constant(0), count, loops.constant(1), {cotangent}, [&](Value rank, ValueRange carried) {
    place.back() = rank;
    Value key = loops.loadScalar(phase.frame.buffer(problem.savedOf(attn::Statistic::Top)), place);
    Value share = loops.loadScalar(phase.frame.buffer(problem.cotangentOf(attn::Statistic::TopWeights)), place);
    Value isIt = arith::CmpIOp::create(builder, loops.location, arith::CmpIPredicate::eq, keys, loops.splat(key));
    return Values{loops.choose(isIt, loops.addf(carried[0], loops.splat(share)), carried[0])};
  })[0];
}

/// Adds -dH (log p + 1), and nothing where p is 0.
LoopBuilder::Value PairwiseGradient::passEntropy(Pairs &pairs, Value probability, Value cotangent) {
  Value ofRow = pairs.at.broadcast(cotangentAt(pairs.at, problem.cotangentOf(attn::Statistic::Entropy), {}));
  NormaliserCode code{loops, target};
  Value slope = loops.fma(code.log2OfMagnitude(probability), loops.splat(1 / log2e), loops.splat(1.0));
  Value isZero = loops.compare(arith::CmpFPredicate::OEQ, probability, loops.splat(0.0));
  return loops.choose(isZero, cotangent, loops.subf(cotangent, loops.mulf(ofRow, slope)));
}

/// sum_v dY[v] value(v); adds the terms of the value.
LoopBuilder::Value PairwiseGradient::passValues(Pairs &pairs, Value weight) {
  attn::AttendOp op = attend.op;
  if (!problem.cotangentOf(attn::Statistic::Value))
    return loops.splat(0.0);
  Values sizes;
  for (Value size : op.getValueSizes())
    sizes.push_back(phase.frame.index(size));
  return loops.nest(sizes, {loops.splat(0.0)}, [&](ValueRange indices, ValueRange carried) {
    RegionVectoriser at = pairs.at;
    SmallVector<LaneIndex> features;
    for (auto [dimension, index] : llvm::enumerate(indices)) {
      features.push_back(uniformIndex(index));
      bindValueIndex(attend, at, dimension, features.back());
    }
    Value cotangent = at.broadcast(cotangentAt(at, problem.cotangentOf(attn::Statistic::Value), features));
    Value value = keep(pairs, at.broadcast(at.evaluate(AttendProblem::yielded(op.getValue()))));
    elements.addScope(problem.value, at, keep(pairs, loops.mulf(weight, cotangent)));
    return Values{loops.fma(cotangent, value, carried[0])};
  })[0];
}

} // namespace attnc
