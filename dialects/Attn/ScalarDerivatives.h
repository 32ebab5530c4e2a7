//===- ScalarDerivatives.h - reverse-mode derivatives of scalar arithmetic ----------------------------------------===//
//
// Reverse-mode differentiation of scalar ops: given forward ops and the cotangents of some of their results, emits the
// cotangents of their operands. A table has one rule for each op (`ScalarDerivatives.cpp`); a new scalar op of the
// language needs one row. Two users share it: reverse mode on tensors, for bodies of `linalg.generic`, and the backward
// kernels of attention, for scores, weights and values.
//
// With y = f(x_1, ..., x_n) and a cotangent dy of the same type, each float operand x_i gets dx_i = dy df/dx_i:
//
//   add, sub, neg, mul, div    standard
//   exp: dy y      log: dy / x      sqrt: dy / 2y      rsqrt: -dy y^3 / 2      tanh: dy (1 - y^2)
//   sin: dy cos x  cos: -dy sin x   erf: dy 2/sqrt(pi) exp(-x^2)             abs: dy sign(x), 0 at 0
//   max, min: dy to the operand that is the result, the first one if they are equal
//   select: dy to the selected value, 0 to the other, even if the other's derivative is infinite
//   floor, attn.stop, attn.uniform, constants, casts from integers: nothing; comparisons have no cotangent
//   pow x^e: dx = dy e x^(e-1), de = dy y log x, and de = 0 if x <= 0
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::attn {

/// Cotangents of scalar f32 values; an absent value has the cotangent zero.
using Cotangents = llvm::DenseMap<Value, Value>;

/// Adds `term` to the cotangent of `value`.
void addCotangent(OpBuilder &builder, Location location, Cotangents &cotangents, Value value, Value term);

/// Emits at `builder` the reverse of `forward`, a straight-line list of ops in program order: reads the cotangents of
/// their results and adds to the cotangents of their operands, from the last op to the first. The forward values that
/// rules read must dominate the insertion point. Ops with regions and loads (`attn.reduce`, `tensor.extract`, ...) are
/// leaves: their cotangents remain in the map for the caller. Returns the first op with a cotangent that has no rule,
/// or null.
Operation *differentiate(OpBuilder &builder, llvm::ArrayRef<Operation *> forward, Cotangents &cotangents);

} // namespace mlir::attn
