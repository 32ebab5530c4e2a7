//===- GemmOperand.h - where the elements of a product's operand lie ----------------------------------------------===//
//
// An operand is a matrix for each of the batch: `outer` x depth, where outer is the rows of left or the columns of
// right. The offset of an element is a sum over the groups of loops, whatever dimensions they are:
//
//   offset(batch) + offset(outer) + offset(depth)         elements, each a function of the group's flat number
//
// Where the elements of a group are neighbours, they can be copied in units of 16 bytes, if whatever else moves the
// address does so by whole units.
//
//===------------------------------------------------------------------------------------------------------------===//
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

  mlir::Type element() const; ///< as it is stored
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }
  LoopGroup outer() const { return side == Side::Left ? LoopGroup::Row : LoopGroup::Column; }
  /// The group whose numbers are neighbours in memory: of the depth, or the outer one.
  LoopGroup inner() const;
  /// Whether tiles, which begin at multiples of `tileDepth`, are rows of whole units.
  bool hasUnits(int64_t tileDepth) const;

  /// Where numbers `flat` (index) of a group begin, in bytes (index).
  mlir::Value offset(FlatBuilder &code, KernelFrame &frame, LoopGroup group, mlir::Value flat) const;
  /// !llvm.ptr to element 0.
  mlir::Value pointer(DeviceFrame &frame) const { return frame.pointerOf(access.tensor); }

  /// The tensor as one whose boxes are `neighbours` of the inner group by `rows` of the other one, depth or outer.
  /// Elements of f32 become tf32. Nothing where the hardware can't copy such.
  std::optional<MappedTensor> mapped(int64_t neighbours, int64_t rows) const;
  /// Where a box begins in that, i32: at numbers (index) of the batch, of the outer group and of the depth.
  llvm::SmallVector<mlir::Value> coordinates(FlatBuilder &code, TileBuilder &tiles, KernelFrame &frame,
                                             mlir::Value batch, mlir::Value outer, mlir::Value depth) const;

private:
  /// Elements at one stride: a group, or a loop of it.
  struct Run {
    SizeExpr size, stride;
  };
  llvm::SmallVector<Run> runsOf(LoopGroup group) const; ///< those of more than one element, innermost first
  /// Inner, the other, batch: dimensions of a tensor map from the nearest neighbours on.
  std::array<LoopGroup, 3> groupsFromInside() const;

  const GemmProblem &problem;
  const Side side;
  const Access &access;
};

} // namespace attnc
