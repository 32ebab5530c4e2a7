//===- Divisibility.h - what numbers are known to be multiples of -------------------------------------------------===//
//
//   isMultipleOf(32 * h + 8, 8)           yes, whatever h is
//   isMultipleOf(16 * i + c, 8)           where c is: `isKnown` says so
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Whether a number (an index or an integer) is a multiple of `divisor`, as far as its arithmetic tells, where those
/// values are of which `isKnown` says so.
bool isMultipleOf(
    mlir::Value value, int64_t divisor,
    llvm::function_ref<bool(mlir::Value)> isKnown = [](mlir::Value) { return false; });

} // namespace attnc
