//===- SizeAnalysis.h - symbolic shape analysis of a function --------------------------------------------------===//
//
// Expresses every dynamic size of an entry point or of a kernel over the symbols of the function.
//
//   entry    symbol n is dimension n of `model.dimensions`
//   kernel   symbol n is element n of attn_kernel_args::sizes: the dynamic sizes of the operands in order, then those
//            of the results, then the index operands. Sizes of results are expressed over the other symbols.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace attnc {

/// `expr` with symbol n replaced by symbols[n]; null if `expr` has a symbol whose replacement is null.
std::optional<SizeExpr> substituteKnown(const SizeExpr &expr, llvm::ArrayRef<std::optional<SizeExpr>> symbols);

/// Dimension `dimension` of a `model.shape` over `names`; null if the shape is absent, or if the size is not a sum of
/// products, the only sizes that the model table can express.
std::optional<SizeExpr> declaredSize(mlir::ArrayAttr shape, unsigned dimension, llvm::ArrayRef<std::string> names);

class SizeAnalysis {
public:
  /// Every dynamic size of the entry's arguments and results must be declared by `model.shape` over names of
  /// `model.dimensions`; otherwise emits an error at the function.
  static mlir::FailureOr<SizeAnalysis> ofEntry(mlir::func::FuncOp entry);
  static SizeAnalysis ofKernel(mlir::func::FuncOp kernel);

  /// Null if the size is not a function of the symbols, e.g. because it depends on data or on an induction variable.
  std::optional<SizeExpr> size(mlir::Value tensor, int64_t dimension);
  std::optional<SizeExpr> elements(mlir::Value tensor);
  std::optional<SizeExpr> bytes(mlir::Value tensor);
  /// The value of an SSA value of type `index`.
  std::optional<SizeExpr> index(mlir::Value value);

  /// For a kernel: a size of a result over the symbols of its arguments.
  std::optional<SizeExpr> resultSize(mlir::func::FuncOp kernel, unsigned result, int64_t dimension);

  /// For an entry: the symbols of the called kernel over those of the entry; null for an index operand that is not a
  /// function of them.
  std::vector<std::optional<SizeExpr>> kernelSymbols(mlir::func::CallOp call);

  /// For an entry: the names of its dimensions.
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
