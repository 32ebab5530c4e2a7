#include "compiler/Derive/Incremental/BeginWriter.h"
#include "compiler/Derive/Incremental/ChunkWriter.h"
#include "compiler/Derive/Incremental/ElementFormulas.h"
#include "compiler/Derive/Incremental/PagedCaches.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace attnc {

/// Adds the loops around a value, which must have a constant number of iterations.
static LogicalResult addLoops(RetainedValue &retained) {
  for (Operation *op = retained.value.getParentBlock()->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<int64_t> iterations = loop ? getConstantIntValue(loop.getUpperBound()) : std::nullopt;
    if (!iterations || getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1)
      return op->emitError("runs a number of times that is not constant");
    retained.loops.insert(retained.loops.begin(), loop);
    retained.count *= *iterations;
  }
  return success();
}

namespace {

/// Unique names of arguments.
class Names {
public:
  explicit Names(func::FuncOp function) {
    for (unsigned number = 0; number < function.getNumArguments(); ++number)
      used.insert(function.getArgAttrOfType<StringAttr>(number, model::nameAttrName).getValue());
    for (Attribute each : function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
      used.insert(cast<model::DimensionAttr>(each).getName().getValue());
  }
  std::string claim(StringRef wanted) {
    std::string name = wanted.str();
    for (int number = 2; !used.insert(name).second; ++number)
      name = (wanted + Twine(number)).str();
    return name;
  }

private:
  llvm::StringSet<llvm::MallocAllocator> used;
};

} // namespace

/// Name by reader: keys (scores of an attend), values (of an attend), or other.
static StringRef readerRole(Value cached, const PositionAnalysis &analysis) {
  bool isKey = false, isValue = false, isOther = false;
  for (Operation *user : cached.getUsers()) {
    auto extract = dyn_cast<tensor::ExtractOp>(user);
    if (!extract || !analysis.readsCache(extract))
      continue;
    auto attend = extract->getParentOfType<attn::AttendOp>();
    bool isInValue = attend && attend.getValue().isAncestor(extract->getParentRegion());
    isValue |= isInValue;
    isKey |= attend && !isInValue;
    isOther |= !attend;
  }
  return isOther || (isKey && isValue) ? "past" : isValue ? "values" : "keys";
}

static LogicalResult planCaches(IncrementalPlan &plan, Names &names) {
  for (auto [value, reach] : plan.analysis.caches()) {
    std::optional<unsigned> row = plan.analysis.dims.rowDim(value), position = plan.analysis.dims.positionDim(value);
    if (plan.analysis.dims.hasRows() && row && *row > *position)
      return emitError(value.getLoc()) << "this state has the dimension `" << plan.analysis.dims.rowName << "` after `"
                                       << plan.analysis.dims.alongName << "`; expected it before";
    RetainedValue &cache =
        plan.caches.emplace_back(RetainedValue{value, names.claim(readerRole(value, plan.analysis)), {}, 1});
    if (failed(addLoops(cache)))
      return failure();
  }
  for (OpResult result : plan.analysis.carried()) {
    RetainedValue &state = plan.caches.emplace_back(RetainedValue{result, names.claim("carried"), {}, 1});
    state.isCarried = true;
    if (failed(addLoops(state)))
      return failure();
  }
  return success();
}

const RetainedValue *IncrementalPlan::cache(Value value) const {
  auto found = llvm::find_if(caches, [&](const RetainedValue &each) { return each.value == value; });
  return found == caches.end() ? nullptr : &*found;
}

int64_t IncrementalPlan::maxPositions() const {
  func::FuncOp function = analysis.function;
  for (Attribute each : function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    if (auto dimension = cast<model::DimensionAttr>(each); dimension.getName() == analysis.dims.alongName)
      return dimension.getMax();
  return -1;
}

/// Whether attention weights depend on the order of keys, which a ring cache changes.
static bool dependsOnKeyOrder(attn::Normaliser normaliser) {
  return normaliser == attn::Normaliser::Hard || normaliser == attn::Normaliser::StickBreaking;
}

/// Chooses ring caches for values read within a window shorter than all positions. The caches of one attend must agree,
/// as it has one set of keys.
static void planRings(IncrementalPlan &plan) {
  llvm::EquivalenceClasses<Value> together;
  llvm::SmallPtrSet<Value, 4> inOrder;
  for (auto &[value, reach] : plan.analysis.caches())
    together.insert(value);
  plan.analysis.function.walk([&](attn::AttendOp attend) {
    Value first;
    attend.walk([&](tensor::ExtractOp extract) {
      if (!plan.analysis.readsCache(extract))
        return;
      if (first)
        together.unionSets(first, extract.getTensor());
      first = extract.getTensor();
      if (dependsOnKeyOrder(attend.getNormaliser()))
        inOrder.insert(first);
    });
  });
  int64_t maxPositions = plan.maxPositions();
  auto asked = plan.analysis.function->getAttrOfType<IntegerAttr>(model::takeBackAttrName);
  int64_t maxTruncation = asked ? asked.getInt() : 1;
  for (RetainedValue &cache : plan.caches) {
    // A time step reads the carried value of the one before.
    Reach reach = cache.isCarried ? Reach::window(1) : Reach::pointwise();
    for (auto &[value, each] : plan.analysis.caches())
      if (together.isEquivalent(value, cache.value))
        reach = reach.join(each);
    bool isOrdered = llvm::any_of(inOrder, [&](Value value) { return together.isEquivalent(value, cache.value); });
    bool fits = maxPositions < 0 || reach.width() < maxPositions - maxTruncation;
    if (!cache.isCarried && (isOrdered || !reach.isWindow() || !fits))
      continue;
    cache.window = reach.width();
    cache.ringSize = reach.width() + maxTruncation;
    plan.maxTruncation = maxTruncation;
  }
}

/// Plans the values without positions that next reads.
static LogicalResult planPrecomputed(IncrementalPlan &plan, Names &names) {
  llvm::SetVector<Value> read;
  auto use = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()) || !plan.analysis.fact(value).isGiven())
      return;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &plan.analysis.function.front())
      plan.plainArguments.insert(argument);
    else
      read.insert(value);
  };
  auto isOfNext = [&](Value value) {
    return isa<RankedTensorType>(value.getType()) && !plan.analysis.fact(value).isGiven();
  };
  plan.analysis.function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, init, next] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits(), loop.getYieldedValues()))
        if (isOfNext(argument)) {
          use(init);
          use(next);
        }
    } else if (isa<func::ReturnOp>(op)) {
      llvm::for_each(op->getOperands(), use);
    } else if (llvm::any_of(op->getResults(), isOfNext)) {
      op->walk([&](Operation *inner) {
        if (!isa<tensor::DimOp>(inner))
          llvm::for_each(inner->getOperands(), use);
      });
    }
  });
  for (Value value : read) {
    RetainedValue &given = plan.given.emplace_back(RetainedValue{value, names.claim("given"), {}, 1});
    if (failed(addLoops(given)))
      return failure();
  }
  return success();
}

