#include "compiler/Codegen/CPU/AttendGradient/Tiled/ScoreGradients.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;

namespace attnc {

ScoreGradients::ScoreGradients(const TiledContext &context, const MatrixRows &matrices, const KeyPanels &panels,
                               const PairTerms &terms, const TrimmedTiles &trimmed,
                               std::vector<AdditiveGradient> &additive, const GradientTiles &tiles)
    : TiledContext(context), matrices(matrices), panels(panels), terms(terms), trimmed(trimmed), additive(additive),
      tiles(tiles) {}

//===-------------------------------------------- register tiles ----------------------------------------------===//

/// Calls `body` for the register tiles of a block's pairs, with their first row. A block of fewer keys than a panel has
/// lanes takes narrower ones. Rows of the last tile may not exist (rowIn), except with additive scores.
void ScoreGradients::forEachTileOf(const PairBlock &block, function_ref<void(Value, RegisterTile)> body) {
  auto tilesOf = [&](int64_t vectors) {
    int64_t rows = block.isTrimmed ? TrimmedTiles::step : schedule.rowsOf(vectors);
    if (problem.tanhs.empty())
      loops.loop(loops.constant(0), block.rowCount, rows, [&](Value row) { body(row, RegisterTile{rows, vectors}); });
    else
      forEachTile(loops, block.rowCount, rows, [&](Value row, int64_t tileRows) {
        body(row, RegisterTile{tileRows, vectors});
      });
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

/// The number in the batch of a row of a block; that of the block's last row for a row that does not exist.
Value ScoreGradients::rowIn(const PairBlock &block, Value row) {
  return loops.add(block.firstRow, block.isWhole ? row : loops.min(row, loops.add(block.rowCount, -1)));
}

/// Stores finish(rowTerms[row + i] + sum_f matrix[row + i][f] panel[f][key]) in tile[row + i][key], for all keys of a
/// block.
void ScoreGradients::multiplyByPanel(const PanelProduct &product, const PairBlock &block, Value row, RegisterTile size,
                                     Finish finish) {
  const Matrix &matrix = product.matrix;
  int64_t panelLanes = schedule.panelLanes(), features = schedule.paddedTo(matrix.columns);
  Values offsets, sums;
  for (int64_t i = 0; i < size.rows; ++i) {
    Value number = rowIn(block, loops.add(row, i));
    offsets.push_back(matrix.offsetOf(number));
    Value start = product.rowTerms ? loops.splat(loops.loadScalar(product.rowTerms, {number})) : loops.splat(0.0);
    sums.append(size.vectors, start);
  }
  auto multiplyPanel = [&](Value firstLane) {
    auto left = [&](int64_t i, Value feature) {
      return loops.loadScalar(matrix.flat, {loops.add(offsets[i], feature)});
    };
    auto right = [&](int64_t vector, Value feature) {
      Value start = loops.add(loops.mul(firstLane, features), loops.mul(feature, panelLanes));
      return loops.load(product.panel, ValueRange{loops.add(start, at(vector))});
    };
    Value zero = loops.constant(0), columns = loops.constant(matrix.columns);
    Values products = TileProduct{loops, size, zero, columns, left, right}.addTo(sums);
    for (int64_t i = 0; i < size.rows; ++i)
      for (int64_t vector = 0; vector < size.vectors; ++vector) {
        Value lane = loops.add(firstLane, at(vector)), sum = products[i * size.vectors + vector];
        loops.store(finish(i, lane, sum), product.tile, ValueRange{tileAt(loops.add(row, i), lane)});
      }
  };
  if (schedule.tileKv == panelLanes)
    return multiplyPanel(loops.constant(0));
  Value used = block.isWhole ? loops.constant(schedule.tileKv) : block.keyCount;
  loops.loop(loops.constant(0), used, loops.constant(panelLanes), multiplyPanel);
}

std::vector<RegionVectoriser> ScoreGradients::bindRows(const PairBlock &block, Value row, int64_t tileRows) {
  std::vector<RegionVectoriser> points;
  for (int64_t i = 0; i < tileRows; ++i)
    points.push_back(phase.bindRow(loops.add(loops.add(block.firstRow, row), i)));
  return points;
}

/// Short formulas are evaluated on a product before it leaves the registers; others in a loop of their own, whose code
/// exists once and not for each register.
bool ScoreGradients::finishesInRegisters(const PairBlock &block) {
  constexpr int64_t most = 96;
  attn::AttendOp op = attend.op;
  bool readsPairsAlone = llvm::all_of(problem.terms, [&](const GradientTerm &term) {
    return llvm::any_of(attend.pairExtracts, [&](const PairExtract &each) { return each.op == term.extract; });
  });
  return block.isWhole && problem.dots.size() == 1 && problem.tanhs.empty() && op.getNumKeys() == 1 &&
         readsPairsAlone && costOf(op.getScore()).instructions <= most;
}

/// Stores finish(pair, place, rowTerms[row + i]) in tile[row + i][key], for all keys of a block.
void ScoreGradients::finishTile(const PairBlock &block, Value firstRow, RegisterTile size, Value tile, Value rowTerms,
                                FinishPair finish) {
  int64_t vectors = vectorsOfBlock(size);
  Value rows = loops.constant(size.rows);
  if (!block.isWhole)
    rows = loops.min(rows, loops.sub(block.rowCount, firstRow));
  loops.loop(loops.constant(0), rows, loops.constant(1), [&](Value i) {
    Value row = loops.add(firstRow, i), number = loops.add(block.firstRow, row);
    RegionVectoriser point = phase.bindRow(number);
    Value rowTerm = rowTerms ? loops.splat(loops.loadScalar(rowTerms, {number})) : Value();
    for (int64_t vector = 0; vector < vectors; ++vector) {
      RegionVectoriser pair = bindPairs(phase, point, block, at(vector));
      Value place = tileAt(row, at(vector));
      loops.store(finish(pair, place, rowTerm), tile, ValueRange{place});
    }
  });
}

/// Runs `compute` for a tile of rows, or stores zeros if all pairs of its rows and the block are masked.
void ScoreGradients::computeTile(const PairBlock &block, Value row, int64_t tileRows, function_ref<void()> compute) {
  if (!block.isTrimmed)
    return compute();
  Value end = trimmed.tables.endOf(loops, loops.div(row, loops.constant(TrimmedTiles::step))), zero = loops.splat(0.0);
  loops.branch(loops.less(loops.constant(0), end), compute, [&] {
    loops.loop(loops.constant(0), loops.constant(tileRows), loops.constant(1), [&](Value i) {
      for (auto [scores, gradients] : llvm::zip(tiles.scores, tiles.gradients))
        for (int64_t vector = 0; vector < keyVectors(); ++vector) {
          Value place = tileAt(loops.add(row, i), at(vector));
          loops.store(zero, scores, ValueRange{place});
          loops.store(zero, gradients, ValueRange{place});
        }
    });
  });
}

/// Prefetches the operands of a row's pairs (a learned bias), or the lines of their gradient, one block ahead.
void ScoreGradients::prefetchPairs(const PairBlock &block, Value row, int64_t tileRows, bool ofResults) {
  constexpr int64_t lineFloats = cacheLineBytes / 4;
  attn::AttendOp op = attend.op;
  for (const PairExtract &each : attend.pairExtracts) {
    tensor::ExtractOp extract = each.op;
    if (!op.getScore().isAncestor(extract->getParentRegion()))
      continue;
    auto term = llvm::find_if(problem.terms, [&](const GradientTerm &term) { return term.extract == extract; });
    if (ofResults && term == problem.terms.end())
      continue;
    Value memref = ofResults ? phase.frame.result(term->result) : phase.frame.buffer(extract.getTensor());
    for (int64_t i = 0; i < tileRows; ++i) {
      RegionVectoriser point = phase.bindRow(loops.add(loops.add(loops.add(block.firstRow, row), i), schedule.tileQ));
      for (int64_t lane = 0; lane < schedule.tileKv; lane += lineFloats) {
        RegionVectoriser pair = point;
        bindKeyIndex(attend, pair, 0, uniformIndex(loops.add(block.firstKey, lane)));
        loops.prefetch(memref, subscriptsOf(pair, extract), /*locality=*/2);
      }
    }
  }
}

//===-------------------------------------------- attention weights -------------------------------------------===//

void ScoreGradients::computeWeights(const PairBlock &block) {
  bool inRegisters = finishesInRegisters(block);
  forEachTileOf(block, [&](Value row, RegisterTile size) {
    std::vector<RegionVectoriser> points = bindRows(block, row, inRegisters ? size.rows : 0);
    auto finish = [&](int64_t i, Value lane, Value product) {
      if (!inRegisters)
        return product;
      Value inBlock = loops.add(row, i);
      RegionVectoriser pair = bindPairs(phase, points[i], block, lane);
      pair.bindValue(attend.products[problem.dots[0].product].scaled, product);
      Value rowTerm = loops.splat(loops.loadScalar(tiles.rowLse, {loops.add(block.firstRow, inBlock)}));
      return finishWeight(block, pair, tileAt(inBlock, lane), rowTerm);
    };
    computeTile(block, row, size.rows, [&] {
      for (auto [number, dot] : llvm::enumerate(problem.dots)) {
        Matrix matrix = matrices.rowFactor(dot);
        multiplyByPanel({matrix, tiles.keyPanels[number], tiles.scores[number], {}}, block, row, size, finish);
      }
      for (AdditiveGradient &each : additive)
        each.computeScores(row, size.rows);
      if (!inRegisters)
        finishTile(block, row, size, tiles.scores[0], tiles.rowLse,
                   [&](RegionVectoriser &pair, Value place, Value rowTerm) {
                     bindProducts(pair, place);
                     return finishWeight(block, pair, place, rowTerm);
                   });
    });
    prefetchPairs(block, row, size.rows, /*ofResults=*/false);
  });
}

/// Binds the products of scores to their elements in the tiles.
void ScoreGradients::bindProducts(RegionVectoriser &pair, Value place) {
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    pair.bindValue(attend.products[dot.product].scaled, loops.load(tiles.scores[number], ValueRange{place}));
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs))
    pair.bindValue(attend.products[tanh.product].scaled,
                   loops.load(tiles.scores[problem.dots.size() + number], ValueRange{place}));
}

/// The weights of pairs whose products are bound; stores the derivatives that depend on products.
Value ScoreGradients::finishWeight(const PairBlock &block, RegionVectoriser &pair, Value place, Value rowTerm) {
  attn::AttendOp op = attend.op;
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  Value exponent = attend.scoreIsProduct ? loops.addf(score, rowTerm) : loops.fma(score, loops.splat(log2e), rowTerm);
  if (!block.isWhole && attend.hasMask()) {
    Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
    exponent = loops.choose(keeps, exponent, loops.splat(-std::numeric_limits<double>::infinity()));
  }
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, tiles.partials))
    loops.store(pair.broadcast(pair.evaluate(partial)), tile, ValueRange{place});
  return attendExp2(loops, exponent, target);
}

