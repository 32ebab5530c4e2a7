//===- PackedQueries.h - packing of the queries of a tile in prefill attention: transposed and scaled -------------===//
//
//   Qt[f][q] = scale * Q[q][f]    once for each tile of queries q; lanes x lanes elements at a time are transposed
//
// f is a feature. If the features are not contiguous in Q, Qt is filled element by element. The scale of a dot product
// (PairReduction::scales) is folded into Qt. The scale of another reduction multiplies its sums (ScoreProduct.h), and
// Qt is not scaled. A dot product has one Qt; another reduction has a Qt for each of its row extracts (PairReduction),
// the loads that depend on the query. ScoreProduct.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"

namespace attnc {

class PackedQueries : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// `tiles` are the tiles to fill, one for each row extract of `product`.
  PackedQueries(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries,
                const PairReduction &product, llvm::ArrayRef<Value> tiles);

  /// Emits the code that fills the tiles, and sets `scale`. Called first, once for each tile of queries.
  void pack();
  /// Emits prefetches of the queries of the next tile (QueryTile::Next) to the second-level cache: an equal share in
  /// each register tile of a block of keys. The caller executes them only if block.isLast. Emits nothing if the number
  /// of features is dynamic, or for row extracts whose features are not contiguous.
  void prefetchNext(const KeyTile &tile);
  /// Whether the features of each row extract are contiguous, and consecutive rows have a constant distance.
  bool isStrided() const;
  /// The features that `extract`, a row extract, loads for the rows of the next tile. Requires isStrided(). `count` and
  /// `columns` of the result are null.
  StridedRows stridedNext(mlir::tensor::ExtractOp extract) const;

  /// A vector with the product's scale in all lanes: the factors PairReduction::scales, times Normaliser::scoreScale()
  /// if the product is the score. Null before pack().
  Value scale;
  llvm::ArrayRef<Value> tiles; ///< for each row extract: Qt, [feature][query]

private:
  Value computeScale();
  bool isTransposable(mlir::tensor::ExtractOp extract) const;
  Values subscriptsOfFirst(RegionVectoriser &row, mlir::tensor::ExtractOp extract) const;
  void packStrided(mlir::tensor::ExtractOp extract, Value tile, Value factor);
  void packTransposed(mlir::tensor::ExtractOp extract, Value tile, Value factor);
  void packElements(mlir::tensor::ExtractOp extract, Value tile, Value factor);

  TileAccess access;
  PrefillBatch &batch;
  const QueryTile &queries;
  const PairReduction &product;
};

} // namespace attnc
