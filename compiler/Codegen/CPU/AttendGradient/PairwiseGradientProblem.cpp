#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradientProblem.h"

using namespace mlir;

namespace attnc {
namespace {

class PairwiseGradientReader : GradientReader {
public:
  PairwiseGradientReader(func::FuncOp kernel, PairwiseGradientProblem &problem)
      : GradientReader(kernel, problem), problem(problem) {}

  Verdict read() {
    using Step = Verdict (PairwiseGradientReader::*)();
    for (Step step :
         std::initializer_list<Step>{&PairwiseGradientReader::readCopy, &PairwiseGradientReader::readForward,
                                     &PairwiseGradientReader::readFormulas, &PairwiseGradientReader::readSink})
      if (Verdict verdict = (this->*step)(); !verdict)
        return verdict;
    if (attn::hasStatistic(gradient.getNormaliser(), attn::Statistic::Lse) && !problem.savedOf(attn::Statistic::Lse))
      return Verdict::no("the lse of the forward pass is not saved");
    if (problem.cotangentOf(attn::Statistic::TopWeights) && !problem.savedOf(attn::Statistic::Top))
      return Verdict::no("the largest keys of the forward pass are not saved");
    readChunks();
    return Verdict::yes();
  }

private:
  Verdict readFormulas() {
    attn::AttendOp op = problem.attend.op;
    if (Verdict verdict = readScope(op.getScore(), problem.score); !verdict)
      return verdict;
    if (problem.cotangentOf(attn::Statistic::Value))
      if (Verdict verdict = readScope(op.getValue(), problem.value); !verdict)
        return verdict;
    return problem.attend.hasWeight() ? readScope(op.getWeight(), problem.weight, &problem.weightPartial)
                                      : Verdict::yes();
  }

  PairwiseGradientProblem &problem;
};

} // namespace

Verdict readPairwiseGradient(func::FuncOp kernel, PairwiseGradientProblem &problem) {
  return PairwiseGradientReader(kernel, problem).read();
}

} // namespace attnc
