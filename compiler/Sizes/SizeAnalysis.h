//===- SizeAnalysis.h - symbolic shape analysis of entry points and kernels ---------------------------------------===//
//
// The analysis expresses dynamic sizes of one function as SizeExpr over numbered symbols of this function:
//
//   entry point   symbol n is dimension n of the attribute `model.dimensions`
//   kernel        symbol n is element n of attn_kernel_args::sizes: the dynamic sizes of the tensor operands in order,
//                 then those of the results, then the values of the index operands. The analysis expresses the size of
//                 a result over the symbols of operands alone.
//
// The memory plan, the host code, the certificates and the cost model use it.
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

/// Replaces symbol n of `expr` by symbols[n], which must exist for every symbol of `expr`. Null if the replacement of a
/// symbol of `expr` is null.
std::optional<SizeExpr> substituteKnown(const SizeExpr &expr, llvm::ArrayRef<std::optional<SizeExpr>> symbols);

/// Parses element `dimension` of a `model.shape`, an array of strings such as "2*seq + 1"; symbol n of the result is
/// names[n]. Null if `shape` is null or has no such element, if the text is invalid, or if the size contains a division
/// that rounds up or an extremum, which the model table cannot express.
std::optional<SizeExpr> declaredSize(mlir::ArrayAttr shape, unsigned dimension, llvm::ArrayRef<std::string> names);

/// Sizes of the values of one function. A query follows the defining ops backward from the value to the symbols. Its
/// result is cached, so the function must not change while the analysis is in use. A query returns null if the size is
/// no function of the symbols (e.g. it depends on data or on an induction variable), if the analysis does not support
/// an op that defines it, or if its expression is too long (SizeExpr::maxLength). A static extent is a constant.
class SizeAnalysis {
public:
  /// Analyses an entry point. All its arguments and results must be tensors, and `model.shape` must declare each of
  /// their dynamic sizes as a sum of products of names of `model.dimensions`. Otherwise an error is emitted at the
  /// function, and the result is failure.
  static mlir::FailureOr<SizeAnalysis> ofEntry(mlir::func::FuncOp entry);
  /// Analyses a kernel (Kernel.h).
  static SizeAnalysis ofKernel(mlir::func::FuncOp kernel);

  /// The extent of dimension `dimension` of a ranked tensor.
  std::optional<SizeExpr> size(mlir::Value tensor, int64_t dimension);
  /// The number of elements: the product of all dimensions. The length of this product is not limited.
  std::optional<SizeExpr> elements(mlir::Value tensor);
  /// The product of the listed dimensions.
  std::optional<SizeExpr> product(mlir::Value tensor, llvm::ArrayRef<int64_t> dimensions);
  std::optional<SizeExpr> bytes(mlir::Value tensor); ///< elements times the bytes of an element
  /// The number that an SSA value of type `index` holds.
  std::optional<SizeExpr> index(mlir::Value value);

  /// The extent of dimension `dimension` of result number `result` of `kernel`, over the symbols of tensor operands and
  /// index operands. The analysis must be ofKernel(kernel).
  std::optional<SizeExpr> resultSize(mlir::func::FuncOp kernel, unsigned result, int64_t dimension);

  /// Element n is the value of symbol n of the called kernel at `call`, over the symbols of the entry point; null if
  /// this value is unknown. The analysis must be ofEntry of the function that contains `call`.
  std::vector<std::optional<SizeExpr>> kernelSymbols(mlir::func::CallOp call);

  /// names[n] is the name of dimension n of `model.dimensions`; empty for a kernel.
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
