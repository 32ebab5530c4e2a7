//===- Divisibility.h - divisibility analysis of index arithmetic -----------------------------------------------===//
//
//   isMultipleOf(32 * h + 8, 8)           yes, for every h
//   isMultipleOf(16 * i + c, 8)           if c is, according to `isKnown`
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Whether a number (an index or an integer) is a multiple of `divisor`, by its arithmetic, if every value with
/// `isKnown` is.
bool isMultipleOf(
    mlir::Value value, int64_t divisor,
    llvm::function_ref<bool(mlir::Value)> isKnown = [](mlir::Value) { return false; });

} // namespace attnc
