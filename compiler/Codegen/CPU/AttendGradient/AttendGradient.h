//===- AttendGradient.h - attention's gradient in one pass over the keys --------------------------------------===//
//
// One chunk is one batch, or the batches of a group of heads that share their keys, in order. Scores are computed anew
// from the rows' saved lse. With s = d score / d (Q K) where that is one factor, and otherwise s = 1:
//
//   for each row i:   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//   for each block of keys:
//     Kt = scale K, Vt = s V                                       panels: features down, keys in the lanes
//     for each block of rows that may keep a pair:
//       P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)   0 where masked; lanes are keys
//       dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                 times d score / d dot where that is not folded
//       dV += P' dO,   dK += dS' Q,   dQ += dS K                   register tiles, sums in the results themselves
//
// (Dao: FlashAttention-2, 2023, with keys outside and one kernel for all five products.) Results are cleared first. The
// order of all sums is that of keys, then rows: no atomics, the same bits however many threads there are.
// Scratch is the tiles and two floats a row. lse is added after the product, for an accumulator that starts from it
// loses a digit.
//
// **Splits.** One head alone should use several cores too, so where there are few chunks each is cut by keys: split 0
// adds dQ in the result, the others in shared scratch, and a last phase adds theirs to the result in order. There are
// at most four splits, as many as the sizes say. The phases are then: clear the results; all splits; add the parts.
//
// **Diagonals.** Where a mask tells by indices up to which key a row keeps pairs, the sums of a block that is cut leave
// out what lies beyond, in steps of four rows and keys.
//
// **Additive scores** (SumOfTanh.h) take the place of products with panels: AttendGradientTanh.cpp.
//
// A pair whose weight is 0 (masked, or below 2^-100) has the gradient 0, whatever its score's derivative is. A sum of a
// tile that zeros of masked pairs have made NaN, for the other factor is NaN or infinite, is made again without them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/AttendGradientSchedule.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include <functional>

namespace attnc {

class AttendGradient : public GradientPhase {
public:
  AttendGradient(AttendGradientProblem &problem, const AttendGradientSchedule &schedule, const Target &target,
                 llvm::StringRef symbol, mlir::ModuleOp code);

  /// All in one phase; or one phase of three, where the problem splits keys.
  void emitWhole();
  void emitClear();
  void emitSplits();
  void emitMerge();
  /// A last phase of one chunk: what all chunks have summed for elements that they share.
  void emitShared();

  SizeExpr splits() const; ///< of the keys of one chunk
  SizeExpr sharedBytes() const;

private:
  /// Rows of `columns` floats that lie next to each other; `offsetOf` gives the place of a row by its number (of the
  /// batch's rows or keys).
  struct Matrix {
    Value flat;
    std::function<Value(Value)> offsetOf;
    int64_t columns = 0;
  };
  /// A block of pairs. A whole one has all its rows and keys, and keeps every pair.
  struct Block {
    Value firstRow, rowCount, firstKey, keyCount;
    bool isWhole = false;
    bool isTrimmed = false; ///< the block's pairs lie within `tileEnds`
  };
  struct TileSize {
    int64_t rows = 0, vectors = 0;
  };
  /// into[first + r][:] += sum_k tile(r, k) factor[factorFirst + k][:] for r < count, k < factorCount.
  struct Accumulation {
    Value tile;
    bool isTransposed = false; ///< tile(r, k) is tile[k][r]
    Matrix factor, into;
    Value factorFirst, factorCount, first, count;
    bool isTrimmed = false;
    bool mayDrop = false; ///< where tile(r, k) is 0, the pair may take no part
  };
  using Left = llvm::function_ref<Value(int64_t row, Value k)>;
  using Right = llvm::function_ref<Value(int64_t vector, Value k)>;
  /// What becomes of a product in registers: that of the tile's row `row` and the block's keys from `lane` on.
  using Finish = llvm::function_ref<Value(int64_t row, Value lane, Value product)>;

