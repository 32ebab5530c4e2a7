//===- DecodeValues.h - sums of values by attention weights ---------------------------------------------------===//
//
//   O[r][v] += sum_k p[r][k] * V[k][v]                  values are in the lanes, a tile of O is in registers
//
// p are the weights in DecodeTiles::scores[0], O is DecodeTiles::values. A tile of sums with a NaN is computed once
// more over the selected pairs alone, because the product of a zero weight and an infinite or NaN value of a dropped
// pair is NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"

namespace attnc {

class DecodeValues : public DecodeChunk {
public:
  /// O = 0, in all rows.
  void clear() const;
  /// Multiplies O of a row with `correction`, a vector with the same factor in all lanes.
  void correct(int64_t row, Value correction) const;
  /// Adds the values of a block, after its weights have been computed.
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
