//===- GemmOperand.h - memory layout of an operand of a matrix product --------------------------------------------===//
//
// An operand of a product (GemmProblem.h) is the left or the right matrix, one for each batch number. Its loops form
// three groups: batch, depth, and `outer`, which is the rows of left or the columns of right. A group may consist of
// several dimensions of the tensor; its flat number is the row-major number of their indices. The offset of an element
// is a sum over the groups:
//
//   offset(batch) + offset(outer) + offset(depth)         in bytes, each a function of the group's flat number
//
// Elements that are contiguous along a group can be copied as 16-byte vectors, if all other strides are multiples of 16
// bytes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"
#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// One operand of `problem`, which outlives this object.
class GemmOperand {
public:
  enum class Side { Left, Right };
  GemmOperand(const GemmProblem &problem, Side side);

  mlir::Type element() const; ///< element type in memory: f32, bf16 or f16
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }
  LoopGroup outer() const { return side == Side::Left ? LoopGroup::Row : LoopGroup::Column; }
  /// The group along which the operand is contiguous: the depth if its innermost stride is 1 and its extent is not,
  /// otherwise the outer group, which may not be contiguous either.
  LoopGroup inner() const;
  /// Whether the operand can be copied by aligned 16-byte vectors along inner(), in tiles that start at multiples of
  /// `tileDepth` along the depth and, if inner() is outer(), at multiples of a vector along it.
  bool hasVectors(int64_t tileDepth) const;

  /// Emits offset(group), in bytes (index), at flat number `flat` (index) of the group, which is less than its extent.
  /// `group` is the batch, outer() or the depth.
  mlir::Value offset(FlatBuilder &code, KernelFrame &frame, LoopGroup group, mlir::Value flat) const;
  /// !llvm.ptr to element 0 of the tensor.
  mlir::Value pointer(DeviceFrame &frame) const { return frame.pointerOf(access.tensor); }

  /// The operand as a mapped tensor, with boxes of `neighbours` flat numbers of inner() by `rows` flat numbers of the
  /// other group (depth or outer). Elements of f32 are rounded to tf32. Requires hasVectors(d), where d is the side of
  /// a box along the depth. Null if TMA cannot copy such boxes, or the extent of the depth or of the outer group is 1.
  std::optional<MappedTensor> mapped(int64_t neighbours, int64_t rows) const;
  /// Coordinates (i32), in the order of mapped(), of the box that starts at these flat numbers (index) of the batch,
  /// the outer group and the depth. Requires mapped().
  llvm::SmallVector<mlir::Value> coordinates(FlatBuilder &code, TileBuilder &tiles, KernelFrame &frame,
                                             mlir::Value batch, mlir::Value outer, mlir::Value depth) const;

private:
  /// Elements at a constant stride: a group, or a loop of it. The stride is in elements.
  struct Run {
    SizeExpr size, stride;
  };
  llvm::SmallVector<Run> stridedRuns(LoopGroup group) const; ///< those of size 1 omitted, innermost first
  /// The groups in the order of a tensor map's dimensions, innermost first: inner, the other one, batch.
  std::array<LoopGroup, 3> groupsInnermostFirst() const;

  const GemmProblem &problem;
  const Side side;
  const Access &access;
};

} // namespace attnc
