//===- Divisibility.h - divisibility analysis of index arithmetic -----------------------------------------------===//
//
//   isMultipleOf(32 * h + 8, 8)           yes, for every h
//   isMultipleOf(16 * i + c, 8)           if isKnown(c)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Whether the arithmetic of `value` (an index or an integer) proves that it is a multiple of `divisor`. Values for
/// which `isKnown` returns true are assumed to be multiples.
bool isMultipleOf(
    mlir::Value value, int64_t divisor,
    llvm::function_ref<bool(mlir::Value)> isKnown = [](mlir::Value) { return false; });

} // namespace attnc
