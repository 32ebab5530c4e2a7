//===- Staging.h - staging: operands copied to a new layout before a sum ------------------------------------------===//
//
// A factor of a sum's terms that is computed, or that lanes read with a stride, is first stored as a tensor by a stage
// of its own. The sum then reads that tensor contiguously:
//
//   sum over t, c of (if s >= 4 t then x[s - 4 t, c] else 0) * w[o, c, t]
//
//   pad[p, c] = if p >= 8 then x[p - 8, c] else 0              p = s - 4 t + 8, from 0 to n + 7
//   turned[t, c, o] = w[o, c, t]
//   sum over t, c of pad[s - 4 t + 8, c] * turned[t, c, o]
//
// The dimensions of that tensor are the **directions** in which the factor reads: the sums of loops in its subscripts
// and conditions, without constants. A factor is staged if no two directions share a loop, so that it can be computed
// at each point of their box, and if the box has far fewer elements than the loops have iterations.
//
// **Partial sums.** A sum over all images, one for each weight, would reread each image for every chunk of weights. If
// it pays (StageSchedule.h), it becomes two stages: the sums of each image, and the sum of these:
//
//   parts[b, di, dj, c, o] = sum over i, j of x[b, i + di, j + dj, c] * dy[b, i, j, o]
//   sum over b of parts[b, di, dj, c, o]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"

namespace attnc::halide {

/// A stage, the tensors it reads and the tensor it writes.
struct PlannedStage {
  /// The source of a buffer: an operand of the kernel, or an earlier stage.
  struct Source {
    bool isStage = false;
    unsigned number = 0;
    bool operator==(const Source &) const = default;
  };
  Stage stage;
  std::vector<Source> sources;         ///< one for each buffer
  std::optional<unsigned> result = {}; ///< the kernel's result that it writes; null if only later stages read it
  bool isLayout = false;               ///< it only prepares an operand of the next stage
};

/// Splits a stage into stages in the order of their computation; the last one writes the result of `stage`. Buffer n of
/// `stage` is operand n.
std::vector<PlannedStage> planStages(const Stage &stage, const Machine &machine);

} // namespace attnc::halide