//===-------------------------------------------- gradients of scores -----------------------------------------===//

void ScoreGradients::computeGradients(const PairBlock &block) {
  Matrix cotangents = matrices.ofValues(problem.cotangentOf(attn::Statistic::Value));
  bool inRegisters = finishesInRegisters(block);
  forEachTileOf(block, [&](Value row, RegisterTile size) {
    std::vector<RegionVectoriser> points = bindRows(block, row, inRegisters ? size.rows : 0);
    auto finish = [&](int64_t i, Value lane, Value product) {
      if (!inRegisters)
        return product;
      RegionVectoriser pair = bindPairs(phase, points[i], block, lane);
      return finishGradient(block, pair, tileAt(loops.add(row, i), lane), product);
    };
    computeTile(block, row, size.rows, [&] {
      multiplyByPanel({cotangents, tiles.valuePanel, tiles.gradients[0], tiles.rowDelta}, block, row, size, finish);
      if (!inRegisters)
        finishTile(block, row, size, tiles.gradients[0], {}, [&](RegionVectoriser &pair, Value place, Value) {
          return finishGradient(block, pair, place, loops.load(tiles.gradients[0], ValueRange{place}));
        });
    });
    prefetchPairs(block, row, size.rows, /*ofResults=*/true);
  });
}

