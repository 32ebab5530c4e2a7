//===- DecodeValues.h - sums of values by attention weights ---------------------------------------------------===//
//
//   O[r][v] += sum_k p[r][k] * V[k][v]                  values are in the lanes, a tile of O is in registers
//
// A tile of sums with a NaN is computed once more over the selected pairs alone, because the product of a zero weight
// and an infinite or NaN value of a dropped pair is NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"

namespace attnc {

class DecodeValues : public DecodeChunk {
public:
  void clear() const;
  /// Multiplies the sums of a row with the correction of its maximum.
  void correct(int64_t row, Value correction) const;
  void accumulate(const DecodeBlock &block) const;

private:
  /// A register tile: keys begin .. end-1 of a block, and vectors of values from the first one.
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
