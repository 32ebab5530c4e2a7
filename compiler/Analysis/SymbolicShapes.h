//===- SymbolicShapes.h - the sizes of a function's tensors, in the names of its dimensions -----------------------===//
//
// Every extent of every tensor in a function, and every `index` that is a size, as a SizeExpr over the function's
// symbols. An entry point's symbols are its named dimensions, in the order of `model.dimensions`; any other function
// (a kernel, a test) has a symbol for each dynamic extent of its arguments, named `<argument>.<dimension>`, and for
// each `index` argument. What cannot be derived from those is a symbol of its own, named `?n`: the answer is always
// total.
//
//   %y = linalg.generic ... -> tensor<?x?x384xf32>      extents  batch, seq, 384      bytes  1536*batch*seq
//
// Two extents are equal for certain when their expressions are. Answers are kept where the function stays as it is;
// where it changes between questions, those alone that `inherit` names.
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
  /// Whether the function is changed between questions.
  enum class Lifetime { Changes, Stays };
  explicit SymbolicShapes(mlir::func::FuncOp function, Lifetime lifetime = Lifetime::Changes);

  /// The value of an `index`.
  SizeExpr size(mlir::Value index);
  SizeExpr size(mlir::OpFoldResult index);
  /// The extent of dimension `dim` of a ranked tensor.
  SizeExpr extent(mlir::Value tensor, int64_t dim);
  std::vector<SizeExpr> shape(mlir::Value tensor);
  SizeExpr elements(mlir::Value tensor);
  /// Elements times the bytes of one; an i1 is stored in a byte.
  SizeExpr bytes(mlir::Value tensor);

  /// `made`, which takes the place of `replaced`, has its extents, and keeps them.
  void inherit(mlir::Value made, mlir::Value replaced);
  /// The op is about to be erased: another one may be made where it lies in memory.
  void forget(mlir::Operation *op);

  /// Names of the symbols, for SizeExpr::text.
  llvm::ArrayRef<std::string> names() const { return symbolNames; }
  std::string text(const SizeExpr &size) const { return size.text(symbolNames); }

  /// An `index` for each symbol, made at the top of the function where needed. Null where a symbol is not a function
  /// argument's.
  mlir::Value symbolValue(unsigned symbol);
  /// Index arithmetic for `size` at the builder's place, or null where one of its symbols has no value at the top.
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Location location, const SizeExpr &size);

private:
  struct Origin {
    mlir::Value value; ///< a tensor, or an index where dim is -1
    int64_t dim = -1;
  };
  unsigned addSymbol(std::string name, Origin origin);
  SizeExpr unknown(mlir::Value value, int64_t dim);
  SizeExpr extentOfResult(mlir::OpResult result, int64_t dim);
  SizeExpr extentOfCall(mlir::func::CallOp call, unsigned result, int64_t dim);

  mlir::func::FuncOp function;
  std::vector<std::string> symbolNames;
  std::vector<Origin> origins;
  std::vector<mlir::Value> values;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> known;
  /// Of results of calls: one is the size of several others, and these of others. Where the function changes, of those
  /// that were met since the outermost one.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeExpr> met;
  llvm::DenseMap<mlir::Value, std::vector<SizeExpr>> inherited;
  mlir::SymbolTableCollection symbolTables; ///< where the function stays
  Lifetime lifetime;
  unsigned depth = 0; ///< of calls
};

/// The extents of the loops of `op`.
std::vector<SizeExpr> loopExtents(mlir::linalg::GenericOp op, SymbolicShapes &shapes);

/// Replaces each `tensor.dim` in the function by arithmetic on those of its arguments, where that is possible.
void resolveSizes(mlir::func::FuncOp function);

} // namespace attnc
