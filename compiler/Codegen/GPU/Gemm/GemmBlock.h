//===- GemmBlock.h - what a block of threads computes of a matrix product -----------------------------------------===//
//
//   copy steps 0 .. stages - 2
//   for each step of the depth:
//     wait for its copies; barrier
//     copy the step `stages - 1` further on, over the one before this
//     sums += left[step] * right[step]                         by the form: multiply
//   barrier; sums to shared memory                             by the form: writeSums
//   barrier; result = epilogue(sums)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"

namespace attnc {

class GemmBlock {
public:
  GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
  virtual ~GemmBlock() = default;

  /// Returns the bytes of shared memory.
  int64_t emit();

protected:
  using Values = TileBuilder::Values;
  virtual Values zeroSums() = 0;
  virtual Values multiply(mlir::Value stageLeft, mlir::Value stageRight, mlir::ValueRange sums) = 0;
  virtual void writeSums(mlir::ValueRange sums, const SharedTile &target) = 0;

  /// Whether a tile of the operand has the depth along its rows, one below the other.
  bool rowsAreDepth(const GemmOperand &operand) const;
  void storeVector(mlir::Value vector, mlir::Value pointer, int64_t alignment);

  const GemmProblem &problem;
  const GemmTiling &tiling;
  DeviceFrame &frame;
  TileBuilder tiles;
  FlatBuilder code;
  GemmOperand leftOperand, rightOperand;
  BlockMemory memory;
  SharedTile left, right;
  mlir::Value thread; ///< i32

private:
  SharedTile tileOf(const GemmOperand &operand, int64_t outer);
  OperandCopy copyOf(const GemmOperand &operand, const SharedTile &tile, mlir::Value first);
  Values multiplyAll();
  void storeResult(const SharedTile &sums);
  void storeElements(const SharedTile &sums, mlir::Value row, mlir::Value column, int64_t lanes);
  int64_t resultLanes() const;

  mlir::Value batch, firstRow, firstColumn, depth; ///< index
};

std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);

} // namespace attnc
