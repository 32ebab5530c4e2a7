//===- GemmTile.h - the register tile of a matrix product ---------------------------------------------------------===//
//
//   sum[r][v] = sum over k < depth of left[row r, k] * panel[k, v*lanes .. (v+1)*lanes]
//
// in rows x vectors registers. Each step of k loads a row of the panel and, for each row of the tile, one float spread
// over a vector; four steps make one turn of the loop. Low tiles keep several sums for each element, over k modulo
// `sets`, since a fused multiply-add takes four cycles and two start in each; the sums are added up at the end, in
// order. Cache lines are fetched ahead meanwhile, spread among the multiply-adds: in bursts they stall.
//
// A tile is a routine (Routine.h), which kernels share whose tiles have the same shape and the same distances in left.
// Where depths are short, its sums stay in registers instead, in the code of whoever stores them.
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

/// How many steps of k ahead a panel whose rows are not adjacent is asked for.
inline constexpr int64_t apartStepsAhead = 16;

/// A part of a buffer that is asked for while a tile is computed, from its start to its end.
struct TileFetch {
  mlir::Value offset;
  int64_t lines;           ///< of 64 bytes, for each four steps of k
  unsigned locality;       ///< 3 is the nearest cache
  mlir::Value buffer = {}; ///< flat; null: the panel's
};

/// What is asked for while a tile is computed because it is needed when its rows are done, row by row and evenly spread
/// over the steps of k: the lines of the result, and of what is read beside it.
struct ResultFetch {
  mlir::Value isWanted;    ///< i1
  mlir::Value at, rowStep; ///< of row 0, and from one row to the next
  int64_t columns;
  mlir::Value written;                 ///< flat
  llvm::SmallVector<mlir::Value> read; ///< flat; they lie as the result does
};

struct TileOperands {
  mlir::Value left;                               ///< flat
  mlir::Value leftOffset;                         ///< of row 0 at k = 0
  llvm::SmallVector<mlir::Value> rowDistances;    ///< of row r from row 0
  mlir::Value leftStep;                           ///< from one k to the next
  mlir::Value panel, panelOffset;                 ///< flat, [depth][vectors * lanes] from the offset on
  mlir::Value panelStep = {};                     ///< from one k to the next; null: its rows are adjacent
  bool fetchesSteps = true;                       ///< of a panel whose rows are not adjacent; it is not near yet
  llvm::SmallVector<mlir::Value> panelMasks = {}; ///< of each vector of a row (i1s); empty: all lanes are there
  mlir::Value depth;
  llvm::SmallVector<TileFetch> fetches;
  std::optional<ResultFetch> result;
  mlir::Value sums, sumsOffset; ///< flat, [rows][vectors * lanes] from the offset on
  mlir::Value isFirst;          ///< i1: the sums are put there; otherwise they are added to what is there
};

void emitTile(FlatBuilder &code, mlir::ModuleOp module, const TileShape &shape, const TileOperands &operands);

/// The sums of a short depth in registers, row by row: no routine, nothing is fetched ahead, and what `operands` says
/// of sums and result is not read.
FlatBuilder::Values emitSums(FlatBuilder &code, const TileShape &shape, const TileOperands &operands);

} // namespace attnc
