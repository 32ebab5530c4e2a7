#include "compiler/Memory/Plan.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Memory/Steps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

/// Whether the value may start after the first byte of its root.
static bool isElement(Value tensor) {
  for (Operation *op = tensor.getDefiningOp(); op && isViewOfOperand(op); op = op->getOperand(0).getDefiningOp())
    if (isa<model::ElementOp>(op))
      return true;
  return false;
}

Value EntryPlan::root(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isViewOfOperand(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

SizeExpr EntryPlan::offset(unsigned slot) const {
  if (std::optional<unsigned> behind = slots[slot].behind)
    return offset(*behind) + slots[*behind].bytes;
  return slots[slot].within ? offset(*slots[slot].within) : SizeExpr();
}

std::string stepName(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return op->getName().getStringRef().str();
  SmallVector<std::string> places = placesOf(call.getLoc());
  return ("@" + call.getCallee() + (places.empty() ? "" : ", " + places.back())).str();
}

/// Name of a per-iteration list, or of another carried value.
static std::string carriedName(Value next, size_t number) {
  auto list = next.getDefiningOp<model::WithElementOp>();
  Operation *definition = list ? EntryPlan::root(list.getElement()).getDefiningOp() : nullptr;
  if (list && !definition)
    return "initial value of each iteration of a loop";
  return definition ? "of each iteration, " + stepName(definition) : "carried " + std::to_string(number);
}

/// Checks that no computation lies outside of kernels.
static LogicalResult checkOps(func::FuncOp entry) {
  WalkResult result = entry.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isWholeTensor = llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
    bool known = isa<func::CallOp, scf::ForOp, scf::YieldOp, func::ReturnOp, model::GetOp, tensor::ExpandShapeOp,
                     tensor::CollapseShapeOp, tensor::CastOp, tensor::DimOp, tensor::EmptyOp, model::ElementOp,
                     model::WithElementOp, model::AppendOp, model::SetOp, model::EndIfOp>(op) ||
                 (op->getDialect()->getNamespace() == "arith" && !isWholeTensor);
    if (known)
      return WalkResult::advance();
    op->emitError("lies outside every kernel of entry point ") << entry.getName();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Checks that readers of a parameter that is set run before: in an earlier op, or in the same iteration of the loops
/// around.
static LogicalResult checkUpdates(func::FuncOp entry, const Steps &steps) {
  llvm::StringMap<model::SetOp> sets;
  entry.walk([&](model::SetOp set) { sets[set.getParameter()] = set; });
  WalkResult result = entry.walk([&](model::GetOp get) {
    auto found = sets.find(get.getParameter());
    if (found == sets.end() || steps.lastUse(get) < steps.of(found->second))
      return WalkResult::advance();
    found->second.emitError("@") << get.getParameter() << " is read after it is set";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Plans one entry point, in the order of run().
class Planner {
public:
  Planner(func::FuncOp entry, SizeAnalysis sizes, const llvm::StringMap<KernelCode> &kernels, const NamedSizes &typical)
      : kernels(kernels), typicalSizes(typical), steps(entry) {
    plan.entry = entry;
    plan.steps = steps.ops;
    plan.symbols = sizes.names;
    plan.symbols.push_back("workers");
    plan.sizes = std::move(sizes);
  }

  FailureOr<EntryPlan> run() {
    if (failed(checkOps(plan.entry)) || failed(storeValues()) || failed(checkUpdates(plan.entry, steps)) ||
        failed(checkStates()))
      return failure();
    locateUpdates();
    locateElements();
    plan.entry.walk([&](func::CallOp call) { writeInPlace(call); });
    plan.entry.walk([&](scf::ForOp loop) { shareLoopStorages(loop); });
    storages.mergeHandovers();
    plan.entry.walk([&](scf::ForOp loop) { copyIntoLoop(loop); });
    locateResults();
    assignSlots();
    return std::move(plan);
  }

private:
  EntryPlan plan;
  const llvm::StringMap<KernelCode> &kernels;
  const NamedSizes &typicalSizes;
  const Steps steps;
  StorageTable storages;
  DenseMap<Value, unsigned> storageOf; ///< storages of roots in the arena
  /// Storages outside of the arena: a caller's buffer, or an updated parameter.
  DenseMap<unsigned, ValueLocation> outsideArena;
  DenseMap<Value, unsigned> stateOf; ///< root -> the entry's state argument that it is the current value of

  LogicalResult storeValues();
  LogicalResult storeValue(Value value, std::string name, unsigned begin);
  LogicalResult storeScratch(func::CallOp call);
  LogicalResult storeLoop(scf::ForOp loop);
  LogicalResult storeInPlace(Operation *op, Value changed);
  void locateUpdates();
  bool mayUpdateInPlace(model::SetOp set);
  void locateElements();
  bool mayComputeInList(model::WithElementOp list);
  LogicalResult storeState(model::AppendOp append);
  LogicalResult checkStates();
  std::optional<unsigned> state(Value tensor) {
    auto found = stateOf.find(EntryPlan::root(tensor));
    return found == stateOf.end() || isElement(tensor) ? std::nullopt : std::optional(found->second);
  }
  void writeInPlace(func::CallOp call);
  void shareLoopStorages(scf::ForOp loop);
  void copyIntoLoop(scf::ForOp loop);
  void locateResults();
  void assignSlots();

  std::optional<unsigned> storage(Value tensor) {
    auto found = storageOf.find(EntryPlan::root(tensor));
    return found == storageOf.end() ? std::nullopt : std::optional(storages.find(found->second));
  }
  /// A copy whose target storage has no location until slots are assigned.
  struct PendingCopy {
    Operation *before;
    Value value;
    std::optional<unsigned> from;
    unsigned to;
  };
  std::vector<PendingCopy> pending;
  struct PendingScratch {
    std::optional<unsigned> shared, workers;
  };
  DenseMap<Operation *, PendingScratch> scratch;
};

LogicalResult Planner::storeValue(Value value, std::string name, unsigned begin) {
  std::optional<SizeExpr> bytes = plan.sizes.bytes(value);
  if (!bytes)
    return emitError(value.getLoc(), "the size of ")
           << name << " in entry point " << plan.entry.getName() << " is not a function of its dimensions";
  storageOf[value] = storages.add(std::move(name), *bytes, begin, std::max(begin, steps.lastUse(value)));
  return success();
}

LogicalResult Planner::storeScratch(func::CallOp call) {
  const KernelCode &code = kernels.find(call.getCallee())->second;
  std::vector<std::optional<SizeExpr>> symbols = plan.sizes.kernelSymbols(call);
  SizeExpr workers = SizeExpr::symbol(plan.symbols.size() - 1);
  std::optional<SizeExpr> shared = substituteKnown(code.sharedBytes, symbols),
                          worker = substituteKnown(code.workerBytes, symbols);
  if (!shared || !worker)
    return call.emitError("the scratch of kernel ") << call.getCallee() << " is not a function of dimensions";
  LaunchScratch &launch = plan.launches[call];
  launch.stride = worker->alignTo(arenaAlignment);
  unsigned step = steps.of(call);
  std::string name = stepName(call);
  if (!(*shared == SizeExpr(0)))
    scratch[call].shared = storages.add("scratch of " + name, *shared, step, step);
  if (!(*worker == SizeExpr(0)))
    scratch[call].workers = storages.add("workers' scratch of " + name, launch.stride * workers, step, step);
  return success();
}

/// A loop-carried value and the loop's result are one storage: with no iterations, the result is the start.
LogicalResult Planner::storeLoop(scf::ForOp loop) {
  for (auto [number, argument, init, next, result] :
       llvm::enumerate(loop.getRegionIterArgs(), loop.getInits(), loop.getYieldedValues(), loop.getResults())) {
    if (std::optional<unsigned> stateNumber = state(init)) {
      stateOf[argument] = stateOf[result] = *stateNumber;
      continue;
    }
    if (failed(storeValue(argument, carriedName(next, number), steps.of(loop))))
      return failure();
    std::optional<SizeExpr> start = plan.sizes.bytes(init), after = plan.sizes.bytes(next);
    if (!start || !after || !(*start == *after))
      return loop.emitError("carries a value whose size changes from one iteration to the next");
    storageOf[result] = storageOf.lookup(argument);
    unsigned end = steps.endOf(loop);
    storages.alsoLive(storageOf.lookup(argument), end, std::max(end, steps.lastUse(result)));
  }
  return success();
}

/// The result of `op` is the updated `changed`.
LogicalResult Planner::storeInPlace(Operation *op, Value changed) {
  // Equal empty tensors may have been merged.
  if (!isElement(changed) && EntryPlan::root(changed).getDefiningOp<tensor::EmptyOp>())
    return storeValue(op->getResult(0), "empty", steps.of(op));
  std::optional<unsigned> before = storage(changed);
  if (!before || isElement(changed))
    return op->emitError("writes to a tensor outside the arena of entry point ") << plan.entry.getName();
  if (steps.lastUse(changed) > steps.of(op))
    return op->emitError("changes a tensor whose previous value is read after it");
  storageOf[op->getResult(0)] = *before;
  storages.alsoLive(*before, steps.of(op), std::max(steps.of(op), steps.lastUse(op->getResult(0))));
  return success();
}

/// model.append updates a state, or a cache in the arena, in place.
LogicalResult Planner::storeState(model::AppendOp append) {
  std::optional<unsigned> before = state(append.getCache());
  if (!before)
    return storeInPlace(append, append.getCache());
  stateOf[append] = *before;
  if (steps.lastUse(append.getCache()) > steps.of(append))
    return append.emitError("changes a state whose previous value is read after it");
  return success();
}

LogicalResult Planner::storeValues() {
  for (auto [number, argument] : llvm::enumerate(plan.entry.getArguments()))
    if (plan.entry.getArgAttr(number, model::stateAttrName))
      stateOf[argument] = number;
  WalkResult result = plan.entry.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (!kernels.contains(call.getCallee()))
        return call.emitError("calls @") << call.getCallee() << ", which is not a kernel";
      for (Value value : call.getResults())
        if (failed(storeValue(value, stepName(call), steps.of(op))))
          return WalkResult::interrupt();
      return storeScratch(call);
    }
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return storeValue(empty.getResult(), "empty", steps.of(op));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return storeLoop(loop);
    if (auto list = dyn_cast<model::WithElementOp>(op))
      return storeInPlace(list, list.getList()); // the list is updated in place
    if (auto append = dyn_cast<model::AppendOp>(op))
      return storeState(append);
    if (auto yield = dyn_cast<scf::YieldOp>(op))
      for (auto [argument, next] :
           llvm::zip(cast<scf::ForOp>(op->getParentOp()).getRegionIterArgs(), yield.getOperands()))
        if (state(argument) != state(next))
          return op->emitError("passes a state to a different state of the next iteration");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether the kernel that computes the new value may overwrite the parameter. It must be the last reader of the
/// parameter, and the emitter must allow its result to overwrite that operand.
bool Planner::mayUpdateInPlace(model::SetOp set) {
  Value value = set.getValue();
  auto result = dyn_cast<OpResult>(value);
  auto call = value.getDefiningOp<func::CallOp>();
  if (!call || call->getBlock() != set->getBlock() || outsideArena.contains(*storage(value)))
    return false;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  WalkResult found = plan.entry.walk([&](model::GetOp get) {
    if (get.getParameter() != set.getParameter() || steps.lastUse(get) < steps.of(call))
      return WalkResult::advance();
    if (steps.lastUse(get) != steps.of(call))
      return WalkResult::interrupt();
    for (unsigned operand = 0; operand < call.getNumOperands(); ++operand) {
      if (EntryPlan::root(call.getOperand(operand)) != get)
        continue;
      auto written = kernel.getArgAttrOfType<IntegerAttr>(operand, inPlaceAttrName);
      if (get.getIndices() != set.getIndices() || !written || written.getInt() != result.getResultNumber())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !found.wasInterrupted();
}

/// New values of parameters are computed in place, or copied there.
void Planner::locateUpdates() {
  unsigned end = steps.of(plan.entry.getBody().front().getTerminator());
  plan.entry.walk([&](model::SetOp set) {
    ValueLocation location{ValueLocation::Kind::Updated, unsigned(plan.updates.size())};
    plan.updates.push_back(set);
    if (mayUpdateInPlace(set)) {
      unsigned updated = *storage(set.getValue());
      outsideArena[updated] = location;
      storages.alsoLive(updated, steps.of(set), end); // it is not overwritten
      return;
    }
    plan.copies[set].push_back({set.getValue(), std::nullopt, location, *plan.sizes.bytes(set.getValue())});
  });
}

/// Whether the kernel that computes an element may write it into the list. The enclosing loop must carry the list and
/// read it nowhere else, and only kernels of the same iteration may read the element.
bool Planner::mayComputeInList(model::WithElementOp list) {
  Value element = EntryPlan::root(list.getElement());
  auto call = element.getDefiningOp<func::CallOp>();
  auto carried = dyn_cast<BlockArgument>(list.getList());
  if (!call || call->getBlock() != list->getBlock() || !isa<scf::ForOp>(list->getParentOp()) || !carried ||
      carried.getOwner() != list->getBlock() || !carried.hasOneUse() || isElement(list.getElement()) ||
      outsideArena.contains(*storage(element)))
    return false;
  SmallVector<Value> views = {element};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isView(user))
        views.push_back(user->getResult(0));
      else if (!isa<func::CallOp, tensor::DimOp, model::WithElementOp>(user))
        return false;
    }
  return true;
}

void Planner::locateElements() {
  plan.entry.walk([&](model::WithElementOp list) {
    if (!mayComputeInList(list))
      return;
    unsigned element = *storage(list.getElement());
    outsideArena[element] = {ValueLocation::Kind::Element, unsigned(plan.elements.size())};
    plan.elements.push_back(list);
    // Nobody writes over it.
    storages.alsoLive(element, steps.of(list), steps.endOf(cast<scf::ForOp>(list->getParentOp())));
  });
}

/// Checks that the last results are the updated state arguments.
LogicalResult Planner::checkStates() {
  auto result = cast<func::ReturnOp>(plan.entry.getBody().front().getTerminator());
  unsigned count = model::stateCount(plan.entry);
  for (auto [argument, value] :
       llvm::zip(plan.entry.getArguments().take_back(count), result.getOperands().take_back(count)))
    if (state(value) != argument.getArgNumber())
      return result.emitError("does not return the states of entry point ") << plan.entry.getName();
  return success();
}

void Planner::writeInPlace(func::CallOp call) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  for (unsigned argument = 0; argument < call.getNumOperands(); ++argument) {
    auto result = kernel.getArgAttrOfType<IntegerAttr>(argument, inPlaceAttrName);
    if (!result || !steps.isLastUse(call, argument))
      continue;
    std::optional<unsigned> from = storage(call.getOperand(argument));
    unsigned to = *storage(call.getResult(result.getInt()));
    // The location contains the parameter, or another element; a list keeps its elements.
    bool isFixed = outsideArena.contains(to) || (from && outsideArena.contains(*from));
    if (from && !isFixed && !isElement(call.getOperand(argument)))
      storages.declareHandover(*from, to, steps.of(call));
  }
}

void Planner::shareLoopStorages(scf::ForOp loop) {
  for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Value value = EntryPlan::root(next);
    std::optional<unsigned> from = storage(value);
    if (from && !isElement(next) && value.getParentBlock() == loop.getBody())
      storages.declareHandover(*from, *storage(argument), steps.endOf(loop));
  }
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInits())) {
    Value value = EntryPlan::root(init);
    std::optional<unsigned> from = storage(value);
    if (from && !isElement(init) && value.getParentBlock() == loop->getBlock())
      storages.declareHandover(*from, *storage(argument), steps.of(loop));
  }
}

/// Copies initial and next values of a loop that cannot share a storage. A next value that another copy would overwrite
/// (two carried values that swap) is first copied aside.
void Planner::copyIntoLoop(scf::ForOp loop) {
  Operation *end = loop.getBody()->getTerminator();
  SmallVector<std::tuple<Value, unsigned>> moves;
  for (auto [argument, init, next] : llvm::zip(loop.getRegionIterArgs(), loop.getInits(), loop.getYieldedValues())) {
    if (state(argument))
      continue;
    unsigned target = *storage(argument);
    if (storage(init) != target && !EntryPlan::root(init).getDefiningOp<tensor::EmptyOp>())
      pending.push_back({loop, init, std::nullopt, target});
    if (storage(next) != target)
      moves.emplace_back(next, target);
  }
  DenseMap<Value, unsigned> temporaries;
  for (auto [value, target] : moves) {
    bool overwritten = llvm::any_of(moves, [&](auto &other) { return storage(value) == std::get<1>(other); });
    if (!overwritten)
      continue;
    unsigned last = steps.of(end);
    unsigned temporary = storages.add("carried value, copied", *plan.sizes.bytes(value), last, last);
    pending.push_back({end, value, std::nullopt, temporary});
    temporaries[value] = temporary;
  }
  for (auto [value, target] : moves) {
    auto found = temporaries.find(value);
    pending.push_back({end, value, found == temporaries.end() ? std::nullopt : std::optional(found->second), target});
  }
}

/// Computes results in the caller's buffers; an input, a parameter or a value returned twice is copied there.
void Planner::locateResults() {
  auto result = cast<func::ReturnOp>(plan.entry.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(result.getOperands().drop_back(model::stateCount(plan.entry)))) {
    std::optional<unsigned> from = storage(value);
    if (from && !isElement(value) &&
        outsideArena.try_emplace(*from, ValueLocation{ValueLocation::Kind::Result, unsigned(number)}).second)
      continue;
    SizeExpr bytes = *plan.sizes.bytes(value);
    plan.copies[result].push_back({value, std::nullopt, {ValueLocation::Kind::Result, unsigned(number)}, bytes});
  }
}

/// Values of the plan's symbols that slots are optimised for.
static std::vector<int64_t> typicalValues(const EntryPlan &plan, const NamedSizes &sizes) {
  // Only the order of sizes matters here, so any value serves for an unbounded dimension.
  std::vector<int64_t> typical(plan.symbols.size(), 256);
  auto dimensions = func::FuncOp(plan.entry)->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (auto [number, dimension] : llvm::enumerate(dimensions ? dimensions.getValue() : ArrayRef<Attribute>()))
    if (int64_t bound = cast<model::DimensionAttr>(dimension).getMax(); bound > 0)
      typical[number] = bound;
  typical.back() = 4; // workers
  for (const auto &[name, size] : sizes)
    if (auto found = llvm::find(plan.symbols, name); found != plan.symbols.end())
      typical[found - plan.symbols.begin()] = size;
  return typical;
}

void Planner::assignSlots() {
  std::vector<unsigned> inArena = storages.roots();
  llvm::erase_if(inArena, [&](unsigned each) { return outsideArena.contains(each); });
  SlotAssignment assignment = attnc::assignSlots(storages, inArena, typicalValues(plan, typicalSizes), arenaAlignment);
  DenseMap<unsigned, ValueLocation> locationOf;
  for (auto [storage, slot] : assignment.members) {
    locationOf[storage] = {ValueLocation::Kind::Slot, slot};
    plan.members.push_back({storages[storage], slot});
  }
  for (auto [storage, location] : outsideArena)
    locationOf[storage] = location;
  plan.slots = std::move(assignment.slots);
  for (const Slot &slot : plan.slots)
    if (!slot.within)
      plan.arenaBytes += slot.bytes;

  for (auto [number, argument] : llvm::enumerate(plan.entry.getArguments()))
    plan.locations[argument] = {ValueLocation::Kind::Input, unsigned(number)};
  plan.entry.walk([&](model::GetOp get) { plan.locations[get] = {ValueLocation::Kind::Parameter, 0}; });
  for (auto [value, number] : stateOf)
    plan.locations[value] = {ValueLocation::Kind::Input, number};
  for (auto [value, storage] : storageOf)
    plan.locations[value] = locationOf.at(storages.find(storage));
  for (const PendingCopy &each : pending) {
    std::optional<ValueLocation> source;
    if (each.from)
      source = locationOf.at(storages.find(*each.from));
    plan.copies[each.before].push_back(
        {each.value, source, locationOf.at(storages.find(each.to)), *plan.sizes.bytes(each.value)});
  }
  for (auto &[call, launch] : plan.launches) {
    PendingScratch required = scratch.lookup(call);
    if (required.shared)
      launch.shared = locationOf.at(*required.shared).number;
    if (required.workers)
      launch.workers = locationOf.at(*required.workers).number;
  }
}

} // namespace

FailureOr<EntryPlan> planEntry(func::FuncOp entry, const llvm::StringMap<KernelCode> &kernels,
                               const NamedSizes &typical) {
  FailureOr<SizeAnalysis> sizes = SizeAnalysis::ofEntry(entry);
  if (failed(sizes))
    return failure();
  return Planner(entry, std::move(*sizes), kernels, typical).run();
}

/// Whether `operand` is the old value of the parameter that `set` updates.
static bool isBefore(Value operand, model::SetOp set) {
  auto get = EntryPlan::root(operand).getDefiningOp<model::GetOp>();
  return get && get.getParameter() == set.getParameter() && get.getIndices() == set.getIndices();
}

/// Pairs the argument of a parameter with the result that becomes its new value.
static void allowUpdates(ModuleOp module, llvm::function_ref<bool(func::FuncOp, unsigned, unsigned)> mayRunInPlace) {
  module.walk([&](model::SetOp set) {
    auto call = set.getValue().getDefiningOp<func::CallOp>();
    if (!call)
      return;
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    unsigned result = cast<OpResult>(set.getValue()).getResultNumber();
    for (unsigned argument = 0; argument < call.getNumOperands(); ++argument)
      if (isBefore(call.getOperand(argument), set) && mayRunInPlace(kernel, argument, result))
        kernel.setArgAttr(argument, inPlaceAttrName, Builder(module).getI64IntegerAttr(result));
  });
}

void allowInPlace(ModuleOp module, llvm::function_ref<bool(func::FuncOp, unsigned, unsigned)> mayRunInPlace) {
  allowUpdates(module, mayRunInPlace);
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!isKernel(kernel))
      continue;
    for (unsigned result = 0; result < kernel.getNumResults(); ++result)
      for (unsigned argument = 0; argument < kernel.getNumArguments(); ++argument)
        if (kernel.getArgument(argument).getType() == kernel.getResultTypes()[result] &&
            !kernel.getArgAttr(argument, inPlaceAttrName) && !kernel.getArgAttr(argument, packedAttrName) &&
            mayRunInPlace(kernel, argument, result))
          kernel.setArgAttr(argument, inPlaceAttrName, Builder(module).getI64IntegerAttr(result));
  }
}

