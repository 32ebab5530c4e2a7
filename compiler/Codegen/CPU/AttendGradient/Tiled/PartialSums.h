//===- PartialSums.h - sums of key splits in the shared scratch -----------------------------------------------===//
//
// Splits of the keys of one chunk add to the same rows. For a dot product split 0 adds in the result, each other one in
// partial sums of its own. For an additive score all splits have partial sums: of rows, where keys are split, and of
// the elements that all pairs share. A last phase adds them to the results, in order.
//
//   [dot][chunk][split - 1][batch of the chunk][row][feature]
//   [additive score]: [chunk][split][batch][row][feature], then [chunk][split][batch][coefficient or term][feature]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

namespace attnc {

class PartialSums : TiledContext {
public:
  using Value = mlir::Value;
  explicit PartialSums(const TiledContext &context)
      : TiledContext(context) {}

  /// Splits of the keys of one chunk: four for one chunk, one less for each more, and at least 512 keys each.
  SizeExpr splits() const;
  SizeExpr sharedBytes() const;

  /// The partial sums of dot product or additive score `number`.
  Value dot(unsigned number) const;
  Value additiveRows(unsigned number) const;
  Value additiveShared(unsigned number) const;
  /// The offset of a row of the open batch; `part` is counted from the second of `splitCount` splits for a dot product,
  /// from the first one for an additive score.
  Value dotRow(unsigned number, Value splitCount, Value part, Value row) const;
  Value additiveRow(unsigned number, Value splitCount, Value part, Value row) const;
  /// The offset of the shared sums of a chunk's batch: the coefficients', then the terms'.
  Value additiveSharedRow(unsigned number, Value splitCount, Value part, Value chunk) const;

private:
  SizeExpr dotFloats(const GradientDot &dot) const;
  SizeExpr rowFloats(const GradientTanh &tanh) const;
  SizeExpr sharedFloats(const GradientTanh &tanh) const;
  SizeExpr floatsBefore(unsigned additive) const;
  Value sums(const SizeExpr &before, const SizeExpr &floats) const;

};

/// The gradients of a dot product's rows, as one split adds them.
class SplitRowSums : TiledContext {
public:
  using Value = mlir::Value;
  SplitRowSums(const TiledContext &context, const MatrixRows &matrices, const PartialSums &partial,
               const KeySplit &split)
      : TiledContext(context), matrices(matrices), partial(partial), split(split) {}

  /// The rows that the split adds to: the result's, or its partial sums.
  Matrix rows(unsigned dot) const;
  /// Zeros in the split's partial sums.
  void clear() const;
  /// Adds the partial sums of all splits of the batch to the results.
  void merge() const;

private:
  Matrix result(const GradientDot &dot) const;

  const MatrixRows &matrices;
  const PartialSums &partial;
  const KeySplit &split;
};

} // namespace attnc
