//===- GemmBlock.h - matrix product of a thread block -------------------------------------------------------------===//
//
// A block copies tiles of left and right (GemmProblem.h) to shared memory, one k-tile for each pipeline stage, and
// accumulates in registers. Finally it writes its sums to shared memory, over the tiles, and from there through the
// epilogue to the result. Two subclasses distribute the work:
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

  /// Emits the code of the block whose number is the frame's chunk. Returns the bytes of its dynamic shared memory.
  virtual int64_t emit() = 0;

protected:
  using Values = TileBuilder::Values;
  /// Allocates the tiles, and emits the coordinates of the block.
  GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);

  /// Whether the operand's tile is [depth][outer], a row for each number of the depth; otherwise it is [outer][depth].
  bool rowsAreDepth(const GemmOperand &operand) const;
  /// The copies of an operand's part in this block to its tile, by threads 0 .. threads - 1 of the block.
  OperandCopy makeCopy(const GemmOperand &operand, const SharedTile &tile, int64_t threads);
  /// Coordinates (i32), in the operand's tensor map, of the block's k-tile number `kTile` (i32).
  Values kTileStart(const GemmOperand &operand, mlir::Value kTile);
  mlir::Value kTiles(); ///< number of k-tiles: i32

  /// Allocates a tile for the block's sums, rows x columns of f32, in `reused`, a BlockMemory over that of the tiles.
  SharedTile sumsTile(BlockMemory &reused) const;
  /// Writes fragments (Fragment.h) of 16 rows and 8 columns, four of `sums` each, to stage 0 of `target`: row by row,
  /// with `wide` of them side by side. `row` and `column` (i32) are the coordinates of the first one in the tile.
  void writeFragments(mlir::ValueRange sums, int64_t wide, const SharedTile &target, mlir::Value row,
                      mlir::Value column);
  /// Stores to an address that is aligned to `alignment` bytes.
  void storeVector(mlir::Value vector, mlir::Value pointer, int64_t alignment);
  /// Applies the epilogue to all sums of the tile `sums` that are in the result, and stores them, by `threads` threads,
  /// of which this is number `number` (i32).
  void storeResult(const SharedTile &sums, mlir::Value number, int64_t threads);

  const GemmProblem &problem;
  const GemmTiling &tiling;
  DeviceFrame &frame;
  TileBuilder tiles;
  FlatBuilder code;
  GemmOperand leftOperand, rightOperand;
  BlockMemory memory;
  SharedTile left, right; ///< the operands' tiles (rowsAreDepth), at the start of `memory`
  mlir::Value thread;     ///< i32: the thread's number in the block

private:
  SharedTile makeTile(const GemmOperand &operand, int64_t outer);
  void locateBlock();
  void storeElements(const SharedTile &sums, mlir::Value row, mlir::Value column, int64_t lanes);
  int64_t resultLanes() const;

  mlir::Value batch, firstRow, firstColumn, depth; ///< index: coordinates of the block; extent of the depth
};

/// Multiplies by mma.sync (tiling.matrix), or by f32 FMAs. All threads copy.
std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
/// Multiplies by wgmma. Copies by TMA if there are `maps` of left and right; else by threads.
std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps);
/// Sets `maps` to the tensor maps of left and right, in this order. Otherwise the reason: they do not pay, or a tile of
/// an operand is not a box.
Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps);

} // namespace attnc
