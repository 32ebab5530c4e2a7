// States of modules that a step of training updates: what they become is set when the entry point returns. In a loop
// over modules the values of all rounds are a list that the loop carries.

#include "frontends/attn/Import/Importer.h"

#include "dialects/Model/Lists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using namespace typed;

/// The updates in a loop, or in a loop in it.
SmallVector<const StateUpdate *> Importer::updatesIn(const LoopCounter *counter) const {
  SmallVector<const StateUpdate *> found;
  for (const StateUpdate *update : updates)
    if (llvm::is_contained(update->loops, counter))
      found.push_back(update);
  return found;
}

/// An empty list for the rounds of the loop at `depth` and of those in it.
Value Importer::stateList(const StateUpdate &update, size_t depth, Location at) {
  SmallVector<int64_t> shape;
  for (size_t loop = depth; loop < update.loops.size(); ++loop)
    shape.push_back(update.loops[loop]->count.constant());
  RankedTensorType element = tensorType(update.parameter->type);
  llvm::append_range(shape, element.getShape());
  return tensor::EmptyOp::create(builder, at, shape, element.getElementType());
}

/// What a round of the loop at `depth` makes: the value, or the list of the loop in it.
Value Importer::stateOfRound(const StateUpdate &update, size_t depth) {
  return depth + 1 == update.loops.size() ? tensor(update.value) : stateLists.lookup(&update);
}

void Importer::setStates() {
  for (const StateUpdate *update : updates) {
    Location at = location(update->range);
    Value value = update->loops.empty() ? tensor(update->value) : stateLists.lookup(update);
    SmallVector<int64_t> counts;
    for (const LoopCounter *loop : update->loops)
      counts.push_back(loop->count.constant());
    model::forEachElement(builder, at, value, counts, [&](Value element, ValueRange place) {
      model::SetOp::create(builder, at, update->parameter->name, place, element);
    });
  }
}

} // namespace attnc
