//===- AttendDecode.h - the decode algorithm: attention of few queries over split keys ------------------------===//
//
// Flash-Decoding: few queries read each key and value once, so memory bandwidth is the bound. The rows are the queries
// of one batch together with the heads that share its keys (AttendProblem::group). The keys are cut into splits of a
// constant number of keys (split-KV), each of which is a chunk:
//
//   phase 1, chunk (batch, split), in blocks of 256 keys:           DecodeSplit.cpp
//     S[r][k]  = sum_f Q[r][f] * K[k][f]                            DecodeProducts, lanes are features
//     S        = score, mask; p = exp2(S - m)                       DecodeWeights, lanes are keys
//     O[r][v] += sum_k p[r][k] * V[k][v]                            DecodeValues, lanes are values
//   phase 2, chunk (batch): with M = max m_s over the splits        DecodeMerge.cpp
//     and e_s = exp2(m_s - M):  O[r] = sum_s e_s O_s / sum_s e_s l_s
//
// r is a row, k a key, f a feature, v a value, m and l the row maximum and the row sum. The exponentials are those of
// softmax; Normaliser.h has other normalisers.
//
// The partial result of a split does not depend on the worker that computes it, and partial results are merged in
// order, so results are the same bits at any number of threads.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc {

/// The rows and chunks of the decode algorithm. Requires a constant number of rows (canDecode).
struct DecodeShape {
  DecodeShape(const AttendProblem &problem, const AttendSchedule &schedule);

  /// Consecutive rows whose sums are in registers together, at most four.
  struct RowTile {
    int64_t first, count;
  };
  int64_t rows; ///< of one chunk: queries of a batch times the heads of a group
  llvm::SmallVector<RowTile> rowTiles;
  int64_t largestTile = 1; ///< the largest `count`
  SizeExpr batches;        ///< number of batches, where all heads of a group are one batch
  SizeExpr splits;         ///< number of splits of the keys, at least 1
  SizeExpr partialSize;    ///< floats of a row's partial result: m, l, O; m and l, and O, are padded to whole vectors
  int64_t partialHead;     ///< floats before O

  /// Bytes of all partial results, [batch][split][row].
  SizeExpr sharedBytes() const { return batches * splits * SizeExpr(4 * rows) * partialSize; }
};

/// Whether the decode algorithm supports the problem: partial results can be merged, there are one key index, one value
/// index and one feature index in each product, and a constant number of rows, at most mostDecodeRows, share keys. The
/// reason is why its keys are not split.
Verdict canDecode(const AttendProblem &problem);

/// Emits both phases into `code`, as `symbol` and `symbol`.merge, and appends them to those of `result`; raises its
/// workerBytes and sets its sharedBytes. Requires canDecode().
void emitDecode(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                const std::string &symbol, mlir::ModuleOp code, KernelCode &result);

} // namespace attnc
