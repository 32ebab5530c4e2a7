// Weights and gradients of the pairs of a block: two products with panels, and formulas on vectors of keys.
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <functional>
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

/// sums[i][v] += sum_k left(i, k) right(v, k); without the terms whose left factor is 0, or with them.
LoopBuilder::Values AttendGradient::multiply(TileSize size, Value begin, Value end, Values sums, Left left, Right right,
                                             bool skipsZeros) {
  auto addTerm = [&](Value k, ValueRange before) {
    Values factors, next;
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      factors.push_back(right(vector, k));
    for (int64_t i = 0; i < size.rows; ++i) {
      Value scalar = left(i, k), factor = loops.splat(scalar);
      Value counts = skipsZeros ? loops.compare(arith::CmpFPredicate::UNE, scalar, loops.scalar(0.0)) : Value();
      for (Value vector : factors) {
        Value sum = before[next.size()], added = loops.fma(factor, vector, sum);
        next.push_back(counts ? loops.choose(counts, added, sum) : added);
      }
    }
    return next;
  };
  auto known = LoopBuilder::constantOf(begin) == 0 ? LoopBuilder::constantOf(end) : std::nullopt;
  int64_t step = known && *known % termsAtOnce == 0 && !skipsZeros ? termsAtOnce : 1;
  return loops.loop(begin, end, loops.constant(step), sums, [&](Value first, ValueRange carried) {
    Values next(carried);
    for (int64_t i = 0; i < step; ++i)
      next = addTerm(loops.add(first, i), next);
    return next;
  });
}

/// Calls `body` for the register tiles of a block's pairs: with their first row, and how many rows and vectors of keys
/// each has. A block of fewer keys than a panel has lanes takes narrower ones.
void AttendGradient::forEachPairTile(const Block &block, function_ref<void(Value, TileSize)> body) {
  auto tilesOf = [&](int64_t vectors) {
    int64_t rows = block.isTrimmed ? stepOfEnds : schedule.rowsOf(vectors);
    forEachTile(block.rowCount, rows, [&](Value row, int64_t tileRows) { body(row, {tileRows, vectors}); });
  };
  std::function<void(int64_t)> narrowest = [&](int64_t vectors) {
    if (vectors >= schedule.vectors)
      return tilesOf(schedule.vectors);
    Value areFew = loops.less(block.keyCount, loops.constant(vectors * schedule.lanes + 1));
    loops.branch(
        areFew, [&] { tilesOf(vectors); }, [&] { narrowest(2 * vectors); });
  };
  bool mayBeFew = !block.isWhole && schedule.tileKv == schedule.panelLanes() && problem.tanhs.empty();
  narrowest(mayBeFew ? 1 : schedule.vectors);
}

/// Takes what `finish` makes of  rowTerms[row + i] + sum_f matrix[row + i][f] panel[f][key] to
/// tile[row + i][key], for all keys of a block.
void AttendGradient::multiplyByPanel(const Matrix &matrix, Value panel, Value tile, const Block &block, Value row,
                                     TileSize size, Value rowTerms, Finish finish) {
  int64_t panelLanes = schedule.panelLanes(), features = vectorsOf(matrix.columns) * schedule.lanes;
  Values offsets, sums;
  for (int64_t i = 0; i < size.rows; ++i) {
    Value number = loops.add(loops.add(block.firstRow, row), i);
    offsets.push_back(matrix.offsetOf(number));
    Value start = rowTerms ? loops.splat(loops.loadScalar(rowTerms, {number})) : loops.splat(0.0);
    sums.append(size.vectors, start);
  }
  auto multiplyPanel = [&](Value firstLane) {
    auto left = [&](int64_t i, Value feature) {
      return loops.loadScalar(matrix.flat, {loops.add(offsets[i], feature)});
    };
    auto right = [&](int64_t vector, Value feature) {
      Value start = loops.add(loops.mul(firstLane, features), loops.mul(feature, panelLanes));
      return loops.load(panel, ValueRange{loops.add(start, at(vector))});
    };
    Values products = multiply(size, loops.constant(0), loops.constant(matrix.columns), sums, left, right);
    for (int64_t i = 0; i < size.rows; ++i)
      for (int64_t vector = 0; vector < size.vectors; ++vector) {
        Value lane = loops.add(firstLane, at(vector)), product = products[i * size.vectors + vector];
        loops.store(finish(i, lane, product), tile, ValueRange{tileAt(loops.add(row, i), lane)});
      }
  };
  if (schedule.tileKv == panelLanes)
    return multiplyPanel(loops.constant(0));
  Value used = block.isWhole ? loops.constant(schedule.tileKv) : block.keyCount;
  loops.loop(loops.constant(0), used, loops.constant(panelLanes), multiplyPanel);
}

/// The formulas of a row and one vector of the block's keys; products are not bound.
RegionVectoriser AttendGradient::bindPair(const RegionVectoriser &point, const Block &block, Value lane) {
  RegionVectoriser pair = point;
  Value first = loops.add(block.firstKey, lane);
  for (auto [dimension, index] : llvm::enumerate(steppingSubscripts(loops, first, keySizes)))
    bindKeyIndex(attend, pair, dimension, index);
  if (!block.isWhole)
    pair.setActiveLanes(loops.max(loops.constant(0), loops.sub(block.keyCount, lane)));
  return pair;
}

