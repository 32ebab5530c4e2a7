//===- StoredElement.h - elements between memory and registers ----------------------------------------------------===//
//
// bf16 and f16 are ways to store numbers: formulas and sums have f32. What is loaded is widened, and what is stored is
// rounded to nearest even; of f16, what is 65520 or more becomes infinite.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace attnc {

/// A scalar or a vector as it was loaded: of bf16 or f16 as f32, of anything else as it is.
mlir::Value widenStored(mlir::OpBuilder &builder, mlir::Location location, mlir::Value loaded);

/// A scalar or a vector as it is stored in a buffer of `element`: rounded where that is bf16 or f16.
mlir::Value narrowForStore(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type element);

} // namespace attnc
