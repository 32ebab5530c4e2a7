//===- DecodeRows.h - rows of a batch in decode attention: bound formulas and partial results ---------------------===//
//
// A row is a pair (head of the head group, query); the queries of one head are consecutive. If the last group has fewer
// heads than the others, its last head is computed again in place of the missing heads, and the results of these
// repetitions are not stored (hasHead). Formulas are the regions of the attn.attend. A RegionVectoriser evaluates them
// after their indices have been bound. Both phases of the decode algorithm (AttendDecode.h) use this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeContext.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

namespace attnc {

class DecodeRows : DecodeContext {
public:
  /// Binds sizes and buffers in `formulas`; open() chooses the batch. Formulas of the score and the value do not report
  /// subscripts out of range, because they are evaluated for dropped pairs too. The caller reports those of pairs that
  /// are not dropped by RegionVectoriser::checkSubscripts().
  explicit DecodeRows(const DecodeContext &context);
  /// Binds the indices of batch `number` (index) in `formulas`, and those of its rows in `points`. Called once, before
  /// the functions below.
  void open(Value number);

  /// A copy of `formulas` bound to one row, by its number (index).
  RegionVectoriser bindRow(Value row) const;
  /// The formulas of row number `row`, or `to`, bound to one key by its number in the batch, the same key in all lanes.
  RegionVectoriser bindKey(int64_t row, Value key) const { return bindKey(points[row], key); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key) const {
    bindKeyIndex(problem, to, 0, uniformIndex(key));
    return to;
  }
  /// i1: whether the head of row number `row` exists; if not, its results must not be stored. Null if the problem has
  /// no head groups: then all heads exist.
  Value hasHead(int64_t row) const;
  /// The partial result of a row over one split, in the shared scratch. `memory` is a flat memref of f32. m is element
  /// `offset`, l the next one, and O begins at element offset + DecodeShape::partialHead.
  struct Partial {
    Value memory, offset;
  };
  Partial partial(Value split, int64_t row) const;

  RegionVectoriser formulas;            ///< the batch indices are bound
  std::vector<RegionVectoriser> points; ///< [row]: the row indices are bound
  Value keys, values;                   ///< the number of keys of a batch, and of elements of a value vector (index)

private:
  Values outerSizes;
  Value batch;     ///< the index of the batch
  Value firstHead; ///< of the group; null without groups
};

/// The open rows and the tiles of a chunk of phase 1. The classes that emit parts of the chunk, such as DecodeProducts,
/// derive from it.
struct DecodeChunk : DecodeContext {
  const DecodeRows &rows;
  const DecodeTiles &tiles;
};

} // namespace attnc
