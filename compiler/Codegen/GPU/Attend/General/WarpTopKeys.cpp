#include "compiler/Codegen/GPU/Attend/General/WarpTopKeys.h"
#include "compiler/Analysis/DataSubscripts.h"

using namespace mlir;

namespace attnc {

void WarpTopKeys::update(const KeyBlock &block, const Values &scores, RowStates &states) const {
  if (!problem.yieldsTop())
    return;
  OpBuilder &builder = loops.builder;
  Value key = arith::IndexCastOp::create(builder, loops.location, builder.getI32Type(), block.key);
  int64_t entries = 2 * problem.top();
  Values next;
  for (int64_t row = 0; row < shape.rows; ++row) {
    Value score = loops.choose(block.unmasked[row], scores[row], loops.splat(negativeInfinity));
    next.append(insert(ArrayRef(states.top).slice(row * entries, entries), score, key));
  }
  states.top = next;
}

/// Inserts a key after entries with equal scores, whose keys are lower. Ranks are sorted, so the updates of ranks are
/// independent of each other.
LoopBuilder::Values WarpTopKeys::insert(ValueRange ranks, Value score, Value key) const {
  Values updated, entry = {score, key};
  Value entersAbove = loops.boolean(false);
  for (size_t rank = 0; rank < ranks.size(); rank += 2) {
    Value enters = loops.compare(arith::CmpFPredicate::OGT, scalarOf(score), scalarOf(ranks[rank]));
    for (size_t part = 0; part < 2; ++part) {
      Value former = rank > 0 ? ranks[rank - 2 + part] : entry[part];
      updated.push_back(loops.choose(entersAbove, former, loops.choose(enters, entry[part], ranks[rank + part])));
    }
    entersAbove = enters;
  }
  return updated;
}

/// Merges the entries of a row over all threads: (score, key) by rank. An empty entry is (-inf, -1).
LoopBuilder::Values WarpTopKeys::merge(ValueRange threadRanks) const {
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value none = arith::ConstantIntOp::create(builder, location, -1, 32);
  Value most = arith::ConstantIntOp::create(builder, location, std::numeric_limits<int32_t>::max(), 32);
  Values own(threadRanks), merged;
  for (size_t rank = 0; rank < threadRanks.size(); rank += 2) {
    Value first = scalarOf(own[0]);
    Value best = group.combine(SweepReduction{attn::Combine::Max, f32}, first)[0];
    Value exists = loops.compare(arith::CmpFPredicate::UNE, best, loops.scalar(negativeInfinity));
    Value isBest = loops.compare(arith::CmpFPredicate::OEQ, first, best);
    Value candidate = loops.choose(isBest, own[1], most);
    Value key = group.combine(SweepReduction{attn::Combine::Min, i32}, candidate)[0];
    merged.append({loops.splat(best), loops.choose(exists, key, none)});
    // The thread with that entry moves on to its next one.
    Value isOwn = loops.compare(arith::CmpIPredicate::eq, candidate, key);
    for (size_t part = 0; part < own.size(); ++part) {
      Value next = part + 2 < own.size() ? own[part + 2] : part % 2 ? none : loops.splat(negativeInfinity);
      own[part] = loops.choose(isOwn, next, own[part]);
    }
  }
  return merged;
}

void WarpTopKeys::store(const RowStates &states, const RowTotals &totals) const {
  if (!problem.yieldsTop())
    return;
  int64_t entries = 2 * problem.top();
  for (int64_t row = 0; row < shape.rows; ++row) {
    Values merged = merge(ArrayRef(states.top).slice(row * entries, entries));
    Value sum = problem.normaliser->start(code(), {}).sum;
    Value factor = problem.passes.hasFactors ? totals.factors[row] : Value();
    Values weights;
    for (int64_t rank = 0; rank < problem.top(); ++rank)
      weights.push_back(
          problem.yields(attn::Statistic::TopWeights)
              ? weight(row, merged[2 * rank], merged[2 * rank + 1], {states.largest[row], sum}, factor, sum)
              : Value());
    group.onFirstThread([&] {
      loops.when(warp.exist[row], [&] {
        for (int64_t rank = 0; rank < problem.top(); ++rank) {
          storeResult(row, merged[2 * rank + 1], attn::Statistic::Top, loops.constant(rank));
          if (weights[rank])
            storeResult(row, weights[rank], attn::Statistic::TopWeights, loops.constant(rank));
        }
      });
    });
  }
}

/// p' of the key of a rank; `sum` accumulates over earlier ranks, for normalisers that follow keys.
Value WarpTopKeys::weight(int64_t row, Value score, Value key, const Normaliser::Carriers &carriers, Value factor,
                          Value &sum) const {
  OpBuilder &builder = loops.builder;
  auto weighed = problem.normaliser->weigh(code(), score, carriers);
  Value weight = factor ? loops.mulf(weighed.weight, factor) : weighed.weight;
  sum = weighed.sum;
  Value zero = arith::ConstantIntOp::create(builder, loops.location, 0, 32);
  Value exists = loops.compare(arith::CmpIPredicate::sge, key, zero);
  if (problem.hasWeight()) {
    Value number = loops.choose(exists, key, zero);
    RegionVectoriser pair = rows.bindKey(
        warp.points[row], arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), number));
    pair.bindValue(op().getWeight().getArgument(0), scalarOf(weight));
    if (readsByData(op().getWeight()))
      pair.restrictLanes(loops.splat(exists));
    weight = loops.splat(scalarOf(pair.evaluate(AttendProblem::yielded(op().getWeight()))));
  }
  return loops.choose(exists, weight, loops.splat(0.0));
}

} // namespace attnc
