//===- AttentionOverride.h - entry points whose attention weights can be overridden -------------------------------===//
//
// For experiments that replace attention weights and compare the outputs: erasure of the largest weight (Serrano and
// Smith, "Is Attention Interpretable?", 2019), or permutation of a row's weights (Jain and Wallace, "Attention is not
// Explanation", 2019). The replacement weights are inputs of the entry point:
//
//   f(x)         y = sum_k p_k value(k)
//   f.weights    p, of each attention, and -inf for masked pairs (AttentionMaps.h)
//   f.given      y = sum_k (g_k is NaN ? p_k : g_k) value(k), with an input g of the shape of p for each attention
//
// p are the weights that multiply values: after the normaliser and the formula `weight`. Attention after an overridden
// one computes its own weights from the changed values.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Unit attribute of a function: its attention weights become inputs, see deriveAttentionOverride.
inline constexpr llvm::StringLiteral attentionOverrideAttrName = "attn.attention_override";

/// Adds `<entry>.weights` and `<entry>.given`, copies of `entry` with the attributes by which the derive phase rewrites
/// them, and erases all entry points except these three. Fails with an error if there is no such entry point, if it is
/// itself derived from another one, or if it has no attention.
mlir::LogicalResult addEntriesOfStudy(mlir::ModuleOp module, llvm::StringRef entry);

/// Adds arguments `given`, `given2`, ... to a function with `attn.attention_override`, before a key of random draws:
/// one for each `attn.attend` in program order, of the shapes of deriveAttentionMaps. NaN elements keep the computed
/// weight. Value and weights of an attend reflect the override, its other statistics do not. Fails with an error like
/// deriveAttentionMaps.
mlir::LogicalResult deriveAttentionOverride(mlir::func::FuncOp function);

} // namespace attnc
