//===- GemmBlock.h - matrix product of a thread block -------------------------------------------------------------===//
//
// A block copies tiles of left and right to shared memory, one k-tile for each pipeline stage, and accumulates in
// registers. Finally it writes its sums to shared memory, over the tiles, and from there through the epilogue to the
// result. Two subclasses distribute the work:
//
//   MultistageBlock     all threads copy and multiply (MultistageBlock.h)
//   WarpGroupBlock.cpp  one producer warp group copies, consumer warp groups multiply
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"

namespace attnc {

class GemmBlock {
public:
  virtual ~GemmBlock() = default;

  /// Emits the code of a block. Returns its bytes of shared memory.
  virtual int64_t emit() = 0;

protected:
  using Values = TileBuilder::Values;
  GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);

  /// Whether the rows of the operand's tile run along the depth.
  bool rowsAreDepth(const GemmOperand &operand) const;
  /// The copies of an operand to its tile, by threads 0 .. threads - 1.
  OperandCopy makeCopy(const GemmOperand &operand, const SharedTile &tile, int64_t threads);
  /// Coordinates, in the operand's tensor map, of k-tile `kTile` (i32).
  Values kTileStart(const GemmOperand &operand, mlir::Value kTile);
  mlir::Value kTiles(); ///< number of k-tiles: i32

  /// A tile for the block's sums, rows x columns of f32, at the start of `reused`.
  SharedTile sumsTile(BlockMemory &reused) const;
  /// Writes fragments (Fragment.h) of 16 rows and 8 columns, `wide` of them side by side, four sums each. `row` and
  /// `column` (i32) are the coordinates of the first one in the tile.
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
  SharedTile makeTile(const GemmOperand &operand, int64_t outer);
  void locateBlock();
  void storeElements(const SharedTile &sums, mlir::Value row, mlir::Value column, int64_t lanes);
  int64_t resultLanes() const;

  mlir::Value batch, firstRow, firstColumn, depth; ///< index
};

std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
/// Copies by TMA if there are `maps` of left and right; else by threads.
std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps);
/// The tensor maps of left and right; null if they do not pay, or if a tile of an operand is not a box.
Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps);

} // namespace attnc
