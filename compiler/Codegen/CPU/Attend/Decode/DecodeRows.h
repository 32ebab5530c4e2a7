//===- DecodeRows.h - rows of one batch: their formulas and partial results -----------------------------------===//
//
// The rows are the pairs (head of the group, query); the queries of one head are consecutive. If the last group has
// fewer heads, its last head is computed again in their place, and the results of these repetitions are not stored.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodeContext.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

namespace attnc {

class DecodeRows : DecodeContext {
public:
  /// Binds sizes and buffers; no batch is chosen yet. Score and value report no subscripts out of range, as they are
  /// evaluated for dropped pairs too; checkSubscripts() of a bound formula reports those of selected pairs.
  explicit DecodeRows(const DecodeContext &context);
  /// Binds the indices of batch `number` in `formulas`, and those of its rows in `points`. Called once, before all
  /// below.
  void open(Value number);

  /// The formulas bound to one row, by its number.
  RegionVectoriser bindRow(Value row) const;
  /// The formulas of a row (or `to`), bound to one key, the same in all lanes, by its number in the batch.
  RegionVectoriser bindKey(int64_t row, Value key) const { return bindKey(points[row], key); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key) const {
    bindKeyIndex(problem, to, 0, uniformIndex(key));
    return to;
  }
  /// i1: whether the row's head exists, so that its results are stored; null without head groups.
  Value hasHead(int64_t row) const;
  /// A row's partial result over a split, in shared scratch: in the flat memref `memory`, from `offset` on, m, l, and,
  /// from offset + DecodeShape::partialHead on, O.
  struct Partial {
    Value memory, offset;
  };
  Partial partial(Value split, int64_t row) const;

  RegionVectoriser formulas;            ///< the batch indices are bound
  std::vector<RegionVectoriser> points; ///< [row]: the row indices are bound
  Value keys, values;                   ///< how many keys a batch has, and how many elements a value has

private:
  Values outerSizes;
  Value batch;     ///< the index of the batch
  Value firstHead; ///< of the group; null without groups
};

/// A chunk of phase 1; the base class of the classes that emit its parts, such as DecodeProducts.
struct DecodeChunk : DecodeContext {
  const DecodeRows &rows;
  const DecodeTiles &tiles;
};

} // namespace attnc
