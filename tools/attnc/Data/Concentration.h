//===- Concentration.h - entropy and saturation of rows of attention weights --------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

/// Sums over rows of attention weights. The share of a key in a row is the magnitude of its weight, divided by the sum
/// of the magnitudes. A row is saturated if one key has nearly all of the weight; almost no gradient passes through
/// such a row. Rows with fewer than two unmasked keys, such as the first row of a causal mask, have no choice: they are
/// counted in `withoutChoice` alone, and means exclude them. A row with a choice may have all of its weight on one key,
/// because the normaliser or underflow makes the other weights 0; such a row is saturated, and also counted in
/// `single`.
struct Concentration {
  static constexpr double saturatedAbove = 0.95; ///< least share of the largest weight in a saturated row, exclusive

  /// Adds one row, the weights of all keys, masked ones included. `kept` is the number of unmasked keys; if `kept` is
  /// negative, keys with nonzero weight are counted instead.
  void add(llvm::ArrayRef<float> row, int64_t kept = -1);

  int64_t rows = 0;          ///< rows with a choice: at least two unmasked keys
  int64_t withoutChoice = 0; ///< other rows
  int64_t single = 0;        ///< rows with a choice and at most one nonzero weight; without any, not saturated
  double entropy = 0;        ///< sum over `rows` of the entropy -sum w log w in nats, with w the shares of the keys
  double largest = 0;        ///< sum over `rows` of the largest share
  double saturated = 0;      ///< number of rows, of `rows`, whose largest share is above 0.95

  // Shares and means: the first one of all rows, the others of `rows`; 0 without rows.
  double shareOfSingleKeyRows() const {
    int64_t all = rows + withoutChoice;
    return all ? double(withoutChoice) / double(all) : 0;
  }
  double singleShare() const { return rows ? double(single) / double(rows) : 0; }
  double meanEntropy() const { return rows ? entropy / double(rows) : 0; }
  double meanLargest() const { return rows ? largest / double(rows) : 0; }
  double saturatedShare() const { return rows ? saturated / double(rows) : 0; }
};

} // namespace attnc
