//===- AttentionMaps.h - entry points that return attention weights -----------------------------------------------===//
//
// The pass attn-derive rewrites a function with `model.attention` so that it returns the attention weights of each
// attention in it (attn.attend) instead of its results.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// Unit attribute beside `model.attention`: the result holds -inf for each masked query–key pair, which distinguishes
/// the pair from one whose attention weight is 0.
inline constexpr llvm::StringLiteral masksMarkedAttrName = "attn.masks_marked";

/// Replaces the results of `function` by the attention weights of each `attn.attend` in it, in program order, and
/// removes `model.attention` and `attn.masks_marked`. The results are f32 and named `weights`, `weights2`, ... Their
/// shape is [outer..., keys...], preceded by one dimension for each loop around the attend, outermost first. Ops that
/// only the replaced results use become dead. Fails with an error at the function if it has no attend, or at a loop
/// around an attend that does not count from 0 by 1.
mlir::LogicalResult deriveAttentionMaps(mlir::func::FuncOp function);

/// The attention weights of `op`, f32 [outer..., keys...]: its result for this statistic, if it has one. Otherwise
/// creates a second attend after `op`, with the same regions except `value`, that computes them.
mlir::Value attentionWeights(mlir::attn::AttendOp op);

/// The index, in a per-iteration list, of the element of the current iteration of `loop`, which counts from 0 by 1. In
/// a backward scan of n time steps, iteration t has index n - 1 - t, which is computed at the start of the loop's body.
/// In other loops, the index is the induction variable.
mlir::Value iterationIndex(mlir::scf::ForOp loop);

} // namespace attnc
