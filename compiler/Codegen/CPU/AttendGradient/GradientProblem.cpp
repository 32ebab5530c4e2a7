#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"
#include "dialects/Attn/ScalarDerivatives.h"

using namespace mlir;

namespace attnc {

Verdict GradientReader::readCopy() {
  problem.copy = cast<func::FuncOp>(kernel->clone());
  Block &block = problem.copy->getBody().front();
  for (Operation &inner : block)
    if (auto found = dyn_cast<attn::AttendGradientOp>(inner)) {
      if (gradient)
        return Verdict::no("it holds more than one attn.attend_gradient");
      gradient = found;
    }
  if (!gradient)
    return Verdict::no("it holds no attn.attend_gradient");
  for (auto [number, returned] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto result = dyn_cast<OpResult>(returned);
    if (!result || result.getOwner() != gradient.getOperation())
      return Verdict::no("it returns something besides the results of attn.attend_gradient");
    Value of = gradient.getOf()[result.getResultNumber()];
    if (!results.try_emplace(of, number).second)
      return Verdict::no("it returns a gradient twice");
  }
  readStatistics();
  return Verdict::yes();
}

void GradientReader::readStatistics() {
  for (auto [statistic, cotangent] : llvm::zip(gradient.getStatistics(), gradient.getCotangents()))
    problem.cotangents[static_cast<size_t>(statistic)] = cotangent;
  for (auto [statistic, tensor] : llvm::zip(gradient.getSavedStatistics(), gradient.getSaved()))
    problem.saved[static_cast<size_t>(statistic)] = tensor;
  if (auto layout = gradient.getValueLayout())
    problem.valueLayout = SmallVector<int64_t>(*layout);
}

/// Moves the regions to an attn.attend beside the gradient.
Verdict GradientReader::readForward() {
  OpBuilder builder(gradient);
  attn::AttendOp forward = attn::createAttendLike(builder, gradient, gradient.getStatistics());
  for (auto [to, from] : llvm::zip(forward->getRegions(), gradient->getRegions()))
    to.takeBody(from);
  problem.attend.kernel = *problem.copy;
  problem.attend.op = forward;
  return readAttendOp(problem.attend);
}

std::optional<unsigned> GradientReader::resultOf(Value tensor) const {
  auto found = results.find(tensor);
  return found == results.end() ? std::nullopt : std::optional<unsigned>(found->second);
}

//===------------------------------------------ derivatives -------------------------------------------------===//

Verdict GradientReader::readSink() {
  Region &sink = problem.attend.op.getSink();
  return sink.empty() ? Verdict::yes() : readScope(sink, problem.sink);
}

Verdict GradientReader::readScope(Region &region, GradientScope &scope, Value *ofFirstArgument) {
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

void GradientReader::addLeaf(tensor::ExtractOp extract, Value partial, GradientScope &scope) {
  if (auto result = resultOf(extract.getTensor())) {
    scope.leaves.push_back({extract, partial, *result});
    leaves.insert(extract);
  }
}

Verdict GradientReader::addSum(attn::ReduceOp op, Value partial, GradientScope &scope) {
  bool isWanted = op.walk([&](tensor::ExtractOp extract) {
                      return resultOf(extract.getTensor()) ? WalkResult::interrupt() : WalkResult::advance();
                    }).wasInterrupted();
  if (!isWanted)
    return Verdict::yes();
  if (op.getCombine() != attn::Combine::Add)
    return Verdict::no("a tensor whose gradient is wanted is read inside a reduction that is no sum");
  GradientScope::Sum &sum = scope.sums.emplace_back(GradientScope::Sum{op, partial, {}});
  sum.term = std::make_unique<GradientScope>();
  return readScope(op.getBody(), *sum.term);
}

//===------------------------------------------ chunks ------------------------------------------------------===//

/// The extracts whose gradients go to each result.
SmallVector<SmallVector<tensor::ExtractOp>> GradientReader::extractsOfResults() {
  SmallVector<SmallVector<tensor::ExtractOp>> extracts(results.size());
  for (Operation *leaf : leaves)
    if (auto result = resultOf(cast<tensor::ExtractOp>(leaf).getTensor()))
      extracts[*result].push_back(cast<tensor::ExtractOp>(leaf));
  return extracts;
}

BlockArgument GradientReader::indexOf(tensor::ExtractOp extract, unsigned number) const {
  Region *region = extract->getParentRegion();
  while (region->getParentOp() != problem.attend.op.getOperation())
    region = region->getParentOp()->getParentRegion();
  unsigned first = region == &problem.attend.op.getWeight() ? 1 : 0;
  return region->getArgument(first + number);
}

/// Where subscript `position` is the index or the index divided by a constant: that constant; otherwise 0.
int64_t GradientReader::divisorOf(tensor::ExtractOp extract, unsigned position, unsigned dimension) const {
  Value subscript = extract.getIndices()[position];
  BlockArgument index = indexOf(extract, dimension);
  return subscript == index ? 1 : IndexUses::divisorOf(subscript, index);
}

/// The subscript that all extracts of a result divide in the same way, with its divisor.
std::optional<std::pair<unsigned, int64_t>> GradientReader::subscriptOf(ArrayRef<tensor::ExtractOp> extracts,
                                                                        unsigned dimension) const {
  tensor::ExtractOp first = extracts.front();
  for (unsigned position = 0; position < first.getIndices().size(); ++position) {
    int64_t divisor = divisorOf(first, position, dimension);
    if (divisor > 0 &&
        llvm::all_of(extracts, [&](tensor::ExtractOp each) { return divisorOf(each, position, dimension) == divisor; }))
      return std::pair(position, divisor);
  }
  return std::nullopt;
}

void GradientReader::readChunks() {
  auto extracts = extractsOfResults();
  problem.owned.resize(extracts.size());
  for (unsigned dimension : problem.attend.batchDims) {
    unsigned number = problem.batchDims.size();
    problem.batchDims.push_back({dimension, 0});
    SmallVector<std::pair<unsigned, int64_t>> found;
    int64_t members = 1;
    for (auto &each : extracts)
      if (each.empty())
        found.push_back({0, 0});
      else if (auto subscript = subscriptOf(each, dimension);
               subscript && (members == 1 || subscript->second == 1 || subscript->second == members)) {
        found.push_back(*subscript);
        members = std::max(members, subscript->second);
      }
    if (found.size() < extracts.size())
      continue;
    problem.batchDims[number].members = members;
    for (auto [subscript, owned] : llvm::zip(found, problem.owned))
      if (subscript.second > 0)
        owned.push_back({number, subscript.first, members / subscript.second});
  }
}

} // namespace attnc
