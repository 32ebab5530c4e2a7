//===- SplitKGemm.h - split-K matrix products of few rows and columns -------------------------------------------===//
//
// The gradient of a weight of few features is X' * dY: M and N are features, K is every position of every image. The
// rows of left are contiguous for each k. Each operand is read once, so the product is bound by these reads:
//
//   phase 1, a chunk for each slice of K (and matrix of a batch):
//     for k0 = first .. last step kc
//       copied[k][row]     = left[k0 + k, row]                      an odd number of cache lines a step
//       packed[panel][k]   = right[k0 + k, columns of the panel]
//       for panel, for tile of rows
//         sums[slice][panel][tile] += copied[tile] * packed[panel]  meanwhile the next kc steps are prefetched
//   phase 2, a chunk for each tile of the result:
//     result[tile] = epilogue(sum over slices of sums[slice][tile]) in the order of the slices
//
// An f32 operand with contiguous steps of 512 floats at most is read without a copy; the columns of right must also be
// whole panels.
//
// Only the sums are written, which are few, each operand is read from memory once, and the slices are distributed among
// cores. Their number depends on sizes alone: eight for all matrices; fewer if each would have less than 2^20
// multiply-adds or read less than 3/4 floats for each of its sums; more if the depth is so long that each still has
// 2^22 multiply-adds and reads 8 floats for each of its sums.
//
// If the depth is at most kc and there are few sums, there are no slices and no copies, for the operands stay in cache.
// Phase 2 multiplies both operands as they are stored, if rows of right are columns of the result:
//
//     result[tile] = epilogue(sum over k of left[k, rows of the tile] * right[k, columns of the tile])
//
// If the columns of right are contiguous for each k, too, the operands are swapped if the result has too few columns
// for vectors: the columns of a tile are then rows of the result, and its sums are transposed before they are stored.
//
// A step of both operands is as long as the result has rows and columns. kc is limited to the steps that fit in a
// worker's part of the second-level cache. If fewer than 32 fit, the product is not split (GemmSchedule.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

struct SplitKSchedule {
  /// Nothing if the product is not suitable.
  static std::optional<SplitKSchedule> choose(const GemmProblem &problem, const Target &target);

  int64_t lanes;          ///< floats of a vector
  int64_t mr, nr;         ///< register tile
  int64_t kc;             ///< steps of k at a time
  bool isSwapped = false; ///< lanes are rows of left, and a tile has a row for each column of right
  int64_t rows, columns;  ///< of the result; exchanged if the operands are swapped
  SizeExpr slices;        ///< of a matrix, each a multiple of kc steps; none if its depth is short
  bool mayBeShort;        ///< a depth of at most kc steps is not sliced
  /// Tiles read the operand that they broadcast, and the one that they load in vectors, without a copy.
  bool readsBroadcast = false, readsVectors = false;

  int64_t vectors() const { return nr / lanes; }
  int64_t tiles() const { return llvm::divideCeil(rows, mr); }
  int64_t panels() const { return llvm::divideCeil(columns, nr); }
  /// Rows of a tile; the first higherTiles() tiles have one more.
  int64_t height() const { return rows / tiles(); }
  int64_t higherTiles() const { return rows % tiles(); }
  int64_t accumulatorSets(int64_t height) const;
  int64_t copiedStep() const;  ///< floats from one k to the next
  int64_t copiedBytes() const; ///< in a worker's scratch, before the panels
  int64_t workerBytes() const; ///< the maximum of both phases
  /// Columns of the transposed sums: a tile's rows, in whole vectors.
  int64_t transposedColumns() const { return isSwapped ? llvm::alignTo(mr, lanes) : 0; }
  int64_t totalRows() const { return isSwapped ? transposedColumns() : mr; }
  int64_t sumFloats() const { return panels() * tiles() * mr * nr; } ///< of a slice

private:
  void chooseReading(const GemmProblem &problem);
};

/// The phases of the kernel, with the symbols `<kernel>.parts` and `<kernel>`.
KernelCode emitSplitKGemm(const GemmProblem &problem, const SplitKSchedule &schedule, mlir::ModuleOp code);

} // namespace attnc
