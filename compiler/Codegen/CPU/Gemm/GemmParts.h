//===- GemmParts.h - products of few rows and columns over a long depth -------------------------------------------===//
//
// The gradient of a weight of few features is X' * dY: M and N are features, K is every position of every image. Left
// lies by steps of k, so both operands are read along their rows, once, and what limits the product is how they come:
//
//   phase 1, a chunk for each part of K (and matrix of a batch):
//     for k0 = first .. last step kc
//       copied[k][row]     = left[k0 + k, row]                     an odd number of lines a step
//       packed[panel][k]   = right[k0 + k, columns of the panel]
//       for panel, for tile of rows
//         sums[part][panel][tile] += copied[tile] * packed[panel]  meanwhile the operands' next kc steps are fetched
//   phase 2, a chunk for each tile of the result:
//     result[tile] = epilogue(sum over parts of sums[part][tile])  in the order of the parts
//
// An operand whose steps follow each other, in f32 and of 512 floats at most, is read as it lies, not copied; of right
// the columns must be whole panels.
//
// So nothing is written but the sums, which are few, each operand comes from memory once, and the parts are shared out
// among cores. How many there are depends on sizes alone: eight of all matrices; fewer where those would read less
// than 3/4 floats for each of their sums; more where the depth is so long that each still reads 8 for each.
//
// What is no deeper than a lot of kc steps, with few sums, has no parts: nothing is copied, for its operands stay in
// near caches. Phase 2 multiplies, both operands as they lie, if rows of right are columns of the result:
//
//     result[tile] = epilogue(sum over k of left[k, rows of the tile] * right[k, columns of the tile])
//
// Both operands lie alike, so they change places where the result has too few columns for vectors: those of a tile run
// along rows of the result then, and its sums are turned round on their way there.
//
// A step of both operands is as long as the result has rows and columns. Where a lot of enough steps, copied or as it
// lies, would not fit in a worker's share of the second cache, the product is of the other form (GemmSchedule.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

struct GemmParts {
  /// Nothing where the product is none of those.
  static std::optional<GemmParts> choose(const GemmProblem &problem, const Target &target);

  int64_t lanes;          ///< floats of a vector
  int64_t mr, nr;         ///< register tile
  int64_t kc;             ///< steps of k at a time: a lot
  bool isSwapped = false; ///< vectors run along left's rows, and a tile has a row for each column of right
  int64_t rows, columns;  ///< of the result; the other way round where operands are swapped
  SizeExpr parts;         ///< of a matrix; each has a kc of steps or several; none where it is short
  bool mayBeShort;        ///< depths of kc steps at most are read as they lie
  /// Tiles read steps of the operand as they lie: element by element, and in vectors.
  bool readsSpread = false, readsAlong = false;

  int64_t vectors() const { return nr / lanes; }
  int64_t tiles() const { return llvm::divideCeil(rows, mr); }
  int64_t panels() const { return llvm::divideCeil(columns, nr); }
  /// Rows of a tile: so many, and of the first rows % tiles() one more.
  int64_t height() const { return rows / tiles(); }
  int64_t higherTiles() const { return rows % tiles(); }
  int64_t accumulatorSets(int64_t height) const;
  int64_t copiedStep() const;  ///< floats from one k to the next
  int64_t copiedBytes() const; ///< in a worker's scratch, in front of the panels
  int64_t workerBytes() const; ///< of either phase
  /// Columns of what is turned round: a tile's rows, in whole vectors.
  int64_t turnedColumns() const { return isSwapped ? llvm::alignTo(mr, lanes) : 0; }
  int64_t totalRows() const { return isSwapped ? turnedColumns() : mr; }
  int64_t sumFloats() const { return panels() * tiles() * mr * nr; } ///< of a part

private:
  void chooseReading(const GemmProblem &problem);
};

/// The phases of the kernel, which have its name and `.parts` behind it.
KernelCode emitGemmInParts(const GemmProblem &problem, const GemmParts &parts, mlir::ModuleOp code);

} // namespace attnc
