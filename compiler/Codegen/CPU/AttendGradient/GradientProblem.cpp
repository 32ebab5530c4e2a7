#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace attnc {

Verdict GradientReader::readCopy() {
  problem.copy = cast<func::FuncOp>(kernel->clone());
  Block &block = problem.copy->getBody().front();
  for (Operation &inner : block)
    if (auto found = dyn_cast<attn::AttendGradientOp>(inner)) {
      if (gradient)
        return Verdict::no("it contains more than one attn.attend_gradient");
      gradient = found;
    }
  if (!gradient)
    return Verdict::no("it contains no attn.attend_gradient");
  for (auto [number, returned] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto result = dyn_cast<OpResult>(returned);
    if (!result || result.getOwner() != gradient.getOperation())
      return Verdict::no("it returns values other than the results of attn.attend_gradient");
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

//===------------------------------------------ captured values ---------------------------------------------===//

namespace {

/// Clones into the body of a reduction the values of the enclosing formula that depend on a load of a differentiated
/// tensor: a derivative with respect to such a load is computed at the load.
class CapturedLoads {
public:
  CapturedLoads(Region &formula, llvm::function_ref<bool(Value tensor)> isWanted)
      : formula(formula), isWanted(isWanted) {}

  void moveInto(Region &region) {
    for (auto reduce : region.getOps<attn::ReduceOp>()) {
      Region &body = reduce.getBody();
      IRMapping inside;
      OpBuilder builder = OpBuilder::atBlockBegin(&body.front());
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(body, captured);
      for (Value value : captured)
        if (readsWanted(value))
          replaceAllUsesInRegionWith(value, copy(value, inside, builder), body);
      moveInto(body);
    }
  }

private:
  bool isOfFormula(Operation *op) const { return op && formula.isAncestor(op->getParentRegion()); }

  bool readsWanted(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isOfFormula(op))
      return false;
    if (auto known = reads.find(op); known != reads.end())
      return known->second;
    bool found = op->walk([&](Operation *inner) {
                     auto extract = dyn_cast<tensor::ExtractOp>(inner);
                     bool reads = (extract && isWanted(extract.getTensor())) ||
                                  llvm::any_of(inner->getOperands(), [&](Value operand) {
                                    return operand.getDefiningOp() && !op->isAncestor(operand.getDefiningOp()) &&
                                           readsWanted(operand);
                                  });
                     return reads ? WalkResult::interrupt() : WalkResult::advance();
                   }).wasInterrupted();
    return reads[op] = found;
  }

  Value copy(Value value, IRMapping &inside, OpBuilder &builder) {
    if (inside.contains(value) || !readsWanted(value))
      return inside.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      inside.map(operand, copy(operand, inside, builder));
    builder.clone(*op, inside);
    return inside.lookup(value);
  }

  Region &formula;
  llvm::function_ref<bool(Value)> isWanted;
  DenseMap<Operation *, bool> reads;
};

} // namespace

/// Moves the regions to an attn.attend beside the gradient.
Verdict GradientReader::readForward() {
  OpBuilder builder(gradient);
  attn::AttendOp forward = attn::createAttendLike(builder, gradient, gradient.getStatistics());
  for (auto [to, from] : llvm::zip(forward->getRegions(), gradient->getRegions()))
    to.takeBody(from);
  for (Region &formula : forward->getRegions())
    CapturedLoads(formula, [&](Value tensor) { return resultOf(tensor).has_value(); }).moveInto(formula);
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

/// The derivatives of the value that a formula yields; `forward` becomes its original ops, `builder` inserts after
/// them.
static Verdict differentiateFormula(Region &formula, OpBuilder &builder, SmallVectorImpl<Operation *> &forward,
                                    attn::Cotangents &partials) {
  Block &block = formula.front();
  for (Operation &inner : block.without_terminator())
    forward.push_back(&inner);
  Location location = block.getTerminator()->getLoc();
  partials[AttendProblem::yielded(formula)] =
      arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1));
  if (Operation *unknown = attn::differentiate(builder, forward, partials))
    return Verdict::no("the derivative of " + unknown->getName().getStringRef().str() + " is not known");
  return Verdict::yes();
}

/// Adds the derivatives of a block's sums of terms by `argument` to `partials`, which has those of its other ops.
static Verdict addTermsOf(Value argument, ArrayRef<Operation *> forward, OpBuilder &builder,
                          attn::Cotangents &partials) {
  for (Operation *inner : forward) {
    auto sum = dyn_cast<attn::ReduceOp>(inner);
    Value ofSum = sum ? partials.lookup(sum.getResult()) : Value();
    llvm::SetVector<Value> captured;
    if (ofSum)
      getUsedValuesDefinedAbove(sum.getBody(), captured);
    if (!captured.contains(argument))
      continue;
    if (sum.getCombine() != attn::Combine::Add)
      return Verdict::no("an attention weight is read inside a reduction that is not a sum");
    // The sum of the terms' derivatives.
    auto terms = cast<attn::ReduceOp>(builder.clone(*sum));
    Operation *yield = terms.getBody().front().getTerminator();
    SmallVector<Operation *> body;
    OpBuilder inside(yield);
    attn::Cotangents ofTerm;
    if (Verdict verdict = differentiateFormula(terms.getBody(), inside, body, ofTerm); !verdict)
      return verdict;
    if (Verdict verdict = addTermsOf(argument, body, inside, ofTerm); !verdict)
      return verdict;
    Value derivative = ofTerm.lookup(argument);
    if (!derivative) {
      terms.erase();
      continue;
    }
    yield->setOperand(0, derivative);
    Value share = arith::MulFOp::create(builder, sum.getLoc(), ofSum, terms.getResult()), &total = partials[argument];
    total = total ? arith::AddFOp::create(builder, sum.getLoc(), total, share).getResult() : share;
  }
  return Verdict::yes();
}

Verdict GradientReader::readScope(Region &region, GradientScope &scope, Value *ofFirstArgument) {
  SmallVector<Operation *> forward;
  OpBuilder builder(region.front().getTerminator());
  attn::Cotangents partials;
  if (Verdict verdict = differentiateFormula(region, builder, forward, partials); !verdict)
    return verdict;
  if (ofFirstArgument) {
    if (Verdict verdict = addTermsOf(region.getArgument(0), forward, builder, partials); !verdict)
      return verdict;
    *ofFirstArgument = partials.lookup(region.getArgument(0));
  }
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
    return Verdict::no("a tensor that needs a gradient is read inside a reduction that is not a sum");
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

/// The constant by which subscript `position` divides the index, 1 for the index itself; 0 for any other subscript.
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
