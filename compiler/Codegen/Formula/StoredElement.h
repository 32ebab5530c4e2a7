//===- StoredElement.h - conversion between storage types and f32 -----------------------------------------------===//
//
// bf16 and f16 are storage types: formulas and sums are f32. Loads widen elements, and stores round to nearest even; in
// f16, magnitudes of 65520 or more become infinite.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace attnc {

/// A loaded scalar or vector: bf16 and f16 as f32, other types unchanged.
mlir::Value widenStored(mlir::OpBuilder &builder, mlir::Location location, mlir::Value loaded);

/// A scalar or a vector for a buffer of `element`: rounded if that is bf16 or f16.
mlir::Value narrowForStore(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type element);

} // namespace attnc
