//===- PrefillTiles.h - layout of a worker's scratch in the prefill algorithm ---------------------------------===//
//
// Rows of a tile have an element for each query of the block. A tile that the problem does not need has no rows.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

struct PrefillTiles {
  using Value = mlir::Value;
  PrefillTiles(const PrefillContext &context, AttendScratch &scratch);

  /// Tiles of an additive score; null for other products.
  struct Additive {
    Value rowPowers, keyPowers, coefficients; ///< [feature][query], [key][feature], [feature]
    Value featuresOfKey;                      ///< the distance of two keys
  };
  /// The carriers of a normaliser for each row: m, m of the block so far, l, 1 / l, and the sum of w log2 w.
  struct Rows {
    Value maxima, blockMaxima, sums, factors, logSums;
  };
  /// The largest scores so far by [rank], their keys, and their rows in the materialised scores.
  struct Top {
    Value scores, keys, rows;
  };

  llvm::SmallVector<llvm::SmallVector<Value>> queries; ///< [product][extract]: Qt
  llvm::SmallVector<Additive> additive;                ///< [product]
  llvm::SmallVector<Value> scores;                     ///< [product]: St; the first becomes the scores and weights
  Value values;                                        ///< Ot
  Value materialised;                                  ///< scores of all keys of the blocks visited
  Value selected;                                      ///< flags of the pairs, where some may be dropped
  llvm::SmallVector<Value> pairs;                      ///< [pair extract]; null for a bias
  Rows rows;
  Top top;
};

} // namespace attnc
