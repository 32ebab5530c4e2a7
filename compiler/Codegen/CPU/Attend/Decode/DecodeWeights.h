//===- DecodeWeights.h - scores, mask and online softmax of a block of keys -----------------------------------===//
//
//   S = score(products, ...), dropped where masked;  m' = max(m, S),  p = exp2(S - m'),  l = a * l + sum_k p
//
// for softmax; Normaliser.h has the formulas of others. Keys are in the lanes, one row at a time. A pair whose score is
// -inf is dropped too. Earlier sums of the row, l and O, are multiplied with the correction a = exp2(m - m').
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeValues.h"

namespace attnc {

class DecodeWeights : public DecodeChunk {
public:
  /// Initialises m and l of all rows, without a sink.
  void start() const;
  /// Turns the products of a block, DecodeTiles::scores, into weights, in its first tile; updates m, l and O of all
  /// rows, and stores which pairs are selected. Without `masked`, the mask is not evaluated: it must keep all pairs.
  void compute(const DecodeBlock &block, bool masked) const;

private:
  void computeRow(const DecodeBlock &block, int64_t row, bool masked) const;
  Value raiseMaximum(const DecodeBlock &block, int64_t row, bool masked) const;
  RegionVectoriser bindPairs(const DecodeBlock &block, int64_t row, Value key) const;
  Value score(RegionVectoriser pair, Value offset, bool masked) const;
  void checkSelected(RegionVectoriser pair, mlir::Region &formula, Value selected, ValueRange sizes = {}) const;
};

} // namespace attnc
