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
      warp(ThreadGroup::Kind::Warp, frame.place, frame.builder, frame.location),
      general(problem, target, frame, rows.numbers) {}

Value AttendFragments::lane(Value vector, int64_t number) {
  return vector::ExtractOp::create(loops.builder, loops.location, vector, number);
}

Value AttendFragments::pairOf(Value left, Value right) {
  return vector::FromElementsOp::create(loops.builder, loops.location, loops.vectorType(), ValueRange{left, right});
}

//===------------------------------------------ rows --------------------------------------------------------------===//

void AttendFragments::open(Value first, Value laneNumber) {
  firstRow = first;
  place = placeInFragment(tiles, laneNumber);
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value number = loops.add(loops.add(firstRow, tiles.toIndex(place.row)), row * productRows / rowsOfLane);
    rowExists.push_back(rows.exists(number));
    rowPoints.push_back(rows.bindRow(rows.formulas(loops.lanes), number));
  }
  openScale();
}

/// What a product is multiplied with: its folded scales, and where it is the score that of the normaliser.
void AttendFragments::openScale() {
  double ofScore = problem.scoreIsProduct ? problem.normaliser->scoreScale() : 1;
  RegionVectoriser batch = rows.formulas(1);
  Value factor = loops.scalar(ofScore);
  for (auto [by, divides] : product().scales)
    factor = divides ? loops.divf(factor, batch.evaluate(by)) : loops.mulf(factor, batch.evaluate(by));
  if (ofScore != 1 || !product().scales.empty())
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

/// What a row has before its first key counts once: the first of its lanes has it.
AttendFragments::States AttendFragments::start(int64_t values, bool withSink) {
  States start;
  Value isFirst = tiles.less(place.column, tiles.number(2));
  for (RegionVectoriser &point : rowPoints) {
    Value sink;
    if (withSink && problem.hasSink()) {
      sink = point.broadcast(point.evaluate(AttendProblem::yielded(op().getSink())));
      sink = loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
    }
    Normaliser::Carriers carriers = problem.normaliser->start(code(), sink);
    start.largest.push_back(lane(carriers.largest, 0));
    Value sum = pairOf(lane(carriers.sum, 0), loops.scalar(0));
    start.sums.push_back(loops.choose(isFirst, sum, loops.splat(0.0)));
  }
  start.values.assign(values / productColumns * sumsOfSquare, loops.scalar(0));
  return start;
}

//===------------------------------------------ scores ------------------------------------------------------------===//

LoopBuilder::Values AttendFragments::scoresOf(const KeyTile &tile, ValueRange sums) {
  int64_t squares = sums.size() / sumsOfSquare;
  Value end = loops.add(tile.first, squares * productColumns);
  Value isInside = loops.compare(arith::CmpIPredicate::sle, end, rows.range.end);
  SmallVector<Type> types(squares * rowsOfLane, loops.vectorType());
  return loops.select(
      loops.both(tile.all, isInside), types, [&] { return scoresOf(tile, sums, /*masked=*/false); },
      [&] { return scoresOf(tile, sums, /*masked=*/true); });
}

/// Zero in two lanes, or a NaN where one of the sums is no finite number.
Value AttendFragments::zeroTimes(ValueRange sums) {
  Value all = loops.splat(0.0);
  for (size_t first = 0; first < sums.size(); first += 2)
    all = loops.fma(pairOf(sums[first], sums[first + 1]), loops.splat(0.0), all);
  return all;
}

void AttendFragments::checkProducts(ValueRange sums, States &states) {
  Value zero = zeroTimes(sums);
  for (Value &sum : states.sums)
    sum = loops.addf(sum, zero);
}

/// The formulas of a row of the lane and its two keys of a square.
RegionVectoriser AttendFragments::bindPairs(const KeyTile &tile, int64_t square, int64_t row) {
  RegionVectoriser pair = rowPoints[row];
  Value first = loops.add(loops.add(tile.first, tiles.toIndex(place.column)), square * productColumns);
  bindKeyIndex(problem, pair, 0, steppingIndex(first));
  return pair;
}

LoopBuilder::Values AttendFragments::scoresOf(const KeyTile &tile, ValueRange sums, bool masked) {
  Values scores;
  for (int64_t square = 0; square * sumsOfSquare < static_cast<int64_t>(sums.size()); ++square)
    for (int64_t row = 0; row < rowsOfLane; ++row) {
      RegionVectoriser pair = bindPairs(tile, square, row);
      Value left = loops.sub(rows.range.end, pair.evaluateIndex(op().getScore().getArguments().back()).base);
      if (masked)
        pair.setActiveLanes(loops.max(loops.constant(0), left));
      Value inside = pair.laneMask();
      ValueRange two = sums.slice(square * sumsOfSquare + 2 * row, 2);
      Value sum = pairOf(two[0], two[1]);
      pair.bindValue(product().head, scale ? loops.mulf(sum, scale) : sum);
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

/// Of the four lanes that have a row.
Value AttendFragments::quadOf(attn::Combine kind, Value value) {
  return warp.combineNeighbours({kind, loops.builder.getF32Type()}, value, 4);
}

/// One instruction of a device: of a NaN and a number the number.
Value AttendFragments::greater(Value a, Value b) {
  return arith::MaxNumFOp::create(loops.builder, loops.location, a, b);
}

LoopBuilder::Values AttendFragments::raiseMaxima(ValueRange scores, States &states) {
  Values corrections;
  int64_t squares = scores.size() / rowsOfLane;
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value before = states.largest[row], most = before;
    for (int64_t square = 0; square < squares; ++square)
      for (int64_t key = 0; key < loops.lanes; ++key)
        most = greater(most, lane(scores[square * rowsOfLane + row], key));
    most = quadOf(attn::Combine::Max, most);
    Value correction = problem.normaliser->correction(code(), loops.splat(before), loops.splat(most));
    states.largest[row] = most;
    states.sums[row] = loops.mulf(states.sums[row], correction);
    corrections.push_back(lane(correction, 0));
  }
  return corrections;
}

void AttendFragments::correct(Values &values, ValueRange corrections, LoopBuilder &loops) {
  if (corrections.empty())
    return;
  for (auto [number, value] : llvm::enumerate(values))
    value = loops.mulf(value, corrections[number % sumsOfSquare / rowsOfLane]);
}

//===------------------------------------------ weights -----------------------------------------------------------===//

LoopBuilder::Values AttendFragments::weightsOf(const KeyTile &tile, ValueRange scores, States &states) {
  Values weights;
  int64_t squares = scores.size() / rowsOfLane;
  for (int64_t square = 0; square < squares; ++square)
    for (int64_t row = 0; row < rowsOfLane; ++row) {
      Normaliser::Carriers carriers = {loops.splat(states.largest[row]), states.sums[row]};
      auto [weight, sum] = problem.normaliser->weigh(code(), scores[square * rowsOfLane + row], carriers);
      states.sums[row] = sum;
      if (problem.hasWeight()) {
        RegionVectoriser pair = bindPairs(tile, square, row);
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

FragmentA AttendFragments::leftMatrix(MatrixType type, ValueRange weights, int64_t square) {
  FragmentA left;
  if (areWords(type)) {
    for (int64_t key = 0; key < 2; ++key)
      for (int64_t row = 0; row < rowsOfLane; ++row)
        left[key * rowsOfLane + row] = arith::BitcastOp::create(
            loops.builder, loops.location, loops.builder.getI32Type(), lane(weights[square * rowsOfLane + row], key));
    return left;
  }
  for (int64_t beside = 0; beside < 2; ++beside)
    for (int64_t row = 0; row < rowsOfLane; ++row) {
      Value pair = weights[(square + beside) * rowsOfLane + row];
      left[beside * rowsOfLane + row] = packPair(tiles, type, lane(pair, 0), lane(pair, 1));
    }
  return left;
}

SmallVector<FragmentA> AttendFragments::leftMatrices(MatrixType type, ValueRange weights) {
  SmallVector<FragmentA> all;
  int64_t squares = weights.size() / rowsOfLane;
  for (int64_t square = 0; square < squares; square += productDepth(type) / productColumns)
    all.push_back(leftMatrix(type, weights, square));
  return all;
}

//===------------------------------------------ results -----------------------------------------------------------===//

LoopBuilder::Values AttendFragments::totalsOf(const States &states) {
  return llvm::map_to_vector<2>(
      states.sums, [&](Value sum) { return quadOf(attn::Combine::Add, loops.addf(lane(sum, 0), lane(sum, 1))); });
}

void AttendFragments::finish(const States &states) {
  Values all(states.sums);
  all.push_back(zeroTimes(states.values));
  Value isNoNumber = loops.hasNan(all);
  Values totals = totalsOf(states);
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value sum = loops.splat(totals[row]);
    Value factor = lane(problem.normaliser->factor(code(), sum), 0);
    loops.when(rowExists[row], [&] { storeRow(row, states, factor, {loops.splat(states.largest[row]), sum}); });
  }
  repair(isNoNumber);
}

void AttendFragments::storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers) {
  for (int64_t square = 0; square * sumsOfSquare < static_cast<int64_t>(states.values.size()); ++square) {
    Value column = loops.add(tiles.toIndex(place.column), square * productColumns);
    RegionVectoriser element = rowPoints[row];
    SmallVector<LaneIndex> indices = outerIndices(problem, element);
    indices.push_back(steppingIndex(column));
    if (auto layout = op().getValueLayout())
      indices = permuted(indices, *layout);
    ValueRange two = ValueRange(states.values).slice(square * sumsOfSquare + 2 * row, 2);
    Value pair = pairOf(loops.mulf(two[0], factor), loops.mulf(two[1], factor));
    element.store(pair, frame.result(*problem.resultOf(attn::Statistic::Value)), indices);
  }
  auto lse = problem.resultOf(attn::Statistic::Lse);
  if (!lse)
    return;
  loops.when(tiles.less(place.column, tiles.number(2)), [&] {
    RegionVectoriser element = rowPoints[row];
    Value value = lane(problem.normaliser->lse(code(), carriers), 0);
    element.store(value, frame.result(*lse), outerIndices(problem, element));
  });
}

/// A warp with a sum that is no finite number computes its rows again, pair by pair.
void AttendFragments::repair(Value isNeeded) {
  OpBuilder &b = loops.builder;
  Value number = arith::ExtUIOp::create(b, loops.location, b.getI32Type(), isNeeded);
  Value any = warp.combine(SweepReduction{attn::Combine::Max, b.getI32Type()}, number)[0];
  loops.when(loops.isSet(any), [&] {
    warp.wait(); // other threads have stored what is stored again here
    int64_t rowsAtOnce = general.rowsOfWarp();
    Value end = loops.min(rows.rows, loops.add(firstRow, productRows));
    loops.loop(firstRow, end, loops.constant(rowsAtOnce), [&](Value row) { general.emitWarp(rows.batch, row); });
  });
}

} // namespace attnc
