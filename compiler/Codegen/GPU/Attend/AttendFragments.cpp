#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

AttendFragments::AttendFragments(const AttendProblem &problem, const Target &target, DeviceFrame &frame,
                                 AttendRows &rows)
    : problem(problem), target(target), frame(frame), rows(rows), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/2),
      warp(ThreadGroup::Kind::Warp, frame.position, frame.builder, frame.location),
      general(problem, target, frame, rows.numbers) {}

Value AttendFragments::lane(Value vector, int64_t number) {
  return vector::ExtractOp::create(loops.builder, loops.location, vector, number);
}

Value AttendFragments::makePair(Value left, Value right) {
  return vector::FromElementsOp::create(loops.builder, loops.location, loops.vectorType(), ValueRange{left, right});
}

//===------------------------------------------ rows --------------------------------------------------------------===//

void AttendFragments::open(Value first, Value laneNumber) {
  firstRow = first;
  position = fragmentPosition(tiles, laneNumber);
  for (int64_t row = 0; row < laneRows; ++row) {
    Value number = loops.add(loops.add(firstRow, tiles.toIndex(position.row)), row * productRows / laneRows);
    rowExists.push_back(rows.exists(number));
    rowPoints.push_back(rows.bindRow(rows.formulas(loops.lanes), number));
  }
  openScale();
}

/// The factor of products: the scales folded into the product and, if the score is the product itself, the normaliser's
/// scale of scores.
void AttendFragments::openScale() {
  double scoreScale = problem.scoreIsProduct ? problem.normaliser->scoreScale() : 1;
  RegionVectoriser batch = rows.formulas(1);
  Value factor = loops.scalar(scoreScale);
  for (auto [by, divides] : product().scales)
    factor = divides ? loops.divf(factor, batch.evaluate(by)) : loops.mulf(factor, batch.evaluate(by));
  if (scoreScale != 1 || !product().scales.empty())
    scale = loops.splat(factor);
}

LoopBuilder::Values AttendFragments::States::packed() const {
  Values all(largest);
  all.append(sums);
  all.append(values);
  return all;
}

AttendFragments::States AttendFragments::States::with(ValueRange packed) const {
  States next = *this;
  for (Values *part : {&next.largest, &next.sums, &next.values})
    for (Value &each : *part) {
      each = packed.front();
      packed = packed.drop_front();
    }
  return next;
}

/// Only the first lane of a row starts with the sink, so that it is added once.
AttendFragments::States AttendFragments::start(int64_t values, bool withSink) {
  States start;
  Value isFirst = tiles.less(position.column, tiles.constant(2));
  for (RegionVectoriser &point : rowPoints) {
    Value sink;
    if (withSink && problem.hasSink()) {
      sink = point.broadcast(point.evaluate(AttendProblem::yielded(op().getSink())));
      sink = loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
    }
    Normaliser::Carriers carriers = problem.normaliser->start(code(), sink);
    start.largest.push_back(lane(carriers.largest, 0));
    Value sum = makePair(lane(carriers.sum, 0), loops.scalar(0));
    start.sums.push_back(loops.choose(isFirst, sum, loops.splat(0.0)));
  }
  start.values.assign(values / productColumns * fragmentSums, loops.scalar(0));
  return start;
}

//===------------------------------------------ scores ------------------------------------------------------------===//

LoopBuilder::Values AttendFragments::computeScores(const KeyTile &tile, ValueRange sums) {
  int64_t fragments = sums.size() / fragmentSums;
  Value end = loops.add(tile.first, fragments * productColumns);
  Value isInside = loops.compare(arith::CmpIPredicate::sle, end, rows.range.end);
  SmallVector<Type> types(fragments * laneRows, loops.vectorType());
  return loops.select(
      loops.both(tile.all, isInside), types, [&] { return computeScores(tile, sums, /*masked=*/false); },
      [&] { return computeScores(tile, sums, /*masked=*/true); });
}

/// Zero in two vector lanes, or NaN if one of the sums is not finite.
Value AttendFragments::zeroTimes(ValueRange sums) {
  Value all = loops.splat(0.0);
  for (size_t first = 0; first < sums.size(); first += 2)
    all = loops.fma(makePair(sums[first], sums[first + 1]), loops.splat(0.0), all);
  return all;
}

void AttendFragments::checkProducts(ValueRange sums, States &states) {
  Value zero = zeroTimes(sums);
  for (Value &sum : states.sums)
    sum = loops.addf(sum, zero);
}

