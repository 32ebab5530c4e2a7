//===- PairwiseGradientProblem.h - an attn.attend_gradient read as formulas and their derivatives ------------===//
//
// The problem of the pairwise algorithm (PairwiseGradient.h). Unlike AttendGradientProblem.h, this reader supports any
// normaliser, cotangents of attention weights, top weights and entropy, and formulas of score, weight and value whose
// ops have known derivatives. A tensor whose gradient is wanted may be read in a reduction only if the reduction is a
// sum.
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

/// Reads the kernel, which it does not change. Fails, with the reason, if a formula is not supported, if the normaliser
/// has an lse that the forward pass did not save, or if the top weights have a cotangent and the top keys are not
/// saved.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
