//===- StoredElement.h - conversion between storage types and f32 -------------------------------------------------===//
//
// bf16 and f16 are storage types: formulas and sums are f32. Loads widen elements, and stores round to nearest even; in
// f16, magnitudes of 65520 or more become infinite.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace attnc {

/// Converts a loaded scalar or vector of bf16 or f16 to f32; values of other types are returned unchanged.
mlir::Value widenStored(mlir::OpBuilder &builder, mlir::Location location, mlir::Value loaded);

/// Converts an f32 scalar or vector to `element`, the element type of the buffer that it is stored to, if `element` is
/// bf16 or f16. For any other `element`, `value` is returned unchanged.
mlir::Value narrowForStore(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type element);

} // namespace attnc
