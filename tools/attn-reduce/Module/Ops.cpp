// Transformations of ops: removal of unused ops, replacement of results by simpler values and of ops by their bodies.
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tools/attn-reduce/Module/ModuleSubject.h"

using namespace mlir;

namespace attnc::reduce {

/// Erases an op, and clears the op and its nested ops in `ops`.
static void erase(Operation *op, MutableArrayRef<Operation *> ops) {
  for (Operation *&each : ops)
    if (each && op->isAncestor(each))
      each = nullptr;
  op->erase();
}

/// A change of the op with this number, unless the op has been erased.
static ModuleChange changeOf(size_t number, std::function<bool(Operation *, MutableArrayRef<Operation *>)> change) {
  return [number, change = std::move(change)](ModuleOp, MutableArrayRef<Operation *> ops) {
    return ops[number] && change(ops[number], ops);
  };
}

std::vector<ModuleChange> dropSymbols(ModuleOp module) {
  std::vector<ModuleChange> changes;
  for (auto [number, op] : llvm::enumerate(opsOf(module)))
    if (op != module && isa<SymbolOpInterface>(op))
      changes.push_back(changeOf(number, [](Operation *op, MutableArrayRef<Operation *> ops) {
        erase(op, ops);
        return true;
      }));
  return changes;
}

std::vector<ModuleChange> dropUnused(ModuleOp module) {
  std::vector<ModuleChange> changes;
  std::vector<Operation *> ops = opsOf(module);
  for (size_t number = ops.size(); number-- > 0;) // users before their operands
    if (!ops[number]->hasTrait<OpTrait::IsTerminator>() && !isa<SymbolOpInterface, ModuleOp>(ops[number]))
      changes.push_back(changeOf(number, [](Operation *op, MutableArrayRef<Operation *> all) {
        if (!op->use_empty())
          return false;
        erase(op, all);
        return true;
      }));
  return changes;
}

/// Zero of a scalar type or a type of static shape; null for other types.
static Value makeZero(OpBuilder &builder, Location loc, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape())
    return nullptr;
  TypedAttr zero = builder.getZeroAttr(type);
  return zero ? Value(arith::ConstantOp::create(builder, loc, zero)) : nullptr;
}

/// The operand with number `rank` among those of the type; after the last one, a zero.
static Value substituteOf(Operation *op, Type type, size_t rank) {
  size_t seen = 0;
  for (Value operand : op->getOperands())
    if (operand.getType() == type && seen++ == rank)
      return operand;
  OpBuilder builder(op);
  return seen == rank ? makeZero(builder, op->getLoc(), type) : nullptr;
}

std::vector<ModuleChange> replaceResults(ModuleOp module) {
  std::vector<ModuleChange> changes;
  std::vector<Operation *> ops = opsOf(module);
  auto add = [&](size_t number, size_t rank) {
    changes.push_back(changeOf(number, [rank](Operation *op, MutableArrayRef<Operation *> all) {
      for (OpResult result : op->getResults()) {
        if (result.use_empty())
          continue;
        Value substitute = substituteOf(op, result.getType(), rank);
        if (!substitute)
          return false;
        result.replaceAllUsesWith(substitute);
      }
      erase(op, all);
      return true;
    }));
  };
  for (size_t number = ops.size(); number-- > 0;) { // last ops first, so that their operands become unused
    Operation *op = ops[number];
    if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
      continue;
    for (size_t rank = 0; rank <= op->getNumOperands(); ++rank)
      add(number, rank);
  }
  return changes;
}

/// Replaces an op by the ops of the first block of one of its regions.
static bool unwrap(Operation *op, unsigned region, MutableArrayRef<Operation *> ops) {
  Block &block = op->getRegion(region).front();
  Operation *terminator = block.getTerminator();
  size_t taken = 0;
  OpBuilder builder(op);
  for (BlockArgument argument : block.getArguments()) {
    while (taken < op->getNumOperands() && op->getOperand(taken).getType() != argument.getType())
      ++taken;
    Value value =
        taken < op->getNumOperands() ? op->getOperand(taken++) : makeZero(builder, op->getLoc(), argument.getType());
    if (!value)
      return false;
    argument.replaceAllUsesWith(value);
  }
  if (terminator->getOperandTypes() != op->getResultTypes())
    return false;
  op->replaceAllUsesWith(terminator->getOperands());
  erase(terminator, ops);
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  op->erase();
  return true;
}

std::vector<ModuleChange> unwrapRegions(ModuleOp module) {
  std::vector<ModuleChange> changes;
  for (auto [number, op] : llvm::enumerate(opsOf(module))) {
    if (isa<SymbolOpInterface, ModuleOp>(op))
      continue;
    for (unsigned region = 0; region < op->getNumRegions(); ++region)
      if (op->getRegion(region).hasOneBlock() && op->getRegion(region).front().mightHaveTerminator())
        changes.push_back(changeOf(
            number, [region](Operation *op, MutableArrayRef<Operation *> ops) { return unwrap(op, region, ops); }));
  }
  return changes;
}

} // namespace attnc::reduce
