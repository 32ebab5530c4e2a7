//===- AttendSplitKv.h - split-KV attention (Flash-Decoding) ------------------------------------------------------===//
//
// A few queries leave most of a device idle if one block passes over all of their keys. So rows are computed in groups,
// of 16 or fewer, and the unmasked key range of a group is cut into `splits` ranges of whole tiles, one for each block
// or warp. Rows are the queries of all heads that read the same keys. For each row and split, a partial result is
// written to the kernel's shared scratch, in global memory; a second kernel phase merges them in order (AttendMerge.h):
//
//   split s:    m_s = largest score,  l_s = sum of weights,  O_s = sum of weights * values        (of its keys)
//   M = max(m_s, that of a sink),  e_s = correction(m_s, M),  O = sum e_s O_s * factor(sum e_s l_s + that of a sink)
//
// where correction and factor are those of the normaliser (Normaliser.h). The number of splits depends on sizes alone,
// and the keys of a split on the mask, so results are the same bits in any order of blocks. Scratch of a launch, with n
// = batches * rows * splits:
//
//   [n][2] f32: m, l; aligned to 16 bytes      [n][values, aligned to 4] f32: O
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"

namespace attnc {

/// The sizes of split-KV.
class AttendSplitKv {
public:
  /// The largest number of rows of a batch, over all heads of a group, that is split.
  static constexpr int64_t maxRows = 64;

  /// `blockSplits`: splits that a block computes, 1 or one for each warp. If warps work independently, more splits are
  /// required.
  AttendSplitKv(const AttendProblem &problem, int64_t blockSplits);

  /// Whether split-KV applies (DeviceAttendEmitter.cpp decides by it): results can be merged from partial results, and
  /// neither constant sizes nor equal numbers of queries and keys rule out that few queries have many keys. Otherwise
  /// the reason.
  static Verdict canSplit(const AttendProblem &problem);
  /// Whether the number of rows never exceeds maxRows.
  bool areAlwaysFew() const { return areFew == SizeExpr(1); }

  RowNumbers numbers;     ///< rows of head groups
  SizeExpr splits;        ///< splits of a row
  SizeExpr areFew;        ///< 1 if there are at most maxRows rows, else 0
  SizeExpr bytes() const; ///< of the scratch; 0 if there are more than maxRows rows

private:
  SizeExpr values; ///< of a row, aligned to 4
};

/// Access to the partial results in the scratch of a launch.
class PartialResults {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  PartialResults(const AttendSplitKv &splitKv, const AttendProblem &problem, DeviceFrame &frame);

  Value splits; ///< index
  /// The number of the partial result of a split of a row: (batch * rows + row) * splits + split. All are index.
  Value number(Value batch, Value row, Value split);
  struct Head {
    Value largest, sum; ///< f32: m and l
  };
  Head loadHead(Value partial);
  void storeHead(Value partial, const Head &head);
  /// Elements of O from number `first` (index) on, f32: a scalar, or a vector if `first` is a multiple of its length.
  Value load(Value partial, Value first, mlir::Type type);
  void store(Value partial, Value first, Value value);
  /// The key range of a split: an equal number of tiles of `tileKeys` keys for each split but the last ones, which may
  /// be shorter or empty (`begin` is then not below `end`).
  AttendMask::KeyRange cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys);

private:
  Value at(Value elements);

  DeviceFrame &frame;
  LoopBuilder loops;
  Value rows, values, heads; ///< index; heads: elements before the values
};

} // namespace attnc
