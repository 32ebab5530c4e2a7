//===- HalideLoops.h - schedules of loops, to Halide and from it --------------------------------------------------===//
//
// Includes Halide: for the files that know it alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/LoopTree.h"
#include <Halide.h>

namespace attnc::halide {

/// A stage as Halide has it.
struct StageFuncs {
  Halide::Func result;
  std::optional<Halide::Func> tile;               ///< what is folded, where something is
  std::map<std::string, std::string> loopsOfSums; ///< Halide's names of loops that are summed over, and ours
};

/// What has been said to Halide of the stage; throws where it can't be said here.
LoopSchedule readLoops(const StageFuncs &funcs);
/// Says it.
void applyLoops(const LoopSchedule &loops, StageFuncs &funcs, const Extents &chunk);

/// The schedule that one of Halide's autoschedulers finds, "Adams2019" or "Mullapudi2016", by the estimates that the
/// stage has. The same on every machine, whatever the environment says. Throws where there is none.
void autoschedule(const std::string &autoscheduler, const StageFuncs &funcs, const Halide::Target &target);

} // namespace attnc::halide
