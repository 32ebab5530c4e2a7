//===- TiledGradient.h - attention's gradient by tiles, in one pass over the keys -----------------------------===//
//
// One chunk is one batch, or the batches of a group of heads that share their keys, in order. Attention weights are
// recomputed from the saved lse of the rows. With s = d score / d (Q K) where that is one factor, and otherwise s = 1:
//
//   for each row i:   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//   for each block of keys:
//     Kt = scale K, Vt = s V                                       panels: features down, keys in the lanes
//     for each block of rows that may keep a pair:
//       P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)   0 where masked; lanes are keys
//       dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                 times d score / d dot where that is not folded
//       dV += P' dO,   dK += dS' Q,   dQ += dS K                   register tiles, sums in the results themselves
//
// Results are cleared first. Sums are added in the order of keys, then rows, without atomics: the same bits at any
// number of threads. Scratch is the tiles and two floats a row. lse is added after the product, because an accumulator
// that starts from it loses a digit.
//
// **Splits.** One head alone should use several cores too, so if there are few chunks, the keys of each are split:
// split 0 adds dQ in the result, the others in partial sums (PartialSums.h), and a last phase adds these to the result
// in order. The phases are then: clear the results; all splits; merge the partial sums.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledBlocks.h"

namespace attnc {

class TiledGradient {
public:
  TiledGradient(const AttendGradientProblem &problem, const AttendGradientSchedule &schedule, const Target &target,
                llvm::StringRef symbol, mlir::ModuleOp code);

  /// The single phase; or the three phases if the problem splits keys.
  void emitWhole();
  void emitClear();
  void emitSplits();
  void emitMerge();
  /// A last phase of one chunk: adds the sums of all chunks for elements that they share.
  void emitShared();

  SizeExpr chunks() const { return phase.chunks(); }
  SizeExpr splits() const { return partial.splits(); }
  SizeExpr sharedBytes() const { return partial.sharedBytes(); }
  /// Known after the phase is emitted.
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