/// The formulas of one row of the lane, bound to its two keys of a fragment.
RegionVectoriser AttendFragments::bindPairs(const KeyTile &tile, int64_t fragment, int64_t row) {
  RegionVectoriser pair = rowPoints[row];
  Value first = loops.add(loops.add(tile.first, tiles.toIndex(position.column)), fragment * productColumns);
  bindKeyIndex(problem, pair, 0, steppingIndex(first));
  return pair;
}

LoopBuilder::Values AttendFragments::computeScores(const KeyTile &tile, ValueRange sums, bool masked) {
  Values scores;
  for (int64_t fragment = 0; fragment * fragmentSums < static_cast<int64_t>(sums.size()); ++fragment)
    for (int64_t row = 0; row < laneRows; ++row) {
      RegionVectoriser pair = bindPairs(tile, fragment, row);
      Value left = loops.sub(rows.range.end, pair.evaluateIndex(op().getScore().getArguments().back()).base);
      if (masked)
        pair.setActiveLanes(loops.max(loops.constant(0), left));
      Value inside = pair.laneMask();
      ValueRange two = sums.slice(fragment * fragmentSums + 2 * row, 2);
      Value sum = makePair(two[0], two[1]);
      pair.bindValue(product().scaled, scale ? loops.mulf(sum, scale) : sum);
      Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op().getScore())));
      if (double scale = problem.normaliser->scoreScale(); scale != 1 && !problem.scoreIsProduct)
        score = loops.mulf(score, loops.splat(scale));
      Value dropped = loops.splat(problem.normaliser->droppedScore());
      if (masked) {
        Value keeps = inside;
        if (problem.hasMask())
          keeps = loops.both(keeps, loops.splat(pair.evaluate(AttendProblem::yielded(op().getMask()))));
        score = loops.choose(keeps, score, dropped);
      }
      if (problem.normaliser->droppedScore() != -infinity) {
        Value kept = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
        score = loops.choose(kept, score, dropped);
      }
      scores.push_back(score);
    }
  return scores;
}

/// Reduction over the four lanes that share a row.
Value AttendFragments::reduceQuad(attn::Combine kind, Value value) {
  return warp.combineNeighbours({kind, loops.builder.getF32Type()}, value, 4);
}

/// Maximum in one instruction; returns the number if the other operand is NaN.
Value AttendFragments::maximum(Value a, Value b) {
  return arith::MaxNumFOp::create(loops.builder, loops.location, a, b);
}

LoopBuilder::Values AttendFragments::raiseMaxima(ValueRange scores, States &states) {
  Values corrections;
  int64_t fragments = scores.size() / laneRows;
  for (int64_t row = 0; row < laneRows; ++row) {
    Value before = states.largest[row], largest = before;
    for (int64_t fragment = 0; fragment < fragments; ++fragment)
      for (int64_t key = 0; key < loops.lanes; ++key)
        largest = maximum(largest, lane(scores[fragment * laneRows + row], key));
    largest = reduceQuad(attn::Combine::Max, largest);
    Value correction = problem.normaliser->correction(code(), loops.splat(before), loops.splat(largest));
    states.largest[row] = largest;
    states.sums[row] = loops.mulf(states.sums[row], correction);
    corrections.push_back(lane(correction, 0));
  }
  return corrections;
}

void AttendFragments::correct(Values &values, ValueRange corrections, LoopBuilder &loops) {
  if (corrections.empty())
    return;
  for (auto [number, value] : llvm::enumerate(values))
    value = loops.mulf(value, corrections[number % fragmentSums / laneRows]);
}

//===------------------------------------------ weights -----------------------------------------------------------===//

LoopBuilder::Values AttendFragments::computeWeights(const KeyTile &tile, ValueRange scores, States &states) {
  Values weights;
  int64_t fragments = scores.size() / laneRows;
  for (int64_t fragment = 0; fragment < fragments; ++fragment)
    for (int64_t row = 0; row < laneRows; ++row) {
      Normaliser::Carriers carriers = {loops.splat(states.largest[row]), states.sums[row]};
      auto [weight, sum] = problem.normaliser->weigh(code(), scores[fragment * laneRows + row], carriers);
      states.sums[row] = sum;
      if (problem.hasWeight()) {
        RegionVectoriser pair = bindPairs(tile, fragment, row);
        Value left = loops.sub(rows.range.end, pair.evaluateIndex(op().getWeight().getArguments().back()).base);
        pair.setActiveLanes(loops.max(loops.constant(0), left));
        pair.bindValue(op().getWeight().getArgument(0), weight);
        weight = loops.choose(pair.laneMask(), pair.broadcast(pair.evaluate(AttendProblem::yielded(op().getWeight()))),
                              loops.splat(0.0));
      }
      weights.push_back(weight);
    }
  return weights;
}

