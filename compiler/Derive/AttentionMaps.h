//===- AttentionMaps.h - entry points that give the weights of attention ------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attnc {

/// Turns a function with `model.attention` into one that gives, in place of its results, the weights of each
/// `attn.attend` in it, in the order in which they stand: `weights`, `weights2`, ... of [outer..., keys...], behind a
/// dimension for each loop around the attend. What only the former results needed is left to be removed. Fails with an
/// error at the function where it has no attention, and at a loop that does not run a constant number of times.
mlir::LogicalResult deriveAttentionMaps(mlir::func::FuncOp function);

} // namespace attnc
