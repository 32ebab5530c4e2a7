//===- PairwiseGradient.h - attention's gradient pair by pair, for any formula --------------------------------===//
//
// The general algorithm of the gradient, for kernels that the tiled one (Tiled/TiledGradient.h) does not support. One
// chunk is one batch, or the batches that share results. For each row, with keys in the lanes:
//
//   s_k  = score
//   p    = normaliser(s)                                          (Normaliser::weighRow)
//   dp_k = (sum_v dY[v] value(k, v) + dW[k] + ...) dweight/dp     adds the terms of value and weight
//   ds   from p and dp                                            (Normaliser::differentiateRow)
//   adds the terms of score and sink
//
// A row's values are materialised, so scratch is linear in the number of keys. Gradients are added to their elements
// one by one, in the order of rows, then keys: the same bits at any number of threads. It takes several times as long
// as the tiled algorithm.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/ElementGradients.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"
#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradientProblem.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

class PairwiseGradient {
public:
  PairwiseGradient(PairwiseGradientProblem &problem, const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  void emit();
  SizeExpr chunks() const { return phase.chunks(); }
  /// Known after the phase is emitted.
  SizeExpr workerBytes() const { return phase.workerBytes(); }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A vector of keys of a row.
  struct Pairs {
    RegionVectoriser at;
    Value key, kept; ///< the first key; vector of i1: the selected pairs
  };
  void computeRow(Value row);
  void forEachKeys(const RegionVectoriser &row, llvm::function_ref<void(Pairs &)> body);
  void keepScore(Pairs &pairs);
  Value passValues(Pairs &pairs, Value weight);
  Value passWeights(Pairs &pairs);
  Value passTop(Pairs &pairs, Value cotangent);
  Value passEntropy(Pairs &pairs, Value probability, Value cotangent);
  void keepCotangent(Pairs &pairs);
  Value cotangentAt(RegionVectoriser &at, Value tensor, llvm::ArrayRef<LaneIndex> last);
  Value keep(const Pairs &pairs, Value value) { return loops.choose(pairs.kept, value, loops.splat(0.0)); }
  Value load(Value held, const Pairs &pairs) { return loops.load(held, ValueRange{pairs.key}); }
  void store(Value value, Value held, const Pairs &pairs) { loops.store(value, held, ValueRange{pairs.key}); }

  PairwiseGradientProblem &problem;
  const AttendProblem &attend;
  const Target &target;
  GradientPhase phase;
  FlatBuilder &loops;
  const ElementGradients elements;
  Value weights, flags, cotangents; ///< of a row: s, then p; 1 for selected pairs; dp, then ds
  Value slopes;                     ///< of a row, if its normaliser `keepsSlopes`
  Value keyBegin, keyEnd;
};

} // namespace attnc
