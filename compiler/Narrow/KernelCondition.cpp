#include "compiler/Narrow/KernelCondition.h"
#include "compiler/Analysis/OpClassification.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

KernelConditions::KernelConditions(func::FuncOp kernel, ArrayRef<TensorFacts> arguments, const StorageFormat &format)
    : kernel(kernel), arguments(arguments), format(format), readFacts([this](Value tensor) { return factsOf(tensor); }),
      readPositions([this](Value index) { return positionOf(index); }) {
  for (Operation &op : kernel.front().without_terminator())
    deriveFacts(&op);
}

ElementFacts KernelConditions::factsOf(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor); argument && argument.getOwner() == &kernel.front())
    return arguments[argument.getArgNumber()].elements;
  return facts.lookup(tensor);
}

//===-------------------------------------------- sizes ----------------------------------------------------------===//

double KernelConditions::extentOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return double(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    bool isKernelArgument = argument.getOwner() == &kernel.front();
    return isKernelArgument ? arguments[argument.getArgNumber()].extents[dim] : unboundedSize;
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return positionOf(empty.getDynamicSizes()[type.getDynamicDimIndex(dim)]).greatest;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return extentOf(linalgOp.getDpsInits()[cast<OpResult>(tensor).getResultNumber()], dim);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return extentOf(op->getOperand(0), dim);
  return unboundedSize;
}

double KernelConditions::loopExtent(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, result] : llvm::enumerate(map.getResults()))
      if (auto plain = dyn_cast<AffineDimExpr>(result); plain && plain.getPosition() == loop)
        return extentOf(operand.get(), int64_t(dim));
  }
  return unboundedSize;
}

static Enclosure below(double count) { return {0, std::max(count - 1, 0.0)}; }

/// Range of an index of an op's loops: an argument of a formula's block, or linalg.index.
std::optional<Enclosure> KernelConditions::loopPosition(Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return below(loopExtent(loop->getParentOfType<linalg::LinalgOp>(), loop.getDim()));
  auto argument = dyn_cast<BlockArgument>(index);
  if (!argument || argument.getOwner() == &kernel.front())
    return std::nullopt;
  Operation *op = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  SmallVector<Value> sizes;
  if (auto attend = dyn_cast<attn::AttendOp>(op)) {
    number -= argument.getOwner()->getParent() == &attend.getWeight() ? 1 : 0;
    sizes = llvm::to_vector(llvm::concat<Value>(attend.getOuterSizes(), attend.getKeySizes(), attend.getValueSizes()));
  } else if (auto scatter = dyn_cast<attn::ScatterAddOp>(op))
    sizes = scatter.getSizes();
  return below(number < sizes.size() ? positionOf(sizes[number]).greatest : unboundedSize);
}

Enclosure KernelConditions::positionOf(Value index) {
  if (std::optional<Enclosure> loop = loopPosition(index))
    return *loop;
  Attribute constant;
  if (matchPattern(index, m_Constant(&constant)))
    return isa<IntegerAttr>(constant) ? Enclosure::point(double(cast<IntegerAttr>(constant).getInt()))
                                      : Enclosure::everything();
  if (auto argument = dyn_cast<BlockArgument>(index))
    return arguments[argument.getArgNumber()].elements.range;
  Operation *op = index.getDefiningOp();
  if (auto size = dyn_cast<tensor::DimOp>(op))
    return {1, size.getConstantIndex() ? extentOf(size.getSource(), *size.getConstantIndex()) : unboundedSize};
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || isa<tensor::ExtractOp>(op))
    return {-unboundedSize, unboundedSize};
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value each) {
    return each.getType().isIntOrIndex() ? Perturbed::index(positionOf(each)) : Perturbed();
  });
  Enclosure result = propagate(op, operands, format).value;
  return result.isFinite() ? result : Enclosure{-unboundedSize, unboundedSize};
}

//===-------------------------------------------- facts ----------------------------------------------------------===//

static bool isSum(linalg::GenericOp op, unsigned result) {
  Value yielded = op.getBody()->getTerminator()->getOperand(result);
  Operation *combiner = yielded.getDefiningOp();
  return op.getNumReductionLoops() != 0 && isa_and_present<arith::AddFOp, arith::AddIOp>(combiner) &&
         llvm::is_contained(combiner->getOperands(), Value(op.getRegionOutputArgs()[result]));
}

/// The accumulator of a reduction is typical data; that of a sum is zero, so that a term is analysed alone.
void KernelConditions::bindGeneric(Formula &formula, linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(input);
    if (isa<RankedTensorType>(input->get().getType()))
      formula.bind(element, input->get());
  }
  for (auto [result, so_far] : llvm::enumerate(op.getRegionOutputArgs())) {
    if (op.getNumReductionLoops() == 0)
      formula.bind(so_far, op.getDpsInits()[result]);
    else if (isSum(op, unsigned(result)))
      formula.bind(so_far, 0, {Enclosure::point(0), true, true});
    else
      formula.bind(so_far, 1, factsOf(op.getDpsInits()[result]));
  }
}

