// What a block computes with a tile of keys, and its results.
#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

AttendTiles::States AttendTiles::computeTile(const KeyTile &tile, Value stage, States states) {
  SmallVector<FragmentD> sums = products(stage);
  Value end = loops.add(tile.first, shape.keys);
  Value isInside = loops.compare(arith::CmpIPredicate::sle, end, range.end);
  SmallVector<Type> types(shape.squares() * rowsOfLane, loops.vectorType());
  Values scores = loops.select(
      loops.both(tile.all, isInside), types, [&] { return scoresOf(tile, sums, /*masked=*/false); },
      [&] { return scoresOf(tile, sums, /*masked=*/true); });
  if (problem.normaliser->usesMaximum())
    raiseMaxima(scores, states);
  Values weights = weightsOf(tile, scores, states);
  addValues(stage, weights, states);
  return states;
}

//===------------------------------------------ scores ------------------------------------------------------------===//

/// Q K^T, a fragment for each 8 keys.
SmallVector<FragmentD> AttendTiles::products(Value stage) {
  SmallVector<FragmentD> sums(shape.squares(), zeroFragment(tiles));
  Value here = keyTile.stage(tiles, stage), ofQueries = queryTile.stage(tiles, tiles.number(0));
  FragmentReader readQueries(tiles, queryTile, FragmentReader::Matrix::A, /*columnsAreDepth=*/true, laneNumber,
                             tiles.mul(warpNumber, productRows), nullptr);
  for (int64_t unit = 0; unit < keyTile.rowUnits(); unit += 2) {
    FragmentA query = readQueries.read(ofQueries, 0, unit);
    for (int64_t square = 0; square < shape.squares(); square += 2) {
      std::array<Value, 4> two = readKeys->read(here, square * productColumns, unit);
      sums[square] = multiplyAdd(tiles, shape.type, query, {two[0], two[1]}, sums[square]);
      sums[square + 1] = multiplyAdd(tiles, shape.type, query, {two[2], two[3]}, sums[square + 1]);
    }
  }
  return sums;
}

/// The formulas of a row of the lane and its two keys of a square.
RegionVectoriser AttendTiles::bindPairs(const KeyTile &tile, int64_t square, int64_t row) {
  RegionVectoriser pair = rowPoints[row];
  Value first = loops.add(loops.add(tile.first, tiles.toIndex(place.column)), square * productColumns);
  bindKeyIndex(problem, pair, 0, steppingIndex(first));
  return pair;
}

/// Scores as the normaliser takes them, [square][row].
LoopBuilder::Values AttendTiles::scoresOf(const KeyTile &tile, ArrayRef<FragmentD> sums, bool masked) {
  OpBuilder &b = loops.builder;
  Values scores;
  for (auto [square, fragment] : llvm::enumerate(sums))
    for (int64_t row = 0; row < rowsOfLane; ++row) {
      RegionVectoriser pair = bindPairs(tile, square, row);
      Value left = loops.sub(range.end, pair.evaluateIndex(op().getScore().getArguments().back()).base);
      if (masked)
        pair.setActiveLanes(loops.max(loops.constant(0), left));
      Value inside = pair.laneMask();
      pair.bindValue(attn::ReduceOp(product().op).getResult(),
                     vector::FromElementsOp::create(b, loops.location, loops.vectorType(),
                                                    ValueRange{fragment[2 * row], fragment[2 * row + 1]}));
      Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op().getScore())));
      if (double scale = problem.normaliser->scoreScale(); scale != 1)
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
Value AttendTiles::quadOf(attn::Combine kind, Value value) {
  return warp.combineNeighbours({kind, loops.builder.getF32Type()}, value, 4);
}

/// The rows' largest scores with those of a tile; what was summed before is multiplied with the correction.
void AttendTiles::raiseMaxima(const Values &scores, States &states) {
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value before = states.largest[row], most = before;
    for (int64_t square = 0; square < shape.squares(); ++square)
      for (int64_t key = 0; key < loops.lanes; ++key)
        most = loops.maxKeepingFirst(most, lane(scores[square * rowsOfLane + row], key));
    most = quadOf(attn::Combine::Max, most);
    Value correction = problem.normaliser->correction(code(), loops.splat(before), loops.splat(most));
    states.largest[row] = most;
    states.sums[row] = loops.mulf(states.sums[row], correction);
    Value factor = lane(correction, 0);
    for (FragmentD &fragment : states.values)
      for (int64_t column = 0; column < 2; ++column)
        fragment[2 * row + column] = loops.mulf(fragment[2 * row + column], factor);
  }
}

