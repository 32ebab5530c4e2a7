//===- PackedQueries.h - the query operand of a product, transposed and scaled --------------------------------===//
//
//   Qt[f][q] = scale * Q[q][f]    once for each block of queries, 16 x 16 elements at a time (8 x 8 with AVX2)
//
// If features are not contiguous in Q, Qt is filled element by element. The scale of a dot product is folded into
// Qt; that of another reduction multiplies its sums (ScoreProduct.h), and Qt is not scaled. A product that is no dot
// product has a Qt for each of its row extracts (PairReduction).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"

namespace attnc {

class PackedQueries : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// The operands of `product`, to be stored in `tiles`.
  PackedQueries(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries,
                const PairReduction &product, llvm::ArrayRef<Value> tiles);

  /// Emits the code that fills the tiles; sets `scale`.
  void pack();
  /// Prefetches queries of the next block (tile.block.nextRow), an equal part in each register tile of a block of keys.
  /// Emits nothing if the number of features is dynamic.
  void prefetchNext(const KeyTile &tile);
  /// Whether the features of each row extract are contiguous and rows have a constant distance.
  bool isStrided() const;
  /// The features of the rows from number `row` on. Requires isStrided().
  StridedRows strided(mlir::tensor::ExtractOp extract, Value row) const;

  /// A vector: the product's factors (PairReduction::scales), times the normaliser's if the product is the score.
  Value scale;
  llvm::ArrayRef<Value> tiles; ///< for each row extract: Qt, [feature][query]

private:
  Value computeScale();
  bool isTransposable(mlir::tensor::ExtractOp extract) const;
  void packStrided(mlir::tensor::ExtractOp extract, Value tile, Value factor);
  void packTransposed(mlir::tensor::ExtractOp extract, Value tile, Value factor);
  void packElements(mlir::tensor::ExtractOp extract, Value tile, Value factor);

  TileAccess access;
  PrefillBatch &batch;
  const QueryTile &queries;
  const PairReduction &product;
};

} // namespace attnc
