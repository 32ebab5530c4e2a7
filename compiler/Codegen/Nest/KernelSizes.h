//===- KernelSizes.h - symbolic sizes of a kernel, for its emitter ------------------------------------------------===//
//
// Expresses sizes inside a kernel as SizeExpr over the kernel's symbols. Symbols are numbered in the order of
// attn_kernel_args::sizes: the dynamic dimensions of the tensor operands, then those of the results, then the index
// operands. (SizeAnalysis.h has the same numbers for passes that analyse calls.) For example, in
//
//   func.func private @k(%a: tensor<?x64xf32>, %n: index, %b: tensor<?x?xf32>) -> tensor<?x8xf32>
//
// symbol 0 is dim(a, 0), 1 and 2 are the dims of b, 3 is dimension 0 of the result, 4 is n.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace attnc {

/// The sizes of one kernel. `kernel` must not change while the object is in use.
class KernelSizes {
public:
  explicit KernelSizes(mlir::func::FuncOp kernel);

  unsigned numSymbols() const { return symbols; }                    ///< length of attn_kernel_args::sizes
  unsigned numTensorOperands() const { return operandSizes.size(); } ///< number of arguments that are tensors

  /// The extent of a dimension of a tensor argument, or of a tensor inside the kernel. The extent must be static, or
  /// follow from the ops that define the tensor or from its use as a result.
  SizeExpr dimension(mlir::Value tensor, unsigned dimension) const;
  /// The extent of a dimension of result number `result`.
  SizeExpr resultDimension(unsigned result, unsigned dimension) const;
  /// The number that an `index` value inside the kernel holds, computed from constants, index arguments and extents;
  /// null if foldSize() (IntegerFold.h) has no result.
  std::optional<SizeExpr> tryValueOf(mlir::Value index) const;
  SizeExpr valueOf(mlir::Value index) const; ///< the same; a fatal error instead of null

  /// Number of elements: the product of the dimensions.
  SizeExpr elements(mlir::Value tensor) const;
  SizeExpr resultElements(unsigned result) const;
  /// Distinct bytes of all operands in their stored types, for KernelCost. If only tensor.extracts in linalg.generics
  /// with known points() read an operand, it counts at most one element for each of these ops and each of the points.
  SizeExpr bytesRead() const;
  SizeExpr bytesWritten() const; ///< bytes of all results in their stored types, for KernelCost
  /// The number of points of the iteration space of `loops`, an op of the kernel; null if a loop's index is not by
  /// itself a subscript of an operand of known extent.
  std::optional<SizeExpr> points(mlir::linalg::GenericOp loops) const;

private:
  std::optional<SizeExpr> tryDimension(mlir::Value tensor, unsigned dimension) const;
  std::optional<SizeExpr> lookUps(mlir::Value tensor) const;

  mutable mlir::func::FuncOp kernel; ///< op handles have no const accessors
  unsigned symbols = 0;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<SizeExpr>> operandSizes;
  llvm::SmallVector<llvm::SmallVector<SizeExpr>> resultSizes;
  llvm::DenseMap<mlir::Value, SizeExpr> indexArguments;
};

} // namespace attnc
