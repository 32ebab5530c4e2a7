//===- ScalarDerivatives.h - derivatives of formulas on scalars ---------------------------------------------------===//
//
// The reverse of arithmetic: given forward ops on scalars and cotangents of some of their results, emits the cotangents
// of what they read. One table holds the rule of each op (`ScalarDerivatives.cpp`); a new op of the language has its
// line there. Everything that differentiates uses it: reverse mode on tensors for the bodies of `linalg.generic`, and
// attention's backward kernels for scores, weights and values.
//
// With y = f(x_1, ..., x_n) and a cotangent dy (of the same type), each x_i that is a float gets dx_i = dy df/dx_i:
//
//   add, sub, neg, mul, div    as in the book
//   exp: dy y      log: dy / x      sqrt: dy / 2y      rsqrt: -dy y^3 / 2      tanh: dy (1 - y^2)
//   sin: dy cos x  cos: -dy sin x   erf: dy 2/sqrt(pi) exp(-x^2)             abs: dy sign(x), 0 at 0
//   max, min: dy to the operand that is taken, the first one where they are equal
//   select: dy to the value that is taken, 0 to the other; comparisons, floor and casts to integers: nothing
//   pow x^e: dx = dy e x^(e-1), de = dy y log x, and de = 0 where x <= 0
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::attn {

/// Cotangents of scalar f32 values; a value that is absent has the cotangent zero.
using Cotangents = llvm::DenseMap<Value, Value>;

/// Adds `term` to the cotangent of `value`.
void addCotangent(OpBuilder &builder, Location location, Cotangents &cotangents, Value value, Value term);

/// Emits at `builder` the reverse of `forward`, a straight list of ops in their order, from the last to the first:
/// reads the cotangents of their results and adds to those of their operands. The forward values that rules read
/// must be visible at `builder`. Ops with regions and loads (`attn.reduce`, `tensor.extract`, ...) are leaves: their
/// cotangent is left in the map for the caller. Gives the first op that no rule covers and that has a cotangent, or
/// null.
Operation *differentiate(OpBuilder &builder, llvm::ArrayRef<Operation *> forward, Cotangents &cotangents);

} // namespace mlir::attn
