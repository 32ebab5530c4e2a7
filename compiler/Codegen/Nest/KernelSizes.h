//===- KernelSizes.h - symbolic sizes of a kernel -------------------------------------------------------------===//
//
// Numbers the dynamic sizes of a kernel in the order of attn_kernel_args::sizes: the dynamic dimensions of the tensor
// operands, then those of the results, then the index operands. For
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

/// Sizes of a kernel as SizeExpr over these symbols.
class KernelSizes {
public:
  explicit KernelSizes(mlir::func::FuncOp kernel);

  unsigned numSymbols() const { return symbols; }
  unsigned numTensorOperands() const { return operandSizes.size(); }

  /// Dimension `dimension` of a tensor argument, or of a tensor inside the kernel whose producer or use as a result
  /// determines it; and of a result by number.
  SizeExpr dimension(mlir::Value tensor, unsigned dimension) const;
  SizeExpr resultDimension(unsigned result, unsigned dimension) const;
  /// An `index` inside the kernel, over constants, arguments and dimensions; null if IntegerFold.h cannot fold it.
  std::optional<SizeExpr> tryValueOf(mlir::Value index) const;
  SizeExpr valueOf(mlir::Value index) const; ///< a fatal error if it cannot be folded

  /// Number of elements: the product of the dimensions.
  SizeExpr elements(mlir::Value tensor) const;
  SizeExpr resultElements(unsigned result) const;
  /// Distinct bytes of all operands, and bytes of all results, for a KernelCost. An operand that is only read by
  /// tensor.extract counts at most one element for each point of the loops around it.
  SizeExpr bytesRead() const;
  SizeExpr bytesWritten() const;
  /// Iterations of a loop nest of the kernel; nothing if no operand determines the size of one of its loops.
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
