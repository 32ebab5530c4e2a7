//===- GivenWeights.h - entry points whose attention can be changed from outside ----------------------------------===//
//
// To ask what a model's attention is for, its weights are replaced by others, and what comes out is compared: the
// largest weight is taken away (Serrano and Smith, "Is Attention Interpretable?", 2019), or the weights of a row change
// places (Jain and Wallace, "Attention is not Explanation", 2019). Which weights those are is not the compiler's
// concern: they are inputs.
//
//   f(x)         y = sum_k p_k value(k)
//   f.weights    p, of each attention, and -inf where a pair is masked (AttentionMaps.h)
//   f.given      y = sum_k (g_k is NaN ? p_k : g_k) value(k), with g an input of the shape of p, for each attention
//
// p are weights as the value is summed with: behind the normaliser and the formula `weight`. Attentions behind one that
// is changed compute their own weights of what that gives.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Unit, on a function: its attention is to be given, see deriveGivenWeights.
inline constexpr llvm::StringLiteral givenWeightsAttrName = "attn.given_weights";

/// Adds, beside an entry point that is not to be derived itself, `<entry>.weights` and `<entry>.given`, both to be
/// derived, and leaves out all other entry points. Fails with an error where there is no such entry
/// point, or it has no attention.
mlir::LogicalResult addEntriesOfStudy(mlir::ModuleOp module, llvm::StringRef entry);

/// Turns a function with `attn.given_weights` into one with further arguments `given`, `given2`, ..., one for each
/// `attn.attend` in it, in the order in which they stand and of the shapes that deriveAttentionMaps gives. Where an
/// element is NaN the weight is attention's own. Of an attend's other statistics only the weights follow what is given.
mlir::LogicalResult deriveGivenWeights(mlir::func::FuncOp function);

} // namespace attnc