std::vector<RegionVectoriser> AttendGradient::bindTileRows(const Block &block, Value row, int64_t tileRows) {
  std::vector<RegionVectoriser> points;
  for (int64_t i = 0; i < tileRows; ++i)
    points.push_back(bindRow(loops.add(loops.add(block.firstRow, row), i)));
  return points;
}

/// Short formulas are evaluated on a product before it leaves the registers; others in a loop of their own, which is
/// there once and not for each register.
bool AttendGradient::finishesInRegisters(const Block &block) {
  constexpr int64_t most = 96;
  attn::AttendOp op = attend.op;
  bool readsPairsAlone = llvm::all_of(problem.terms, [&](const GradientTerm &term) {
    return llvm::any_of(attend.pairExtracts, [&](const PairExtract &each) { return each.op == term.extract; });
  });
  return block.isWhole && problem.dots.size() == 1 && problem.tanhs.empty() && op.getNumKeys() == 1 &&
         readsPairsAlone && costOf(op.getScore()).instructions <= most;
}

/// Runs `compute` for a tile of rows, or leaves it zero where its rows keep nothing of the block.
void AttendGradient::computeTile(const Block &block, Value row, int64_t tileRows, function_ref<void()> compute) {
  if (!block.isTrimmed)
    return compute();
  Value end = endAt(loops.div(row, loops.constant(stepOfEnds))), zero = loops.splat(0.0);
  loops.branch(loops.less(loops.constant(0), end), compute, [&] {
    for (auto [scores, gradients] : llvm::zip(scoreTiles, gradientTiles))
      for (int64_t i = 0; i < tileRows; ++i)
        for (int64_t vector = 0; vector < keyVectors(); ++vector) {
          Value place = tileAt(loops.add(row, i), at(vector));
          loops.store(zero, scores, ValueRange{place});
          loops.store(zero, gradients, ValueRange{place});
        }
  });
}

/// Asks for what the score reads of a row's pairs (a learned bias), or for where its gradient lies, a block ahead.
void AttendGradient::prefetchPairs(const Block &block, Value row, int64_t tileRows, bool ofResults) {
  constexpr int64_t lineFloats = 16;
  for (const PairExtract &each : attend.pairExtracts) {
    tensor::ExtractOp extract = each.op;
    if (!op().getScore().isAncestor(extract->getParentRegion()))
      continue;
    auto term = llvm::find_if(problem.terms, [&](const GradientTerm &term) { return term.extract == extract; });
    if (ofResults && term == problem.terms.end())
      continue;
    Value memref = ofResults ? frame.result(term->result) : frame.buffer(extract.getTensor());
    for (int64_t i = 0; i < tileRows; ++i) {
      RegionVectoriser point = bindRow(loops.add(loops.add(loops.add(block.firstRow, row), i), schedule.tileQ));
      for (int64_t lane = 0; lane < schedule.tileKv; lane += lineFloats) {
        RegionVectoriser pair = point;
        bindKeyIndex(attend, pair, 0, uniformIndex(loops.add(block.firstKey, lane)));
        loops.prefetch(memref, subscriptsOf(pair, extract), /*locality=*/2);
      }
    }
  }
}

//===-------------------------------------------- weights -----------------------------------------------------===//

void AttendGradient::computeWeights(const Block &block) {
  bool inRegisters = finishesInRegisters(block);
  forEachPairTile(block, [&](Value row, TileSize size) {
    std::vector<RegionVectoriser> points = bindTileRows(block, row, inRegisters ? size.rows : 0);
    auto finish = [&](int64_t i, Value lane, Value product) {
      if (!inRegisters)
        return product;
      Value inBlock = loops.add(row, i);
      RegionVectoriser pair = bindPair(points[i], block, lane);
      pair.bindValue(attend.products[problem.dots[0].product].head, product);
      Value rowTerm = loops.splat(loops.loadScalar(rowLse, {loops.add(block.firstRow, inBlock)}));
      return finishWeight(block, pair, tileAt(inBlock, lane), rowTerm);
    };
    computeTile(block, row, size.rows, [&] {
      for (auto [number, dot] : llvm::enumerate(problem.dots)) {
        Matrix matrix = rowsOf(dot.rowFactor, dot.feature, frame.buffer(dot.rowFactor.getTensor()), dot.features);
        multiplyByPanel(matrix, keyPanels[number], scoreTiles[number], block, row, size, {}, finish);
      }
      for (unsigned number = 0; number < problem.tanhs.size(); ++number)
        sumTanhs(number, row, size.rows);
      if (!inRegisters)
        finishWeights(block, row, size);
    });
    prefetchPairs(block, row, size.rows, /*ofResults=*/false);
  });
}

