//===- ScalarOps.h - scalar semantics of arith and math ops -----------------------------------------------------===//
//
// A table from op names to functions on doubles. An i1 is 0 or 1, an i32 its signed value; results wrap in two's
// complement. An integer division by zero yields NaN, which the caller reports as an error.
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
/// The error of an op in f32 code.
Accuracy accuracyOf(mlir::Operation *op);
/// True if an op adds or subtracts two computed numbers, so that its result has a simulated error (residueOfSum).
bool addsComputedNumbers(mlir::Operation *op);

} // namespace attnc::reference
