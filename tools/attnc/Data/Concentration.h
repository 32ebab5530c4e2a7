//===- Concentration.h - entropy and saturation of rows of attention weights --------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

/// How concentrated rows are. Attention is saturated where one key has nearly all the weight: no gradient passes there.
/// Rows of which the mask leaves fewer than two keys, as with a causal mask the first, have nothing to choose: they are
/// in no mean, and counted. Rows that have a choice and give all weight to one key, because the others' is 0 by the
/// normaliser or in f32, are saturated, and counted too.
struct Concentration {
  static constexpr double saturatedAbove = 0.95;

  /// `kept` are the keys that the mask leaves; below 0: those that have weight.
  void add(llvm::ArrayRef<float> row, int64_t kept = -1);

  int64_t rows = 0;          ///< that are in the means
  int64_t withoutChoice = 0; ///< and that are not
  int64_t single = 0;        ///< of `rows`: all weight is that of one key, or there is none
  double entropy = 0;        ///< sum of -sum w log w, with w the shares of the row's sum, in nats
  double largest = 0;        ///< sum of the largest shares
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
