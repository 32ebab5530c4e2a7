//===- GemmSchedule.h - loop order and tile sizes of a GEMM kernel ----------------------------------------------===//
//
// A register tile is mr rows by nr columns; the k loop adds `left(row, k) x panel(k, 0..nr)` to it. The tiles of a
// block of rows are computed one after the other over a chunk of kc steps of a panel, which stays in the second-level
// cache. Meanwhile each tile prefetches its part of the panel's next chunk:
//
//   for panel in panels of the chunk                      nr columns: 3 vectors of 16 with 32 registers, 2 of 8 with 16
//     for k0 = 0 .. K step kc                             about 384: a chunk of the panel is 75 KB
//       for tile in rows of the block (about 32 rows)     heights differ by at most one row: never a short tail
//         partial[tile] += left[tile, k0 .. k0+kc] * panel[k0 .. k0+kc]
//         at the last k0: result[tile, panel] = epilogue(partial[tile])
//
// While a tile is computed, three streams are prefetched: the panel itself from the second-level cache to the first, a
// few steps ahead; a part of the panel's next chunk, to the second-level cache; and, in the last chunk, row by row the
// lines of the result and of the operands of its epilogue. Evenly spread, the prefetches cost nothing; in bursts they
// fill the line fill buffers.
//
// If M is dynamic, tiles are mr or mr - 1 rows high. With numbers of rows that such tiles do not divide (9, 17, ..)
// tiles overlap, and the rows that two tiles compute are stored once. If all rows are one tile, it has the next height
// of 1, 2, 4, .., mr; rows that do not exist repeat the last one and are not stored.
//
// If left is stored with its rows contiguous for each k (the gradient of a weight is X' * dY), a tile would access
// another page in each step, and the lines of all steps would compete for few sets of the caches. Therefore kc steps of
// the rows of a block are copied first, tile by tile. To make up for the copy, a block is about 64 rows, is multiplied
// by up to eight or sixteen panels, and its partial sums for all of them stay in scratch:
//
//   for k0 = 0 .. K step kc
//     copied[tile][k][row] = left[k0 + k, row of the tile]
//     for panel in panels of the chunk
//       for tile in rows of the block
//         partial[panel][tile] += copied[tile] * panel[k0 .. k0+kc]
//
// With this layout of left, products of few rows and columns over a long depth are split-K products (SplitKGemm.h).
//
// Over a short depth, a round trip through scratch takes as long as the tile, and the panel stays in the first-level
// cache: if rows are several tiles and the formula is short, sums are stored from registers, through the formula
// (GemmEpilogue.h), and nothing is prefetched.
//
// With one tile of rows (M <= mr) the kernel is bound by the bandwidth of the panels: K is not cut, a low tile has
// several accumulators for each element, over k, and prefetches the panel that it reads. If M is constant, and the
// right operand is K x N, not a packed weight, and whole panels, it is read without packing, as each element is read
// once; chunks have several matrices of a batch if these are small.
//
// Chunks are (batch, block of rows, group of panels), numbered in this order: consecutive chunks have the same rows,
// which stay in the second-level cache while the panels stream past.
//
// Any other right operand that is not a packed weight is packed by the kernel. If it has many panels, a chunk is
// (batch, group of panels): it packs a panel into its worker's scratch and multiplies all rows with it. If it has few
// panels, which would be too few chunks, or if left is copied, a phase before this one packs all of them into shared
// scratch.
//
// Sources: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), for the loops around the
// register tile; the tile and the chunk lengths are measured (benchmarks/kernels).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The most rows that are multiplied with an unpacked N x K matrix by dot products.
inline constexpr int64_t mostDotRows = 4;

/// The most rows of a register tile of `vectors` vectors a row that leaves registers for a row of the panel and a
/// broadcast: an even number or 1, at most 14.
int64_t tileRows(int64_t vectors, const Target &target);

/// Fraction, up to 1, of the processor's peak that a product of `columns` columns reaches with panels of the best
/// width.
double panelSpeed(int64_t columns, const Target &target);

