// Weights and gradients of the pairs of a block: two products with panels, and formulas on vectors of keys.
#include "compiler/Codegen/CPU/Attend/AttendExp.h"
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// Terms of a product that one turn of the loop adds, where their number is known.
static constexpr int64_t termsAtOnce = 2;

//===-------------------------------------------- products ----------------------------------------------------===//

/// Calls `body` for tiles of `rows` rows, then for the rows that are left one by one.
void AttendGradient::forEachTile(Value count, int64_t rows, function_ref<void(Value, int64_t)> body) {
  Value zero = loops.constant(0), step = loops.constant(rows);
  Value whole = loops.mul(loops.div(count, step), rows);
  loops.loop(zero, whole, step, [&](Value row) { body(row, rows); });
  auto known = LoopBuilder::constantOf(count);
  if (!known || *known % rows != 0)
    loops.loop(whole, count, loops.constant(1), [&](Value row) { body(row, 1); });
}

/// sums[i][v] += sum_k left(i, k) right(v, k)
LoopBuilder::Values AttendGradient::multiply(TileSize size, Value count, Values sums, Left left, Right right) {
  auto addTerm = [&](Value k, ValueRange before) {
    Values factors, next;
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      factors.push_back(right(vector, k));
    for (int64_t i = 0; i < size.rows; ++i) {
      Value factor = loops.splat(left(i, k));
      for (Value vector : factors)
        next.push_back(loops.fma(factor, vector, before[next.size()]));
    }
    return next;
  };
  auto known = LoopBuilder::constantOf(count);
  int64_t step = known && *known % termsAtOnce == 0 ? termsAtOnce : 1;
  return loops.loop(loops.constant(0), count, loops.constant(step), sums, [&](Value first, ValueRange carried) {
    Values next(carried);
    for (int64_t i = 0; i < step; ++i)
      next = addTerm(loops.add(first, i), next);
    return next;
  });
}

/// tile[row + i][key] = rowTerms[row + i] + sum_f matrix[row + i][f] panel[f][key], for all keys of a block.
void AttendGradient::multiplyByPanel(const Matrix &matrix, Value panel, Value tile, const Block &block, Value row,
                                     int64_t tileRows, Value rowTerms) {
  int64_t panelLanes = schedule.panelLanes(), features = vectorsOf(matrix.columns) * schedule.lanes;
  Values offsets, sums;
  for (int64_t i = 0; i < tileRows; ++i) {
    Value number = loops.add(loops.add(block.firstRow, row), i);
    offsets.push_back(matrix.offsetOf(number));
    Value start = rowTerms ? loops.splat(loops.loadScalar(rowTerms, {number})) : loops.splat(0.0);
    sums.append(schedule.vectors, start);
  }
  auto multiplyPanel = [&](Value firstLane) {
    auto left = [&](int64_t i, Value feature) {
      return loops.loadScalar(matrix.flat, {loops.add(offsets[i], feature)});
    };
    auto right = [&](int64_t vector, Value feature) {
      Value start = loops.add(loops.mul(firstLane, features), loops.mul(feature, panelLanes));
      return loops.load(panel, ValueRange{loops.add(start, at(vector))});
    };
    TileSize size = {tileRows, schedule.vectors};
    Values products = multiply(size, loops.constant(matrix.columns), sums, left, right);
    for (int64_t i = 0; i < tileRows; ++i)
      for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
        Value line = loops.add(loops.mul(loops.add(row, i), schedule.tileKv), firstLane);
        loops.store(products[i * schedule.vectors + vector], tile, ValueRange{loops.add(line, at(vector))});
      }
  };
  if (schedule.tileKv == panelLanes)
    return multiplyPanel(loops.constant(0));
  Value used = block.isWhole ? loops.constant(schedule.tileKv) : block.keyCount;
  loops.loop(loops.constant(0), used, loops.constant(panelLanes), multiplyPanel);
}

