#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"

using namespace mlir;

namespace attnc {

static bool readsFinalWeights(const AttendProblem &problem) {
  return problem.yields(attn::Statistic::Weights) || problem.yields(attn::Statistic::KeySums) ||
         (problem.hasWeight() && !problem.weightIsLinear);
}

PassPlan planPasses(const AttendProblem &problem) {
  using Order = Normaliser::Order;
  Order order = problem.normaliser->order();
  PassPlan plan;
  plan.needsFinalWeights = readsFinalWeights(problem);
  plan.hasFactors = order != Order::AtOnce;
  if (order == Order::AllScores)
    plan.first = KeyPass::Materialise;
  else if (order == Order::Factor && plan.needsFinalWeights)
    plan.first = KeyPass::Statistics;
  plan.last = order == Order::Factor && !plan.first ? KeyPass::Online : KeyPass::Apply;
  plan.restartsSums = problem.normaliser->followsKeys() && plan.last == KeyPass::Apply;
  if (problem.yields(attn::Statistic::Entropy))
    plan.entropyPass = plan.first == KeyPass::Statistics ? KeyPass::Statistics : plan.last;
  return plan;
}

Verdict canMergePartials(const AttendProblem &problem) {
  static_assert(attn::statisticCount == 7, "reject a new statistic, or merge it in CPU/Attend/Decode and GPU/Attend");
  if (problem.passes.needsFinalWeights)
    return Verdict::no("it needs final weights, which are known after the last key of a row");
  if (!problem.hasValue())
    return Verdict::no("it sums no values");
  if (problem.yields(attn::Statistic::Entropy) || problem.yieldsTop())
    return Verdict::no("it yields the entropy or the largest keys");
  if (problem.normaliser->followsKeys() || problem.passes.materialisesScores())
    return Verdict::no("its normaliser needs more of a row than the maximum and the sum");
  return Verdict::yes();
}

Verdict canMergeOnline(const AttendProblem &problem) {
  Verdict verdict = canMergePartials(problem);
  if (verdict && !problem.passes.isOnline())
    return Verdict::no("its normaliser has no row sum");
  return verdict;
}

} // namespace attnc
