//===- ScalarOps.h - what arith and math mean on one element ----------------------------------------------------===//
//
// A table from op to a function on doubles. An i1 is 0 or 1, an i32 its signed value; both wrap as two's complement
// does. An integer operation with no result (a division by zero) gives NaN, which the caller reports.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Rounding.h"
#include "mlir/IR/Operation.h"
#include <functional>

namespace attnc::reference {

using ScalarFunction = std::function<double(const double *operands)>;

/// The function of an `arith` or `math` op on scalars (or, element by element, on tensors); empty for any other op.
ScalarFunction scalarFunction(mlir::Operation *op);
/// Of an op on f32.
Accuracy accuracyOf(mlir::Operation *op);
/// Whether an op adds or subtracts two numbers that arithmetic rounds, so that the result has a residue (residueOfSum).
bool addsComputedNumbers(mlir::Operation *op);

} // namespace attnc::reference
