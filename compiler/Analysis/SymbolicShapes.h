//===- SymbolicShapes.h - symbolic shape analysis of a function ---------------------------------------------------===//
//
// The analysis expresses the extent of each dimension of each tensor in a function, and each `index`, as a SizeExpr
// over the function's symbols:
//
//   - the named dimensions of an entry point, first and in the order of `model.dimensions`
//   - each further dynamic extent of an argument, named `<argument>.<dimension>`
//   - each `index` argument, named like the argument (argument n without a name is `arg<n>`)
//   - each other value that cannot be derived from these: a new symbol, named `?n`, so every query has a result
//
// Functions without named dimensions (a kernel, a test) have no symbols of the first kind.
//
//   %y = linalg.generic ... -> tensor<?x?x384xf32>      extents  batch, seq, 384      bytes  1536*batch*seq
//
// Extents with equal expressions are equal. The analysis runs on demand, and each query may add symbols.
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
  /// Whether the module may change between queries. With Stays, it must not: results for calls are then cached.
  enum class Lifetime { Changes, Stays };
  explicit SymbolicShapes(mlir::func::FuncOp function, Lifetime lifetime = Lifetime::Changes);

  /// The value of an `index` as an expression.
  SizeExpr size(mlir::Value index);
  SizeExpr size(mlir::OpFoldResult index);
  /// The extent of dimension `dim` of a ranked tensor. The extent of a call's result is derived from the callee's body;
  /// that of a loop-carried tensor from its initial value.
  SizeExpr extent(mlir::Value tensor, int64_t dim);
  /// The extents of all dimensions of a ranked tensor, in order.
  std::vector<SizeExpr> shape(mlir::Value tensor);
  /// The number of elements of a ranked tensor.
  SizeExpr elements(mlir::Value tensor);
  /// The number of elements times the bytes of one element; an i1 is stored in a byte.
  SizeExpr bytes(mlir::Value tensor);

  /// Records that `made` replaces `replaced` and has its extents. The record lasts until forget() of the op of `made`.
  void inherit(mlir::Value made, mlir::Value replaced);
  /// Drops what is recorded for the results of `op` and of the ops in it. Callers call it before they erase an op,
  /// because a new op may reuse the address.
  void forget(mlir::Operation *op);

  /// The name of symbol n is names()[n], for SizeExpr::text; valid until the next query.
  llvm::ArrayRef<std::string> names() const { return symbolNames; }
  /// `size` as text over the names of the symbols, such as "4*batch*seq".
  std::string text(const SizeExpr &size) const { return size.text(symbolNames); }

  /// Returns an `index` with the value of symbol number `symbol`: an argument, or the dimension of an argument, for
  /// which a tensor.dim is created at the top of the function. Later calls return the same value, so it must not be
  /// erased while this object is used. Null if no argument determines the symbol.
  mlir::Value symbolValue(unsigned symbol);
  /// Emits index arithmetic for `size` at the builder's insertion point. Null if symbolValue() is null for a symbol of
  /// `size`; no arithmetic is emitted then.
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, const SizeExpr &size);

private:
  struct Origin {
    mlir::Value value; ///< a tensor; an index if dim is -1
    int64_t dim = -1;
    int64_t factor = 1, offset = 0; ///< the extent is factor * symbol + offset
  };
  void addArgument(mlir::BlockArgument argument, llvm::ArrayRef<std::string> dimensionNames);
  void determineSymbol(const SizeExpr &extent, Origin origin);
  unsigned addSymbol(std::string name, Origin origin);
  SizeExpr unknown(mlir::Value value, int64_t dim);
  SizeExpr extentOfResult(mlir::OpResult result, int64_t dim);
  SizeExpr extentOfCall(mlir::func::CallOp call, unsigned result, int64_t dim);

  mlir::func::FuncOp function;
  std::vector<std::string> symbolNames;
  std::vector<Origin> origins;                                     ///< by symbol
  std::vector<mlir::Value> values;                                 ///< by symbol: the cache of symbolValue
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> known; ///< extents that are symbols; dimension -1: an index
  /// Cache of the extents of results of calls, by result and dimension. With Lifetime::Changes it is cleared at the end
  /// of each outermost query.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeExpr> met;
  llvm::DenseMap<mlir::Value, std::vector<SizeExpr>> inherited; ///< by inherit(); also declared shapes of arguments
  mlir::SymbolTableCollection symbolTables;                     ///< if the function does not change
  Lifetime lifetime;
  unsigned depth = 0; ///< nesting of calls in a query
};

/// The extent of each loop of `op`, by number: the extent of the first operand dimension that the loop's index alone
/// subscripts. 0 if there is no such dimension.
std::vector<SizeExpr> loopExtents(mlir::linalg::GenericOp op, SymbolicShapes &shapes);

/// Replaces each `tensor.dim` in the function by arithmetic on dimensions of the function's arguments, if these
/// determine its value.
void resolveSizes(mlir::func::FuncOp function);

} // namespace attnc
