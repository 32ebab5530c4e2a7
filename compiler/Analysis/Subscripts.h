//===- Subscripts.h - index arithmetic as affine expressions ------------------------------------------------------===//
//
// A subscript is an `index` that ops of `arith` compute from loop indices and other values. The loop indices are
// linalg.index, and the arguments of the regions of attn.attend and attn.reduce. A pass reads a subscript as an affine
// expression, in which loop indices are dimensions and other values symbols (SubscriptReader). It then simplifies the
// expression by the extents of the loops (simplifySubscript), and writes it as arithmetic again (writeSubscript):
//
//   (h * 64 + d) floordiv 64,  0 <= d < 64     =  h
//   (h * 64 + d) mod 64                        =  d
//
// arith.remsi and arith.divsi round towards zero. They are read as `mod` and `floordiv` only if their left side cannot
// be negative, where the results are equal.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

/// The indices and extents of the loops around an op. Element n of both lists belongs to loop n, outer loops first.
struct LoopIndices {
  llvm::SmallVector<mlir::Value> values; ///< the block argument that is the index; null for loops of a linalg.generic
  llvm::SmallVector<int64_t> extents;    ///< number of iterations; mlir::ShapedType::kDynamic if unknown

  /// The loops of the innermost linalg.generic around `op`. If there is none, the indices of the region of the
  /// attn.attend around `op`, followed by those of the attn.reduce ops around `op`; in other ops, the latter alone.
  static LoopIndices around(mlir::Operation *op);
  /// The number of the loop whose index `value` is; null if it is not a loop index.
  std::optional<unsigned> find(mlir::Value value) const;
};

/// Converts index arithmetic to affine expressions. Dimension n is the index of loop n of `indices`, which must outlive
/// the reader. A value that is neither a loop index nor affine in loop indices and symbols becomes a symbol.
class SubscriptReader {
public:
  explicit SubscriptReader(const LoopIndices &indices) : indices(indices) {}
  /// The affine expression of `value`, an `index`. All calls share the numbers of symbols.
  mlir::AffineExpr read(mlir::Value value);
  /// The values of the symbols, by number, in the order of their first use. Some may not occur in a result of read().
  llvm::ArrayRef<mlir::Value> symbols() const { return symbolValues; }

private:
  mlir::AffineExpr symbol(mlir::Value value);
  const LoopIndices &indices;
  llvm::SmallVector<mlir::Value> symbolValues;
};

/// Simplifies floordiv and mod by positive constants, where 0 <= dimension n < extents[n]. A dimension whose extent is
/// kDynamic or missing has no upper bound; symbols have no bounds.
mlir::AffineExpr simplifySubscript(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// Emits index arithmetic for `expr` at the builder's insertion point; dimension n is dims[n] and symbol n symbols[n].
/// Left sides of `mod` must not be negative, because `mod` becomes arith.remsi; `expr` must have no ceildiv.
mlir::Value writeSubscript(mlir::OpBuilder &builder, mlir::Location location, mlir::AffineExpr expr,
                           mlir::ValueRange dims, mlir::ValueRange symbols);

} // namespace attnc