/// Turns nd + dO V into the gradients of the score's leaves; returns that of the first product.
Value ScoreGradients::finishGradient(const PairBlock &block, RegionVectoriser &pair, Value place, Value gradient) {
  Value weight = loops.load(tiles.scores[0], ValueRange{place}), zero = loops.splat(0.0);
  gradient = loops.mulf(gradient, weight);
  bool mayVanish = !block.isWhole || !attend.scoreIsProduct;
  Value counts = mayVanish ? loops.compare(arith::CmpFPredicate::UNE, weight, zero) : Value();
  auto guarded = [&](Value value) { return counts ? loops.choose(counts, value, zero) : value; };
  if (problem.isFolded)
    return guarded(gradient);
  for (auto [partial, tile] : llvm::zip(problem.keptPartials, tiles.partials))
    pair.bindValue(partial, loops.load(tile, ValueRange{place}));
  auto gradientOf = [&](Value partial) {
    bool isOne = matchPattern(partial, m_OneFloat());
    return guarded(isOne ? gradient : loops.mulf(gradient, pair.broadcast(pair.evaluate(partial))));
  };
  terms.add(pair, gradientOf);
  Value firstGradient = gradient;
  auto pass = [&](size_t number, Value partial, Value scale) {
    Value productGradient = loops.mulf(gradientOf(partial), scale);
    if (number == 0)
      firstGradient = productGradient;
    else
      loops.store(productGradient, tiles.gradients[number], ValueRange{place});
  };
  for (auto [number, dot] : llvm::enumerate(problem.dots))
    if (dot.rowResult || dot.keyResult)
      pass(number, dot.partial, loops.splat(panels.dotScales[number]));
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs))
    if (tanh.isWanted())
      pass(problem.dots.size() + number, tanh.partial, additive[number].scale);
  return firstGradient;
}

} // namespace attnc