/// Whether the rows of left are contiguous for each k, and its steps of k are not.
bool isRowContiguous(const GemmProblem &problem);

/// The choices for one kernel; requested values (`attn.schedule`) are honoured for mr, nr, kc and blockRows ("mc").
struct GemmSchedule {
  GemmSchedule(const GemmProblem &problem, const Target &target);

  /// At most mostDotRows rows times an unpacked N x K matrix: GemmDot.h, no register tiles. A panel is then nr columns
  /// of it.
  bool dots;
  /// One tile of rows times an unpacked K x N matrix: each panel is read once, without packing.
  bool readsRight = false;
  /// A chunk packs the panels that it multiplies with.
  bool packsPanels;
  /// Left has contiguous rows for each k, and blocks of it are copied.
  bool copiesLeft;
  /// Left is stored in bf16 or f16 and contiguous along k: a chunk widens its rows once, for all its panels; if it
  /// packs panels and has several tiles of rows, block by block for each panel.
  bool widensLeft;
  /// The depth is short: if rows are several tiles, the sums of a tile are stored from registers to the result, and
  /// nothing is prefetched.
  bool storesFromRegisters = false;
  int64_t lanes; ///< floats of a vector
  PrefetchDistances prefetch;
  int64_t mr, nr;         ///< the most rows, and the columns, of a register tile; nr is a multiple of `lanes`
  int64_t kc;             ///< steps of k between updates of the partial sums (if left is not flat along K: depthRun())
  int64_t tilesPerBlock;  ///< row tiles of a block
  int64_t panelsPerChunk; ///< panels of a group
  int64_t batchesPerChunk = 1;                       ///< matrices of a chunk; more than one only if `readsRight`
  SizeExpr rowTiles, rowBlocks, panels, panelGroups; ///< numbers of each in one product of the batch

  int64_t vectors() const { return nr / lanes; }
  int64_t blockRows() const { return tilesPerBlock * mr; }
  /// Floats of worker scratch: the partial sums of a block, [panel of the chunk][row][nr] if `copiesLeft`, else
  /// [row][nr]; kc steps of its tiles if `copiesLeft`; all of K of its rows if `widensLeft`.
  int64_t sumFloats() const { return blockRows() * nr * (copiesLeft ? panelsPerChunk : 1); }
  int64_t copiedFloats() const { return copiesLeft ? tilesPerBlock * kc * mr : 0; }
  SizeExpr widenedFloats(const GemmProblem &problem) const;
  /// Heights of tiles, ascending, if all rows are one tile, and if they are several; empty if that cannot happen.
  llvm::SmallVector<int64_t> singleHeights, blockHeights;
  /// Accumulators of an element in a single tile `rows` high: a power of two, at most 8.
  int64_t accumulatorSets(int64_t rows) const;
  /// The number of chunks of the phase that multiplies.
  SizeExpr chunks(const GemmProblem &problem) const;
  /// A worker's scratch, workerBytes() in all: the sums of a block, sumsBytes(); then copies of left, or a panel that a
  /// chunk packs; then, from byte widenedOffset() on, the widened rows.
  int64_t sumsBytes() const;
  SizeExpr widenedOffset(const GemmProblem &problem) const;
  SizeExpr workerBytes(const GemmProblem &problem) const;

private:
  bool suitsReadingRight(const GemmProblem &problem) const;
  bool suitsStoringFromRegisters(const GemmProblem &problem) const;
  void chooseGroups(const GemmProblem &problem);
  void chooseHeights(const SizeExpr &rows);
};

/// Columns of a panel for a matrix of `columns` columns: one to four whole vectors, the best trade-off of tile speed
/// and padding. With `inWholePanels`, a divisor of `columns`, or 0 if none is a whole number of vectors.
int64_t choosePanelColumns(int64_t columns, const Target &target, bool inWholePanels = false);

} // namespace attnc
