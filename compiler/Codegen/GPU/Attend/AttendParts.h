//===- AttendParts.h - attention whose keys are split among blocks ------------------------------------------------===//
//
// A few queries leave most of a device idle where a block passes all of their keys. So the keys that a row keeps are
// cut into `splits` ranges of whole tiles, one a block, and rows are those of all heads that read the same keys. A
// block leaves of each row a part in the kernel's shared scratch, and a second phase merges them in their order:
//
//   part s:    m_s = largest score,  l_s = sum of weights,  O_s = sum of weights * values        (of its keys)
//   M = max(m_s, of a sink),  e_s = correction(m_s, M),  O = sum e_s O_s * factor(sum e_s l_s + of a sink)
//
// How many splits there are is a function of sizes, and what each of them has is one of the mask: the same bits
// whatever the order of blocks. Scratch of a launch, with `parts` = batches * rows * splits:
//
//   [parts][2] f32: m, l      [parts][values, aligned to 4] f32: O
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"

namespace attnc {

class AttendParts {
public:
  /// Rows of a batch, heads of a group among them, that are few.
  static constexpr int64_t mostRows = 64;

  /// A block has so many splits: of warps that compute for themselves, more are wanted.
  AttendParts(const AttendProblem &problem, int64_t splitsOfBlock);

  /// Whether the rows of such a problem can be parts that are merged.
  static Verdict canSplit(const AttendProblem &problem);
  /// Whether they never are many.
  bool areAlwaysFew() const { return areFew == SizeExpr(1); }

  RowNumbers numbers;
  SizeExpr splits; ///< of a row
  SizeExpr areFew; ///< 1 where rows are few, or else 0
  SizeExpr bytes() const;

private:
  SizeExpr values;
};

/// The parts of a launch, in a phase of it.
class PartMemory {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  PartMemory(const AttendParts &parts, const AttendProblem &problem, DeviceFrame &frame);

  Value splits; ///< index
  /// Of a split of a row (index).
  Value number(Value batch, Value row, Value split);
  struct Head {
    Value largest, sum; ///< f32
  };
  Head loadHead(Value part);
  void storeHead(Value part, const Head &head);
  /// Values from number `first` (index) on: a scalar, or a vector where `first` is a multiple of its length.
  Value load(Value part, Value first, mlir::Type type);
  void store(Value part, Value first, Value value);
  /// The range of a split: tiles of `tileKeys` keys, as many for each but the last ones.
  AttendMask::KeyRange cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys);

private:
  Value at(Value elements);

  DeviceFrame &frame;
  LoopBuilder loops;
  Value rows, values, heads; ///< index; heads: elements in front of the values
};

} // namespace attnc
