#include "compiler/Narrow/StorageGroups.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Analysis/OpClassification.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {

static bool isWideTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

SmallVector<SmallVector<Value>> sharedStorageSets(Operation *op) {
  SmallVector<SmallVector<Value>> sets;
  if (isa<func::CallOp>(op) || op->getNumResults() == 0)
    return sets;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (unsigned carried = 0; carried < loop.getNumRegionIterArgs(); ++carried)
      sets.push_back({loop.getInitArgs()[carried], loop.getRegionIterArg(carried),
                      loop.getBody()->getTerminator()->getOperand(carried), loop.getResult(carried)});
  } else {
    SmallVector<Value> &all = sets.emplace_back(op->getOperands());
    llvm::append_range(all, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        llvm::append_range(all, block.getArguments());
        llvm::append_range(all, block.back().getOperands());
      }
  }
  for (SmallVector<Value> &set : sets)
    llvm::erase_if(set, [](Value value) { return !isWideTensor(value); });
  llvm::erase_if(sets, [](ArrayRef<Value> set) { return set.size() < 2; });
  return sets;
}

StorageGroups::StorageGroups(func::FuncOp entry) : entry(entry) {
  entry.walk<WalkOrder::PreOrder>([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      number(argument);
    for (Operation &op : *block)
      for (Value result : op.getResults())
        number(result);
  });
  groups.grow(members.size());
  entry.walk([&](Operation *op) { llvm::for_each(sharedStorageSets(op), [&](ArrayRef<Value> set) { join(set); }); });
  unsigned states = model::stateCount(entry);
  Operation *end = entry.front().getTerminator();
  for (unsigned state = 1; state <= states; ++state)
    join({entry.getArgument(entry.getNumArguments() - state), end->getOperand(end->getNumOperands() - state)});
  groups.compress();
  reasons.resize(groups.getNumClasses());
  keepInterface();
  keepCarried();
  keepWeights();
}

void StorageGroups::number(Value value) {
  if (isWideTensor(value) && numbers.try_emplace(value, members.size()).second)
    members.push_back(value);
}

void StorageGroups::join(ValueRange values) {
  for (Value value : values)
    if (contains(value) && contains(values.front()))
      groups.join(numbers.lookup(values.front()), numbers.lookup(value));
}

void StorageGroups::keep(Value value, const std::string &reason) {
  if (contains(value) && reasons[groupOf(value)].empty())
    reasons[groupOf(value)] = reason;
}

/// Inputs and results of the entry point.
void StorageGroups::keepInterface() {
  llvm::SmallDenseSet<unsigned> caches;
  entry.walk([&](model::AppendOp append) {
    if (contains(append.getCache()) && !append->hasAttr(appendsCarriedAttrName))
      caches.insert(groupOf(append.getCache()));
  });
  for (BlockArgument argument : entry.getArguments()) {
    if (!entry.getArgAttr(argument.getArgNumber(), model::stateAttrName))
      keep(argument, "it is an input");
    else if (contains(argument) && !caches.contains(groupOf(argument)))
      keep(argument, "each call computes this state from its previous value");
  }
  OperandRange returned = entry.front().getTerminator()->getOperands();
  for (Value value : returned.drop_back(model::stateCount(entry)))
    keep(value, "it is a result");
}

/// Carried values of scans, except caches and per-iteration lists.
void StorageGroups::keepCarried() {
  entry.walk([&](scf::ForOp loop) {
    for (auto [carried, next] : llvm::zip(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands())) {
      bool isList = next == carried || isa_and_nonnull<model::WithElementOp, model::AppendOp>(next.getDefiningOp());
      if (loop->hasAttr(model::scanAttrName) && !isList)
        keep(carried, "a scan carries it between time steps");
    }
  });
  for (Value value : members)
    if (cast<RankedTensorType>(value.getType()).getRank() == 0)
      keep(value, "it is a single number");
}

/// Weights that must be f32: vectors, and weights that are carried or returned. Only kernels read the narrow copy of a
/// weight.
void StorageGroups::keepWeights() {
  std::vector<bool> hasOthers(reasons.size());
  for (Value value : members)
    if (!isParameter(value))
      hasOthers[groupOf(value)] = true;
  for (Value value : members) {
    auto get = value.getDefiningOp<model::GetOp>();
    if (get && cast<RankedTensorType>(get.getType()).getRank() < 2)
      keep(value, "it is a parameter vector");
    else if (get && hasOthers[groupOf(value)])
      keep(value, "it is carried or returned unchanged");
  }
}

std::string StorageGroups::nameOf(Value value, StorageChoice::Kind &kind) const {
  if (auto get = value.getDefiningOp<model::GetOp>()) {
    kind = StorageChoice::Kind::Weight;
    return "@" + get.getParameter().str();
  }
  if (auto call = value.getDefiningOp<func::CallOp>())
    return "@" + call.getCallee().str();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &const_cast<func::FuncOp &>(entry).front())
    return "";
  func::FuncOp function = entry;
  if (function.getArgAttr(argument.getArgNumber(), model::stateAttrName))
    kind = StorageChoice::Kind::State;
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), model::nameAttrName);
  return name ? name.str() : "input" + std::to_string(argument.getArgNumber());
}

std::vector<StorageChoice> StorageGroups::choices() const {
  std::vector<StorageChoice> result(reasons.size());
  std::vector<SmallVector<std::string>> names(reasons.size());
  for (Value value : members) {
    StorageChoice &choice = result[groupOf(value)];
    std::string name = nameOf(value, choice.kind);
    if (!name.empty() && !llvm::is_contained(names[groupOf(value)], name))
      names[groupOf(value)].push_back(name);
  }
  func::FuncOp function = entry;
  for (auto [group, choice] : llvm::enumerate(result)) {
    // A state has its own name, rather than that of rows appended to it.
    choice.what =
        choice.kind == StorageChoice::Kind::Intermediate ? llvm::join(names[group], ", ") : names[group].front();
    choice.entry = choice.kind == StorageChoice::Kind::Weight ? "" : function.getName().str();
    choice.reason = reasons[group];
    choice.isNarrow = reasons[group].empty();
  }
  llvm::erase_if(result, [](const StorageChoice &choice) { return choice.what.empty(); });
  return result;
}

} // namespace attnc
