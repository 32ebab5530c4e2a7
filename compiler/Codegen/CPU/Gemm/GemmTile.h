//===- GemmTile.h - the register tile (micro-kernel) of a matrix product ------------------------------------------===//
//
//   sum[r][v] = sum over k < depth of left[row r, k] * panel[k, v*lanes .. (v+1)*lanes]
//
// The sums of `rows` rows are in rows x vectors registers. The step k = 0 is the first step of this tile, not of the
// product. Each step loads a row of the panel and, for each row of the tile, one element of left, which is broadcast to
// all lanes. One iteration of the loop has max(4, sets) steps; a loop of single steps computes the remainder. A fused
// multiply-add takes four cycles, and two start in each cycle. A tile of few rows therefore has `sets` accumulators for
// each sum: step k adds to number k modulo `sets`, and they are added in order, before the remainder. Prefetches are
// spread among the multiply-adds, because bursts of prefetches stall.
//
// emitTile emits a call of a routine (Routine.h). Kernels share a routine if their tiles have the same shape, element
// types, prefetches, constant distances and constant flags, and either all or none of their depths are known to be
// whole iterations. emitSums, for short depths, emits the code in place and returns the sums in registers.
//
// Buffers are flat (FlatBuilder.h). Left and the panel are stored in f32, bf16 or f16; sums are f32. Offsets, steps and
// distances are of type index, in elements of their buffer. A field of type mlir::Value that may be null is marked so.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace attnc {

struct TileShape {
  int64_t rows, vectors; ///< rows of the tile; vectors of sums in each row
  int64_t sets = 1;      ///< accumulators of each sum, a power of two
};

/// A contiguous range of a buffer that is prefetched for reading, evenly over the steps of k of the tile. The
/// prefetches may go past the end of the buffer.
struct TileFetch {
  mlir::Value offset;      ///< where the range begins
  int64_t lines;           ///< cache lines that are prefetched in four steps of k; the remainder of k prefetches none
  unsigned locality;       ///< 3: to the first-level cache; 2: to the second-level cache
  mlir::Value buffer = {}; ///< the buffer of the range; null: the buffer of the panel
};

/// The prefetch of the cache lines that the epilogue of a tile will access: lines of the kernel's result, and of the
/// epilogue's operands with the layout of the result. The prefetches are spread over the steps of k, row by row.
struct ResultFetch {
  mlir::Value isNeeded;                ///< i1: whether this call completes the sums; if false, nothing is prefetched
  mlir::Value at, rowStep;             ///< the offset of row 0 in the result; the distance from one row to the next
  int64_t columns;                     ///< elements of a row
  mlir::Value written;                 ///< the result, prefetched to be written
  llvm::SmallVector<mlir::Value> read; ///< the operands, prefetched to be read
};

struct TileOperands {
  mlir::Value left;
  mlir::Value leftOffset;                      ///< the offset in `left` of row 0 at k = 0
  llvm::SmallVector<mlir::Value> rowDistances; ///< [row]: its distance in `left` from row 0
  mlir::Value leftStep;                        ///< the distance in `left` from one k to the next
  mlir::Value panel, panelOffset;              ///< the panel, and the offset of its first element at k = 0
  mlir::Value panelStep = {};                  ///< the distance in `panel` from one k to the next; null: adjacent
  int64_t stepsAhead = 0; ///< with panelStep: prefetches rows of the panel so many k ahead; 0: none
  llvm::SmallVector<mlir::Value> panelMasks = {}; ///< [vector]: vector of i1, the lanes that exist; empty: all exist
  mlir::Value depth;                              ///< number of steps k
  llvm::SmallVector<TileFetch> fetches;
  std::optional<ResultFetch> result;
  mlir::Value sums, sumsOffset; ///< [rows][vectors * lanes], and the offset of its first element
  mlir::Value isFirst;          ///< i1: true stores the sums; false adds them to the elements of `sums`
};

/// Emits a call of the tile's routine in `module`, which stores or adds the sums. Requires that panelMasks is empty.
void emitTile(FlatBuilder &code, mlir::ModuleOp module, const TileShape &shape, const TileOperands &operands);

/// Emits the tile in place. Returns the rows * vectors vectors of f32 sums, row by row, and stores nothing: `sums`,
/// `sumsOffset` and `isFirst` are not read and may be null. Requires that the operands request no prefetch: `fetches`
/// and `result` are empty, and stepsAhead is 0.
FlatBuilder::Values emitSums(FlatBuilder &code, const TileShape &shape, const TileOperands &operands);

} // namespace attnc
