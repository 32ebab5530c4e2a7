//===- Subscripts.h - index arithmetic as affine expressions ----------------------------------------------------===//
//
// A subscript is an `index` computed by `arith` from loop indices (the arguments of an attend region, `linalg.index`)
// and loop-invariant values. As an affine expression (loop indices are dimensions, other values symbols) it is
// simplified by the extents of the loops and written back:
//
//   (h * 64 + d) floordiv 64,  0 <= d < 64     =  h
//   (h * 64 + d) mod 64                        =  d
//
// `remsi` equals `mod`, and is read as `mod`, only if its left side cannot be negative.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

/// The enclosing loop indices of an op with their extents, both by number of the loop.
struct LoopIndices {
  llvm::SmallVector<mlir::Value> values; ///< null if no value but only `linalg.index` has the index
  llvm::SmallVector<int64_t> extents;    ///< mlir::ShapedType::kDynamic if unknown

  /// The indices of the innermost `linalg.generic`, or of the `attn.attend` and the `attn.reduce`s, around `op`, outer
  /// loops first.
  static LoopIndices around(mlir::Operation *op);
  /// The number of the loop whose index `value` is; null if it is not a loop index.
  std::optional<unsigned> find(mlir::Value value) const;
};

/// Converts index arithmetic to affine expressions: loop number n of `indices`, which must outlive the reader, is
/// dimension n; a value that is not affine in the loop indices is a symbol. Symbols are numbered in the order of their
/// first use.
class SubscriptReader {
public:
  explicit SubscriptReader(const LoopIndices &indices) : indices(indices) {}
  mlir::AffineExpr read(mlir::Value value);
  llvm::ArrayRef<mlir::Value> symbols() const { return symbolValues; }

private:
  mlir::AffineExpr symbol(mlir::Value value);
  const LoopIndices &indices;
  llvm::SmallVector<mlir::Value> symbolValues;
};

/// Simplifies floordiv and mod by constants, for 0 <= d_n < extents[n]; d_n is unbounded if extents[n] is kDynamic.
mlir::AffineExpr simplifySubscript(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// Emits index arithmetic for `expr`, in which dimension n is dims[n] and symbol n symbols[n]. Left sides of `mod` must
/// not be negative, because `mod` becomes arith.remsi.
mlir::Value writeSubscript(mlir::OpBuilder &builder, mlir::Location location, mlir::AffineExpr expr,
                           mlir::ValueRange dims, mlir::ValueRange symbols);

} // namespace attnc
