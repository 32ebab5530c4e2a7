//===- SymbolicShapes.h - symbolic shape analysis of a function ---------------------------------------------------===//
//
// The analysis expresses every extent of every tensor in a function, and every `index` that is a size, as a SizeExpr
// over the function's symbols. The first symbols of an entry point are its named dimensions, in the order of
// `model.dimensions`. Each further dynamic extent of an argument is a symbol named `<argument>.<dimension>`, and so is
// each `index` argument; functions without named dimensions (a kernel, a test) have only these. An extent that cannot
// be derived is a new symbol, named `?n`, so every query has a result.
//
//   %y = linalg.generic ... -> tensor<?x?x384xf32>      extents  batch, seq, 384      bytes  1536*batch*seq
//
// Extents with equal expressions are equal. If the function does not change between queries, the extents of results of
// calls are cached.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include <string>
#include <vector>

namespace attnc {

class SymbolicShapes {
public:
  /// Whether the function may change between queries.
  enum class Lifetime { Changes, Stays };
  explicit SymbolicShapes(mlir::func::FuncOp function, Lifetime lifetime = Lifetime::Changes);

  /// The value of an `index` as an expression.
  SizeExpr size(mlir::Value index);
  SizeExpr size(mlir::OpFoldResult index);
  /// The extent of dimension `dim` of a ranked tensor, as an expression.
  SizeExpr extent(mlir::Value tensor, int64_t dim);
  std::vector<SizeExpr> shape(mlir::Value tensor);
  SizeExpr elements(mlir::Value tensor);
  /// Elements times the bytes of one; an i1 is stored in a byte.
  SizeExpr bytes(mlir::Value tensor);

  /// Records that `made` replaces `replaced` and has its extents, until forget() of its op.
  void inherit(mlir::Value made, mlir::Value replaced);
  /// Drops the results for an op that is about to be erased, because a new op may reuse its address.
  void forget(mlir::Operation *op);

  /// Names of the symbols, for SizeExpr::text.
  llvm::ArrayRef<std::string> names() const { return symbolNames; }
  std::string text(const SizeExpr &size) const { return size.text(symbolNames); }

  /// Returns an `index` with the value of a symbol, created at the top of the function if necessary. Null if the symbol
  /// does not belong to a function argument.
  mlir::Value symbolValue(unsigned symbol);
  /// Emits index arithmetic for `size` at the builder's insertion point; null if a symbol has no value (symbolValue).
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, const SizeExpr &size);

private:
  struct Origin {
    mlir::Value value; ///< a tensor; an index if dim is -1
    int64_t dim = -1;
  };
  unsigned addSymbol(std::string name, Origin origin);
  SizeExpr unknown(mlir::Value value, int64_t dim);
  SizeExpr extentOfResult(mlir::OpResult result, int64_t dim);
  SizeExpr extentOfCall(mlir::func::CallOp call, unsigned result, int64_t dim);

  mlir::func::FuncOp function;
  std::vector<std::string> symbolNames;
  std::vector<Origin> origins;                                     ///< by symbol
  std::vector<mlir::Value> values;                                 ///< by symbol: the cache of symbolValue
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> known; ///< extents that are symbols; dimension -1: an index
  /// Extents of results of calls; each depends on others. If the function may change, the cache lasts for the outermost
  /// query.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeExpr> met;
  llvm::DenseMap<mlir::Value, std::vector<SizeExpr>> inherited;
  mlir::SymbolTableCollection symbolTables; ///< if the function does not change
  Lifetime lifetime;
  unsigned depth = 0; ///< nesting of calls in a query
};

/// The extents of the loops of `op`, from the dimensions of operands that are subscripted by plain loop indices; 0 for
/// a loop whose index no operand has as a plain subscript.
std::vector<SizeExpr> loopExtents(mlir::linalg::GenericOp op, SymbolicShapes &shapes);

/// Replaces each `tensor.dim` in the function by arithmetic on dimensions of its arguments, if they determine it.
void resolveSizes(mlir::func::FuncOp function);

} // namespace attnc
