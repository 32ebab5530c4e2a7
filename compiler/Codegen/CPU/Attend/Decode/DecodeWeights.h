//===- DecodeWeights.h - scores, mask and online softmax of a block of keys in decode attention -------------------===//
//
//   S = log2(e) * score(products, ...), dropped where masked;  m' = max(m, S),  p = exp2(S - m'),  l = a * l + sum_k p
//
// for softmax, with the symbols of AttendDecode.h; Normaliser.h has the formulas of other normalisers, and their
// factors of the score (scoreScale). Keys are in the lanes, and rows are computed one after the other. A pair is also
// dropped if its score is -inf. Earlier sums of a row, l and O, are multiplied with the correction a = exp2(m - m').
// DecodeSplit.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeValues.h"

namespace attnc {

class DecodeWeights : public DecodeChunk {
public:
  /// Emits the initialisation of m and l of all rows, as for rows without a sink: phase 2 adds the sink.
  void start() const;
  /// Emits code that turns the products of a block, DecodeTiles::scores, into weights in the first of these tiles, with
  /// the weight formula applied. It updates m and l, multiplies O with the correction, stores DecodeTiles::selected,
  /// and reports subscripts out of range, for all rows: in the mask of all pairs if `masked`, in the score of pairs
  /// that the mask keeps, in the value and the weight of selected pairs. If the normaliser uses no maximum, m and O are
  /// left as they are. If `masked` is false, the mask is not evaluated, so it must keep all pairs of the block; if
  /// true, the problem must have a mask. DecodeProducts::compute() of the block must precede.
  void compute(const DecodeBlock &block, bool masked) const;

private:
  void computeRow(const DecodeBlock &block, int64_t row, bool masked) const;
  Value raiseMaximum(const DecodeBlock &block, int64_t row, bool masked) const;
  RegionVectoriser bindPairs(const DecodeBlock &block, int64_t row, Value key) const;
  Value score(RegionVectoriser pair, Value offset, bool masked) const;
  void checkSelected(RegionVectoriser pair, mlir::Region &formula, Value selected, ValueRange sizes = {}) const;
};

} // namespace attnc
