//===- Subscripts.h - index arithmetic as affine expressions ----------------------------------------------------===//
//
// A subscript is an `index` computed by `arith` from loop indices (the arguments of an attend region, `linalg.index`)
// and from values that do not change in the loop. Read as an affine expression (loop indices are dimensions, everything
// else a symbol) it can be simplified with the extents of the loops and written back:
//
//   (h * 64 + d) floordiv 64,  0 <= d < 64     =  h
//   (h * 64 + d) mod 64                        =  d
//
// `remsi` is read as `mod` only where its left side cannot be negative, for there the two agree.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

/// The loop indices around a place, and how far each of them runs.
struct LoopIndices {
  llvm::SmallVector<mlir::Value> values; ///< null where the index is only known as `linalg.index`
  llvm::SmallVector<int64_t> extents;    ///< mlir::ShapedType::kDynamic where it is not known

  /// Those of the innermost `linalg.generic`, or of the `attn.attend` and the `attn.reduce`s, around `op`.
  static LoopIndices around(mlir::Operation *op);
  std::optional<unsigned> find(mlir::Value value) const;
};

/// Reads index arithmetic; symbols are numbered in the order in which they are met.
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

/// Simplifies divisions with 0 <= d_n < extents[n].
mlir::AffineExpr simplifySubscript(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// Index arithmetic for `expr`; divisions are of numbers that are not negative.
mlir::Value writeSubscript(mlir::OpBuilder &builder, mlir::Location location, mlir::AffineExpr expr,
                           mlir::ValueRange dims, mlir::ValueRange symbols);

} // namespace attnc
