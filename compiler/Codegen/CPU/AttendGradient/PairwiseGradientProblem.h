//===- PairwiseGradientProblem.h - an attn.attend_gradient read as formulas and their derivatives ------------===//
//
// It reads kernels that AttendGradientProblem.h does not: any score, weight, value and normaliser, cotangents of
// weights.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

struct PairwiseGradientProblem : GradientProblem {
  GradientScope score, weight, value;
  mlir::Value weightPartial; ///< d weight / d p; null where the weight does not depend on it, or there is none
};

/// Reads the kernel; fails with the reason where the emitter cannot evaluate it.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
