//===- GemmTile.h - the register tile of a matrix product -------------------------------------------------------===//
//
//   sum[r][v] = sum over k < depth of left[row r, k] * panel[k, v*lanes .. (v+1)*lanes]
//
// in rows x vectors registers; k = 0 is the first step of this tile, not of the product. Each step of k loads a row of
// the panel and, for each row of the tile, one float that is broadcast; one iteration of the loop has four steps or, if
// `sets` is larger, `sets` steps. Low tiles have several accumulators for each element, over k modulo `sets`, since a
// fused multiply-add takes four cycles and two start in each; they are added at the end, in order. Prefetches are
// spread among the multiply-adds: in bursts they stall.
//
// emitTile emits a call of a routine (Routine.h), which kernels share if their tiles have the same shape and the same
// distances in left. emitSums, for short depths, emits the code in place and returns the sums in registers.
//
// Offsets, steps and distances are of type index, in elements of their buffer. Left and panel may be stored in bf16 or
// f16; sums are f32.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace attnc {

struct TileShape {
  int64_t rows, vectors; ///< of sums
  int64_t sets = 1;      ///< accumulators of each sum, a power of two
};

/// A contiguous range of a buffer, from `offset` on, that is prefetched for reading while a tile is computed, evenly
/// over its steps.
struct TileFetch {
  mlir::Value offset;
  int64_t lines;           ///< cache lines, for each four steps of k
  unsigned locality;       ///< 3 is the first-level cache
  mlir::Value buffer = {}; ///< flat; null: the panel's
};

/// The lines that the epilogue of a tile accesses, prefetched while the tile is computed, row by row and evenly spread
/// over the steps of k: those of the result, and of operands with its layout.
struct ResultFetch {
  mlir::Value isNeeded;    ///< i1: false if this call does not complete the sums; nothing is prefetched then
  mlir::Value at, rowStep; ///< the offset of row 0, and the distance from one row to the next
  int64_t columns;         ///< elements of a row
  mlir::Value written;     ///< the result, flat
  llvm::SmallVector<mlir::Value> read; ///< the operands, flat
};

struct TileOperands {
  mlir::Value left;                               ///< flat
  mlir::Value leftOffset;                         ///< of row 0 at k = 0
  llvm::SmallVector<mlir::Value> rowDistances;    ///< of row r from row 0
  mlir::Value leftStep;                           ///< from one k to the next
  mlir::Value panel, panelOffset;                 ///< flat, [depth][vectors * lanes] from the offset on
  mlir::Value panelStep = {};                     ///< from one k to the next; null: its rows are adjacent
  int64_t stepsAhead = 0;                         ///< with panelStep: its rows are prefetched this far ahead; 0: not
  llvm::SmallVector<mlir::Value> panelMasks = {}; ///< existing lanes of each vector of a row (i1s); empty: all
  mlir::Value depth;                              ///< number of steps
  llvm::SmallVector<TileFetch> fetches;
  std::optional<ResultFetch> result;
  mlir::Value sums, sumsOffset; ///< flat, [rows][vectors * lanes] from the offset on
  mlir::Value isFirst;          ///< i1: the sums are stored; otherwise they are added to those there
};

/// Stores or adds the sums. Requires that panelMasks is empty.
void emitTile(FlatBuilder &code, mlir::ModuleOp module, const TileShape &shape, const TileOperands &operands);

/// Returns the rows * vectors vectors of sums, row by row, and stores nothing: `sums`, `sumsOffset` and `isFirst` are
/// not read. Requires that nothing is prefetched: no fetches, no result, and stepsAhead is 0.
FlatBuilder::Values emitSums(FlatBuilder &code, const TileShape &shape, const TileOperands &operands);

} // namespace attnc
