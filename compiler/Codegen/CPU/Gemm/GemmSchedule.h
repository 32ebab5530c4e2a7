//===- GemmSchedule.h - loop order and tile sizes of a matrix product ---------------------------------------------===//
//
// A GEMM kernel multiplies left (M x K) with right (K x N); GemmProblem.h describes both and the epilogue. k is a step
// of the depth K. A register tile is mr rows by nr columns of sums, and each step k adds left(row, k) x panel(k, 0..nr)
// to it. A panel is nr columns of right. A row block is a few register tiles of rows, one below the other; a depth
// block is kc steps of k. The tiles of a row block are computed one after the other over a depth block of a panel,
// which stays in the second-level cache:
//
//   for panel in panels of the chunk                 nr: 3 vectors of 16 with 32 registers, 2 of 8 with 16
//     for k0 = 0 .. K step kc                        kc: about 384; a depth block of the panel has 74 KB
//       for tile in the row block                    about 32 rows; heights differ by at most one row: no short tail
//         partial[tile] += left[tile, k0 .. k0+kc] * panel[k0 .. k0+kc]
//         at the last k0: result[tile, panel] = epilogue(partial[tile])
//
// While a tile is computed, three streams are prefetched:
// - the panel from the second-level cache to the first, a few steps ahead;
// - a part of the next depth block of the panel, to the second-level cache;
// - in the last depth block, row by row, the cache lines of the result and of the epilogue's operands.
// Evenly spread prefetches cost nothing; bursts of prefetches fill the line fill buffers.
//
// If M is dynamic, tiles have mr or mr - 1 rows. For some M (such as 9 to 13 with mr = 8) no number of such tiles has M
// rows: then tiles overlap, and the rows that two tiles compute are stored once. If a dynamic M is at most mr, the one
// tile has the next height of 1, 2, 4, .., mr; rows that do not exist repeat the last one and are not stored.
//
// **Column-major left.** Left may be stored with its rows contiguous for each k, as X' in the gradient X' * dY of a
// weight. A tile would access another page in each step, and the cache lines of all steps would compete for few sets of
// the caches. Therefore kc steps of the rows of a block are copied first, tile by tile. To make up for the copy, a row
// block has about 64 rows and is multiplied by up to eight or sixteen panels. Its partial sums for all these panels
// stay in scratch:
//
//   for k0 = 0 .. K step kc
//     copied[tile][k][row] = left[k0 + k, row of the tile]
//     for panel in panels of the chunk
//       for tile in rows of the block
//         partial[panel][tile] += copied[tile] * panel[k0 .. k0+kc]
//
// With this layout of left, products of few rows and columns over a long depth are split-K products instead
// (SplitKGemm.h).
//
// **Short depth.** If K is at most 32, a round trip of the sums through scratch takes as long as the tile, and the
// panel stays in the first-level cache. If K is constant, the rows are several tiles, left is flat along K and not
// copied, and the epilogue's formula is short, the sums are stored from registers, through the formula
// (GemmEpilogue.h), and nothing is prefetched.
//
// **One tile of rows.** With M <= mr, the bandwidth of the panels bounds the kernel. K is not divided into depth
// blocks (unless left is not flat along K), a tile of few rows has several accumulators for each sum (GemmTile.h), and
// the tile prefetches the panel that it reads. An unpacked right operand is read without packing, because each element
// is read once, if M and N are constant, right is stored as K x N, and N is whole panels. A chunk then multiplies
// several matrices of the batch if these are small.
//
// **Chunks.** A chunk is (matrix of the batch, row block, group of panels); the group varies fastest. Consecutive
// chunks have the same rows, which stay in the second-level cache while the panels stream past.
//
// **Packing.** The kernel packs any other right operand that is not a packed weight (PackPanel.h). If it has at least
// 64 panels, a chunk is (matrix of the batch, group of panels): it packs one panel at a time into its worker's scratch
// and multiplies all rows with it. With fewer panels there would be too few chunks; then, or if N is dynamic or left is
// copied, a phase before the one that multiplies packs all panels into shared scratch.
//
// **Grouped products.** Each row has a right matrix of its own (GemmProblem.h). A phase before the one that multiplies
// sorts the rows by their matrices (GroupedRows.h). A chunk is (matrix, group of panels); it multiplies all rows of the
// matrix, whose number is known at run time. It packs a panel only if the matrix has rows.
//
// **Grouped outer products.** The loops are those of a column-major left (GroupedOuterProduct.h).
//
// Sources: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), for the loops around the
// register tile. The sizes of tiles and depth blocks are measured (benchmarks/kernels).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The most rows M of a product with an unpacked N x K matrix that is computed by dot products (GemmDot.h).
inline constexpr int64_t mostDotRows = 4;

/// The largest number of rows of a register tile with `vectors` vectors in a row. Beside the sums, the registers have
/// to hold a row of the panel and a broadcast element. The number is even or 1, and at most 14.
int64_t tileRows(int64_t vectors, const Target &target);

/// The fraction (0 to 1) of the processor's peak that a product with `columns` columns reaches, if its panels have the
/// best width.
double panelSpeed(int64_t columns, const Target &target);

/// Whether left is column-major: its rows are contiguous for each k, and its steps of k are not. False if left is not
/// flat (GemmProblem::isFlat) along its rows and along K.
bool isRowContiguous(const GemmProblem &problem);

