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
  /// The derivatives of these three formulas; empty for a region that the attend does not have, and `value` is empty if
  /// the value has no cotangent.
  GradientScope score, weight, value;
  /// d weight / d p, where p is the normalised score; null if this is 0, or if attend has no weight region (then the
  /// weight is p).
  mlir::Value weightPartial;
};

/// Reads the kernel, which it does not change; fails with the reason if the emitter cannot evaluate it. The forward
/// pass must have saved lse if the normaliser has one, and the top keys if their weights have a cotangent.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
