//===- Staging.h - insertion of stages that copy operands of a sum to a new layout --------------------------------===//
//
// The terms of a sum are products of factors. If a factor is computed from elements of operands, or if lanes read it
// with a stride, a stage of its own first stores it as a tensor, which the sum then reads contiguously. For example,
// the sum in the first line becomes three stages:
//
//   sum over t, c of (if s >= 4 t then x[s - 4 t, c] else 0) * w[o, c, t]
//
//   pad[p, c] = if p >= 8 then x[p - 8, c] else 0              p = s - 4 t + 8, from 0 to n + 7
//   turned[c, t, o] = w[o, c, t]
//   sum over t, c of pad[s - 4 t + 8, c] * turned[c, t, o]
//
// The dimensions of the stored tensor are the **directions** of the factor: the affine combinations of loop indices in
// its subscripts and conditions, without constants; here p (s - 4 t) and c. A factor is staged under four conditions.
// No two directions share a loop, so that the factor can be computed for every combination of their values. These
// combinations are far fewer than the iterations of the loops. No subscript of the factor comes from data. And each
// direction has at most one loop of dynamic size, with a positive factor.
//
// **Partial sums.** A gradient with respect to weights is a sum over all images of a batch for each weight. One stage
// would reread each image for every chunk of weights. If partialSumLoop() (StageSchedule.h) says so, the sum becomes
// two stages: the sums of each image, and the sum of these:
//
//   parts[b, di, dj, c, o] = sum over i, j of x[b, i + di, j + dj, c] * dy[b, i, j, o]
//   sum over b of parts[b, di, dj, c, o]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"

namespace attnc::halide {

/// A stage, the tensors that it reads, and the tensor that it writes.
struct PlannedStage {
  /// The source of a buffer: the tensor of an earlier stage, or a tensor operand of the kernel.
  struct Source {
    bool isStage = false;
    unsigned number = 0; ///< of the stage in the list of stages, or of the operand
    bool operator==(const Source &) const = default;
  };
  Stage stage;
  std::vector<Source> sources;         ///< one for each of stage.buffers
  // planStages() leaves these two members unset; its callers set them.
  std::optional<unsigned> result = {}; ///< number of the kernel's result that it writes; null if later stages read it
  bool isLayout = false;               ///< whether it only prepares a factor, or the partial sums, of a later stage
};

/// Splits `stage` into stages in the order of their computation; the last one computes the result of `stage`. A source
/// that is no stage has as its number the number of a buffer of `stage`. The list has one element if nothing is staged,
/// as for a scatter and a stage without a fold.
std::vector<PlannedStage> planStages(const Stage &stage, const Machine &machine);

} // namespace attnc::halide
