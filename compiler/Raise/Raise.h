//===- Raise.h - raising of plain tensor code to attention --------------------------------------------------------===//
//
// The raise phase finds sums sum_j w(p(i, j)) * value(i, j, d) over keys j, where i are the indices of queries and d
// those of features. The attention weights p are a softmax over j, or the ratio of a formula with a reduction, such as
// a dot product, to its sum over j, in one of the forms of NormalisedScore.h. w is a formula that is 0 where p is 0.
// The phase rewrites the sum to attn.attend:
//
//   softmax(q @ k' * s + m) @ v       →       attend j { score: dot(q[i], k[j]) * s + m[i, j], value: v[j] }
//
// It runs before derive, so that gradients and caches are those of attention. A sum is not raised if other ops read its
// attention weights, or if a strategy refuses it. A decision (compiler/Analysis/Decisions.h) records each sum that is
// raised, and the reason why code that resembles attention is not raised, unless a strategy refuses it.
//
// Raising changes three cases in which the result of plain code is NaN. If all scores of a row are -inf, or if the sum
// of a ratio is zero, the result of attention is zeros, where plain code divides zero by zero. A value that is infinite
// or NaN has no effect if a mask makes the score -inf, where plain code multiplies it by zero. A score that is +inf or
// NaN has no effect if a mask adds -inf to it, where the sum in plain code is NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

/// The pass of Passes.td, and registerRaisePasses() for attn-opt.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Raise/Passes.h.inc"

/// Appends the passes of the phase, which run on a builtin.module, to `passes`.
void buildRaisePipeline(mlir::OpPassManager &passes);

} // namespace attnc
