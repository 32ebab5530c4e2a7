//===- TiledGradient.h - attention's gradient by tiles, in one pass over the keys -----------------------------===//
//
// One chunk is one batch, or several batches in order, such as those of a group of heads that share their keys
// (GradientProblem.h). Attention weights are recomputed from the saved lse of the rows. With rows i, keys k, features
// f, values v, O the saved value, dO and dL the cotangents of value and lse, and s = d score / d (Q K) if that is one
// factor for all pairs of a batch (AttendGradientProblem::isFolded), otherwise s = 1:
//
//   for each row i:   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//   for each block of keys:
//     Kt = scale K, Vt = s V                                       panels: features down, keys in the lanes
//     for each block of rows that may keep a pair:
//       P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)   0 where masked; lanes are keys
//       dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                 times d score / d (Q K) if that is not folded
//       dV += P' dO,   dK += dS' Q,   dQ += dS K                   register tiles, sums in the results themselves
//
// Results are cleared first. Sums are added in the order of keys, then rows, without atomics: the same bits at any
// number of threads. Scratch is the tiles and two floats a row of a batch. lse is added after the product, because an
// accumulator that starts from it loses a digit.
//
// **Splits.** One head alone should use several cores too, so if there are few chunks, the keys of each are split:
// split 0 adds dQ in the result, the others in partial sums (PartialSums.h), and a later phase adds these to the result
// in order. The phases are then: clear the results; all splits; merge the partial sums. An additive score whose pairs
// share operands (GradientTanh::hasShared) has one more phase, with or without splits.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledBlocks.h"

namespace attnc {

/// One kernel phase: after the constructor, which opens its function `symbol` in `code`, one of the emit functions is
/// called, once.
class TiledGradient {
public:
  TiledGradient(const AttendGradientProblem &problem, const AttendGradientSchedule &schedule, const Target &target,
                llvm::StringRef symbol, mlir::ModuleOp code);

  /// The main phase without splits, of chunks() chunks.
  void emitWhole();
  /// The three phases if the problem splits keys: of chunks(), chunks() * splits(), and chunks() chunks.
  void emitClear();
  void emitSplits();
  void emitMerge();
  /// The last phase if hasShared(), of one chunk: adds the partial sums of all chunks for operands that all pairs
  /// share.
  void emitShared();

  SizeExpr chunks() const { return phase.chunks(); }
  /// Splits of the keys of one chunk; 1 if the problem does not split keys.
  SizeExpr splits() const { return partial.splits(); }
  /// Bytes of shared scratch, the same in all phases of a kernel.
  SizeExpr sharedBytes() const { return partial.sharedBytes(); }
  /// Valid after the phase is emitted.
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
