//===- AttendSplitKv.h - split-KV attention (Flash-Decoding) ------------------------------------------------------===//
//
// The decode algorithm of attention, for few queries with many keys. If one block passed over all keys of a few
// queries, most of the device would be idle. Therefore the keys of a row are cut into splits, which different blocks or
// warps compute in parallel. A row is a query; the rows of all heads that read the same keys are computed together, in
// groups of 16 or fewer. The unmasked key range of such a group is cut into `splits` ranges of whole tiles. There are
// two kernel phases. The first one (SplitKvTiles, or AttendGeneral::emitPartials) writes a partial result for each row
// and split to the scratch that the launch shares, in global memory. The second one (AttendMerge) merges them in order:
//
//   split s:    m_s = largest score,  l_s = sum of weights,  O_s = sum of weights * values        (of its keys)
//   M = max over s of m_s,  e_s = correction(m_s, M),  O = (sum of e_s O_s) * factor(sum of e_s l_s)
//
// A sink takes part in the maximum and in the sum of l as one more score. correction and factor are those of the
// normaliser (Normaliser.h). The number of splits depends on sizes alone, and the keys of a split on the mask, so
// results are the same bits in any order of blocks. Layout of the scratch, with n = batches * rows * splits:
//
//   [n][2] f32: m, l      then, from a multiple of 16 bytes on, [n][values, rounded up to a multiple of 4] f32: O
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"

namespace attnc {

/// The sizes of split-KV, as functions of the kernel's sizes.
class AttendSplitKv {
public:
  /// The largest number of rows of a batch, counting all heads of a group, for which keys are split.
  static constexpr int64_t maxRows = 64;

  /// `blockSplits`: the splits that a block computes, which are 1 if all its warps compute one split together, or the
  /// number of its warps if each warp computes a split. In the second case there are more splits.
  AttendSplitKv(const AttendProblem &problem, int64_t blockSplits);

  /// Whether the emitter emits split-KV code for the problem (DeviceAttendEmitter.cpp); otherwise the reason. Results
  /// must be mergeable from partial results (canMergeOnline). The code is emitted unless sizes show that a launch never
  /// has few rows and many keys: constantly more than maxRows rows, as many queries as keys, or at most 256 keys.
  static Verdict canSplit(const AttendProblem &problem);
  /// Whether the number of rows of a batch is constant and at most maxRows.
  bool areAlwaysFew() const { return areFew == SizeExpr(1); }

  RowNumbers numbers;     ///< batches are head groups
  SizeExpr splits;        ///< splits of a row, at least 1
  SizeExpr areFew;        ///< 1 if a batch has at most maxRows rows, else 0
  SizeExpr bytes() const; ///< bytes of the scratch (KernelCode::sharedBytes); 0 if a batch has more than maxRows rows

private:
  SizeExpr values; ///< of a row, aligned to 4
};

/// Emits accesses to the partial results in the scratch of a launch. `partial` is a number that number() returned. The
/// frame of the constructor outlives the object.
class PartialResults {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  PartialResults(const AttendSplitKv &splitKv, const AttendProblem &problem, DeviceFrame &frame);

  Value splits; ///< index: the number of splits of a row
  /// The number of the partial result of a split of a row: (batch * rows + row) * splits + split. All are index.
  Value number(Value batch, Value row, Value split);
  struct Head {
    Value largest, sum; ///< f32: m and l
  };
  Head loadHead(Value partial);
  void storeHead(Value partial, const Head &head);
  /// Elements of O from number `first` (index) on, of `type`: an f32, or a vector of f32 if `first` is a multiple of
  /// its length, which is at most 4.
  Value load(Value partial, Value first, mlir::Type type);
  void store(Value partial, Value first, Value value);
  /// The key range of split number `split` (index), a part of the range `whole` of the rows. All splits have the same
  /// number of tiles of `tileKeys` keys, except the last ones, which may be shorter or empty (`begin` is then not below
  /// `end`).
  AttendMask::KeyRange cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys);

private:
  Value at(Value elements);

  DeviceFrame &frame;
  LoopBuilder loops;
  Value rows, values, heads; ///< index; heads: elements before the values
};

} // namespace attnc
