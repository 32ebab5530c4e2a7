#include "frontends/attn/Import/StateLists.h"

#include "dialects/Model/Lists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using namespace typed;

SmallVector<const StateUpdate *> StateLists::updatesIn(const LoopCounter *counter) const {
  SmallVector<const StateUpdate *> found;
  for (const StateUpdate *update : updates)
    if (llvm::is_contained(update->loops, counter))
      found.push_back(update);
  return found;
}

Value StateLists::emptyList(const StateUpdate &update, size_t depth, Location at) {
  SmallVector<int64_t> shape;
  for (size_t loop = depth; loop < update.loops.size(); ++loop)
    shape.push_back(update.loops[loop]->count.constant());
  RankedTensorType element = types.tensorType(update.parameter->type);
  llvm::append_range(shape, element.getShape());
  return tensor::EmptyOp::create(builder, at, shape, element.getElementType());
}

Value StateLists::iterationValue(const StateUpdate &update, size_t depth) {
  return depth + 1 == update.loops.size() ? tensors.tensor(update.value) : lists.lookup(&update);
}

void StateLists::setStates() {
  for (const StateUpdate *update : updates) {
    Location at = types.location(update->range);
    Value value = update->loops.empty() ? tensors.tensor(update->value) : lists.lookup(update);
    SmallVector<int64_t> counts;
    for (const LoopCounter *loop : update->loops)
      counts.push_back(loop->count.constant());
    model::forEachElement(builder, at, value, counts, [&](Value element, ValueRange place) {
      model::SetOp::create(builder, at, update->parameter->name, place, element);
    });
  }
}

void StateLists::beginEntry(const Entry &entry) {
  updates.clear();
  lists.clear();
  for (const StateUpdate &update : entry.updates)
    if (llvm::none_of(update.loops, [](const LoopCounter *loop) { return loop->count.is(0); }))
      updates.push_back(&update);
}

} // namespace attnc
