#include "compiler/Narrow/Conditioning.h"
#include "compiler/Narrow/StorageGroups.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace attnc {

Conditioning::Conditioning(func::FuncOp entry, FloatType element)
    : entry(entry), format(StorageFormat::of(element)), shapes(entry) {
  bindDimensions();
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) { deriveFacts(op); });
  SmallVector<Operation *> ops;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  bool changed = true;
  constexpr int maxRounds = 16; // for nested loops; a value that still grows is beyond any limit
  for (int round = 0; changed && round < maxRounds; ++round) {
    changed = false;
    for (Operation *op : llvm::reverse(ops)) {
      if (auto call = dyn_cast<func::CallOp>(op))
        changed |= propagateEffects(call);
      for (ArrayRef<Value> set : sharedStorageSets(op))
        changed |= join(set);
    }
  }
}

//===-------------------------------------------- forward --------------------------------------------------------===//

void Conditioning::bindDimensions() {
  if (auto named = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    for (auto dimension : named.getAsRange<model::DimensionAttr>())
      dimensions.push_back(dimension.getMax() < 0 ? int64_t(unboundedSize) : dimension.getMax());
}

double Conditioning::boundOf(const SizeExpr &size) const {
  std::vector<int64_t> most = dimensions;
  most.resize(shapes.names().size(), int64_t(unboundedSize));
  auto products = size.products();
  if (!products)
    return double(size.evaluate(most));
  double bound = 0; // a difference is at most its minuend
  for (const SizeExpr::Product &product : *products) {
    double term = double(product.coefficient);
    for (unsigned symbol : product.symbols)
      term *= double(most[symbol]);
    bound += product.symbols.empty() ? term : std::max(term, 0.0);
  }
  return std::max(bound, 0.0);
}

ElementFacts Conditioning::elementsOf(Value value) const {
  if (auto found = facts.find(value); found != facts.end())
    return found->second;
  Type element = getElementTypeOrSelf(value);
  if (element.isInteger(1))
    return {{0, 1}, true, true};
  if (element.isInteger())
    return {{-0x1p31, 0x1p31}, true, true};
  return {};
}

TensorFacts Conditioning::factsOf(Value value) {
  TensorFacts known;
  if (value.getType().isIndex()) {
    auto loop = dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
    bool isPosition = loop && loop.getInductionVar() == value;
    double bound = boundOf(shapes.size(isPosition ? loop.getUpperBound() : value));
    known.elements = {{0, isPosition ? std::max(bound - 1, 0.0) : bound}, true, true};
    return known;
  }
  known.elements = elementsOf(value);
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      known.extents.push_back(boundOf(shapes.extent(value, dim)));
  return known;
}

void Conditioning::deriveFacts(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    for (auto [result, known] : llvm::zip(call.getResults(), summaryOf(call).results))
      facts[result] = known;
    return;
  }
  for (Value result : op->getResults()) { // its elements come from its operands
    if (!isa<RankedTensorType>(result.getType()) || op->getNumRegions() != 0)
      continue;
    std::optional<ElementFacts> known;
    for (Value operand : op->getOperands()) {
      if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result))
        continue;
      ElementFacts each = elementsOf(operand);
      known = !known ? each
                     : ElementFacts{hull(known->range, each.range), known->isExact && each.isExact,
                                    known->isIntegral && each.isIntegral};
    }
    if (known)
      facts[result] = *known;
  }
}

/// Key of a call: its kernel and the exact facts of its arguments, as text.
static std::string keyOf(func::CallOp call, ArrayRef<TensorFacts> arguments) {
  std::string key = call.getCallee().str();
  auto addBits = [&](double number) { key += "," + llvm::utohexstr(llvm::bit_cast<uint64_t>(number)); };
  for (const TensorFacts &each : arguments) {
    key += each.elements.isExact ? ";exact" : ";";
    key += each.elements.isIntegral ? " integral" : "";
    addBits(each.elements.range.least);
    addBits(each.elements.range.greatest);
    llvm::for_each(each.extents, addBits);
  }
  return key;
}

const Conditioning::Summary &Conditioning::summaryOf(func::CallOp call) {
  auto arguments = llvm::map_to_vector(call.getOperands(), [&](Value each) { return factsOf(each); });
  auto [found, isNew] = summaries.try_emplace(keyOf(call, arguments));
  Summary &summary = found->second;
  callSummaries[call] = &summary;
  if (!isNew)
    return summary;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  KernelConditions conditions(kernel, arguments, format);
  summary.results = conditions.results();
  for (auto [number, operand] : llvm::enumerate(call.getOperands()))
    summary.influences.push_back(getElementTypeOrSelf(operand).isF32() ? conditions.influenceOf(unsigned(number))
                                                                       : std::vector<Influence>());
  return summary;
}

//===-------------------------------------------- backward -------------------------------------------------------===//

bool Conditioning::propagateEffects(func::CallOp call) {
  bool changed = false;
  double limit = maxCondition(format);
  for (auto [operand, influences] : llvm::zip(call.getOperands(), callSummaries.lookup(call)->influences))
    for (auto [result, influence] : llvm::zip(call.getResults(), influences)) {
      Effect after = effects.lookup(result), effect{influence.direct, influence.behindSum};
      if (influence.direct.factor > 0 && after.direct.factor * influence.direct.factor > limit) {
        Condition passed = after.direct;
        passed.factor *= influence.direct.factor;
        effect.direct.raise(passed);
      }
      if (influence.direct.factor > 0)
        effect.behindSum.raise(after.behindSum);
      if (influence.isBehindSum && after.direct.isUnbounded)
        effect.behindSum.raise(after.direct);
      Effect &known = effects[operand];
      changed |= known.direct.raise(effect.direct);
      changed |= known.behindSum.raise(effect.behindSum);
    }
  return changed;
}

/// Joins the facts of tensors of which one contains elements of another.
bool Conditioning::join(ArrayRef<Value> tensors) {
  Effect all;
  for (Value each : tensors) {
    all.direct.raise(effects[each].direct);
    all.behindSum.raise(effects[each].behindSum);
  }
  bool changed = false;
  for (Value each : tensors) {
    changed |= effects[each].direct.raise(all.direct);
    changed |= effects[each].behindSum.raise(all.behindSum);
  }
  return changed;
}

std::string Conditioning::reasonOf(Value tensor) const {
  Effect effect = effects.lookup(tensor);
  double limit = maxCondition(format);
  const Condition &condition = effect.direct.factor > limit ? effect.direct : effect.behindSum;
  if (condition.factor <= limit && !condition.isUnbounded)
    return "";
  if (condition.isUnbounded)
    return condition.cause + " amplifies its rounding without a bound";
  if (condition.isUndecided())
    return condition.cause + " depends on its last bits";
  return llvm::formatv("{0} amplifies its rounding up to {1:f0} times; at most {2:f0} are allowed", condition.cause,
                       std::ceil(condition.factor), limit);
}

} // namespace attnc
