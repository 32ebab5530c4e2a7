//===- PackedQueries.h - the query operand of a product, transposed and scaled --------------------------------===//
//
//   Qt[f][q] = scale * Q[q][f]            once a block of queries, 16 x 16 elements at a time (8 x 8 with AVX2)
//
// The scale of a dot product is folded into Qt; that of another reduction multiplies its sums.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"

namespace attnc {

class PackedQueries : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  PackedQueries(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries,
                const PairReduction &product, llvm::ArrayRef<Value> tiles);

  /// Fills the tiles.
  void pack();
  /// Prefetches the queries of the next block, an equal part in each register tile of the last block of keys.
  void prefetchNext(const KeyTile &tile);

  /// A vector: the product's factors, times the normaliser's where the product is the score.
  Value scale;
  llvm::ArrayRef<Value> tiles; ///< [row extract]

private:
  Value computeScale();
  bool isTransposable(mlir::tensor::ExtractOp extract) const;
  void packTransposed(mlir::tensor::ExtractOp extract, Value tile, Value factor);
  void packElements(mlir::tensor::ExtractOp extract, Value tile, Value factor);

  TileAccess access;
  PrefillBatch &batch;
  const QueryTile &queries;
  const PairReduction &product;
};

} // namespace attnc
