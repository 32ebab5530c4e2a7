//===- ScalarDerivatives.h - reverse-mode derivatives of scalar arithmetic ----------------------------------------===//
//
// Reverse-mode differentiation of scalar ops (arith, math, attn): given forward ops and the cotangents of some of their
// results, the function `differentiate` emits the cotangents of their operands. A table has one rule for each op
// (`ScalarDerivatives.cpp`); a new scalar op of the language needs one row. Two users share it: reverse mode on tensors
// (compiler/Derive), for bodies of `linalg.generic`, and the backward kernels of attention, for scores, weights and
// values.
//
// With y = f(x_1, ..., x_n) and a cotangent dy of the same type, each float operand x_i gets dx_i = dy df/dx_i:
//
//   add, sub, neg, mul, div    standard
//   exp: dy y      log: dy / x      sqrt: dy / 2y      rsqrt: -dy y^3 / 2      tanh: dy (1 - y^2)
//   sin: dy cos x  cos: -dy sin x   erf: dy 2/sqrt(pi) exp(-x^2)             abs: dy sign(x), 0 at 0
//   max, min: dy to the operand that is the result, the first one if they are equal
//   select: dy to the selected operand, 0 to the other one; ops that compute only the operand that is not selected
//           pass on 0, even if their derivative is infinite
//   floor, attn.stop, attn.uniform, constants, casts from integers: nothing. Comparisons have no cotangent
//   pow x^e: dx = dy e x^(e-1), de = dy y log x, and de = 0 if x <= 0
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::attn {

/// Cotangents by value: the derivative of the loss with respect to each f32 value, as a value of the same type. A value
/// that is absent has the cotangent zero.
using Cotangents = llvm::DenseMap<Value, Value>;

/// Adds `term` to the cotangent of `value` in the map; emits an arith.addf at `builder` if there is one already.
void addCotangent(OpBuilder &builder, Location location, Cotangents &cotangents, Value value, Value term);

/// Emits at `builder` the reverse of `forward`, a straight-line list of ops in program order. On entry the map has the
/// cotangents of the results of the list. From the last op to the first, reads the cotangent of the op's result and
/// adds to the cotangents of its operands. The forward values that rules read must dominate the insertion point. Ops
/// with regions (such as `attn.reduce`), `tensor.extract` and ops without exactly one result are leaves: cotangents of
/// their results remain in the map for the caller. Returns null on success. If another op with a cotangent has no
/// rule, stops and returns that op; the cotangents of the operands of this op and of earlier ops are then incomplete.
Operation *differentiate(OpBuilder &builder, llvm::ArrayRef<Operation *> forward, Cotangents &cotangents);

} // namespace mlir::attn
