//===- Attn.h - the dialect `attn`: attention as a formula --------------------------------------------------------===//
//
// Ops on tensors with value semantics, defined in AttnOps.td. The main ones:
//
//   attend    for each outer index o:  p = normaliser(score(o, k)) over the keys k with mask(o, k),
//             result[o, v] = sum_k weight(p_k, o, k) * value(o, k, v)
//   reduce    combines terms over feature indices, inside one of attend's formulas
//
// Outer indices are those of a row of scores: batch, head and query. Formulas (score, mask, weight, value, sink) are
// regions on scalars (f32, i32, i1, index) whose arguments are indices. They read captured tensors by `tensor.extract`.
// Sizes are operands of type `index`, so every dimension may be dynamic. The verifier (AttnVerify.cpp) reports errors
// at the op, with the found and the expected type or number. Canonicalisation removes formulas without effect (a mask
// that is constantly true, a weight that yields its argument) and unused statistics.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Statistics.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Attn/AttnDialect.h.inc"
#include "dialects/Attn/AttnEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/Attn/AttnOps.h.inc"

namespace mlir::attn {

/// An attribute of tensor.extract: the numbers of the subscripts that may be out of range, and are checked at run time.
inline constexpr llvm::StringLiteral unprovedAttrName = "attn.unproved";
/// An attribute of tensor.extract: the numbers of the subscripts that are in range although they come from data,
/// because the formula clamps them. They are not checked at run time.
inline constexpr llvm::StringLiteral provedAttrName = "attn.proved";

/// Returns the sizes of the result of `op` for `statistic` (Statistics.h), outermost first: `index` values, and an
/// attribute for `top`. `Op` is AttendOp or AttendGradientOp; `op` has the attributes that the statistic requires.
template <typename Op> llvm::SmallVector<OpFoldResult> sizesOf(Op op, Statistic statistic);

/// Creates, at `builder`, an attend that yields `statistics` in order. It has the location, sizes, normaliser and alpha
/// of `op` (attend or its gradient), and its `top`, `summed` and value layout if one of the statistics uses them.
/// Without the value statistic it has no value sizes. All its regions are empty: the caller fills the score, and the
/// other regions that are needed.
template <typename Op> AttendOp createAttendLike(OpBuilder &builder, Op op, llvm::ArrayRef<Statistic> statistics);

} // namespace mlir::attn
