//===- AdditiveResults.h - gradients of the operands of an additive score, added to the results -------------------===//
//
// An additive score has terms a (of rows) and b (of keys) and a coefficient c (AdditiveGradient.h). For each element
// that the formula of a, b or c loads, this class adds the gradient of the term, times the derivative of its formula
// (GradientTanh), to the kernel's result. If keys are split among chunks, sums of rows go to partial sums instead,
// which a later phase adds to the results; sums over all pairs always do (PartialSums.h). All functions emit code.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"

namespace attnc {

class AdditiveResults : TiledContext {
public:
  using Value = mlir::Value;
  using Leaves = std::vector<GradientScope::Leaf>;
  /// `number` is the index of the additive score in AttendGradientProblem::tanhs.
  AdditiveResults(const TiledContext &context, const ElementGradients &elements, const PartialSums &partial,
                  const KeySplit &split, unsigned number)
      : TiledContext(context), tanh(context.problem.tanhs[number]), elements(elements), partial(partial), split(split),
        number(number) {}

  /// Binds in `at` the vector of features from `first` (index) on. Features that do not exist are inactive lanes.
  void bindFeatures(RegionVectoriser &at, Value first) const;
  /// Adds the gradient of a term to the elements that its leaves read. `gradient` is a vector over the features from
  /// `first` on, and `at` binds the other indices. A feature with the gradient 0 adds nothing.
  void add(const Leaves &leaves, RegionVectoriser at, Value first, Value gradient) const;
  /// Adds the gradient of term a of row number `row` of the open batch to the results or, if keys are split, to the
  /// partial sums of this split. `point` are the formulas bound to the row; `first` and `gradient` are as above. Emits
  /// nothing if no gradient of an operand of rows is a result of the kernel.
  void addRow(const RegionVectoriser &point, Value row, Value first, Value gradient) const;

  // The next three functions emit nothing if the score has no partial sums of their kind (PartialSums.h).

  /// Stores zeros in the partial sums of rows of this split, for all batches of the chunk. Requires that keys are
  /// split.
  void clear() const;
  /// Adds the partial sums of rows of all splits of the open batch to the results, in order. Requires that keys are
  /// split, and split.count.
  void mergeRows() const;
  /// Adds the partial sums over all pairs of the open batch, one of the batches of chunk number `chunk`, to the
  /// results, split by split in order. Requires split.count.
  void mergeShared(Value chunk) const;

private:
  int64_t paddedFeatures() const { return schedule.paddedTo(tanh.features); }

  const GradientTanh &tanh;
  const ElementGradients &elements;
  const PartialSums &partial;
  const KeySplit &split;
  const unsigned number;
};

} // namespace attnc
