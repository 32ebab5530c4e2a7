//===- ScalarOps.h - scalar semantics of arith and math ops -------------------------------------------------------===//
//
// The oracle evaluates scalar ops by a table from op names to functions on doubles. An i1 is 0 or 1, an i32 its signed
// value; results of integer arithmetic wrap in two's complement, and a conversion of a float saturates (NaN becomes 0).
// An integer division by zero yields NaN, which the caller reports as an error.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Rounding.h"
#include "mlir/IR/Operation.h"
#include <functional>

namespace attnc::reference {

/// The result of an op for its operands, in order.
using ScalarFunction = std::function<double(const double *operands)>;

/// The function of an `arith` or `math` op, attn.stop or attn.uniform on scalars, or on one element of each operand if
/// they are tensors; empty for an op that the oracle does not support.
ScalarFunction scalarFunction(mlir::Operation *op);
/// The class of rounding errors of an op with a floating-point result in f32 code (Rounding.h).
Accuracy accuracyOf(mlir::Operation *op);
/// True if an op adds or subtracts two different results of rounded arithmetic, neither of them an input, a constant or
/// a loop-carried value. Its result then has a simulated error (residueOfSum).
bool addsComputedNumbers(mlir::Operation *op);

} // namespace attnc::reference