void AttendGradient::finishWeights(const Block &block, Value firstRow, TileSize size) {
  int64_t vectors = vectorsOfBlock(size);
  loops.loop(loops.constant(0), loops.constant(size.rows), loops.constant(1), [&](Value i) {
    Value row = loops.add(firstRow, i), number = loops.add(block.firstRow, row);
    RegionVectoriser point = bindRow(number);
    Value rowTerm = loops.splat(loops.loadScalar(rowLse, {number}));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      RegionVectoriser pair = bindPair(point, block, at(vector));
      Value place = tileAt(row, at(vector));
      for (auto [number, dot] : llvm::enumerate(problem.dots))
        pair.bindValue(attend.products[dot.product].head, loops.load(scoreTiles[number], ValueRange{place}));
      for (auto [number, tanh] : llvm::enumerate(problem.tanhs))
        pair.bindValue(attend.products[tanh.product].head,
                       loops.load(scoreTiles[problem.dots.size() + number], ValueRange{place}));
      loops.store(finishWeight(block, pair, place, rowTerm), scoreTiles[0], ValueRange{place});
    }
  });
}

/// The weights of pairs whose products are bound; keeps the derivatives that depend on products.
Value AttendGradient::finishWeight(const Block &block, RegionVectoriser &pair, Value place, Value rowTerm) {
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op().getScore())));
  Value exponent = attend.scoreIsProduct ? loops.addf(score, rowTerm) : loops.fma(score, loops.splat(log2e), rowTerm);
  if (!block.isWhole && attend.hasMask()) {
    Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op().getMask())));
    exponent = loops.choose(keeps, exponent, loops.splat(-std::numeric_limits<double>::infinity()));
  }
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, keptTiles))
    loops.store(pair.broadcast(pair.evaluate(partial)), tile, ValueRange{place});
  return attendExp2(loops, exponent, target);
}

//===-------------------------------------------- gradients of scores -----------------------------------------===//

void AttendGradient::computePairGradients(const Block &block) {
  Matrix cotangents = valueRowsOf(problem.cotangentOf(attn::Statistic::Value));
  bool inRegisters = finishesInRegisters(block);
  forEachPairTile(block, [&](Value row, TileSize size) {
    std::vector<RegionVectoriser> points = bindTileRows(block, row, inRegisters ? size.rows : 0);
    auto finish = [&](int64_t i, Value lane, Value product) {
      if (!inRegisters)
        return product;
      RegionVectoriser pair = bindPair(points[i], block, lane);
      return finishPairGradient(block, pair, tileAt(loops.add(row, i), lane), product);
    };
    computeTile(block, row, size.rows, [&] {
      multiplyByPanel(cotangents, valuePanel, gradientTiles[0], block, row, size, rowDelta, finish);
      if (!inRegisters)
        finishPairGradients(block, row, size);
    });
    prefetchPairs(block, row, size.rows, /*ofResults=*/true);
  });
}

void AttendGradient::finishPairGradients(const Block &block, Value firstRow, TileSize size) {
  int64_t vectors = vectorsOfBlock(size);
  loops.loop(loops.constant(0), loops.constant(size.rows), loops.constant(1), [&](Value i) {
    Value row = loops.add(firstRow, i);
    RegionVectoriser point = bindRow(loops.add(block.firstRow, row));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      RegionVectoriser pair = bindPair(point, block, at(vector));
      Value place = tileAt(row, at(vector)), gradient = loops.load(gradientTiles[0], ValueRange{place});
      loops.store(finishPairGradient(block, pair, place, gradient), gradientTiles[0], ValueRange{place});
    }
  });
}

/// Turns nd + dO V into the gradients of the score's leaves, and gives that of the first product.
Value AttendGradient::finishPairGradient(const Block &block, RegionVectoriser &pair, Value place, Value gradient) {
  Value weight = loops.load(scoreTiles[0], ValueRange{place}), zero = loops.splat(0.0);
  gradient = loops.mulf(gradient, weight);
  bool mayVanish = !block.isWhole || !attend.scoreIsProduct;
  Value counts = mayVanish ? loops.compare(arith::CmpFPredicate::UNE, weight, zero) : Value();
  auto guarded = [&](Value value) { return counts ? loops.choose(counts, value, zero) : value; };
  if (problem.isFolded)
    return guarded(gradient);
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, keptTiles))
    pair.bindValue(partial, loops.load(tile, ValueRange{place}));
  auto of = [&](Value partial) {
    bool isOne = matchPattern(partial, m_OneFloat());
    return guarded(isOne ? gradient : loops.mulf(gradient, pair.broadcast(pair.evaluate(partial))));
  };
  for (auto [term, first] : llvm::zip(problem.terms, isFirst))
    addGradient(term.result, term.extract, pair, of(term.partial), first);
  Value ofFirst = gradient;
  auto pass = [&](size_t number, Value partial, Value scale) {
    Value ofProduct = loops.mulf(of(partial), scale);
    if (number == 0)
      ofFirst = ofProduct;
    else
      loops.store(ofProduct, gradientTiles[number], ValueRange{place});
  };
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    if (dot.rowResult || dot.keyResult)
      pass(number, dot.partial, loops.splat(dotScales[number]));
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs))
    if (tanh.isWanted())
      pass(problem.dots.size() + number, tanh.partial, tanhTiles[number].scale);
  return ofFirst;
}

} // namespace attnc