  // AttendGradient.cpp: the chunk, its batches and blocks
  void openWhole();
  void openSplit();
  void takeTiles();
  void computeBatch();
  void computeKeys(Value firstKey);
  void visit(const Block &block);
  Value needsClearing(unsigned result);
  void findFirstBatches();
  void clearPairs(const Block &block);
  bool findEnds(const Block &block, const AttendMask &mask);
  Value endAt(Value tile);
  void computeBlock(const Block &block);

  // AttendGradientRows.cpp: rows of tensors, statistics, panels
  Matrix rowsOf(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns);
  Matrix keysOf(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns);
  Matrix valueRowsOf(Value tensor);
  Value offsetAt(RegionVectoriser &point, mlir::tensor::ExtractOp extract, Value memref);
  void readScales();
  void computeRowTerms();
  void addSinkTerms(RegionVectoriser point, Value lse, Value difference);
  void packPanel(const Matrix &keysMatrix, Value panel, Value scale, Value firstKey);
  Value loadRow(const Matrix &matrix, Value offset, int64_t vector);
  void storeRow(Value vector, const Matrix &matrix, Value offset, int64_t vectorNumber);

  // AttendGradientParts.cpp: sums of rows that splits share
  SizeExpr partFloats(const GradientDot &dot) const;
  Value partsOf(unsigned dot);
  Value partRow(unsigned dot, Value part, Value row);
  Matrix rowSums(unsigned dot);
  void clearParts();
  void mergeBatch();

  // AttendGradientTanh.cpp: additive scores
  struct TanhTiles {
    Value rowTerms, rowPowers, keyTerms, keyPowers; ///< [row][feature], [feature][key]
    Value coefficients, sumOfCoefficients;          ///< [feature]; a vector
    Value scale, scoreScale;                        ///< vectors; with log2e
    Value rowSums, keySums;                         ///< of g r (1 - r), as the terms lie
    Value coefficientSums, pairSum, termSums;       ///< [feature][lane] of g r, [lane] of g, [feature]
    Value coefficientsInRange, keysInRange, inRange;
  };
  /// Four features of a row, and a vector of keys with the gradients of the pairs.
  struct TanhPairs {
    Value rowPlace, feature, lane, gradient;
  };
  SumOfTanhCode tanhCode() { return {loops, target}; }
  int64_t paddedFeatures(const GradientTanh &tanh) const;
  int64_t alignedFeatures(unsigned tanh) const {
    int64_t atOnce = SumOfTanhCode::featuresAtOnce;
    return (problem.tanhs[tanh].features + atOnce - 1) / atOnce * atOnce;
  }
  void takeTanhTiles();
  Value featuresAt(const GradientTanh &tanh, RegionVectoriser &at, Value first, Value formula);
  void bindTanhFeatures(const GradientTanh &tanh, RegionVectoriser &at, Value first);
  void startTanhs();
  void finishTanhs();
  void packTanhKeys(Value firstKey);
  void packTanhRows(const Block &block);
  Values tanhArguments(const TanhTiles &tiles, bool byPowers, Value rowPlace, Value feature, Value lane);
  void sumTanhs(unsigned tanh, Value row, int64_t tileRows);
  void sumTanhsBy(unsigned tanh, Value row, int64_t tileRows, bool byPowers);
  void accumulateTanhs(const Block &block);
  Value pairGradients(unsigned tanh, const Block &block, Value row, Value lane);
  void accumulateTanhsBy(unsigned tanh, const Block &block, bool byPowers);
  void addTanhGradients(unsigned tanh, bool byPowers, const TanhPairs &pairs, Values &ofCoefficients, Values &ofRow);
  void storeSums(ValueRange vectors, Value memref, Value place);
  Value termGradient(const TanhTiles &tiles, Value sum, Value first);
  void addTermGradient(const GradientTanh &tanh, const std::vector<GradientScope::Leaf> &leaves, RegionVectoriser at,
                       Value first, Value gradient);
  void addRowSums(unsigned tanh, const Block &block);
  void addKeySums(Value firstKey, Value keyCount);
  SizeExpr rowPartFloats(const GradientTanh &tanh) const;
  SizeExpr sharedPartFloats(const GradientTanh &tanh) const;
  Value tanhParts(unsigned tanh, bool ofRows);
  Value rowParts(unsigned tanh) { return tanhParts(tanh, /*ofRows=*/true); }
  Value sharedParts(unsigned tanh) { return tanhParts(tanh, /*ofRows=*/false); }
  Value rowPart(unsigned tanh, Value part, Value row);
  Value sharedPart(unsigned tanh, Value part, Value chunk);
  void clearTanhParts();
  void mergeTanhRows();

