//===- AttentionMaps.h - entry points that return attention weights -----------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// Unit attribute beside `model.attention`: a masked pair has the attention weight -inf, which distinguishes it from a
/// pair of weight 0.
inline constexpr llvm::StringLiteral masksMarkedAttrName = "attn.masks_marked";

/// Rewrites a function with `model.attention`: its results become the attention weights of each `attn.attend` in it, in
/// program order. They are named `weights`, `weights2`, ... and have the shape [outer..., keys...], preceded by one
/// dimension for each loop around the attend. Ops that only the former results use become dead. Fails with an error at
/// the function if it has no attention, or at a loop that does not count from 0 by 1.
mlir::LogicalResult deriveAttentionMaps(mlir::func::FuncOp function);

/// The attention weights of an attend: a result of it, or of a second attend that is created after it.
mlir::Value attentionWeights(mlir::attn::AttendOp op);

/// The index, in a per-iteration list, of the element of the current iteration: the time step of a scan, or else the
/// iteration's number. In a backward scan it is computed at the start of the loop's body.
mlir::Value iterationIndex(mlir::scf::ForOp loop);

} // namespace attnc
