//===- DecodeValues.h - weighted sums of values in decode attention -----------------------------------------------===//
//
//   O[r][v] += sum_k p[r][k] * V[k][v]                  values are in the lanes, a tile of O is in registers
//
// for rows r, keys k and elements v of the value vectors (AttendDecode.h). p are the weights in DecodeTiles::scores[0],
// and O is DecodeTiles::values. If the sums of a register tile contain a NaN, they are computed once more over the
// selected pairs alone: a dropped pair has the weight 0, and the product of 0 and an infinite or NaN value is NaN.
// DecodeSplit.cpp uses this class; DecodeWeights corrects O by it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"

namespace attnc {

class DecodeValues : public DecodeChunk {
public:
  /// Emits O = 0, for all rows.
  void clear() const;
  /// Emits the multiplication of O of row number `row` with `correction`, a vector with the same factor in all lanes.
  void correct(int64_t row, Value correction) const;
  /// Emits the addition of the weighted values of a block to O of all rows. DecodeWeights::compute() of the block must
  /// precede.
  void accumulate(const DecodeBlock &block) const;

private:
  /// A register tile of O: `rows`, and `vectors` vectors of values from `firstValue` on. The keys that it adds are
  /// begin .. end-1 of the block.
  struct Tile {
    RowTile rows;
    const DecodeBlock &block;
    Value begin, end, firstValue;
    int64_t vectors;
  };
  int64_t tileVectors() const;
  Value offset(const Tile &tile, int64_t row, int64_t vector) const;
  void accumulateTile(const Tile &tile) const;
  Values sumTile(const Tile &tile, bool selectedOnly) const;
  Values addKey(const Tile &tile, Value key, ValueRange before, bool selectedOnly) const;
};

} // namespace attnc
