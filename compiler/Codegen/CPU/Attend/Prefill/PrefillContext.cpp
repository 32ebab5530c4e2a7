#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

PrefillTraits::PrefillTraits(const AttendProblem &problem) {
  const Normaliser &normaliser = *problem.normaliser;
  materialisesScores = normaliser.order() == Normaliser::Order::AllScores;
  keepsMaxima = problem.scoreIsProduct && normaliser.usesMaximum();
  dropsByMaskAlone = keepsMaxima || (problem.scoreIsBounded && normaliser.usesMaximum());
  bool counts = problem.hasValue() || problem.hasWeight() || problem.needsFinalWeights() || problem.yieldsTop();
  dropsPairs = counts && (problem.hasMask() || !dropsByMaskAlone);
  hasBias = llvm::any_of(problem.pairExtracts, std::mem_fn(&PairExtract::isBias));
  hasFinalLogs = normaliser.order() != Normaliser::Order::Factor;
  appliesAtOnce = normaliser.order() == Normaliser::Order::AtOnce;
  yieldsEntropy = problem.yields(mlir::attn::Statistic::Entropy);
}

} // namespace attnc
