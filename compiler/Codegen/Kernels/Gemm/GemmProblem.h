//===- GemmProblem.h - a GEMM kernel parsed as a contraction and its epilogue -------------------------------------===//
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
//   column   -        yes       yes         N = product of their sizes
//   depth    yes      yes       -           K = product of their sizes
//
// The parser exchanges the two operands if necessary, so that the innermost loop of the stored result whose size is not
// 1 is also the innermost such column loop of the right operand; a kernel for which neither order has this property is
// rejected, unless it has one column only. The parser does not exchange operands if the right one is packed. Iterations
// of a group's loops have one flat number, in row-major order. The emitters (CPU and GPU) split this number into
// coordinates only if an operand cannot be addressed by it (isFlat).
//
// In a grouped product (OpClassification.h), an i32 tensor, the selector, has the number of the right matrix of each
// row. Its batch has one loop, over the matrices, which left and product do not have. The loops of the product that
// right does not have are rows, in the order of the product; left and the selector may lack some of them.
//
// In a grouped outer product (OpClassification.h), the kernel is one attn.scatter_add, and the selector has the number
// of the product's matrix for each step of the depth. The loop over the matrices, which left and right do not have, is
// the batch. Left and right may lack depth loops. Row and column are one loop each, of constant sizes, and contiguous.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

struct GroupedContraction;

enum class LoopGroup { Batch, Row, Column, Depth };

/// A dense tensor of the contraction. The subscript of its dimension d is the index of loop loops[d].
struct Access {
  mlir::Value tensor;
  llvm::SmallVector<unsigned> loops;
};

/// A GEMM kernel in this form. Objects come from match(). Sizes are over the symbols of the kernel (KernelSizes.h).
struct GemmProblem {
  explicit GemmProblem(mlir::func::FuncOp kernel) : kernel(kernel), sizes(kernel) {}

  /// Parses `kernel` into `problem` and returns yes. If the kernel is not of the form that emitters support, returns
  /// the reason and leaves `problem` unchanged.
  static Verdict match(mlir::func::FuncOp kernel, std::optional<GemmProblem> &problem);

  mlir::func::FuncOp kernel;
  KernelSizes sizes;
  mlir::linalg::GenericOp contraction;   ///< null in a grouped outer product
  mlir::linalg::GenericOp epilogue;      ///< null if the kernel has none
  llvm::SmallVector<SizeExpr> loopSizes; ///< size of each loop of the contraction
  /// Loops of each LoopGroup in the order of `right`; rows in that of `left`; depth of a grouped outer product in that
  /// of the op.
  llvm::SmallVector<unsigned> groups[4];
  Access left, right, product;
  /// The number of the matrix of each row of a grouped product, or of each depth step of a grouped outer product; null
  /// for other products.
  std::optional<Access> selector;
  /// The group of the selector's loops: Row or Depth. Not valid without a selector.
  LoopGroup selecting = LoopGroup::Row;
  mlir::Value initial;                 ///< of a grouped outer product: the tensor that it is added to; null: zeros
  Access result;                       ///< the tensor that the kernel stores, with its subscripts as loops
  std::optional<PanelPacking> packing; ///< layout of `right` if it is packed; null if it is row-major
  /// Loop l of the epilogue is loop epilogueLoops[l] of the contraction; empty without an epilogue.
  llvm::SmallVector<unsigned> epilogueLoops;

  bool isGroupedProduct() const { return selector && selecting == LoopGroup::Row; }
  bool isOuterProduct() const { return selector && selecting == LoopGroup::Depth; } ///< a grouped outer product
  llvm::ArrayRef<unsigned> loopsOf(LoopGroup group) const { return groups[static_cast<int>(group)]; }
  SizeExpr extent(LoopGroup group) const; ///< the product of the sizes of its loops
  /// Distance in elements, in the row-major tensor, of adjacent indices of dimension `dimension` of `access`.
  SizeExpr stride(const Access &access, unsigned dimension) const;
  /// Whether the offset of an element is the flat number of the group times one stride, plus an offset from the other
  /// groups: the loops of the group are adjacent dimensions of the tensor, in order. Loops of size 1 do not count.
  /// False if the tensor does not have the loops.
  bool isFlat(const Access &access, LoopGroup group) const;
  /// The stride of the group's innermost loop whose size is not 1; 1 if there is none. The tensor must have this loop.
  SizeExpr innerStride(const Access &access, LoopGroup group) const;
  /// The number of consecutive depth steps that have one stride in `left`: K if isFlat(left, Depth), otherwise the size
  /// of the innermost depth loop whose size is not 1.
  SizeExpr depthRun() const;
  /// Whether `right` is stored as N x K, with contiguous depth; false if N is 1.
  bool rightIsTransposed() const;
  /// PanelPacking::outerDims of `right`: the number of its dimensions after those of the batch that form K (N if it is
  /// transposed). It counts up to the last of them whose size is not 1, because a dimension of size 1 may be anywhere.
  unsigned rightOuterDims() const;
  /// Floating-point operations of a launch, without padding of tiles.
  SizeExpr flops() const;

private:
  Verdict matchContraction(mlir::linalg::GenericOp op);
  Verdict matchOperands(mlir::linalg::GenericOp op);
  Verdict matchGroupedOperands(mlir::linalg::GenericOp op, GroupedContraction grouped);
  Verdict matchOuterProduct(mlir::attn::ScatterAddOp op);
  Verdict findLoopSizes();
  Verdict matchEpilogue(mlir::linalg::GenericOp op);
  Verdict groupLoops();
  Verdict checkAddresses();
  Verdict matchPacking();
  mlir::Attribute packedAttribute(const Access &access);
};

} // namespace attnc