void KernelConditions::deriveFacts(linalg::GenericOp op) {
  Formula formula = formulaOf(*op.getBody());
  bindGeneric(formula, op);
  Enclosure terms = Enclosure::point(1);
  for (auto [loop, kind, size] : llvm::enumerate(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind == mlir::utils::IteratorType::reduction)
      terms = terms * Enclosure{ShapedType::isDynamic(size) || size == 0 ? 0.0 : 1.0, loopExtent(op, unsigned(loop))};
  for (auto [number, result] : llvm::enumerate(formula.results())) {
    if (isSum(op, unsigned(number))) {
      ElementFacts begin = factsOf(op.getDpsInits()[number]);
      result.range = begin.range + result.range * terms;
      result.isExact &= begin.isExact;
    }
    facts[op.getResult(number)] = result;
  }
}

void KernelConditions::deriveFacts(attn::AttendOp op) {
  bool isConvex = op.getNormaliser() != attn::Normaliser::None && op.getWeight().empty();
  for (auto [result, statistic] : llvm::zip(op.getResults(), op.getStatistics())) {
    ElementFacts &known = facts[result];
    if (statistic == attn::Statistic::Value && isConvex)
      known.range = hull(formulaOf(op.getValue().front()).results().front().range, Enclosure::point(0));
    else if (statistic == attn::Statistic::Weights && isConvex && op.getNormaliser() != attn::Normaliser::Ratio)
      known.range = {0, 1};
    else if (!isa<FloatType>(getElementTypeOrSelf(result)))
      known = {{0, unboundedSize}, false, true};
  }
}

/// Whether all elements of its results are elements of its operands, or constants.
static bool movesElements(Operation *op) {
  return isView(op) || isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::PadOp, tensor::InsertSliceOp,
                           linalg::FillOp, arith::ExtFOp, arith::TruncFOp, arith::ConstantOp>(op);
}

void KernelConditions::deriveFacts(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return deriveFacts(generic);
  if (auto attend = dyn_cast<attn::AttendOp>(op))
    return deriveFacts(attend);
  DenseElementsAttr constant;
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    std::optional<ElementFacts> joined;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType, FloatType, IntegerType>(operand.getType()) || operand.getDefiningOp<tensor::EmptyOp>())
        continue;
      ElementFacts known = factsOf(operand);
      if (FloatAttr number; matchPattern(operand, m_Constant(&number)))
        known = {Enclosure::point(number.getValueAsDouble()), true, false};
      if (IntegerAttr number; operand.getType().isSignlessInteger(32) && matchPattern(operand, m_Constant(&number)))
        known = {Enclosure::point(double(number.getInt())), true, true};
      if (!joined)
        joined = known;
      *joined = {hull(joined->range, known.range), joined->isExact && known.isExact,
                 joined->isIntegral && known.isIntegral};
    }
    if (matchPattern(result, m_Constant(&constant)) && isa<FloatType>(constant.getElementType())) {
      joined = ElementFacts{{HUGE_VAL, -HUGE_VAL}, true, false};
      for (const llvm::APFloat &value : constant.getValues<llvm::APFloat>())
        joined->range = hull(joined->range, Enclosure::point(value.convertToDouble()));
    }
    facts[result] = joined && movesElements(op) ? *joined : ElementFacts();
  }
}

std::vector<ElementFacts> KernelConditions::results() {
  std::vector<ElementFacts> known;
  for (Value result : computedResults(kernel))
    known.push_back(factsOf(result));
  return known;
}

//===-------------------------------------------- influence ------------------------------------------------------===//

/// The condition of the composition: formula `second` reads the result of `first`.
static Condition composed(const Condition &first, const Condition &second) {
  Condition both = second;
  both.factor *= first.factor;
  both.isUnbounded |= first.isUnbounded;
  if (first.factor >= second.factor && !first.cause.empty())
    both.cause = first.cause;
  return both;
}

/// Propagates the influence `source` to `result` by `condition`; in a sum if there is a `term`.
void KernelConditions::add(Value result, const Influence &source, const Condition &condition, const Condition *term) {
  if (condition.factor == 0)
    return;
  if (isExact)
    term = nullptr;
  Influence &influence = influences[result];
  if (source.direct.factor > 0) {
    Condition passed = composed(source.direct, condition);
    if (!term)
      influence.direct.raise(passed);
    else if (Condition terms = composed(source.direct, *term); terms.factor > maxCondition(format))
      influence.direct.raise(terms);
    influence.isBehindSum |= term != nullptr;
    if (term && passed.isUnbounded)
      influence.behindSum.raise(passed);
  }
  if (!source.isBehindSum || term)
    return;
  influence.isBehindSum = true;
  if (condition.isUnbounded)
    influence.behindSum.raise(condition);
  influence.behindSum.raise(source.behindSum);
}

