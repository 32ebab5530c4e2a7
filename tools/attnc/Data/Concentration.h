//===- Concentration.h - entropy and saturation of rows of attention weights --------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

/// Sums over rows of attention weights. A row is saturated if one key has nearly all of the weight; almost no gradient
/// passes through such a row. Rows with fewer than two unmasked keys, such as the first row of a causal mask, have no
/// choice: they are counted in `withoutChoice` alone, and means exclude them. A row with a choice may have all of its
/// weight on one key, because the normaliser or underflow makes the other weights 0; such a row is saturated, and also
/// counted in `single`.
struct Concentration {
  static constexpr double saturatedAbove = 0.95;

  /// Adds one row. `kept` is its number of unmasked keys; if it is negative, the number of keys with nonzero weight.
  void add(llvm::ArrayRef<float> row, int64_t kept = -1);

  int64_t rows = 0;          ///< rows with a choice
  int64_t withoutChoice = 0; ///< other rows
  int64_t single = 0;        ///< rows with a choice and at most one nonzero weight
  double entropy = 0;        ///< sum over `rows` of -sum w log w in nats, with w the shares of the sum of magnitudes
  double largest = 0;        ///< sum over `rows` of the largest share
  double saturated = 0;      ///< rows whose largest share is above 0.95

  double shareWithoutChoice() const {
    int64_t all = rows + withoutChoice;
    return all ? double(withoutChoice) / double(all) : 0;
  }
  double singleShare() const { return rows ? double(single) / double(rows) : 0; }
  double meanEntropy() const { return rows ? entropy / double(rows) : 0; }
  double meanLargest() const { return rows ? largest / double(rows) : 0; }
  double saturatedShare() const { return rows ? saturated / double(rows) : 0; }
};

} // namespace attnc
