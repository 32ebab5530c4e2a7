//===- GemmProblem.h - the contraction and epilogue of a GEMM kernel --------------------------------------------===//
//
// A GEMM kernel is one contraction and at most one pointwise epilogue on its product:
//
//   product[b.., m.., n..] = sum over k.. of left[b.., m.., k..] * right[b.., n.., k..]    (dimensions in any order)
//   result = epilogue(product, other operands)
//
// The loops of the contraction form four groups by the tensors that they index, whatever their number:
//
//   group    in left  in right  in product
//   batch    yes      yes       yes
//   row      yes      -         yes         M = product of their sizes
//   column   -        yes       yes         N
//   depth    yes      yes       -           K
//
// The innermost loop of the stored result whose size is not 1 is a column loop; otherwise the two operands are
// exchanged, unless the right one is packed. A group has one flat number, which is split into coordinates only if an
// operand is not addressed by it (isFlat).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

enum class LoopGroup { Batch, Row, Column, Depth };

/// A tensor of the contraction: loop loops[d] is the subscript of dimension d.
struct Access {
  mlir::Value tensor;
  llvm::SmallVector<unsigned> loops;
};

/// A GEMM kernel in this form.
struct GemmProblem {
  explicit GemmProblem(mlir::func::FuncOp kernel) : kernel(kernel), sizes(kernel) {}

  /// Sets `problem` to the kernel's; if the kernel is not supported, returns the reason and leaves it unset.
  static Verdict match(mlir::func::FuncOp kernel, std::optional<GemmProblem> &problem);

  mlir::func::FuncOp kernel;
  KernelSizes sizes;
  mlir::linalg::GenericOp contraction, epilogue; ///< epilogue may be null
  llvm::SmallVector<SizeExpr> loopSizes;         ///< of the contraction
  llvm::SmallVector<unsigned> groups[4];         ///< loops of a group, outermost first
  Access left, right, product;
  Access result;                       ///< as it is stored: the tensor that the kernel returns
  std::optional<PanelPacking> packing; ///< of right, which is then a kernel argument
  /// The loop of the contraction that is loop l of the epilogue.
  llvm::SmallVector<unsigned> epilogueLoops;

  llvm::ArrayRef<unsigned> loopsOf(LoopGroup group) const { return groups[static_cast<int>(group)]; }
  SizeExpr extent(LoopGroup group) const; ///< the product of its loops' sizes
  /// Elements from one value of the loop at `dimension` of `access` to the next.
  SizeExpr stride(const Access &access, unsigned dimension) const;
  /// Whether offset = flat number * one stride: the group's loops are adjacent, in order.
  bool isFlat(const Access &access, LoopGroup group) const;
  /// The stride of the group's innermost loop that is not of size 1 (1 if there is none).
  SizeExpr innerStride(const Access &access, LoopGroup group) const;
  /// Consecutive steps of K with one stride in left: all, or those of the innermost depth loop.
  SizeExpr depthRun() const;
  /// Right as N x K: the depth is contiguous.
  bool rightIsTransposed() const;
  /// The number of dimensions of right, after those of the batch, that form K (N if it is transposed). It counts up to
  /// the last of them whose size is not 1, because a dimension of size 1 may be anywhere.
  unsigned rightOuterDims() const;
  /// Floating-point operations of the kernel, without padding.
  SizeExpr flops() const;

private:
  Verdict matchContraction(mlir::linalg::GenericOp op);
  Verdict matchEpilogue(mlir::linalg::GenericOp op);
  Verdict groupLoops();
  Verdict checkAddresses();
  Verdict matchPacking();
  mlir::Attribute packedAttribute(const Access &access);
};

} // namespace attnc
