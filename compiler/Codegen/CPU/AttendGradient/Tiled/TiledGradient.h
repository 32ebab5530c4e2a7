//===- TiledGradient.h - gradient of attention by tiles, in one pass over the keys (FlashAttention-2) -------------===//
//
// The tiled algorithm of the gradient of attention. It computes the cotangents dQ, dK and dV of the queries Q, keys K
// and values V, and those of other operands of the score. A chunk is one batch, or several batches in order, such as
// those of a group of heads that share their keys (GradientProblem.h). Attention weights P are recomputed from the
// saved lse of the rows. i is a row (query), k a key, f a feature and v an element of a value vector. O is the saved
// value, dO and dL are the cotangents of value and lse, P' is P transposed, and `scale` is the scale of the product
// (PairReduction::scales). If d score / d (Q K) is one factor for all pairs of a batch
// (AttendGradientProblem::isFolded), s is this factor; otherwise s = 1.
//
//   for each row i:   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//   for each block of keys:
//     Kt = scale K, Vt = s V                                       panels: features down, keys in the lanes
//     for each block of rows that may keep a pair:
//       P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)   0 where masked; lanes are keys
//       dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                 times d score / d (Q K) if that is not folded
//       dV += P' dO,   dK += dS' Q,   dQ += dS K                   register tiles, sums in the results themselves
//
// Results are cleared first, except those that PairTerms.h stores. Sums are added in the order of keys, then rows,
// without atomics, so results are the same bits at any number of threads. A worker's scratch has the tiles
// (GradientTiles.h), and two floats for each row of a batch. lse is added after the product, because an accumulator
// that starts from it loses a digit.
//
// **Splits.** If there are few chunks, the keys of each chunk are split among several chunks, so that one head alone
// uses several cores. Split 0 adds dQ to the result, and the other splits to partial sums (PartialSums.h). The kernel
// then has three phases: clear the results; compute all splits; add the partial sums to the results, in order. If all
// pairs of a batch share an operand of an additive score, and its gradient is a result (GradientTanh::hasShared), the
// kernel has one more phase at its end, with or without splits.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledBlocks.h"

namespace attnc {

/// One kernel phase. The constructor opens its function `symbol` in `code`. Then the caller, AttendGradientEmitter.cpp,
/// calls one of the emit functions once; it emits the body. The object refers to `problem`, `schedule` and `target`.
class TiledGradient {
public:
  TiledGradient(const AttendGradientProblem &problem, const AttendGradientSchedule &schedule, const Target &target,
                llvm::StringRef symbol, mlir::ModuleOp code);

  /// The main phase if problem.splitsKeys is false. It has chunks() chunks, and also clears the results first.
  void emitWhole();
  /// The three phases, in this order, if problem.splitsKeys is true. They have chunks(), chunks() * splits() and
  /// chunks() chunks.
  void emitClear();
  void emitSplits();
  void emitMerge();
  /// The last phase if GradientTanh::hasShared() of an additive score. It has one chunk, not chunks(), and adds the
  /// partial sums of all chunks, for operands that all pairs of a batch share, to the results.
  void emitShared();

  SizeExpr chunks() const { return phase.chunks(); }
  /// The number of splits of the keys of a chunk; 1 if problem.splitsKeys is false.
  SizeExpr splits() const { return partial.splits(); }
  /// Bytes of shared scratch, the same in all phases of a kernel.
  SizeExpr sharedBytes() const { return partial.sharedBytes(); }
  /// Bytes of a worker's scratch. Valid after the body is emitted.
  SizeExpr workerBytes() const { return phase.workerBytes(); }

private:
  using Value = mlir::Value;
  void openWhole();
  void openSplit();
  void clearResults();

  const AttendGradientSchedule &schedule;
  GradientPhase phase;
  FlatBuilder &loops;
  const TiledContext context;
  const MatrixRows matrices;
  const ElementGradients elements;
  const PartialSums partial;
  KeySplit split;
  const SplitRowSums rowSums;
  std::vector<AdditiveResults> additive; ///< [additive score]
  PairTerms terms;
};

} // namespace attnc
