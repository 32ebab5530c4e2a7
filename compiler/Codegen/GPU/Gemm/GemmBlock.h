//===- GemmBlock.h - what a block of threads computes of a matrix product -----------------------------------------===//
//
// A block has tiles of left and right in shared memory, in stages, a step of the depth each; sums in registers; and in
// the end its sums in shared memory, in place of the tiles, from where they go through the epilogue to the result. Who
// copies and who multiplies differs:
//
//   InStepBlock         all threads do both, in step (InStepBlock.h)
//   WarpGroupBlock.cpp  one warp group copies, the others multiply
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"

namespace attnc {

class GemmBlock {
public:
  virtual ~GemmBlock() = default;

  /// Emits what each thread of a block does. Returns the bytes of shared memory.
  virtual int64_t emit() = 0;

protected:
  using Values = TileBuilder::Values;
  GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);

  /// Whether a tile of the operand has the depth along its rows, one below the other.
  bool rowsAreDepth(const GemmOperand &operand) const;
  /// The copies of an operand to its tile by threads 0 .. threads - 1.
  OperandCopy copyOf(const GemmOperand &operand, const SharedTile &tile, int64_t threads);
  /// Where the tile of step `step` (i32) of the depth begins in an operand that is mapped.
  Values startOf(const GemmOperand &operand, mlir::Value step);
  mlir::Value steps(); ///< of the depth: i32

  /// A tile of the block's sums, rows x columns of f32, where `again` begins.
  SharedTile sumsIn(BlockMemory &again) const;
  /// Writes fragments (Fragment.h) of 16 rows and 8 columns, `wide` of them beside each other, the sums of each in
  /// fours. `row` (i32) and `column` (i32) of the tile are where the first one begins.
  void writeFragments(mlir::ValueRange sums, int64_t wide, const SharedTile &target, mlir::Value row,
                      mlir::Value column);
  void storeVector(mlir::Value vector, mlir::Value pointer, int64_t alignment);
  /// The epilogue of all sums by `threads` threads, of which this is number `number` (i32).
  void storeResult(const SharedTile &sums, mlir::Value number, int64_t threads);

  const GemmProblem &problem;
  const GemmTiling &tiling;
  DeviceFrame &frame;
  TileBuilder tiles;
  FlatBuilder code;
  GemmOperand leftOperand, rightOperand;
  BlockMemory memory;
  SharedTile left, right; ///< at the start of `memory`
  mlir::Value thread;     ///< i32

private:
  SharedTile tileOf(const GemmOperand &operand, int64_t outer);
  void findPlace();
  void storeElements(const SharedTile &sums, mlir::Value row, mlir::Value column, int64_t lanes);
  int64_t resultLanes() const;

  mlir::Value batch, firstRow, firstColumn, depth; ///< index
};

std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
/// With `maps` of left and right, where there are such, the hardware copies; else threads do.
std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps);
/// None where they don't pay, or a tile of one of the operands is no box of it.
Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps);

} // namespace attnc
