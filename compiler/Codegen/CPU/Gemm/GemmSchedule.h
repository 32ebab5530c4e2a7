//===- GemmSchedule.h - how a gemm kernel is cut up ---------------------------------------------------------------===//
//
// A register tile is mr rows by nr columns; the k loop adds `left(row, k) x panel(k, 0..nr)` to it. Tiles of one block
// of rows run one after the other over a chunk of kc steps of a panel, which stays in the second cache, and meanwhile
// fetch the next chunk of the panel, each its share:
//
//   for panel in panels of the chunk                      nr columns: 3 vectors of 16 with 32 registers, 2 of 8 with 16
//     for k0 = 0 .. K step kc                             about 384: a chunk of the panel is 75 KB
//       for tile in rows of the block (about 32 rows)     as high as each other, or one row less: never a short tail
//         partial[tile] += left[tile, k0 .. k0+kc] * panel[k0 .. k0+kc]
//         at the last k0: result[tile, panel] = epilogue(partial[tile])
//
// Three streams are fetched while a tile is computed: the panel itself from the second cache to the first, a few steps
// ahead; the tile's share of the next chunk, to the second cache; and, in the last chunk, row by row the places of the
// result and what its epilogue reads there. Evenly spread they cost nothing, in bursts they take up the fill buffers.
//
// Where M is not known, tiles are mr or mr - 1 rows high; a number of rows that is no sum of these (9, 17, ..) has
// tiles that overlap, and the rows that two tiles compute are stored once. All rows in one tile take the next height of
// 1, 2, 4, .., mr; rows that do not exist repeat the last one and are not stored.
//
// Where left lies by steps of k, so that the rows of a tile are side by side (the gradient of a weight is X' * dY), a
// tile would touch another page in each step, and the lines of all steps share few sets of the caches. The chunk of a
// block is copied first, tile by tile, each step a vector; so that this is worth it, a block is about 64 rows and meets
// eight panels or more, and keeps the partial sums of all:
//
//   for k0 = 0 .. K step kc
//     copied[tile][k][row] = left[k0 + k, row of the tile]
//     for panel in panels of the chunk
//       for tile in rows of the block
//         partial[panel][tile] += copied[tile] * panel[k0 .. k0+kc]
//
// Products of few rows and columns over a long depth, read so, are of another form (GemmParts.h).
//
// Over a short depth a tile takes no longer than its way through scratch, and its panel stays in the first cache: sums
// are stored from registers, through the formula (GemmEpilogue.h), and nothing is fetched ahead.
//
// With one tile of rows, of known number, against a right operand that is no packed weight, each of its elements is
// read once: it is read as it lies, if its columns are whole panels, and chunks have several matrices of a batch where
// these are small.
//
// With one tile of rows (M <= mr) the kernel is bound by the bandwidth of the panels: K is not cut, a low tile has
// several accumulators for each element, over k, and fetches ahead in the panel that it reads.
//
// Chunks are (batch, block of rows, group of panels), numbered in this order: neighbours share the rows, which stay in
// the second cache while the panels stream past.
//
// A right operand that is no packed weight is packed by the kernel. Where it has many panels, a chunk is (batch, group
// of panels): it packs a panel, which one worker's scratch has room for, and multiplies all rows with it. With few,
// whose chunks would be too few to share out, and where left is copied, a phase before packs all of them into scratch
// of the operand's size.
//
// Sources: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), for the loops around the
// register tile; the tile and the chunk lengths are measured (benchmarks/kernels).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The most rows that meet an unpacked N x K matrix by dot products.
inline constexpr int64_t mostDotRows = 4;

/// Rows of a register tile of `vectors` vectors a row: all registers but those for a row of the panel and a broadcast.
int64_t tileRows(int64_t vectors, const Target &target);

/// Share of the peak that panels of `columns` columns in all can reach, of the width that suits them best.
double panelSpeed(int64_t columns, const Target &target);

/// Whether the rows of left lie side by side, and its steps of k do not.
bool liesByDepth(const GemmProblem &problem);

struct GemmSchedule {
  GemmSchedule(const GemmProblem &problem, const Target &target);

  /// Few rows against an unpacked N x K matrix: GemmDot.h, no register tiles. A panel is then nr columns of it.
  bool dots;
  /// Few rows against an unpacked K x N matrix: each panel is read once, as it lies.
  bool readsRight = false;
  /// A chunk packs the panels that it multiplies with.
  bool packsPanels;
  /// Left lies by steps of k, and blocks of it are copied.
  bool copiesLeft;
  /// Left is stored in bf16 or f16, and lies along k: a chunk widens its rows once, for all panels that they meet.
  bool widensLeft;
  /// The depth is short: the sums of a tile go from registers to the result, and nothing is fetched ahead.
  bool keepsSums = false;
  int64_t lanes;          ///< floats of a vector
  int64_t mr, nr;         ///< register tile
  int64_t kc;             ///< steps of k between visits of the partial sums
  int64_t tilesPerBlock;  ///< row tiles of a block
  int64_t panelsPerChunk; ///< panels of a group
  int64_t batchesPerChunk = 1;
  SizeExpr rowTiles, rowBlocks, panels, panelGroups;

  int64_t vectors() const { return nr / lanes; }
  int64_t blockRows() const { return tilesPerBlock * mr; }
  /// Floats of the partial sums that a block keeps, and of the copies of its tiles.
  int64_t sumFloats() const { return blockRows() * nr * (copiesLeft ? panelsPerChunk : 1); }
  int64_t copiedFloats() const { return copiesLeft ? tilesPerBlock * kc * mr : 0; }
  SizeExpr widenedFloats(const GemmProblem &problem) const;
  /// Heights, ascending, that tiles have when all rows are one tile, and when they are several.
  llvm::SmallVector<int64_t> singleHeights, blockHeights;
  /// Accumulators of an element in a single tile `rows` high.
  int64_t accumulatorSets(int64_t rows) const;
  SizeExpr chunks(const GemmProblem &problem) const;
  /// Bytes of a worker's scratch: the sums of a block, then what is copied of left, or a panel that a chunk packs; then
  /// the rows that it widens, from widenedOffset() on.
  int64_t sumsBytes() const;
  SizeExpr widenedOffset(const GemmProblem &problem) const;
  SizeExpr workerBytes(const GemmProblem &problem) const;

private:
  bool suitsReadingRight(const GemmProblem &problem) const;
  bool suitsKeepingSums(const GemmProblem &problem) const;
  void chooseGroups(const GemmProblem &problem);
  void chooseHeights(const SizeExpr &rows);
};

} // namespace attnc