void printPlan(const EntryPlan &plan, llvm::raw_ostream &out) {
  out << "// plan of @" << func::FuncOp(plan.entry).getName() << "(" << llvm::join(plan.symbols, ", ") << ")\n";
  out << "//   arena: " << plan.arenaBytes.text(plan.symbols) << " bytes\n";
  for (auto [number, slot] : llvm::enumerate(plan.slots)) {
    out << "//   slot " << number;
    if (slot.within)
      out << " within " << *slot.within;
    out << ": " << slot.bytes.text(plan.symbols) << " bytes\n";
    for (const SlotMember &member : plan.members) {
      if (member.slot != number)
        continue;
      std::vector<LiveRange> ranges = member.storage.liveRanges;
      llvm::sort(ranges, [](const LiveRange &a, const LiveRange &b) { return a.first < b.first; });
      out << "//     " << member.storage.name << ": " << member.storage.bytes.text(plan.symbols) << " bytes, steps";
      for (const LiveRange &range : ranges)
        out << " " << range.first << ".." << range.last;
      out << "\n";
    }
  }
  for (const auto &[before, copies] : plan.copies)
    for (const Copy &copy : copies)
      out << "//   copy of " << copy.bytes.text(plan.symbols) << " bytes before " << before->getName() << "\n";
}

} // namespace attnc
