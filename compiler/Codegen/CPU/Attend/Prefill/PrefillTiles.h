//===- PrefillTiles.h - layout of a worker's scratch in the prefill algorithm ---------------------------------===//
//
// Shapes are in brackets; tiles are f32, unless another type is stated, and memrefs with one index (AttendScratch.h).
// An index [query] runs over the tileQ() queries of the block, [key] over the keys of a block of keys, from 0 on. A
// tile that the problem does not need has no elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

struct PrefillTiles {
  using Value = mlir::Value;
  /// Allocates all tiles.
  PrefillTiles(const PrefillContext &context, AttendScratch &scratch);

  /// Tiles of an additive score, A, B and c of SumOfTanh.h; null for other products.
  struct Additive {
    Value rowPowers, keyPowers, coefficients; ///< A [feature][query], B [key][feature], c [feature]
    Value featuresOfKey;                      ///< index: the features of a row of keyPowers, in whole vectors
  };
  /// The carriers of a normaliser, each [query]: m; m with the current block so far; l; the factor of the weights, 1 /
  /// l for softmax; the sum of w log2 w.
  struct Rows {
    Value maxima, blockMaxima, sums, factors, logSums;
  };
  /// The largest scores so far, their keys (i32), and their rows in `materialised` (i32), each [rank][query].
  struct Top {
    Value scores, keys, rows;
  };

  llvm::SmallVector<llvm::SmallVector<Value>> queries; ///< for each product and row extract: Qt, [feature][query]
  llvm::SmallVector<Additive> additive;                ///< for each product
  llvm::SmallVector<Value> scores; ///< for each product: St, [key][query]; the first tile becomes scores, then weights
  Value values;                    ///< Ot, [value][query]
  Value materialised;              ///< [key][query]: scores, then weights, of all keys of the blocks computed, in order
  Value selected; ///< flags of pairs (SelectedPairs.h), [key][vector], keys as in `materialised` if used
  llvm::SmallVector<Value> pairs; ///< for each pair extract: [key][query], f32 or i32; null for a bias
  Rows rows;
  Top top;
};

} // namespace attnc
