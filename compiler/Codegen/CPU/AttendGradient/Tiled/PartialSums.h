//===- PartialSums.h - sums of key splits in the shared scratch -----------------------------------------------===//
//
// Splits of the keys of one chunk add to the same rows. For a dot product split 0 adds in the result, each other one in
// partial sums of its own. For an additive score all splits have partial sums: of rows, if keys are split, and of the
// operands that all pairs share, always. Later phases add them to the results, in order. Shapes in f32:
//
//   for each dot product whose rows' gradient is wanted:
//     [chunk][split - 1][batch of the chunk][row][feature]
//   for each additive score, features padded to whole vectors:
//     [chunk][split][batch of the chunk][row][feature]         if keys are split and an operand of rows is wanted
//     [chunk][split][batch of the chunk][2][feature]           if shared operands are: of the coefficient, of the terms
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

namespace attnc {

class PartialSums : TiledContext {
public:
  using Value = mlir::Value;
  explicit PartialSums(const TiledContext &context) : TiledContext(context) {}

  /// Splits of the keys of one chunk: four for one chunk, one less for each more chunk, at most one for each 512 keys
  /// or part of these, and at least one; one if the problem does not split keys.
  SizeExpr splits() const;
  /// Bytes of all partial sums.
  SizeExpr sharedBytes() const;

  /// The partial sums of dot product or additive score `number`, as flat memrefs.
  Value dot(unsigned number) const;
  Value additiveRows(unsigned number) const;
  Value additiveShared(unsigned number) const;
  // Offsets in these. A null `splitCount` is 1.

  /// The offset of a row of the open batch: `part` is the number of one of `splitCount` splits, minus 1 for a dot
  /// product.
  Value dotRow(unsigned number, Value splitCount, Value part, Value row) const;
  Value additiveRow(unsigned number, Value splitCount, Value part, Value row) const;
  /// The offset of the shared sums of the open batch of `chunk` in split `part`: the coefficient's, then the terms'.
  Value additiveSharedRow(unsigned number, Value splitCount, Value part, Value chunk) const;

private:
  SizeExpr dotFloats(const GradientDot &dot) const;
  SizeExpr rowFloats(const GradientTanh &tanh) const;
  SizeExpr sharedFloats(const GradientTanh &tanh) const;
  SizeExpr floatsBefore(unsigned additive) const;
  Value sums(const SizeExpr &before, const SizeExpr &floats) const;
};

/// The gradients of the row factors of dot products, as one split adds them.
class SplitRowSums : TiledContext {
public:
  using Value = mlir::Value;
  SplitRowSums(const TiledContext &context, const MatrixRows &matrices, const PartialSums &partial,
               const KeySplit &split)
      : TiledContext(context), matrices(matrices), partial(partial), split(split) {}

  /// The rows that the split adds to: the result's, or its partial sums. Requires that the result is wanted.
  Matrix rows(unsigned dot) const;
  /// Stores zeros in the split's partial sums, for all batches of the chunk. Requires that keys are split.
  void clear() const;
  /// Adds the partial sums of all splits of the open batch to the results. Requires split.count.
  void merge() const;

private:
  Matrix result(const GradientDot &dot) const;

  const MatrixRows &matrices;
  const PartialSums &partial;
  const KeySplit &split;
};

} // namespace attnc
