//===- PredictedEmitters.h - which emitter is predicted to be faster ----------------------------------------------===//
//
// Without --emitter, a kernel that two emitters take gets code of both, and the times of both are predicted
// (compiler/Predict) by the default numbers of the target: never by a clock or a file of a machine, so that the same
// model becomes the same object anywhere. The one that has the kernel by rule (HalideScope) keeps it unless another is
// faster by more than predictions err. What was asked for, by --override, a strategy or a tuning database, stays.
//
// Compiling with Halide takes tens of milliseconds, so it is not done where our code is near the least that any could
// take: its useful operations at the peak, or its operands and results from the nearest cache that holds them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// On a kernel: a dictionary of emitters and the seconds that were predicted of them, all launches of different sizes
/// together.
inline constexpr llvm::StringLiteral predictedAttrName = "attn.predicted";

/// On a module: kernels have the emitters that they have by rule. So it is under a memory budget, whose search compiles
/// the model several times, of which whoever compiles the module again knows nothing.
inline constexpr llvm::StringLiteral emittersByRuleAttrName = "attn.emitters_by_rule";

/// In front of the code. What an object keeps of its module does not have it: who compiles that again predicts the same
/// again, for Halide's names go on counting from kernel to kernel, also over those whose code is not taken.
void chooseByPrediction(Job &job);

/// What was predicted of a kernel, by emitter; empty where that was no question.
std::vector<std::pair<std::string, double>> predictionsOf(mlir::func::FuncOp kernel);

} // namespace attnc