const Formula::Conditions &KernelConditions::conditionsOf(Formula &formula, const Formula::Load &load,
                                                          Formula::Finish finish) {
  auto [found, isNew] = ofLoads.try_emplace(load.number);
  if (isNew)
    found->second = std::make_unique<Formula::Conditions>(formula.conditions(load, finish));
  return *found->second;
}

/// Visits the loads of tensors that depend on the argument. `visit` may add influences.
template <typename Visit> void KernelConditions::forInfluencedLoads(const Formula &formula, Visit visit) {
  for (const Formula::Load &load : formula.loads())
    if (auto source = influences.find(load.tensor); source != influences.end())
      visit(load, Influence(source->second));
}

void KernelConditions::propagateInfluence(linalg::GenericOp op) {
  Formula formula = formulaOf(*op.getBody());
  bindGeneric(formula, op);
  forInfluencedLoads(formula, [&](const Formula::Load &load, const Influence &influence) {
    const Formula::Conditions &conditions = conditionsOf(formula, load);
    for (auto [number, condition] : llvm::enumerate(conditions.results)) {
      const Condition *term = load.isSummed() ? &conditions.term : isSum(op, unsigned(number)) ? &condition : nullptr;
      add(op.getResult(number), influence, condition, term);
    }
  });
}

void KernelConditions::propagateInfluence(attn::AttendOp op) {
  using Finish = Formula::Finish;
  bool isHard = op.getNormaliser() == attn::Normaliser::Hard || op.getResultFor(attn::Statistic::Top);
  bool isPlain = op.getNormaliser() == attn::Normaliser::None || op.getNormaliser() == attn::Normaliser::Ratio;
  Finish scoreFinish = isHard ? Finish::Choice : isPlain ? Finish::None : Finish::Exponential;
  auto propagateRegion = [&](Region &region, Finish finish, bool isSummed) {
    if (region.empty())
      return;
    Formula formula = formulaOf(region.front());
    forInfluencedLoads(formula, [&](const Formula::Load &load, const Influence &influence) {
      const Formula::Conditions &conditions = conditionsOf(formula, load, finish);
      const Condition &condition = conditions.results.front();
      const Condition *term = load.isSummed() ? &conditions.term : isSummed ? &condition : nullptr;
      for (Value result : op.getResults())
        add(result, influence, condition, term);
    });
  };
  propagateRegion(op.getScore(), scoreFinish, false);
  propagateRegion(op.getMask(), Finish::Choice, false);
  propagateRegion(op.getWeight(), Finish::None, true);
  propagateRegion(op.getValue(), Finish::None, true);
  propagateRegion(op.getSink(), scoreFinish, false);
}

/// The block yields a term to be added, and its subscripts.
void KernelConditions::propagateInfluence(attn::ScatterAddOp op) {
  Formula formula = formulaOf(op.getBody().front());
  forInfluencedLoads(formula, [&](const Formula::Load &load, const Influence &influence) {
    const Formula::Conditions &conditions = conditionsOf(formula, load);
    const Condition &value = conditions.results.front();
    add(op.getResult(), influence, value, load.isSummed() ? &conditions.term : &value);
    for (const Condition &subscript : llvm::drop_begin(conditions.results))
      add(op.getResult(), influence, subscript);
  });
  if (auto source = influences.find(op.getInit()); source != influences.end())
    add(op.getResult(), Influence(source->second), {1, false, ""});
}

/// Other ops may depend on last bits, so their operands stay f32.
void KernelConditions::propagateInfluence(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return propagateInfluence(generic);
  if (auto attend = dyn_cast<attn::AttendOp>(op))
    return propagateInfluence(attend);
  if (auto scatter = dyn_cast<attn::ScatterAddOp>(op))
    return propagateInfluence(scatter);
  if (isa<tensor::DimOp>(op))
    return; // a size does not depend on elements
  Condition condition{movesElements(op) ? 1 : undecidedError, false, ("`" + op->getName().getStringRef() + "`").str()};
  op->walk([&](Operation *each) { // including ops in its regions
    for (Value operand : each->getOperands())
      if (auto source = influences.find(operand); source != influences.end()) {
        Influence influence = source->second;
        for (Value result : op->getResults())
          add(result, influence, condition);
      }
  });
}

std::vector<Influence> KernelConditions::influenceOf(unsigned argument) {
  influences.clear();
  const ElementFacts &elements = arguments[argument].elements;
  bool isStoredExactly = elements.isExact && elements.isIntegral && elements.range.magnitude() <= format.exactIntegers;
  if (isStoredExactly)
    return std::vector<Influence>(kernel.getNumResults());
  isExact = elements.isExact;
  influences[kernel.getArgument(argument)].direct.factor = 1;
  for (Operation &op : kernel.front().without_terminator())
    propagateInfluence(&op);
  std::vector<Influence> found;
  for (Value result : computedResults(kernel))
    found.push_back(influences.lookup(result));
  return found;
}

} // namespace attnc
