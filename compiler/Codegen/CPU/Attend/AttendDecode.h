//===- AttendDecode.h - decode algorithm of attention: few queries over split keys (Flash-Decoding) ---------------===//
//
// Few queries read each key and value once, so memory bandwidth bounds the time. A row is a pair (query head, query).
// The rows of a chunk are those that share the keys of one batch: the queries of all heads of a head group
// (AttendProblem::group). The keys are cut into splits of splitKv keys (split-KV); the last split may have fewer. The
// kernel has two phases:
//
//   phase 1, chunk (batch, split), in blocks of 256 keys:           DecodeSplit.cpp
//     S[r][k]  = sum_f Q[r][f] * K[k][f]                            DecodeProducts, lanes are features
//     S        = log2(e) * score, mask; p = exp2(S - m)             DecodeWeights, lanes are keys
//     O[r][v] += sum_k p[r][k] * V[k][v]                            DecodeValues, lanes are values
//   phase 2, chunk (batch): with M = max m_s over the splits        DecodeMerge.cpp
//     and e_s = exp2(m_s - M):  O[r] = sum_s e_s O_s / sum_s e_s l_s
//
// Here r is a row, k a key, f a feature and v an element of a value vector. m and l are the row maximum and
// the row sum, Q the queries, K the keys, V the values, S the scores, p the weights before normalisation and O their
// sums of values. The formulas are those of softmax; Normaliser.h has other normalisers.
//
// The partial result of a split (m, l, O) does not depend on the worker that computes it, and partial results are
// merged in order. Results are therefore the same bits at any number of threads. AttendEmitter.cpp calls the functions
// below.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc {

/// The rows and chunks of the decode algorithm. Requires canDecode(problem).
struct DecodeShape {
  DecodeShape(const AttendProblem &problem, const AttendSchedule &schedule);

  /// At most four consecutive rows, whose sums are in registers at the same time: `count` rows from number `first` on.
  struct RowTile {
    int64_t first, count;
  };
  int64_t rows;                        ///< rows of a chunk: queries of a batch times heads of a group
  llvm::SmallVector<RowTile> rowTiles; ///< all rows, in order
  int64_t largestTile = 1;             ///< the largest `count`
  SizeExpr batches;                    ///< number of batches; all heads of a group are one batch
  SizeExpr splits;                     ///< number of splits of the keys of a batch, at least 1
  SizeExpr partialSize; ///< floats of a row's partial result: partialHead floats, then O, padded to whole vectors
  int64_t partialHead;  ///< floats of a partial result before O, one vector: m, l and padding

  /// Bytes of all partial results, [batch][split][row], in the shared scratch.
  SizeExpr sharedBytes() const { return batches * splits * SizeExpr(4 * rows) * partialSize; }
};

/// Whether the decode algorithm supports the problem. It requires that:
/// - partial results can be merged (canMergePartials of PassPlan.h);
/// - the problem has one key index and one value index, and each product one feature index;
/// - a constant number of rows, at most mostDecodeRows (AttendSchedule.h), share their keys.
/// Otherwise the verdict has the reason, as an answer to the question why keys are not split.
Verdict canDecode(const AttendProblem &problem);

/// Emits both phases into `code`, as `<symbol>` and `<symbol>.merge`, and appends them to the phases of `result`.
/// Raises workerBytes of `result` to what they need, and sets its sharedBytes. Requires canDecode(problem).
void emitDecode(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                const std::string &symbol, mlir::ModuleOp code, KernelCode &result);

} // namespace attnc
