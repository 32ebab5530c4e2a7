//===- GemmBlock.h - matrix product of a thread block -------------------------------------------------------------===//
//
// A thread block computes a rectangle of the result (GemmTiling.h). It copies tiles of the operands left and right
// (GemmProblem.h) to shared memory, and accumulates their products in registers. A k-tile is the slice of the depth
// that one pipeline stage of the tiles holds. Finally the block writes its sums to shared memory, over the tiles,
// applies the epilogue to them and stores the result. Two subclasses distribute the work over threads:
//
//   MultistageBlock     all threads copy and multiply (MultistageBlock.h)
//   WarpGroupBlock.cpp  one producer warp group copies, consumer warp groups multiply
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmTiling.h"
#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"

namespace attnc {

/// The code of a thread block. The arguments of its constructor outlive it.
class GemmBlock {
public:
  virtual ~GemmBlock() = default;

  /// Emits the code of the block whose number is the frame's chunk. Called once. Returns the bytes of its dynamic
  /// shared memory (KernelPhase::blockBytes).
  virtual int64_t emit() = 0;

protected:
  using Values = TileBuilder::Values;
  /// Allocates the tiles, and emits the coordinates of the block. `frame` has `tiling.threads` threads and no code yet.
  GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);

  // `outer` of an operand is the rows of left or the columns of right (GemmOperand::outer).

  /// Whether the operand's tile is [depth][outer], a row for each number of the depth; otherwise it is [outer][depth].
  bool rowsAreDepth(const GemmOperand &operand) const;
  /// The copies of the operand's part in this block to `tile`, by threads 0 .. threads - 1 of the block.
  OperandCopy makeCopy(const GemmOperand &operand, const SharedTile &tile, int64_t threads);
  /// Coordinates (i32), in the operand's tensor map (GemmOperand::mapped), of the block's k-tile number `kTile` (i32).
  Values kTileStart(const GemmOperand &operand, mlir::Value kTile);
  mlir::Value kTiles(); ///< number of k-tiles: i32

  /// Allocates a tile for the block's sums, tiling.rows x tiling.columns of f32, in `reused`. If `reused` is a new
  /// BlockMemory, the tile overwrites those of the operands; the caller synchronises the threads before.
  SharedTile sumsTile(BlockMemory &reused) const;
  /// Writes fragments of D (Fragment.h) of the executing warp, each 16 rows and 8 columns and four values of `sums`, to
  /// stage 0 of `target`. `wide` fragments are side by side; the next ones are 16 rows further down. `row` and `column`
  /// (i32) are the coordinates of the first fragment in the tile.
  void writeFragments(mlir::ValueRange sums, int64_t wide, const SharedTile &target, mlir::Value row,
                      mlir::Value column);
  /// Stores a vector to `pointer`, which is aligned to `alignment` bytes.
  void storeVector(mlir::Value vector, mlir::Value pointer, int64_t alignment);
  /// Applies the epilogue to all sums of the tile `sums` that are in the result, and stores them there, by `threads`
  /// threads, of which this is number `number` (i32). The caller synchronises these threads after the writes to `sums`.
  void storeResult(const SharedTile &sums, mlir::Value number, int64_t threads);

  const GemmProblem &problem;
  const GemmTiling &tiling;
  DeviceFrame &frame;
  TileBuilder tiles;
  FlatBuilder code;
  GemmOperand leftOperand, rightOperand;
  BlockMemory memory;
  SharedTile left, right; ///< the operands' tiles (rowsAreDepth), at the start of `memory`
  mlir::Value thread;     ///< i32: the thread's number in the block; consumers of WarpGroupBlock: among the consumers

private:
  SharedTile makeTile(const GemmOperand &operand, int64_t outer);
  void locateBlock();
  void storeElements(const SharedTile &sums, mlir::Value row, mlir::Value column, int64_t lanes);
  int64_t resultLanes() const;

  mlir::Value batch, firstRow, firstColumn, depth; ///< index: coordinates of the block; extent of the depth
};

/// A block of the matrix algorithm (mma.sync), which requires tiling.matrix, or of the scalar algorithm (f32 FMAs),
/// which requires that it is null. All threads copy. The arguments of this and the next functions outlive the block.
std::unique_ptr<GemmBlock> createMatrixBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
std::unique_ptr<GemmBlock> createScalarBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame);
/// A block of the algorithm of warp groups (wgmma); `tiling` is of GemmTiling::forWarpGroups. It copies by TMA if
/// `maps` has the maps of readMaps, which an earlier phase writes (TensorMaps::emit); if `maps` is null, by threads.
std::unique_ptr<GemmBlock> createWarpGroupBlock(const GemmProblem &problem, const GemmTiling &tiling,
                                                DeviceFrame &frame, const std::optional<TensorMaps> &maps);
/// Sets `maps` to the tensor maps of left and right, in this order, for a tiling of GemmTiling::forWarpGroups.
/// Otherwise returns the reason, and `maps` is unchanged: maps do not pay, or a tile of an operand is not a box.
Verdict readMaps(const GemmProblem &problem, const GemmTiling &tiling, std::optional<TensorMaps> &maps);

} // namespace attnc