/// The schedule of one kernel. GemmEmitter.cpp creates it for a kernel that supportsGemm() (CpuEmitter.h) accepts.
/// Requested values in `attn.schedule` replace the choices of mr, nr, kc and blockRows (key "mc", rounded down to whole
/// tiles, at least one, and limited to the tiles that exist). Exceptions: a packed weight or `dots` determine nr.
struct GemmSchedule {
  GemmSchedule(const GemmProblem &problem, const Target &target);

  /// Multiplies at most mostDotRows rows, a constant number, with an unpacked N x K matrix by dot products (GemmDot.h),
  /// without register tiles. Left is contiguous along k. A panel is then nr columns of the N x K matrix.
  bool dots;
  /// Multiplies one tile of rows with an unpacked K x N matrix, whose panels are read without packing. M and N are then
  /// constants, N is whole panels, and left is not column-major.
  bool readsRight = false;
  /// A chunk packs the panels that it multiplies with into worker scratch.
  bool packsPanels;
  /// Left is column-major (isRowContiguous), or the product is a grouped outer product. If the rows are several tiles,
  /// or in a grouped outer product, blocks of left are copied.
  bool copiesLeft;
  /// Left is contiguous along k, `dots` is false, and left is stored in bf16 or f16 or belongs to a grouped product,
  /// whose rows are not at equal distances. A chunk copies its rows as f32 once for all its panels; register tiles read
  /// them from there. If the chunk packs panels and the rows are several tiles, it copies each row block once for each
  /// panel.
  bool copiesRows;
  /// K is a constant of at most kc and shortDepth steps (GemmEpilogue.h), left is flat along it and not copied, the
  /// epilogue's formula is short, and neither `dots` nor `readsRight` is true. If the rows are several tiles, the sums
  /// of a tile are stored to the result from registers, and nothing is prefetched.
  bool storesFromRegisters = false;
  int64_t lanes; ///< floats of a vector
  PrefetchDistances prefetch;
  int64_t mr, nr; ///< the most rows, and the columns, of a register tile; nr is a multiple of `lanes`
  int64_t kc;     ///< steps of k of a depth block; if left is not flat along K, a depth block is depthRun() steps
  int64_t tilesPerBlock;       ///< register tiles of a row block
  int64_t panelsPerChunk;      ///< panels of a group
  int64_t batchesPerChunk = 1; ///< matrices of a chunk; more than one only if `readsRight`
  /// Numbers in one matrix of the batch: tiles of rows, row blocks, panels, groups of panels.
  SizeExpr rowTiles, rowBlocks, panels, panelGroups;

  int64_t vectors() const { return nr / lanes; } ///< vectors of a row of a register tile
  int64_t blockRows() const { return tilesPerBlock * mr; }
  /// Parts of a worker's scratch, in floats: the partial sums of a row block, [panel of the chunk][row][nr] if
  /// `copiesLeft`, otherwise [row][nr]; the copied tiles, [tile][kc][mr]; the copied rows, [row][K]. Zero if
  /// `copiesLeft`, or `copiesRows`, is false. Grouped outer products have only the first part, and parts of their own.
  int64_t sumFloats() const { return blockRows() * nr * (copiesLeft ? panelsPerChunk : 1); }
  int64_t copiedFloats() const { return copiesLeft ? tilesPerBlock * kc * mr : 0; }
  SizeExpr rowFloats(const GemmProblem &problem) const;
  /// The possible heights of tiles in rows, ascending: if all rows are one tile, and if they are several tiles. A list
  /// is empty if its case cannot occur. All rows of a grouped outer product are tiles of a block.
  llvm::SmallVector<int64_t> singleHeights, blockHeights;
  /// The number of accumulators of each sum if all rows are one tile of `rows` rows: a power of two, at most 8.
  int64_t accumulatorSets(int64_t rows) const;
  /// Whether a chunk multiplies all rows with its panels: if it packs panels, and in a grouped product.
  bool hasAllRows(const GemmProblem &problem) const { return packsPanels || problem.isGroupedProduct(); }
  /// The number of chunks of the phase that multiplies.
  SizeExpr chunks(const GemmProblem &problem) const;
  /// A worker's scratch has workerBytes() bytes. It begins with the partial sums, sumsBytes() bytes. The copied tiles
  /// follow, or the panel that a chunk packs. The copied rows begin at byte rowsOffset().
  int64_t sumsBytes() const;
  SizeExpr rowsOffset(const GemmProblem &problem) const;
  SizeExpr workerBytes(const GemmProblem &problem) const;

private:
  bool suitsReadingRight(const GemmProblem &problem) const;
  bool suitsStoringFromRegisters(const GemmProblem &problem) const;
  void chooseGroups(const GemmProblem &problem);
  void chooseHeights(const GemmProblem &problem);
};

/// The number of columns of a panel for a matrix of `columns` columns. It is one to four vectors (one to three with
/// fewer than 32 vector registers), the best trade-off of tile speed and padding. With `inWholePanels`, it also divides
/// `columns`; 0 if no such number divides `columns`.
int64_t choosePanelColumns(int64_t columns, const Target &target, bool inWholePanels = false);

} // namespace attnc
