//===- AdditiveResults.h - gradients of the operands of an additive score, added to the results ---------------===//
//
// The gradient of a term a, b or c (AdditiveGradient.h) times the derivatives of its formula (GradientTanh), for each
// element that the formula loads. Sums over all pairs, and, if keys are split, sums of rows are partial sums
// (PartialSums.h), which later phases add.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"

namespace attnc {

class AdditiveResults : TiledContext {
public:
  using Value = mlir::Value;
  using Leaves = std::vector<GradientScope::Leaf>;
  /// `number` is that of the additive score in AttendGradientProblem::tanhs.
  AdditiveResults(const TiledContext &context, const ElementGradients &elements, const PartialSums &partial,
                  const KeySplit &split, unsigned number)
      : TiledContext(context), tanh(context.problem.tanhs[number]), elements(elements), partial(partial), split(split),
        number(number) {}

  /// Binds the vector of features from `first` on; features that do not exist are inactive lanes.
  void bindFeatures(RegionVectoriser &at, Value first) const;
  /// Adds the gradient of a term, a vector of features from `first` on, to the elements that its leaves read; `at` has
  /// the other indices. A feature with the gradient 0 adds nothing.
  void add(const Leaves &leaves, RegionVectoriser at, Value first, Value gradient) const;
  /// Adds the gradient of a of row `row` of the batch, whose formulas are `point`, to the results or to the split's
  /// partial sums.
  void addRow(const RegionVectoriser &point, Value row, Value first, Value gradient) const;

  /// Stores zeros in this split's sums of rows, for all batches of the chunk. Requires that keys are split.
  void clear() const;
  /// Adds the splits' sums of rows of the open batch to the results, in order.
  void mergeRows() const;
  /// Adds the sums over all pairs of the open batch, which is one of chunk `chunk`, to the results, split by split in
  /// order.
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
