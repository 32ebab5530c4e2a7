//===- PairwiseGradientProblem.h - an attn.attend_gradient read as formulas and their derivatives ------------===//
//
// This reader supports any score, weight, value and normaliser, and cotangents of weights, which
// AttendGradientProblem.h does not.
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
