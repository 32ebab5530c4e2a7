//===- PairwiseGradientProblem.h - an attn.attend_gradient read as formulas and their derivatives --------------===//
//
// For what AttendGradientProblem.h leaves: any score, weight and value, shares as weights, cotangents of weights.
// The derivatives of a formula y are a scope: for each load x of a tensor whose gradient is wanted the value dy / dx,
// and for each sum r = attn.reduce add of which a term reads such a tensor the value dy / dr with the scope of its
// term.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"
#include <memory>

namespace attnc {

struct GradientScope {
  struct Leaf {
    mlir::tensor::ExtractOp extract;
    mlir::Value partial;
    unsigned result = 0; ///< of the kernel
  };
  struct Sum {
    mlir::attn::ReduceOp op;
    mlir::Value partial;
    std::unique_ptr<GradientScope> term;
  };
  std::vector<Leaf> leaves;
  std::vector<Sum> sums;
  bool isEmpty() const { return leaves.empty() && sums.empty(); }
};

struct PairwiseGradientProblem : GradientProblem {
  GradientScope score, weight, value;
  mlir::Value weightPartial; ///< d weight / d p; null where the weight does not depend on it, or there is none
};

/// Reads the kernel; fails with the reason where the emitter cannot evaluate it.
Verdict readPairwiseGradient(mlir::func::FuncOp kernel, PairwiseGradientProblem &problem);

} // namespace attnc
