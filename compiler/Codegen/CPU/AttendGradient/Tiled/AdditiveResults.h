//===- AdditiveResults.h - gradients of the operands of an additive score, added to the results ---------------===//
//
// The gradient of a term times the derivatives of its formula, for each element that the formula loads. If keys are
// split, sums of rows and sums over all pairs are partial sums (PartialSums.h), which later phases add.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"

namespace attnc {

class AdditiveResults : TiledContext {
public:
  using Value = mlir::Value;
  using Leaves = std::vector<GradientScope::Leaf>;
  /// `number` is that of the additive score.
  AdditiveResults(const TiledContext &context, const ElementGradients &elements, const PartialSums &partial,
                  const KeySplit &split, unsigned number)
      : TiledContext(context), tanh(context.problem.tanhs[number]), elements(elements), partial(partial), split(split),
        number(number) {}

  /// Binds the vector of features from `first` on.
  void bindFeatures(RegionVectoriser &at, Value first) const;
  /// Adds the gradient of a vector of features of a term to the elements that it reads.
  void add(const Leaves &leaves, RegionVectoriser at, Value first, Value gradient) const;
  /// Adds the gradient of a row's term, to the result or to the split's partial sums.
  void addRow(const RegionVectoriser &point, Value row, Value first, Value gradient) const;

  /// Zeros in this split's sums of rows.
  void clear() const;
  /// Adds the splits' sums of rows to the results, in order.
  void mergeRows() const;
  /// Adds the sums over pairs of all splits of a chunk's batch to the results, in order.
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