/// The formulas of a row and one vector of the block's keys; products are not bound.
RegionVectoriser AttendGradient::bindPair(const RegionVectoriser &point, const Block &block, int64_t vector) {
  RegionVectoriser pair = point;
  Value first = loops.add(block.firstKey, at(vector));
  for (auto [dimension, index] : llvm::enumerate(steppingSubscripts(loops, first, keySizes)))
    bindKeyIndex(attend, pair, dimension, index);
  if (!block.isWhole)
    pair.setActiveLanes(loops.max(loops.constant(0), loops.sub(block.keyCount, at(vector))));
  return pair;
}

//===-------------------------------------------- weights -----------------------------------------------------===//

void AttendGradient::computeWeights(const Block &block) {
  forEachTile(block.rowCount, schedule.rowsOf(schedule.vectors), [&](Value row, int64_t tileRows) {
    for (auto [number, dot] : llvm::enumerate(problem.dots)) {
      Matrix matrix = rowsOf(dot.rowFactor, dot.feature, frame.buffer(dot.rowFactor.getTensor()), dot.features);
      multiplyByPanel(matrix, keyPanels[number], scoreTiles[number], block, row, tileRows, {});
    }
    finishWeights(block, row, tileRows);
  });
}

void AttendGradient::finishWeights(const Block &block, Value firstRow, int64_t tileRows) {
  loops.loop(loops.constant(0), loops.constant(tileRows), loops.constant(1), [&](Value i) {
    Value row = loops.add(firstRow, i), number = loops.add(block.firstRow, row);
    RegionVectoriser point = bindRow(number);
    Value rowTerm = loops.splat(loops.loadScalar(rowLse, {number}));
    for (int64_t vector = 0; vector < keyVectors(); ++vector) {
      RegionVectoriser pair = bindPair(point, block, vector);
      finishWeight(block, pair, loops.add(loops.mul(row, schedule.tileKv), at(vector)), rowTerm);
    }
  });
}

void AttendGradient::finishWeight(const Block &block, RegionVectoriser &pair, Value place, Value rowTerm) {
  attn::AttendOp op = attend.op;
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    pair.bindValue(attend.products[dot.product].head, loops.load(scoreTiles[number], ValueRange{place}));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  Value exponent = attend.scoreIsProduct ? loops.addf(score, rowTerm) : loops.fma(score, loops.splat(log2e), rowTerm);
  if (!block.isWhole && attend.hasMask()) {
    Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
    exponent = loops.choose(keeps, exponent, loops.splat(-std::numeric_limits<double>::infinity()));
  }
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, keptTiles))
    loops.store(pair.broadcast(pair.evaluate(partial)), tile, ValueRange{place});
  loops.store(attendExp2(loops, exponent, target), scoreTiles[0], ValueRange{place});
}

//===-------------------------------------------- gradients of scores -----------------------------------------===//

void AttendGradient::computePairGradients(const Block &block) {
  Matrix cotangents = valueRowsOf(problem.valueCotangent);
  forEachTile(block.rowCount, schedule.rowsOf(schedule.vectors), [&](Value row, int64_t tileRows) {
    multiplyByPanel(cotangents, valuePanel, gradientTiles[0], block, row, tileRows, rowDelta);
    finishPairGradients(block, row, tileRows);
  });
}

void AttendGradient::finishPairGradients(const Block &block, Value firstRow, int64_t tileRows) {
  loops.loop(loops.constant(0), loops.constant(tileRows), loops.constant(1), [&](Value i) {
    Value row = loops.add(firstRow, i);
    RegionVectoriser point = bindRow(loops.add(block.firstRow, row));
    for (int64_t vector = 0; vector < keyVectors(); ++vector) {
      RegionVectoriser pair = bindPair(point, block, vector);
      finishPairGradient(block, pair, loops.add(loops.mul(row, schedule.tileKv), at(vector)));
    }
  });
}

