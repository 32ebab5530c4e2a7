//===- AttentionOverride.h - entry points whose attention weights can be overridden -------------------------------===//
//
// `attnc study` replaces attention weights and compares the outputs. Examples are the erasure of the largest weight
// (Serrano and Smith, "Is Attention Interpretable?", 2019), and the permutation of a row's weights (Jain and Wallace,
// "Attention is not Explanation", 2019). The replacement weights are inputs of an entry point that is derived from f:
//
//   f(x)         y = sum_k p_k value(k)
//   f.weights    p of each attention, with -inf for masked pairs (AttentionMaps.h)
//   f.given      y = sum_k (g_k is NaN ? p_k : g_k) value(k), with an input g of the shape of p for each attention
//
// p_k is the attention weight that multiplies the value of key k, after the normaliser and the formula `weight`. Masked
// pairs contribute nothing to y, whatever g is. If the result of an overridden attention reaches a later attention, the
// later one computes its weights from the changed result.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Unit attribute of a function that deriveAttentionOverride rewrites.
inline constexpr llvm::StringLiteral attentionOverrideAttrName = "attn.attention_override";

/// Adds two copies of entry point `entry` to the module, and erases all entry points except these three. The copy
/// `<entry>.weights` has `model.attention` and `attn.masks_marked`; `<entry>.given` has `attn.attention_override`. The
/// pass attn-derive rewrites both copies later. Fails with an error if there is no such entry point, if it is itself
/// derived from another one (a gradient, a training step, ...), or if it has no attention.
mlir::LogicalResult addEntriesOfStudy(mlir::ModuleOp module, llvm::StringRef entry);

/// Adds f32 arguments `given`, `given2`, ... to a function with `attn.attention_override`, and removes the attribute.
/// There is one for each `attn.attend` in program order, with the shape that deriveAttentionMaps describes. They are
/// the last arguments, except that a key of random draws follows them. If an element of the argument is NaN, the
/// computed weight stays. The results `value` and `weights` of an attend reflect the override; its other statistics do
/// not. Fails with an error if the function has no attend, or at a loop around an attend that does not count from 0 by
/// 1.
mlir::LogicalResult deriveAttentionOverride(mlir::func::FuncOp function);

} // namespace attnc
