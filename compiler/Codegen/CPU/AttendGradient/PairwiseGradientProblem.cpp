#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradientProblem.h"
#include "dialects/Attn/ScalarDerivatives.h"

using namespace mlir;

namespace attnc {
namespace {

class Reader : GradientReader {
public:
  Reader(func::FuncOp kernel, PairwiseGradientProblem &problem) : GradientReader(kernel, problem), problem(problem) {}

  Verdict read() {
    using Step = Verdict (Reader::*)();
    for (Step step : std::initializer_list<Step>{&Reader::readCopy, &Reader::readForward, &Reader::readFormulas})
      if (Verdict verdict = (this->*step)(); !verdict)
        return verdict;
    if (problem.attend.isSoftmax() && !problem.savedLse)
      return Verdict::no("the lse of the forward pass is not saved");
    readChunks();
    return Verdict::yes();
  }

private:
  Verdict readFormulas() {
    attn::AttendOp op = problem.attend.op;
    if (Verdict verdict = readScope(op.getScore(), problem.score, nullptr); !verdict)
      return verdict;
    if (problem.valueCotangent)
      if (Verdict verdict = readScope(op.getValue(), problem.value, nullptr); !verdict)
        return verdict;
    return problem.attend.hasWeight() ? readScope(op.getWeight(), problem.weight, &problem.weightPartial)
                                      : Verdict::yes();
  }

  /// `ofFirstArgument` becomes the derivative by the region's first argument.
  Verdict readScope(Region &region, GradientScope &scope, Value *ofFirstArgument) {
    Block &block = region.front();
    SmallVector<Operation *> forward;
    for (Operation &inner : block.without_terminator())
      forward.push_back(&inner);
    OpBuilder builder(block.getTerminator());
    Location location = block.getTerminator()->getLoc();
    attn::Cotangents partials;
    partials[AttendProblem::yielded(region)] = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1));
    if (Operation *unknown = attn::differentiate(builder, forward, partials))
      return Verdict::no("the derivative of " + unknown->getName().getStringRef().str() + " is not known");
    if (ofFirstArgument)
      *ofFirstArgument = partials.lookup(region.getArgument(0));
    for (Operation *inner : forward) {
      Value partial = inner->getNumResults() == 1 ? partials.lookup(inner->getResult(0)) : Value();
      if (!partial)
        continue;
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
        addLeaf(extract, partial, scope);
      if (auto sum = dyn_cast<attn::ReduceOp>(inner))
        if (Verdict verdict = addSum(sum, partial, scope); !verdict)
          return verdict;
    }
    return Verdict::yes();
  }

  void addLeaf(tensor::ExtractOp extract, Value partial, GradientScope &scope) {
    if (auto result = resultOf(extract.getTensor())) {
      scope.leaves.push_back({extract, partial, *result});
      leaves.insert(extract);
    }
  }

  Verdict addSum(attn::ReduceOp op, Value partial, GradientScope &scope) {
    bool isWanted = op.walk([&](tensor::ExtractOp extract) {
                        return resultOf(extract.getTensor()) ? WalkResult::interrupt() : WalkResult::advance();
                      }).wasInterrupted();
    if (!isWanted)
      return Verdict::yes();
    if (op.getCombine() != attn::Combine::Add)
      return Verdict::no("a tensor whose gradient is wanted is read inside a reduction that is no sum");
    GradientScope::Sum &sum = scope.sums.emplace_back(GradientScope::Sum{op, partial, {}});
    sum.term = std::make_unique<GradientScope>();
    return readScope(op.getBody(), *sum.term, nullptr);
  }

  PairwiseGradientProblem &problem;
};

} // namespace

Verdict readPairwiseGradient(func::FuncOp kernel, PairwiseGradientProblem &problem) {
  return Reader(kernel, problem).read();
}

} // namespace attnc