FragmentA AttendFragments::leftMatrix(MatrixType type, ValueRange weights, int64_t fragment) {
  FragmentA left;
  if (is32Bit(type)) {
    for (int64_t key = 0; key < 2; ++key)
      for (int64_t row = 0; row < laneRows; ++row)
        left[key * laneRows + row] = arith::BitcastOp::create(loops.builder, loops.location, loops.builder.getI32Type(),
                                                              lane(weights[fragment * laneRows + row], key));
    return left;
  }
  for (int64_t beside = 0; beside < 2; ++beside)
    for (int64_t row = 0; row < laneRows; ++row) {
      Value pair = weights[(fragment + beside) * laneRows + row];
      left[beside * laneRows + row] = packPair(tiles, type, lane(pair, 0), lane(pair, 1));
    }
  return left;
}

SmallVector<FragmentA> AttendFragments::leftMatrices(MatrixType type, ValueRange weights) {
  SmallVector<FragmentA> all;
  int64_t fragments = weights.size() / laneRows;
  for (int64_t fragment = 0; fragment < fragments; fragment += productDepth(type) / productColumns)
    all.push_back(leftMatrix(type, weights, fragment));
  return all;
}

//===------------------------------------------ results -----------------------------------------------------------===//

LoopBuilder::Values AttendFragments::rowTotals(const States &states) {
  return llvm::map_to_vector<2>(
      states.sums, [&](Value sum) { return reduceQuad(attn::Combine::Add, loops.addf(lane(sum, 0), lane(sum, 1))); });
}

void AttendFragments::finish(const States &states) {
  Values all(states.sums);
  all.push_back(zeroTimes(states.values));
  Value isNoNumber = loops.hasNan(all);
  Values totals = rowTotals(states);
  for (int64_t row = 0; row < laneRows; ++row) {
    Value sum = loops.splat(totals[row]);
    Value factor = lane(problem.normaliser->factor(code(), sum), 0);
    loops.when(rowExists[row], [&] { storeRow(row, states, factor, {loops.splat(states.largest[row]), sum}); });
  }
  repair(isNoNumber);
}

void AttendFragments::storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers) {
  for (int64_t fragment = 0; fragment * fragmentSums < static_cast<int64_t>(states.values.size()); ++fragment) {
    Value column = loops.add(tiles.toIndex(position.column), fragment * productColumns);
    RegionVectoriser element = rowPoints[row];
    SmallVector<LaneIndex> indices = outerIndices(problem, element);
    indices.push_back(steppingIndex(column));
    if (auto layout = op().getValueLayout())
      indices = permuted(indices, *layout);
    ValueRange two = ValueRange(states.values).slice(fragment * fragmentSums + 2 * row, 2);
    Value pair = makePair(loops.mulf(two[0], factor), loops.mulf(two[1], factor));
    element.store(pair, frame.result(*problem.resultOf(attn::Statistic::Value)), indices);
  }
  auto lse = problem.resultOf(attn::Statistic::Lse);
  if (!lse)
    return;
  loops.when(tiles.less(position.column, tiles.constant(2)), [&] {
    RegionVectoriser element = rowPoints[row];
    Value value = lane(problem.normaliser->lse(code(), carriers), 0);
    element.store(value, frame.result(*lse), outerIndices(problem, element));
  });
}

/// If a sum of the warp is not finite, the warp computes its rows again by AttendGeneral.
void AttendFragments::repair(Value isNeeded) {
  OpBuilder &b = loops.builder;
  Value number = arith::ExtUIOp::create(b, loops.location, b.getI32Type(), isNeeded);
  Value any = warp.combine(SweepReduction{attn::Combine::Max, b.getI32Type()}, number)[0];
  loops.when(loops.isSet(any), [&] {
    warp.sync(); // other threads may have stored the results that are overwritten here
    int64_t rowsAtOnce = general.warpRows();
    Value end = loops.min(rows.rows, loops.add(firstRow, productRows));
    loops.loop(firstRow, end, loops.constant(rowsAtOnce), [&](Value row) { general.emitWarp(rows.batch, row); });
  });
}

} // namespace attnc
