//===- GemmOperand.h - memory layout of an operand of a matrix product --------------------------------------------===//
//
// For each batch number an operand (GemmProblem.h) is a matrix `outer` x depth; outer is the rows of left or the
// columns of right. The offset of an element is a sum over loop groups, whatever dimensions they contain:
//
//   offset(batch) + offset(outer) + offset(depth)         in elements, each a function of the group's flat number
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

class GemmOperand {
public:
  enum class Side { Left, Right };
  GemmOperand(const GemmProblem &problem, Side side);

  mlir::Type element() const; ///< stored type
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }
  LoopGroup outer() const { return side == Side::Left ? LoopGroup::Row : LoopGroup::Column; }
  /// The group along which the operand is contiguous: the depth if its innermost stride is 1, otherwise the outer
  /// group, which may not be contiguous either.
  LoopGroup inner() const;
  /// Whether the operand can be copied by 16-byte vectors along inner(), all aligned, in tiles that start at multiples
  /// of `tileDepth` along the depth.
  bool hasVectors(int64_t tileDepth) const;

  /// The part of the offset of flat number `flat` (index) of a group, in bytes (index).
  mlir::Value offset(FlatBuilder &code, KernelFrame &frame, LoopGroup group, mlir::Value flat) const;
  /// !llvm.ptr to element 0.
  mlir::Value pointer(DeviceFrame &frame) const { return frame.pointerOf(access.tensor); }

  /// The operand for a tensor map, with boxes of `neighbours` numbers of the inner group by `rows` numbers of the other
  /// one (depth or outer). f32 is rounded to tf32. Null if TMA cannot copy such boxes.
  std::optional<MappedTensor> mapped(int64_t neighbours, int64_t rows) const;
  /// Coordinates (i32) of a box in mapped(), at flat numbers (index) of the batch, the outer group and the depth.
  llvm::SmallVector<mlir::Value> coordinates(FlatBuilder &code, TileBuilder &tiles, KernelFrame &frame,
                                             mlir::Value batch, mlir::Value outer, mlir::Value depth) const;

private:
  /// Elements at a constant stride: a group, or a loop of it.
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
