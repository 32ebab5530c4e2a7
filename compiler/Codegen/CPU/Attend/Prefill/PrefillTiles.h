//===- PrefillTiles.h - layout of a worker's scratch in prefill attention -----------------------------------------===//
//
// PrefillTile.h explains the algorithm and its symbols. A tile is a memref with one index (AttendScratch.h) of f32,
// unless another type is stated. Shapes are in brackets. The dimension [query] has tileQ() elements, the queries of the
// tile of queries. The dimension [key] has the keys of one block of keys, counted from 0. A tile that the problem does
// not need has no elements. All contents are undefined until a part of the algorithm writes them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

struct PrefillTiles {
  using Value = mlir::Value;
  /// Allocates all tiles in `scratch`.
  PrefillTiles(const PrefillContext &context, AttendScratch &scratch);

  /// Tiles of an additive score, with the symbols of AdditiveProduct.h. All fields are null for other products.
  struct Additive {
    Value rowPowers, keyPowers, coefficients; ///< A [feature][query], B [key][feature], c [feature]
    Value featuresOfKey;                      ///< index: elements of a row of keyPowers, padded to whole vectors
  };
  /// The carriers of a normaliser (OnlineNormaliser.h), each [query]: m; m including the current block; l; the factor
  /// of the weights, for softmax 1 / l; the sum of w log2 w for the entropy.
  struct Rows {
    Value maxima, blockMaxima, sums, factors, logSums;
  };
  /// For LargestKeys.h, each [rank][query]: the largest scores so far; their keys (i32), as flat indices in the batch;
  /// their rows in `materialised` (i32).
  struct Top {
    Value scores, keys, rows;
  };

  llvm::SmallVector<llvm::SmallVector<Value>> queries; ///< [product][row extract]: Qt, [feature][query]
  llvm::SmallVector<Additive> additive;                ///< [product]
  /// For each product, at least one tile [key][query]: the product's values. In the first tile, they are replaced by
  /// the scores St and then by the weights Pt.
  llvm::SmallVector<Value> scores;
  Value values;       ///< Ot, [value][query]
  Value materialised; ///< [key][query]: scores, then weights, of the keys of all blocks that were computed, in order
  Value selected;     ///< [key][vector]: flags of pairs (SelectedPairs.h); [key] as in `materialised` if that is used
  llvm::SmallVector<Value> pairs; ///< [pair extract]: [key][query], f32 or i32 (PairOperands.h); null for a bias
  Rows rows;
  Top top;
};

} // namespace attnc
