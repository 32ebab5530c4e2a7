#include "compiler/Codegen/Formula/FormulaBindings.h"
#include "dialects/Attn/Attn.h"

using namespace mlir;

namespace attnc {

void FormulaBindings::bindIndex(Value index, Value scalarBase, int64_t step) {
  indices[index] = LaneIndex{scalarBase, step, {}, true};
}
void FormulaBindings::bindIndex(Value index, LaneIndex value) { indices[index] = value; }
void FormulaBindings::bindValue(Value value, Value vectorOrScalar) { values[value] = vectorOrScalar; }
void FormulaBindings::bindBuffer(Value tensor, Value memref) { buffers[tensor] = memref; }

void FormulaBindings::bindElement(Value tensor, ArrayRef<LaneIndex> subscripts, Value value) {
  loads[tensor].emplace_back(Subscripts(subscripts), value);
}

void FormulaBindings::bindIterations(linalg::GenericOp op, ArrayRef<LaneIndex> iterationIndices) {
  iterations[op] = Subscripts(iterationIndices);
}

bool isDefinedInside(Value value, Operation *op) { return op->isAncestor(value.getParentBlock()->getParentOp()); }

bool FormulaBindings::isAvailable(Value value) const {
  DenseMap<Value, bool> seen;
  return isAvailable(value, seen);
}

bool FormulaBindings::isAvailable(Value value, DenseMap<Value, bool> &seen) const {
  if (values.contains(value) || indices.contains(value) || isa<RankedTensorType>(value.getType()))
    return true;
  if (auto found = seen.find(value); found != seen.end())
    return found->second;
  bool available = true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    available = iterations.contains(argument.getOwner()->getParentOp());
  } else if (Operation *op = value.getDefiningOp(); isa<linalg::IndexOp>(op)) {
    available = iterations.contains(op->getParentOp());
  } else {
    for (Value operand : op->getOperands())
      available = available && isAvailable(operand, seen);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        available = available && (isDefinedInside(operand, op) || isAvailable(operand, seen));
    });
  }
  return seen[value] = available;
}

bool FormulaBindings::varies(Value value) const {
  DenseMap<Value, bool> seen;
  return varies(value, seen);
}

bool FormulaBindings::varies(Value value, DenseMap<Value, bool> &seen) const {
  if (Value known = values.lookup(value))
    return isa<VectorType>(known.getType());
  if (auto known = indices.find(value); known != indices.end())
    return !known->second.isUniform();
  if (auto found = seen.find(value); found != seen.end())
    return found->second;
  auto anyIndex = [&](Operation *generic, auto dependsOn) {
    auto found = iterations.find(generic);
    return found != iterations.end() && llvm::any_of(llvm::enumerate(found->second), [&](auto each) {
             return dependsOn(each.index()) && !each.value().isUniform();
           });
  };
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto generic = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp())) {
      AffineMap map = generic.getMatchingIndexingMap(&generic->getOpOperand(argument.getArgNumber()));
      result = anyIndex(generic, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
    }
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = anyIndex(index->getParentOp(), [&](unsigned dim) { return dim == index.getDim(); });
  } else if (auto reduce = value.getDefiningOp<attn::ReduceOp>()) {
    result = varies(reduce.getBody().front().getTerminator()->getOperand(0), seen);
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      result = result || (!isa<RankedTensorType>(operand.getType()) && varies(operand, seen));
  }
  return seen[value] = result;
}

} // namespace attnc
