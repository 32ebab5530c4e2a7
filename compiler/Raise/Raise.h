//===- Raise.h - attention that was written as plain tensor code ------------------------------------------------===//
//
// The raise phase finds  sum_j w(share(i, j)) * value(i, j, d)  where share is a softmax or a ratio over the summed
// indices, whatever ops it was written with, and makes it the attn.attend that it is:
//
//   softmax(q @ k' * s + m) @ v       →       attend j { score: dot(q[i], k[j]) * s + m[i, j], value: v[j] }
//
// It runs before derive, so that gradients and caches are those of attention. What nearly is attention is recorded as a
// decision (compiler/Analysis/Decisions.h) with the reason why it is not.
//
// A row of scores that are all -inf, or a ratio of a sum that is zero, gives zeros afterwards, where plain code divides
// zero by zero.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace attnc {

/// `attn-raise-attention`.
std::unique_ptr<mlir::Pass> createRaiseAttentionPass();

/// The whole phase, for a builtin.module.
void buildRaisePipeline(mlir::OpPassManager &passes);

/// Makes the pass known to attn-opt.
void registerRaisePasses();

} // namespace attnc
