//===- PartialSums.h - partial sums of the tiled gradient in the shared scratch -----------------------------------===//
//
// The keys of a chunk may be split among several chunks (TiledGradient.h). These splits add to the gradients of the
// same rows. For a dot product, split 0 adds to the result, and each other split to partial sums of its own. For an
// additive score, all splits have partial sums: of rows, if keys are split; of the operands that all pairs of a batch
// share, always. Later phases add the partial sums to the results, in order. They have these shapes, in f32, one after
// the other, rounded up to whole vectors, from byte 0 of the shared scratch on:
//
//   for each dot product whose rows' gradient is requested:
//     [chunk][split - 1][batch of the chunk][row][feature]
//   for each additive score, features padded to whole vectors:
//     [chunk][split][batch of the chunk][row][feature]         if keys are split and an operand of rows is requested
//     [chunk][split][batch of the chunk][2][feature]           if a shared operand is requested: of the coefficient,
//                                                              then of the terms
//
// Here, a chunk is one of GradientPhase::chunks(). An operand is requested if its gradient is a result of the kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

namespace attnc {

class PartialSums : TiledContext {
public:
  using Value = mlir::Value;
  explicit PartialSums(const TiledContext &context) : TiledContext(context) {}

  /// The number of splits of the keys of a chunk: max(1, min(5 - chunks, keys / 512 rounded up)); 1 if the problem does
  /// not split keys.
  SizeExpr splits() const;
  /// Bytes of all partial sums in the shared scratch.
  SizeExpr sharedBytes() const;

  /// The partial sums of dot product, or of additive score, number `number`: flat memrefs of f32.
  Value dot(unsigned number) const;
  Value additiveRows(unsigned number) const;
  Value additiveShared(unsigned number) const;
  // Offsets in these memrefs, of type index as all arguments but `number`.

  /// The offset of row number `row` of the open batch. `splitCount` is the number of splits; null, in additiveRow only:
  /// 1. `part` is the number of the split; in dotRow it is this number minus 1.
  Value dotRow(unsigned number, Value splitCount, Value part, Value row) const;
  Value additiveRow(unsigned number, Value splitCount, Value part, Value row) const;
  /// The offset of the shared sums of the open batch, one of chunk number `chunk`, in split `part` of `splitCount`
  /// (null: 1): the sums of the coefficient, then those of the terms.
  Value additiveSharedRow(unsigned number, Value splitCount, Value part, Value chunk) const;

private:
  SizeExpr dotFloats(const GradientDot &dot) const;
  SizeExpr rowFloats(const GradientTanh &tanh) const;
  SizeExpr sharedFloats(const GradientTanh &tanh) const;
  SizeExpr floatsBefore(unsigned additive) const;
  Value sums(const SizeExpr &before, const SizeExpr &floats) const;
};

/// Where a split adds the gradients dQ of the row factors of dot products.
class SplitRowSums : TiledContext {
public:
  using Value = mlir::Value;
  SplitRowSums(const TiledContext &context, const MatrixRows &matrices, const PartialSums &partial,
               const KeySplit &split)
      : TiledContext(context), matrices(matrices), partial(partial), split(split) {}

  /// The rows that the split adds dQ of dot product number `dot` to: of the result, or of its partial sums. Requires
  /// that dQ is a result (GradientDot::rowResult).
  Matrix rows(unsigned dot) const;
  /// Emits stores of zeros in the split's partial sums, for all batches of the chunk. Requires that keys are split.
  void clear() const;
  /// Emits the addition of the partial sums of all splits of the open batch to the results. Requires split.count.
  void merge() const;

private:
  Matrix result(const GradientDot &dot) const;

  const MatrixRows &matrices;
  const PartialSums &partial;
  const KeySplit &split;
};

} // namespace attnc