/// [square][row]; the rows' sums go on.
LoopBuilder::Values AttendTiles::weightsOf(const KeyTile &tile, const Values &scores, States &states) {
  Values weights;
  for (int64_t square = 0; square < shape.squares(); ++square)
    for (int64_t row = 0; row < rowsOfLane; ++row) {
      Normaliser::Carriers carriers = {loops.splat(states.largest[row]), states.sums[row]};
      auto [weight, sum] = problem.normaliser->weigh(code(), scores[square * rowsOfLane + row], carriers);
      states.sums[row] = sum;
      if (problem.hasWeight()) {
        RegionVectoriser pair = bindPairs(tile, square, row);
        Value left = loops.sub(range.end, pair.evaluateIndex(op().getWeight().getArguments().back()).base);
        pair.setActiveLanes(loops.max(loops.constant(0), left));
        pair.bindValue(op().getWeight().getArgument(0), weight);
        weight = loops.choose(pair.laneMask(), pair.broadcast(pair.evaluate(AttendProblem::yielded(op().getWeight()))),
                              loops.splat(0.0));
      }
      weights.push_back(weight);
    }
  return weights;
}

//===------------------------------------------ values ------------------------------------------------------------===//

/// O += P V: 16 keys at a time, whose weights are the left matrix.
void AttendTiles::addValues(Value stage, const Values &weights, States &states) {
  Value here = valueTile.stage(tiles, stage);
  for (int64_t square = 0; square < shape.squares(); square += 2) {
    FragmentA weight;
    for (int64_t beside = 0; beside < 2; ++beside)
      for (int64_t row = 0; row < rowsOfLane; ++row) {
        Value pair = weights[(square + beside) * rowsOfLane + row];
        weight[beside * rowsOfLane + row] = packPair(tiles, shape.type, lane(pair, 0), lane(pair, 1));
      }
    for (int64_t column = 0; column < static_cast<int64_t>(states.values.size()); column += 2) {
      std::array<Value, 4> two = readValues->read(here, square * productColumns, column);
      FragmentD &left = states.values[column], &right = states.values[column + 1];
      left = multiplyAdd(tiles, shape.type, weight, {two[0], two[1]}, left);
      right = multiplyAdd(tiles, shape.type, weight, {two[2], two[3]}, right);
    }
  }
}

//===------------------------------------------ results -----------------------------------------------------------===//

void AttendTiles::finish(States states) {
  awaitCopies(tiles, 0);
  Values all;
  for (const FragmentD &fragment : states.values)
    for (Value value : fragment)
      all.push_back(loops.splat(value));
  Value hasNan = loops.hasNan(all);
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value share = loops.addf(lane(states.sums[row], 0), lane(states.sums[row], 1));
    Value sum = loops.splat(quadOf(attn::Combine::Add, share));
    Value factor = lane(problem.normaliser->factor(code(), sum), 0);
    loops.when(rowExists[row], [&] { storeRow(row, states, factor, {loops.splat(states.largest[row]), sum}); });
  }
  repair(hasNan);
}

void AttendTiles::storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers) {
  OpBuilder &b = loops.builder;
  for (auto [square, fragment] : llvm::enumerate(states.values)) {
    Value column = loops.add(tiles.toIndex(place.column), square * productColumns);
    RegionVectoriser element = rowPoints[row];
    SmallVector<LaneIndex> indices = outerIndices(problem, element);
    indices.push_back(steppingIndex(column));
    if (auto layout = op().getValueLayout())
      indices = permuted(indices, *layout);
    Value pair = vector::FromElementsOp::create(
        b, loops.location, loops.vectorType(),
        ValueRange{loops.mulf(fragment[2 * row], factor), loops.mulf(fragment[2 * row + 1], factor)});
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

/// A warp in whose sums a NaN turned up computes its rows again, pair by pair.
void AttendTiles::repair(Value hasNan) {
  OpBuilder &b = loops.builder;
  Value number = arith::ExtUIOp::create(b, loops.location, b.getI32Type(), hasNan);
  Value any = warp.combine(SweepReduction{attn::Combine::Max, b.getI32Type()}, number)[0];
  loops.when(loops.isSet(any), [&] {
    warp.wait(); // other threads have stored what is stored again here
    int64_t rowsAtOnce = general.rowsOfWarp();
    Value first = loops.add(firstRow, loops.mul(tiles.toIndex(warpNumber), productRows));
    Value end = loops.min(rows, loops.add(first, productRows));
    loops.loop(first, end, loops.constant(rowsAtOnce), [&](Value row) { general.emitWarp(batchNumber, row); });
  });
}

} // namespace attnc
