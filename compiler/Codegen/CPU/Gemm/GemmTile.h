//===- GemmTile.h - the register tile of a matrix product -------------------------------------------------------===//
//
//   sum[r][v] = sum over k < depth of left[row r, k] * panel[k, v*lanes .. (v+1)*lanes]
//
// in rows x vectors registers. Each step of k loads a row of the panel and, for each row of the tile, one float that is
// broadcast; one iteration of the loop has four steps or, if `sets` is larger, `sets` steps. Low tiles have several
// accumulators for each element, over k modulo `sets`, since a fused multiply-add takes four cycles and two start in
// each; they are added at the end, in order. Prefetches are spread among the multiply-adds: in bursts they stall.
//
// A tile is a routine (Routine.h), shared by kernels whose tiles have the same shape and the same distances in left.
// If the depth is short, its sums stay in registers instead, in the code that stores them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace attnc {

struct TileShape {
  int64_t rows, vectors;
  int64_t sets = 1;
};

/// Prefetch distance, in steps of k, of a panel whose rows are not adjacent.
inline constexpr int64_t apartStepsAhead = 16;

/// A range of a buffer that is prefetched while a tile is computed, from its start to its end.
struct TileFetch {
  mlir::Value offset;
  int64_t lines;           ///< of 64 bytes, for each four steps of k
  unsigned locality;       ///< 3 is the first-level cache
  mlir::Value buffer = {}; ///< flat; null: the panel's
};

/// The lines that the epilogue of a tile accesses, prefetched while the tile is computed, row by row and evenly spread
/// over the steps of k: those of the result, and of operands with its layout.
struct ResultFetch {
  mlir::Value isNeeded;    ///< i1
  mlir::Value at, rowStep; ///< of row 0, and from one row to the next
  int64_t columns;
  mlir::Value written;                 ///< flat
  llvm::SmallVector<mlir::Value> read; ///< flat; they have the layout of the result
};

struct TileOperands {
  mlir::Value left;                               ///< flat
  mlir::Value leftOffset;                         ///< of row 0 at k = 0
  llvm::SmallVector<mlir::Value> rowDistances;    ///< of row r from row 0
  mlir::Value leftStep;                           ///< from one k to the next
  mlir::Value panel, panelOffset;                 ///< flat, [depth][vectors * lanes] from the offset on
  mlir::Value panelStep = {};                     ///< from one k to the next; null: its rows are adjacent
  bool fetchesSteps = true;                       ///< of a panel whose rows are not adjacent: they are not cached
  llvm::SmallVector<mlir::Value> panelMasks = {}; ///< of each vector of a row (i1s); empty: all lanes exist
  mlir::Value depth;
  llvm::SmallVector<TileFetch> fetches;
  std::optional<ResultFetch> result;
  mlir::Value sums, sumsOffset; ///< flat, [rows][vectors * lanes] from the offset on
  mlir::Value isFirst;          ///< i1: the sums are stored; otherwise they are added to those there
};

void emitTile(FlatBuilder &code, mlir::ModuleOp module, const TileShape &shape, const TileOperands &operands);

/// The sums of a short depth in registers, row by row: no routine and no prefetches; the sums and the result of
/// `operands` are not read.
FlatBuilder::Values emitSums(FlatBuilder &code, const TileShape &shape, const TileOperands &operands);

} // namespace attnc
