//===- Staging.h - operands that are laid out anew before a sum reads them ---------------------------------------===//
//
// A factor of a sum's terms that is computed, or that is read across its rows, is made into a tensor of its own by a
// stage in front, which the sum then reads in order:
//
//   sum over t, c of (if s >= 4 t then x[s - 4 t, c] else 0) * w[o, c, t]
//
//   pad[p, c] = if p >= 8 then x[p - 8, c] else 0              p = s - 4 t + 8, from 0 to n + 7
//   turned[t, c, o] = w[o, c, t]
//   sum over t, c of pad[s - 4 t + 8, c] * turned[t, c, o]
//
// The dimensions of such a tensor are the **directions** in which the factor reads: the sums of loops in its subscripts
// and conditions, a constant left aside. The factor is staged where no two directions share a loop, so that it can be
// computed in all of their box, and where the box has fewer elements than the loops have iterations, by far.
//
// **Parts.** A sum that runs over all images for each weight would read each image anew for every chunk of weights. It
// is two stages then, where that pays (StageSchedule.h): the sums of each image, and the sum of those.
//
//   parts[b, di, dj, c, o] = sum over i, j of x[b, i + di, j + dj, c] * dy[b, i, j, o]
//   sum over b of parts[b, di, dj, c, o]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"

namespace attnc::halide {

struct PlannedStage {
  /// Where a buffer comes from: an operand of the kernel, or an earlier stage.
  struct Source {
    bool isStage = false;
    unsigned number = 0;
    bool operator==(const Source &) const = default;
  };
  Stage stage;
  std::vector<Source> sources;         ///< one a buffer
  std::optional<unsigned> result = {}; ///< of the kernel, which it writes; nothing where only later stages read it
  bool isLayout = false;               ///< of an operand of the next stage that is none
};

/// Stages in the order of their computation; the last is `stage` and writes the kernel's result. Buffer n of `stage` is
/// operand n.
std::vector<PlannedStage> planStages(const Stage &stage, const Machine &machine);

} // namespace attnc::halide
