#include "compiler/Fuse/Outliner.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace attnc {
namespace {

class Outliner {
public:
  Outliner(func::FuncOp function, ArrayRef<Operation *> ops, SymbolicShapes &shapes)
      : function(function), ops(ops), inside(ops.begin(), ops.end()), shapes(shapes) {}
  void run(KernelKind kind, StringRef name, SymbolTable &symbols);

private:
  void gatherInOrder();
  void collectTensors(Value value);
  void collectFrom(Operation *op);
  Value valueInside(OpBuilder &builder, Value value);
  Value sizeInside(OpBuilder &builder, Value index);
  bool isOutside(Value value) const;
  Location location();

  func::FuncOp function;
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 8> inside;
  SymbolicShapes &shapes;
  llvm::SetVector<Value> tensors;
  SmallVector<Value> scalars; ///< operands of the call after the tensors
  func::FuncOp kernel;
  IRMapping mapping;
};

} // namespace

/// True if the kernel creates the value itself instead of having it as an argument.
static bool isPreparation(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (isa<linalg::FillOp>(op))
    return !computesTensor(op);
  return matchPattern(op, m_Constant());
}

static bool isScalar(Value value) { return !isa<RankedTensorType>(value.getType()); }

bool Outliner::isOutside(Value value) const {
  for (Operation *op = value.getDefiningOp(); op; op = op->getParentOp())
    if (inside.contains(op))
      return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    for (Operation *op = argument.getOwner()->getParentOp(); op; op = op->getParentOp())
      if (inside.contains(op))
        return false;
  return true;
}

//===-------------------------------------------- placing -----------------------------------------------------===//

/// Moves the ops to the position of the last one, and their users after it.
void Outliner::gatherInOrder() {
  Operation *last = ops.back();
  SmallVector<Operation *> dependent;
  llvm::SmallPtrSet<Operation *, 16> depends(ops.begin(), ops.end());
  for (Operation *op = ops.front(); op != last; op = op->getNextNode()) {
    if (inside.contains(op))
      continue;
    bool reads = op->walk([&](Operation *nested) {
                     for (Value operand : nested->getOperands())
                       if (Operation *producer = operand.getDefiningOp(); producer && depends.contains(producer))
                         return WalkResult::interrupt();
                     return WalkResult::advance();
                   }).wasInterrupted();
    // A size or an empty tensor that a member reads is not moved: it cannot depend on a member's elements.
    if (reads) {
      depends.insert(op);
      dependent.push_back(op);
    }
  }
  for (Operation *op : llvm::reverse(dependent))
    op->moveAfter(last);
  for (Operation *op : ops)
    if (op != last)
      op->moveBefore(last);
}

//===-------------------------------------------- captures ----------------------------------------------------===//

void Outliner::collectTensors(Value value) {
  if (!isOutside(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!isScalar(value)) {
    if (!op || !isPreparation(op)) {
      tensors.insert(value);
      return;
    }
  } else if (value.getType().isIndex()) {
    return; // sizes are computed from the dimensions of the arguments later, or become arguments
  }
  if (op)
    for (Value operand : op->getOperands())
      collectTensors(operand);
}

void Outliner::collectFrom(Operation *op) {
  for (Value operand : op->getOperands())
    collectTensors(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        collectTensors(operand);
    });
}

/// Creates a size inside the kernel: a constant, the extent of an argument, arithmetic on sizes, or an argument.
Value Outliner::sizeInside(OpBuilder &builder, Value index) {
  Location location = index.getLoc();
  if (auto constant = getConstantIntValue(index))
    return arith::ConstantIndexOp::create(builder, location, *constant);
  SizeExpr size = shapes.size(index);
  if (size.isConstant())
    return arith::ConstantIndexOp::create(builder, location, size.constant());
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && shapes.extent(tensor, dim) == size)
        return tensor::DimOp::create(builder, location, kernel.getArgument(number), dim);
  }
  Operation *op = index.getDefiningOp();
  bool isArithmetic = op && op->getDialect() && op->getDialect()->getNamespace() == "arith" &&
                      llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIndex(); });
  if (isArithmetic) {
    for (Value operand : op->getOperands())
      mapping.map(operand, valueInside(builder, operand));
    return builder.clone(*op, mapping)->getResult(0);
  }
  scalars.push_back(index);
  (void)kernel.insertArgument(kernel.getNumArguments(), index.getType(), {}, location);
  return kernel.getArguments().back();
}

Value Outliner::valueInside(OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value made;
  if (value.getType().isIndex()) {
    made = sizeInside(builder, value);
  } else if (op && (isPreparation(op) || (isScalar(value) && isPure(op)))) {
    for (Value operand : op->getOperands())
      valueInside(builder, operand);
    made = builder.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber());
  } else {
    scalars.push_back(value);
    (void)kernel.insertArgument(kernel.getNumArguments(), value.getType(), {}, value.getLoc());
    made = kernel.getArguments().back();
  }
  mapping.map(value, made);
  return made;
}

//===-------------------------------------------- outlining ---------------------------------------------------===//

Location Outliner::location() {
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  return FusedLoc::get(function.getContext(), locations);
}

void Outliner::run(KernelKind kind, StringRef name, SymbolTable &symbols) {
  gatherInOrder();
  for (Operation *op : ops)
    collectFrom(op);
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            while (user && !inside.contains(user))
              user = user->getParentOp();
            return !user;
          }))
        results.push_back(result);

  Operation *last = ops.back();
  OpBuilder builder(last);
  auto type = builder.getFunctionType(TypeRange(ValueRange(tensors.getArrayRef())), TypeRange(results));
  kernel = func::FuncOp::create(location(), name, type);
  kernel.setPrivate();
  kernel->setAttr(kernelAttrName, builder.getStringAttr(kernelKindName(kind)));
  symbols.insert(kernel);
  OpBuilder body = OpBuilder::atBlockBegin(kernel.addEntryBlock());
  for (auto [tensor, argument] : llvm::zip(tensors, kernel.getArguments()))
    mapping.map(tensor, argument);
  for (Operation *op : ops) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (isOutside(operand))
          valueInside(body, operand);
    });
    unmarkGroup(body.clone(*op, mapping));
  }
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(body, last->getLoc(), returned);

  SmallVector<Value> operands(tensors.begin(), tensors.end());
  operands.append(scalars);
  auto call = func::CallOp::create(builder, location(), kernel, operands);
  for (auto [result, replacement] : llvm::zip(results, call.getResults())) {
    shapes.inherit(replacement, result);
    result.replaceAllUsesWith(replacement);
  }
  for (Operation *op : llvm::reverse(ops)) {
    shapes.forget(op);
    op->erase();
  }
}

void outlineGroups(func::FuncOp function, SymbolTable &symbols) {
  SymbolicShapes shapes(function);
  llvm::StringMap<unsigned> counts;
  for (auto &[number, ops] : groupsIn(function)) {
    // Outlining of earlier groups may have changed the order of the ops.
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    KernelKind kind = groupOf(ops.front())->kind;
    std::string name;
    do
      name = (function.getName() + "_" + kernelKindName(kind) + "_" + Twine(counts[kernelKindName(kind)]++)).str();
    while (symbols.lookup(name));
    Outliner(function, ops, shapes).run(kind, name, symbols);
  }
  removeUnused(function);
}

} // namespace attnc
