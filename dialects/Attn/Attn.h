//===- Attn.h - the dialect `attn`: attention as a formula ------------------------------------------------------===//
//
// Two ops on tensors, `attn.attend` and `attn.reduce`, with value semantics; AttnOps.td is their definition:
//
//   attend    for each outer index o:  p = normaliser(score(o, k)) over the keys k with mask(o, k),
//             result[o, v] = sum_k weight(p_k, o, k) * value(o, k, v)
//   reduce    the combined terms over feature indices, inside one of attend's formulas
//
// Formulas are regions on scalars (f32, i32, i1, index) whose arguments are indices; they read tensors from above by
// `tensor.extract`. Sizes are operands of type `index`, so that every dimension may be dynamic. What the verifier
// (AttnVerify.cpp) refuses it reports at the op, with what was found and what was expected. Canonicalisation drops what
// a formula does not say: a constant mask, a statistic that nobody reads.
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

/// The sizes of a statistic's dimensions, in the order of its result. `Op` is attend or its gradient.
template <typename Op> llvm::SmallVector<OpFoldResult> sizesOf(Op op, Statistic statistic);

/// An attend beside `op` (attend or its gradient), of the same sizes and normaliser, that yields `statistics`. Formulas
/// are still to be filled in, without the value's where no value is yielded.
template <typename Op> AttendOp createAttendLike(OpBuilder &builder, Op op, llvm::ArrayRef<Statistic> statistics);

} // namespace mlir::attn
