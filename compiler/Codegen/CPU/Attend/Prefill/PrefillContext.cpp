#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

PrefillTraits::PrefillTraits(const AttendProblem &problem) {
  const Normaliser &normaliser = *problem.normaliser;
  keepsMaxima = problem.scoreIsProduct && normaliser.usesMaximum();
  dropsByMaskAlone = keepsMaxima || (problem.scoreIsBounded && normaliser.usesMaximum());
  bool counts = problem.hasValue() || problem.hasWeight() || problem.passes.needsFinalWeights || problem.yieldsTop();
  dropsPairs = counts && (problem.hasMask() || !dropsByMaskAlone);
  hasBias = llvm::any_of(problem.pairExtracts, std::mem_fn(&PairExtract::isBias));
}

} // namespace attnc
