//===- SplitKGemm.h - split-K matrix products of few rows and columns -------------------------------------------===//
//
// The gradient of a weight of few features is X' * dY: M and N are features, K is every position of every image. Left,
// X', has rows that are contiguous for each k. Each operand is read once, so the product is bound by these reads:
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
// A tile broadcasts elements of left and loads vectors of right. An f32 operand whose steps are contiguous, one after
// the other, and at most 512 floats long, is read without a copy; vectors also require steps of whole panels.
//
// Only the sums are written, which are few, each operand is read from memory once, and the slices are distributed among
// cores. Their number depends on sizes alone: eight for all matrices; fewer if each would have less than 2^20
// multiply-adds or read less than 3/4 floats for each of its sums; more if the depth is so long that each still has
// 2^22 multiply-adds and reads 8 floats for each of its sums.
//
// If right is K x N, the depth is at most kc and the result has at most 2^14 elements, there are no slices and no
// copies, for the operands stay in cache. Phase 2 multiplies both operands as they are stored:
//
//     result[tile] = epilogue(sum over k of left[k, rows of the tile] * right[k, columns of the tile])
//
// If right is K x N and the result has too few columns for vectors, the operands are swapped: tiles broadcast right and
// load vectors of left, so the columns of a tile are rows of the result, and its sums are transposed before the
// epilogue.
//
// A step of both operands is as long as the result has rows and columns. kc is limited to the steps that fit in a
// worker's part of the second-level cache, 2^18 bytes. If fewer than 32 fit, or the result has more than 2^16 elements,
// the product is not split (GemmSchedule.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Below, rows and columns are those of tiles: of the product, or exchanged if the operands are swapped.
struct SplitKSchedule {
  /// Nothing if the product is not suitable: left has another layout, right is a packed weight, M or N is dynamic or
  /// zero, a limit above is exceeded, "mc" is requested, a constant depth is shorter than two long slices, or the depth
  /// is dynamic and there may be several matrices.
  static std::optional<SplitKSchedule> choose(const GemmProblem &problem, const Target &target);

  int64_t lanes;          ///< floats of a vector
  int64_t mr, nr;         ///< the most rows, and the columns, of a register tile
  int64_t kc;             ///< steps of k at a time
  bool isSwapped = false; ///< the operands are swapped
  int64_t rows, columns;
  SizeExpr slices; ///< of one product, each of whole kc steps but the last; 0 if it is not sliced
  bool mayBeShort; ///< a depth of at most kc steps is not sliced: `slices` is 0
  /// Tiles read the operand that they broadcast, and the one that they load in vectors, without a copy.
  bool readsBroadcast = false, readsVectors = false;

  int64_t vectors() const { return nr / lanes; }
  int64_t tiles() const { return llvm::divideCeil(rows, mr); }
  int64_t panels() const { return llvm::divideCeil(columns, nr); }
  /// Rows of a tile; the first higherTiles() tiles have one more.
  int64_t height() const { return rows / tiles(); }
  int64_t higherTiles() const { return rows % tiles(); }
  int64_t accumulatorSets(int64_t height) const; ///< accumulators of a sum in a tile of `height` rows (GemmTile.h)
  int64_t copiedStep() const;                    ///< floats of `copied` from one k to the next
  int64_t copiedBytes() const; ///< of `copied` in a worker's scratch, before `packed`; 0 if it is not copied
  int64_t workerBytes() const; ///< the maximum of both phases
  /// Columns of the transposed sums: mr in whole vectors; 0 if the operands are not swapped.
  int64_t transposedColumns() const { return isSwapped ? llvm::alignTo(mr, lanes) : 0; }
  int64_t totalRows() const { return isSwapped ? transposedColumns() : mr; }
  int64_t sumFloats() const { return panels() * tiles() * mr * nr; } ///< sums of a slice, [panel][tile][mr][nr]

private:
  void chooseReading(const GemmProblem &problem);
};

/// Appends the functions of both phases to `code`, as `<kernel>.parts` and `<kernel>`. The caller sets the cost.
KernelCode emitSplitKGemm(const GemmProblem &problem, const SplitKSchedule &schedule, mlir::ModuleOp code);

} // namespace attnc
