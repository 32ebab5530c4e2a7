//===- PairwiseGradient.h - attention's gradient pair by pair -------------------------------------------------===//
//
// What the tiled form (AttendGradient.h) does not take. One chunk is one batch, or the batches that share results. For
// each row, with keys in the lanes:
//
//   s_k  = score                                 total = sum_k s_k                       ratio alone needs the sum
//   p_k  = exp2(log2e (s_k - lse))  or  s_k / total
//   dp_k = (sum_v dY[v] value(k, v) + dW[k]) dweight/dp,   D = sum_k p_k dp_k / sum_k p_k  value and weight give terms
//   ds_k = p_k (dp_k - D + dL)      or  (dp_k - D) / total                               the score gives its terms
//
// s, p and dp of a row are held, so scratch is linear in the number of keys. Elements are added to one by one, where
// they lie, in the order of rows, then keys: the same bits at any number of threads. It takes several times as long
// as the tiled form.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendMask.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"
#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradientProblem.h"
#include "compiler/Codegen/Target.h"

namespace attnc {

class PairwiseGradient : public GradientPhase {
public:
  PairwiseGradient(PairwiseGradientProblem &problem, const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  void emit();

private:
  /// A vector of keys of a row.
  struct Pairs {
    RegionVectoriser at;
    Value key, kept; ///< the first key; vector of i1
  };
  using AddKeys = llvm::function_ref<Values(Pairs &, ValueRange sums)>;

  void computeRow(Value row);
  Value inverse(Value x);
  Values sumOverKeys(const RegionVectoriser &row, int64_t sums, AddKeys add);
  Value keepScores(Pairs &pairs, Value sum);
  Value passValues(Pairs &pairs, Value weight);
  Values keepCotangents(Pairs &pairs, ValueRange sums);
  void passScores(Pairs &pairs, Value mean);
  void addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent);
  Value cotangentAt(RegionVectoriser &at, Value tensor, llvm::ArrayRef<LaneIndex> last);
  Value keep(const Pairs &pairs, Value value) { return loops.choose(pairs.kept, value, loops.splat(0.0)); }
  Value load(Value held, const Pairs &pairs) { return loops.load(held, ValueRange{pairs.key}); }
  void store(Value value, Value held, const Pairs &pairs) { loops.store(value, held, ValueRange{pairs.key}); }

  PairwiseGradientProblem &problem;
  const Target &target;
  Value weights, flags, cotangents; ///< of a row: s, then p; 1 where kept; dp
  Value exponent;                   ///< of the row: -log2e lse, or 1 / total
  Value keyBegin, keyEnd;
};

} // namespace attnc
