//===- SizeAnalysis.h - dynamic sizes of entry points and kernels -------------------------------------------------===//
//
// Symbolic shape analysis: expresses every dynamic size of an entry point or of a kernel over the symbols of the
// function.
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

/// Replaces symbol n of `expr` by symbols[n]; null if `expr` has a symbol whose replacement is null.
std::optional<SizeExpr> substituteKnown(const SizeExpr &expr, llvm::ArrayRef<std::optional<SizeExpr>> symbols);

/// Parses dimension `dimension` of a `model.shape` over `names`. Null if the shape is absent, or if the size is not a
/// sum of products, the only sizes that the model table can express.
std::optional<SizeExpr> declaredSize(mlir::ArrayAttr shape, unsigned dimension, llvm::ArrayRef<std::string> names);

/// Sizes of the values of one function, computed backward from a value to the symbols, and cached: the function must
/// not change. All results are null if they are no function of the symbols.
class SizeAnalysis {
public:
  /// Analyses an entry point. `model.shape` must declare every dynamic size of its arguments and results over names of
  /// `model.dimensions`; otherwise an error is emitted at the function.
  static mlir::FailureOr<SizeAnalysis> ofEntry(mlir::func::FuncOp entry);
  static SizeAnalysis ofKernel(mlir::func::FuncOp kernel);

  /// The extent of dimension `dimension` of a tensor; null e.g. if it depends on data or on an induction variable.
  std::optional<SizeExpr> size(mlir::Value tensor, int64_t dimension);
  std::optional<SizeExpr> elements(mlir::Value tensor); ///< the product of all dimensions
  /// The product of some dimensions; null also if it could be too long (SizeExpr::maxLength).
  std::optional<SizeExpr> product(mlir::Value tensor, llvm::ArrayRef<int64_t> dimensions);
  std::optional<SizeExpr> bytes(mlir::Value tensor); ///< elements times elementBytes
  /// The number that an SSA value of type `index` holds.
  std::optional<SizeExpr> index(mlir::Value value);

  /// The extent of dimension `dimension` of result `result` of `kernel`, over the symbols of its arguments and index
  /// operands. The analysis must be ofKernel(kernel).
  std::optional<SizeExpr> resultSize(mlir::func::FuncOp kernel, unsigned result, int64_t dimension);

  /// For each symbol of the called kernel, its value at `call` over the symbols of the entry point, or null. The
  /// analysis must be ofEntry of the function that contains `call`.
  std::vector<std::optional<SizeExpr>> kernelSymbols(mlir::func::CallOp call);

  /// Names of the dimensions of an entry point, by symbol; empty for a kernel.
  std::vector<std::string> names;

private:
  using Key = std::pair<mlir::Value, int64_t>;
  static constexpr int64_t indexValue = -1; ///< dimension of the key of an `index` value
  llvm::DenseMap<Key, std::optional<SizeExpr>> known;

  std::optional<SizeExpr> compute(mlir::OpResult result, int64_t dimension);
  std::optional<SizeExpr> fold(mlir::OpFoldResult size);
  std::vector<std::optional<SizeExpr>> operandSymbols(mlir::func::CallOp call);
  std::optional<SizeExpr> callSize(mlir::func::CallOp call, unsigned result, int64_t dimension);
};

} // namespace attnc
