//===- Raise.h - raising of plain tensor code to attention -------------------------------------------------------===//
//
// The raise phase finds sum_j w(p(i, j)) * value(i, j, d), where p is a softmax or a ratio over the summed indices in
// any spelling, and rewrites it to attn.attend:
//
//   softmax(q @ k' * s + m) @ v       →       attend j { score: dot(q[i], k[j]) * s + m[i, j], value: v[j] }
//
// It runs before derive, so that gradients and caches are those of attention. A decision
// (compiler/Analysis/Decisions.h) records the reason why code that resembles attention is not raised.
//
// A row of scores that are all -inf, or a ratio with a sum of zero, becomes zeros, where plain code divides zero by
// zero.
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

/// The whole phase, for a builtin.module.
void buildRaisePipeline(mlir::OpPassManager &passes);

} // namespace attnc