  // AttendGradientPairs.cpp: weights and gradients of pairs
  void forEachTile(Value count, int64_t rows, llvm::function_ref<void(Value, int64_t)> body);
  Values multiply(TileSize size, Value begin, Value end, Values sums, Left left, Right right, bool skipsZeros = false);
  void forEachPairTile(const Block &block, llvm::function_ref<void(Value, TileSize)> body);
  void multiplyByPanel(const Matrix &rowMatrix, Value panel, Value tile, const Block &block, Value row, TileSize size,
                       Value rowTerms, Finish finish);
  bool finishesInRegisters(const Block &block);
  std::vector<RegionVectoriser> bindTileRows(const Block &block, Value row, int64_t rows);
  RegionVectoriser bindPair(const RegionVectoriser &point, const Block &block, Value lane);
  void prefetchPairs(const Block &block, Value row, int64_t rows, bool ofResults);
  void computeTile(const Block &block, Value row, int64_t rows, llvm::function_ref<void()> compute);
  void computeWeights(const Block &block);
  void finishWeights(const Block &block, Value row, TileSize size);
  Value finishWeight(const Block &block, RegionVectoriser &pair, Value at, Value rowTerm);
  void computePairGradients(const Block &block);
  void finishPairGradients(const Block &block, Value row, TileSize size);
  Value finishPairGradient(const Block &block, RegionVectoriser &pair, Value at, Value gradient);

  // AttendGradientSums.cpp: the products that add to results
  void accumulateAll(const Block &block);
  void accumulate(const Accumulation &sum);
  void accumulateTile(const Accumulation &sum, TileSize size, Value row, int64_t firstVector);
  std::pair<Value, Value> factorsOf(const Accumulation &sum, TileSize size, Value row);

  mlir::attn::AttendOp op() const { return attend.op; }
  Value tileAt(Value row, Value lane) { return loops.add(loops.mul(row, schedule.tileKv), lane); }
  Value at(int64_t vector) { return loops.constant(vector * schedule.lanes); }
  int64_t vectorsOf(int64_t columns) const { return (columns + schedule.lanes - 1) / schedule.lanes; }
  int64_t keyVectors() const { return schedule.tileKv / schedule.lanes; }
  /// Vectors of keys that a block has whose register tiles are of `size`: several panels, or as many as the tiles.
  int64_t vectorsOfBlock(TileSize size) const {
    return schedule.tileKv == schedule.panelLanes() ? size.vectors : keyVectors();
  }

  AttendGradientProblem &problem;
  const AttendGradientSchedule &schedule;
  const Target &target;
  Value split, splitCount; ///< null where keys are not split
  Value firstSplitKey, endSplitKey;
  Values dotScales, scoreScales;    ///< [dot]: f32, what the product is multiplied with; with log2e
  Value valueScale;                 ///< f32: s
  Values keyPanels;                 ///< [dot]: Kt
  Value valuePanel;                 ///< Vt
  Values scoreTiles, gradientTiles; ///< [dot, then tanh]: P (the first), scores (the others); dS
  std::vector<TanhTiles> tanhTiles; ///< [tanh]
  Values keptTiles;                 ///< [kept partial]
  Value rowLse, rowDelta;           ///< nl, nd
  static constexpr int64_t stepOfEnds = 4;
  /// Of a trimmed block, in i32: the key, counted in the block, from which on the four rows of a tile keep nothing; and
  /// the first of these tiles that keeps one of four keys or one behind them.
  Value tileEnds, firstTiles;
  Values isFirst; ///< [term]: its elements are stored; null where it adds
};

} // namespace attnc