/// The sizes by which ops that depend on positions compute, apart from extents of their operands: index values, and the
/// indices from which other captured numbers are computed.
static llvm::SetVector<Value> sizesOfNext(IncrementalPlan &plan) {
  llvm::SetVector<Value> sizes;
  std::function<void(Value)> use = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (value.getType().isIndex() && (!op || isa<tensor::DimOp>(op)))
      sizes.insert(value);
    else if (op && !isa<RankedTensorType>(value.getType()) && !isa<tensor::ExtractOp>(op))
      llvm::for_each(op->getOperands(), use);
  };
  auto dependsOnPositions = [&](Value value) {
    return plan.analysis.fact(value).along != PositionFact::Along::Nothing;
  };
  plan.analysis.function.walk([&](Operation *op) {
    if (llvm::any_of(op->getResults(), dependsOnPositions))
      op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), use); });
  });
  return sizes;
}

/// If next needs a size that is no extent of its arguments so far, such as the length of an encoder's input by which a
/// mean divides, an argument of f with this extent also becomes an argument of next.
static void planSizes(IncrementalPlan &plan) {
  PositionDims &dims = plan.analysis.dims;
  auto argumentsOfF = plan.analysis.function.getArguments();
  llvm::DenseSet<unsigned> known = {dims.alongSymbol};
  auto addSymbols = [&](Value tensor) {
    for (unsigned symbol = 0; symbol < dims.shapes.names().size(); ++symbol)
      if (!dims.find(tensor, symbol).empty())
        known.insert(symbol);
  };
  for (BlockArgument argument : argumentsOfF)
    if (dims.positionDim(argument) || plan.plainArguments.contains(argument))
      addSymbols(argument);
  for (const RetainedValue &retained : llvm::concat<RetainedValue>(plan.given, plan.caches))
    addSymbols(retained.value);
  for (Value size : sizesOfNext(plan)) {
    SizeExpr needed = dims.shapes.size(size);
    for (BlockArgument argument : argumentsOfF)
      for (unsigned symbol = 0; symbol < dims.shapes.names().size(); ++symbol)
        if (needed.mentions(symbol) && !dims.find(argument, symbol).empty() && known.insert(symbol).second)
          plan.plainArguments.insert(argument);
  }
}

/// Fails if an entry point of the same name exists.
static LogicalResult checkName(func::FuncOp function, const Twine &name) {
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name.str()))
    return success();
  return function.emitError() << "`" << function.getName() << "` also exports `" << name.str()
                              << "`, which is exported already; expected another name";
}

FailureOr<IncrementalNames> deriveIncremental(func::FuncOp function) {
  auto along = function->getAttrOfType<StringAttr>(model::incrementalAttrName);
  expandElements(function, along.getValue());
  IncrementalPlan plan{.analysis = PositionAnalysis(function, along.getValue()), .name = function.getName().str()};
  Names names(function);
  plan.lengthName = names.claim(plan.lengthName);
  plan.capacityName = names.claim(plan.capacityName);
  for (std::string *name : {&plan.countName, &plan.tableName, &plan.blocksName, &plan.rowBlocksName})
    *name = names.claim(*name);
  if (failed(plan.analysis.run()) || failed(planCaches(plan, names)) || failed(planPrecomputed(plan, names)))
    return failure();
  if (plan.caches.empty())
    return function.emitError() << "no position along `" << along.getValue()
                                << "` depends on another one, so there is nothing to store between calls";
  planSizes(plan);
  if (failed(planPaged(plan)))
    return failure();
  if (!plan.isPaged())
    planRings(plan);
  std::string name = function.getName().str();
  if (failed(checkName(function, name + "_prefill")) ||
      (!plan.given.empty() && failed(checkName(function, name + "_begin"))))
    return failure();
  // The name is taken by next.
  function.setName(name + ".whole");
  if (!plan.given.empty())
    BeginWriter(plan).write();
  ChunkWriter(plan, /*isStep=*/false).write();
  ChunkWriter(plan, /*isStep=*/true).write();
  function.erase();
  return IncrementalNames{plan.analysis.dims.alongName, plan.analysis.dims.rowName, plan.lengthName, plan.countName,
                          plan.capacityName};
}

} // namespace attnc
