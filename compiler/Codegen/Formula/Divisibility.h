//===- Divisibility.h - divisibility analysis of index arithmetic -------------------------------------------------===//
//
//   isMultipleOf(32 * h + 8, 8)           true: for every h
//   isMultipleOf(16 * i + c, 8)           true if isKnown(c)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// Whether the ops that compute `value` (an index or an integer) prove that it is a multiple of `divisor` (> 0). The
/// analysis follows sums, differences, products, arith.index_cast, signed extrema and induction variables of scf.for.
/// A value for which `isKnown` returns true is assumed to be a multiple. False means that there is no proof. The
/// emitters use it to choose aligned or vectorised accesses. (compiler/Sizes/Divisibility.h has the same test for
/// symbolic sizes.)
bool isMultipleOf(
    mlir::Value value, int64_t divisor,
    llvm::function_ref<bool(mlir::Value)> isKnown = [](mlir::Value) { return false; });

} // namespace attnc
