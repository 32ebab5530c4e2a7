//===- PairwiseGradientProblem.h - an attn.attend_gradient parsed for the pairwise algorithm ----------------------===//
//
// AttendGradientEmitter.cpp reads a kernel into this struct, and PairwiseGradient.h generates its code. Unlike the
// reader of AttendGradientProblem.h, this reader supports any normaliser, cotangents of all statistics except the top
// keys, and any formulas of score, weight and value whose ops have known derivatives. A reduction that is
// not a sum may read neither a tensor whose gradient is a result of the kernel nor, in the weight, the normalised
// score.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"

namespace attnc {

struct PairwiseGradientProblem : GradientProblem {
  /// The derivatives of these three formulas. `weight` is empty without a weight region, and `value` if the value has
  /// no cotangent.
  GradientScope score, weight, value;
  /// d weight / d p, where p is the normalised score. Null if this is 0. Also null without a weight region: the weight
  /// is then p, and its derivative 1.
  mlir::Value weightPartial;
};

/// Reads the kernel, which it does not change, into `problem`, which must be new. Fails with the reason if the kernel
/// is not a single attn.attend_gradient that returns each gradient at most once, if a formula is not supported, if the
/// normaliser has an lse that the forward pass did not save, or if the top weights have a cotangent and the forward
/// pass did not save the top keys.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