/// Turns nd + dO V into the gradients of the score's leaves.
void AttendGradient::finishPairGradient(const Block &block, RegionVectoriser &pair, Value place) {
  Value weight = loops.load(scoreTiles[0], ValueRange{place}), zero = loops.splat(0.0);
  Value gradient = loops.mulf(loops.load(gradientTiles[0], ValueRange{place}), weight);
  bool mayVanish = !block.isWhole || !attend.scoreIsProduct;
  Value counts = mayVanish ? loops.compare(arith::CmpFPredicate::UNE, weight, zero) : Value();
  auto guarded = [&](Value value) { return counts ? loops.choose(counts, value, zero) : value; };
  if (problem.isFolded)
    return loops.store(guarded(gradient), gradientTiles[0], ValueRange{place});
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, keptTiles))
    pair.bindValue(partial, loops.load(tile, ValueRange{place}));
  auto of = [&](Value partial) {
    bool isOne = matchPattern(partial, m_OneFloat());
    return guarded(isOne ? gradient : loops.mulf(gradient, pair.broadcast(pair.evaluate(partial))));
  };
  Value active = pair.laneMask();
  for (const GradientTerm &term : problem.terms) {
    Value ofTerm = of(term.partial);
    addTerm(term, pair, active ? loops.choose(active, ofTerm, zero) : ofTerm, active);
  }
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    if (dot.rowResult || dot.keyResult)
      loops.store(loops.mulf(of(dot.partial), loops.splat(dotScales[number])), gradientTiles[number],
                  ValueRange{place});
}

/// Adds a vector of gradients to the elements that the term has read; inactive lanes are zero.
void AttendGradient::addTerm(const GradientTerm &term, RegionVectoriser &pair, Value gradient, Value active) {
  OpBuilder &builder = loops.builder;
  Location location = loops.location;
  Value memref = frame.result(term.result);
  tensor::ExtractOp extract = term.extract;
  SmallVector<LaneIndex> subscripts;
  Values bases;
  bool isUniform = true;
  for (auto [dimension, index] : llvm::enumerate(extract.getIndices())) {
    LaneIndex subscript = pair.clampedSubscript(extract, dimension);
    isUniform = isUniform && subscript.isUniform();
    bases.push_back(subscript.base);
    subscripts.push_back(subscript);
  }
  if (isUniform) {
    Value sum = vector::ReductionOp::create(builder, location, vector::CombiningKind::ADD, gradient,
                                            arith::FastMathFlags::reassoc);
    return loops.storeScalar(loops.addf(loops.loadScalar(memref, bases), sum), memref, bases);
  }
  bool isRun = llvm::all_of(ArrayRef(subscripts).drop_back(), [](auto &each) { return each.isUniform(); }) &&
               !subscripts.back().lanes && subscripts.back().step == 1;
  if (isRun && !active)
    return loops.store(loops.addf(loops.load(memref, bases), gradient), memref, bases);
  if (isRun) {
    Value before =
        vector::MaskedLoadOp::create(builder, location, loops.vectorType(), memref, bases, active, loops.splat(0.0));
    vector::MaskedStoreOp::create(builder, location, memref, bases, active, loops.addf(before, gradient));
    return;
  }
  // Lanes may meet in one element: one after the other.
  Values lanes;
  for (const LaneIndex &subscript : subscripts)
    lanes.push_back(subscript.isUniform() ? Value() : pair.broadcast(subscript));
  loops.loop(loops.constant(0), loops.constant(schedule.lanes), loops.constant(1), [&](Value lane) {
    auto laneOf = [&](Value vector) -> Value { return vector::ExtractOp::create(builder, location, vector, lane); };
    Values place;
    for (auto [base, vector] : llvm::zip(bases, lanes))
      place.push_back(
          vector ? arith::IndexCastOp::create(builder, location, builder.getIndexType(), laneOf(vector)).getResult()
                 : base);
    loops.when(active ? laneOf(active) : loops.boolean(true), [&] {
      loops.storeScalar(loops.addf(loops.loadScalar(memref, place), laneOf(gradient)), memref, place);
    });
  });
}

} // namespace attnc
