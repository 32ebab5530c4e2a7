//===- PairwiseGradientProblem.h - an attn.attend_gradient read as formulas and their derivatives ------------===//
//
// The problem of the pairwise algorithm (PairwiseGradient.h). Unlike AttendGradientProblem.h, this reader supports any
// formula of score, weight and value, any normaliser, and cotangents of weights.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

struct PairwiseGradientProblem : GradientProblem {
  GradientScope score, weight, value;
  mlir::Value weightPartial; ///< d weight / d p; null if the weight does not depend on p, or there is none
};

/// Reads the kernel; fails with the reason if the emitter cannot evaluate it.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
