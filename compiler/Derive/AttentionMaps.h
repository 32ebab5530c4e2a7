//===- AttentionMaps.h - entry points that give the weights of attention ------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// Unit, beside `model.attention`: a pair that is masked has the weight -inf, by which it is told from one whose weight
/// is 0.
inline constexpr llvm::StringLiteral masksMarkedAttrName = "attn.masks_marked";

/// Turns a function with `model.attention` into one that gives, in place of its results, the weights of each
/// `attn.attend` in it, in the order in which they stand: `weights`, `weights2`, ... of [outer..., keys...], behind a
/// dimension for each loop around the attend. What only the former results needed is left to be removed. Fails with an
/// error at the function where it has no attention, and at a loop that does not run a constant number of times.
mlir::LogicalResult deriveAttentionMaps(mlir::func::FuncOp function);

/// The weights of an attend: its own result, or that of another one beside it.
mlir::Value weightsOf(mlir::attn::AttendOp op);

/// The number of the element of a list that a turn of the loop has: the step that it is of a scan, or its own number.
mlir::Value placeOfStep(mlir::scf::ForOp loop);

} // namespace attnc
