//===- SplitKGemm.h - split-K matrix product of few rows and columns ----------------------------------------------===//
//
// A product of left (M x K) and right (K x N) with small M and N and a long depth K, whose left operand is
// column-major: its M rows are contiguous for each step k. An example is the gradient X' * dY of a weight of few
// features, where M and N are features and K is every position of every image. The depth is cut into slices, which are
// computed in parallel. Each operand is read from memory once, and these reads bound the time:
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
// A panel is nr columns of right. A register tile (GemmTile.h) broadcasts elements of left and loads vectors of right.
// An operand is read without a copy if it is stored in f32, its steps k are adjacent, and a step has at most 512
// floats. A step of the operand that is loaded in vectors must also be whole panels.
//
// **Slices.** Their number depends on sizes alone. By default, the matrices of a batch have eight slices together (each
// has eight if their number is dynamic). There are fewer if a slice would have less than 2^20 multiply-adds or read
// less than 3/4 floats for each of its sums. There are more if a slice still has 2^22 multiply-adds and reads 8 floats
// for each of its sums.
//
// **Short depth.** If right is stored as K x N, the depth is at most kc (which only a dynamic depth can be) and the
// result has at most 2^14 elements, there are no slices and no copies, because the operands stay in cache. Phase 1 has
// no chunks, and phase 2 multiplies both operands as they are stored:
//
//     result[tile] = epilogue(sum over k of left[k, rows of the tile] * right[k, columns of the tile])
//
// **Swapped operands.** If right is stored as K x N, the columns of the result are one loop, panels of its rows would
// be more than 1.25 times as fast as panels of its columns (panelSpeed of GemmSchedule.h), and the schedule requests
// neither mr nor nr, the operands are swapped: tiles broadcast right and load vectors of left. The columns of a tile
// are then rows of the result, and its sums are transposed before the epilogue.
//
// **Limits.** kc steps of both operands fit in a worker's part of the second-level cache, 2^18 bytes, and kc steps of a
// panel in a part of the first, 6144 floats; a requested kc is not limited. If fewer than 32 steps fit in the former,
// or a matrix of the result has more than 2^16 elements, the product is not split (GemmSchedule.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The schedule of a split-K product. Rows are M and columns are N; if the operands are swapped, rows are N and columns
/// are M. Only choose() returns valid objects.
struct SplitKSchedule {
  /// The schedule of a kernel that supportsGemm() (CpuEmitter.h) accepts. Requested values in `attn.schedule` replace
  /// the choices of mr, nr and kc. Null if the product is not suitable:
  /// - left is not column-major (isRowContiguous of GemmSchedule.h), or several loops number its matrices and it is not
  ///   addressed by one flat number of them;
  /// - right is a packed weight;
  /// - M or N is dynamic or zero, or a limit above is exceeded;
  /// - the schedule requests "mc", a key of products that are not split;
  /// - the depth is constant and shorter than two slices that have 2^22 multiply-adds and read 8 floats for each sum;
  /// - the depth is dynamic, and the product may have more than one matrix.
  static std::optional<SplitKSchedule> choose(const GemmProblem &problem, const Target &target);

  int64_t lanes;          ///< floats of a vector
  int64_t mr, nr;         ///< the most rows, and the columns, of a register tile
  int64_t kc;             ///< steps of k that a chunk copies and multiplies at a time
  bool isSwapped = false; ///< the operands are swapped
  int64_t rows, columns;
  SizeExpr slices; ///< slices of one matrix; all but the last are multiples of kc steps; 0 if the depth is short or 0
  bool mayBeShort; ///< whether `slices` is 0 for depths of at most kc steps (right is K x N, and the result is small)
  /// Whether tiles read the operand that they broadcast, and the operand that they load in vectors, without a copy.
  bool readsBroadcast = false, readsVectors = false;

  int64_t vectors() const { return nr / lanes; }               ///< vectors of a row of a tile
  int64_t tiles() const { return llvm::divideCeil(rows, mr); } ///< tiles, one below the other
  int64_t panels() const { return llvm::divideCeil(columns, nr); }
  /// The number of rows of a tile. The first higherTiles() tiles have one row more.
  int64_t height() const { return rows / tiles(); }
  int64_t higherTiles() const { return rows % tiles(); }
  int64_t accumulatorSets(int64_t height) const; ///< accumulators of a sum in a tile of `height` rows (GemmTile.h)
  int64_t copiedStep() const;                    ///< floats of `copied` from one k to the next
  /// Bytes of `copied`, which a worker's scratch begins with in phase 1; `packed` follows. 0 if there is no copy.
  int64_t copiedBytes() const;
  int64_t workerBytes() const; ///< bytes of a worker's scratch, the maximum of both phases
  /// In phase 2, columns of the transposed sums of a tile: mr, rounded up to whole vectors; 0 if not swapped.
  int64_t transposedColumns() const { return isSwapped ? llvm::alignTo(mr, lanes) : 0; }
  /// In phase 2, rows of the sums of a tile in a worker's scratch, [totalRows()][nr].
  int64_t totalRows() const { return isSwapped ? transposedColumns() : mr; }
  int64_t sumFloats() const { return panels() * tiles() * mr * nr; } ///< sums of a slice, [panel][tile][mr][nr]

private:
  void chooseReading(const GemmProblem &problem);
};

/// Appends the functions of both phases to `code`, as `<kernel>.parts` and `<kernel>`. Requires a schedule that
/// choose() returned for the same problem. Returns the phases and the sizes of their scratch; the caller sets `cost`.
KernelCode emitSplitKGemm(const GemmProblem &problem, const SplitKSchedule &schedule, mlir::ModuleOp code);

} // namespace attnc
