//===- AttendSplitKv.h - split-KV attention (Flash-Decoding) ------------------------------------------------------===//
//
// A few queries leave most of a device idle if one block passes over all of their keys. So the unmasked key range of a
// row is cut into `splits` ranges of whole tiles, one for each block. Rows are the queries of all heads that read the
// same keys. For each row a block writes a partial result to the kernel's shared scratch; a second kernel phase merges
// them in order (AttendMerge.h):
//
//   split s:    m_s = largest score,  l_s = sum of weights,  O_s = sum of weights * values        (of its keys)
//   M = max(m_s, that of a sink),  e_s = correction(m_s, M),  O = sum e_s O_s * factor(sum e_s l_s + that of a sink)
//
// The number of splits depends on sizes alone, and the keys of a split on the mask, so results are the same bits in any
// order of blocks. Scratch of a launch, with n = batches * rows * splits:
//
//   [n][2] f32: m, l      [n][values, aligned to 4] f32: O
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"

namespace attnc {

class AttendSplitKv {
public:
  /// The largest number of rows of a batch, over all heads of a group, that is split.
  static constexpr int64_t maxRows = 64;

  /// A block computes `blockSplits` splits: if warps work independently, more splits are required.
  AttendSplitKv(const AttendProblem &problem, int64_t blockSplits);

  /// Whether the results of such a problem can be merged from partial results.
  static Verdict canSplit(const AttendProblem &problem);
  /// Whether the number of rows never exceeds maxRows.
  bool areAlwaysFew() const { return areFew == SizeExpr(1); }

  RowNumbers numbers;
  SizeExpr splits; ///< splits of a row
  SizeExpr areFew; ///< 1 if there are at most maxRows rows, else 0
  SizeExpr bytes() const;

private:
  SizeExpr values;
};

/// Access to the partial results in the scratch of a launch.
class PartialResults {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  PartialResults(const AttendSplitKv &splitKv, const AttendProblem &problem, DeviceFrame &frame);

  Value splits; ///< index
  /// The number of the partial result of a split of a row (index).
  Value number(Value batch, Value row, Value split);
  struct Head {
    Value largest, sum; ///< f32
  };
  Head loadHead(Value partial);
  void storeHead(Value partial, const Head &head);
  /// Values from number `first` (index) on: a scalar, or a vector if `first` is a multiple of its length.
  Value load(Value partial, Value first, mlir::Type type);
  void store(Value partial, Value first, Value value);
  /// The key range of a split: an equal number of tiles of `tileKeys` keys for each split but the last ones.
  AttendMask::KeyRange cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys);

private:
  Value at(Value elements);

  DeviceFrame &frame;
  LoopBuilder loops;
  Value rows, values, heads; ///< index; heads: elements before the values
};

} // namespace attnc
