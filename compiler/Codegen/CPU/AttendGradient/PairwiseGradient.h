//===- PairwiseGradient.h - gradient of attention pair by pair, for any formula -----------------------------------===//
//
// The general algorithm of the gradient, for kernels that the tiled algorithm (Tiled/TiledGradient.h) does not support.
// A chunk is one batch, or the batches that add to the same elements (GradientProblem.h). The keys k of a row are in
// the lanes. s are the scores, p the normalised scores, ds and dp their cotangents, and v the elements of a value
// vector. With the cotangents dY of the value, dW of the weights and dH of the entropy, the code computes for each row:
//
//   s_k  = score
//   p    = normaliser(s)                                             Normaliser::weighRow
//   dp_k = (sum_v dY[v] value(k, v) + dW[k] + ...) dweight/dp - dH (log p_k + 1)
//   adds the gradients of the operands of value and weight
//   ds   from p, dp and the cotangent of lse                         Normaliser::differentiateRow
//   adds the gradients of the operands of score and sink
//
// The "..." are the cotangents of sums of weights and of top weights. The scores, weights and cotangents of a row are
// materialised, so scratch is linear in the number of keys. Gradients are added to their elements in the order of rows,
// then keys, so results are the same bits at any number of threads. The algorithm takes several times as long as the
// tiled one. AttendGradientEmitter.cpp uses this class.
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
  /// Opens the function `symbol` of the kernel's only phase in `code`. The object refers to `problem` and `target`.
  PairwiseGradient(PairwiseGradientProblem &problem, const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the body of the function, which clears the results first. Called once.
  void emit();
  SizeExpr chunks() const { return phase.chunks(); }
  /// Bytes of a worker's scratch. Valid after emit().
  SizeExpr workerBytes() const { return phase.workerBytes(); }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A vector of keys of a row: their formulas, the first key, and i1s, whether each pair is selected (neither masked
  /// nor with the score -inf).
  struct Pairs {
    RegionVectoriser at;
    Value key, kept;
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
  Value load(Value numbers, const Pairs &pairs) { return loops.load(numbers, ValueRange{pairs.key}); }
  void store(Value value, Value numbers, const Pairs &pairs) { loops.store(value, numbers, ValueRange{pairs.key}); }

  PairwiseGradientProblem &problem;
  const AttendProblem &attend;
  const Target &target;
  GradientPhase phase;
  FlatBuilder &loops;
  const ElementGradients elements;
  // Tiles of f32, [key] of one row.
  Value weights, flags, cotangents; ///< s, then p; 1 for selected pairs, else 0; dp, then ds
  Value slopes;                     ///< MaterialisedRow::slopes, if the normaliser `keepsSlopes`
  Value keyBegin, keyEnd;           ///< the keys of the row that the mask may keep
};

} // namespace attnc
