//===- SizeAnalysis.h - the sizes of a function's tensors ------------------------------------------------------===//
//
// Follows every dynamic size of an entry point or of a kernel back to its symbols.
//
//   entry    symbol n is dimension n of `model.dimensions`
//   kernel   symbol n is element n of attn_kernel_args::sizes: the dynamic sizes of the operands in order, then those
//   of
//            the results, then the index operands. Sizes of results are given over the other symbols.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace attnc {

/// Bytes of one element in a buffer; an i1 takes one.
int64_t elementBytes(mlir::Type elementType);

/// `expr` with symbol n replaced by symbols[n]; nothing where it mentions a symbol that has no value.
std::optional<SizeExpr> substituteKnown(const SizeExpr &expr, llvm::ArrayRef<std::optional<SizeExpr>> symbols);

/// Dimension `dimension` of a `model.shape` over `names`; nothing where the shape is absent or says something else than
/// sums and products, the form that a model's table can hold.
std::optional<SizeExpr> declaredSize(mlir::ArrayAttr shape, unsigned dimension, llvm::ArrayRef<std::string> names);

class SizeAnalysis {
public:
  /// Requires that each dynamic size of an entry's arguments and results is declared by `model.shape` over names of
  /// `model.dimensions`; reports an error at the function where one is not.
  static mlir::FailureOr<SizeAnalysis> ofEntry(mlir::func::FuncOp entry);
  static SizeAnalysis ofKernel(mlir::func::FuncOp kernel);

  /// Nothing where the size is not a function of the symbols (it depends on data, on a loop's index, ...).
  std::optional<SizeExpr> size(mlir::Value tensor, int64_t dimension);
  std::optional<SizeExpr> elements(mlir::Value tensor);
  std::optional<SizeExpr> bytes(mlir::Value tensor);
  /// The value of something of type `index`.
  std::optional<SizeExpr> index(mlir::Value value);

  /// Of a kernel: the sizes of its results over the symbols of its arguments.
  std::optional<SizeExpr> resultSize(mlir::func::FuncOp kernel, unsigned result, int64_t dimension);

  /// Of an entry: the symbols of the kernel that `call` calls, as functions of the entry's. Nothing in the place of an
  /// index operand that is not a function of them.
  std::vector<std::optional<SizeExpr>> kernelSymbols(mlir::func::CallOp call);

  /// Of an entry: the names of its dimensions.
  std::vector<std::string> names;

private:
  using Key = std::pair<mlir::Value, int64_t>;
  static constexpr int64_t indexValue = -1; ///< the key's dimension for a value of type `index`
  llvm::DenseMap<Key, std::optional<SizeExpr>> known;

  std::optional<SizeExpr> compute(mlir::OpResult result, int64_t dimension);
  std::optional<SizeExpr> computeIndex(mlir::Operation *op);
  std::optional<SizeExpr> fold(mlir::OpFoldResult size);
  std::vector<std::optional<SizeExpr>> operandSymbols(mlir::func::CallOp call);
  std::optional<SizeExpr> callSize(mlir::func::CallOp call, unsigned result, int64_t dimension);
};

} // namespace attnc
