// Transformations of signatures, attributes and sizes.
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tools/attn-reduce/Module/ModuleSubject.h"

#include <set>

using namespace mlir;

namespace attnc::reduce {

static std::vector<func::CallOp> callsOf(func::FuncOp function) {
  std::vector<func::CallOp> calls;
  function->getParentOfType<ModuleOp>().walk([&](func::CallOp call) {
    if (call.getCallee() == function.getName())
      calls.push_back(call);
  });
  return calls;
}

/// Removes an argument from a function and its calls, if the function does not use it.
static bool dropArgument(func::FuncOp function, unsigned index) {
  if (!function.isExternal() && !function.getArgument(index).use_empty())
    return false;
  for (func::CallOp call : callsOf(function))
    call->eraseOperand(index);
  return succeeded(function.eraseArgument(index));
}

/// Removes a result from a function and its calls, if no call's result is used.
static bool dropResult(func::FuncOp function, unsigned index) {
  std::vector<func::CallOp> calls = callsOf(function);
  if (llvm::any_of(calls, [&](func::CallOp call) { return !call.getResult(index).use_empty(); }))
    return false;
  for (func::CallOp call : calls) {
    OpBuilder builder(call);
    SmallVector<Type> types(call.getResultTypes());
    types.erase(types.begin() + index);
    auto fewer = func::CallOp::create(builder, call.getLoc(), call.getCallee(), types, call.getOperands());
    fewer->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    for (unsigned i = 0, next = 0; i < call.getNumResults(); ++i)
      if (i != index)
        call.getResult(i).replaceAllUsesWith(fewer.getResult(next++));
    call.erase();
  }
  function.walk([&](func::ReturnOp result) { result->eraseOperand(index); });
  return succeeded(function.eraseResult(index));
}

/// A change of the function with this name, if the function still has the argument or result with number `index`.
static ModuleChange changeOf(func::FuncOp function, bool (*change)(func::FuncOp, unsigned), unsigned index) {
  return [name = function.getName().str(), change, index](ModuleOp module, MutableArrayRef<Operation *>) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    unsigned count = function ? (change == dropResult ? function.getNumResults() : function.getNumArguments()) : 0;
    return index < count && change(function, index);
  };
}

std::vector<ModuleChange> dropSignatures(ModuleOp module) {
  std::vector<ModuleChange> changes;
  for (auto function : module.getOps<func::FuncOp>()) { // last ones first, so that earlier numbers stay valid
    for (unsigned i = function.getNumResults(); i-- > 0;)
      changes.push_back(changeOf(function, dropResult, i));
    for (unsigned i = function.getNumArguments(); i-- > 0;)
      changes.push_back(changeOf(function, dropArgument, i));
  }
  return changes;
}

std::vector<ModuleChange> dropAttributes(ModuleOp module) {
  std::vector<ModuleChange> changes;
  auto add = [&](size_t number, std::function<void(Operation *)> change) {
    changes.push_back([number, change = std::move(change)](ModuleOp, MutableArrayRef<Operation *> ops) {
      if (ops[number])
        change(ops[number]);
      return ops[number] != nullptr;
    });
  };
  for (auto [number, op] : llvm::enumerate(opsOf(module))) {
    for (NamedAttribute each : op->getDiscardableAttrs())
      add(number, [name = each.getName()](Operation *op) { op->removeDiscardableAttr(name); });
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      continue;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute each : function.getArgAttrs(i))
        add(number,
            [name = each.getName(), i](Operation *op) { cast<FunctionOpInterface>(op).removeArgAttr(i, name); });
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      for (NamedAttribute each : function.getResultAttrs(i))
        add(number,
            [name = each.getName(), i](Operation *op) { cast<FunctionOpInterface>(op).removeResultAttr(i, name); });
  }
  return changes;
}

//===- Sizes ----------------------------------------------------------------------------------------------------===//

/// The static sizes of all tensors, memrefs and vectors.
static std::set<int64_t, std::greater<>> sizesIn(ModuleOp module) {
  std::set<int64_t, std::greater<>> sizes;
  auto add = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t size : shaped.getShape())
        if (!ShapedType::isDynamic(size))
          sizes.insert(size);
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), add);
    if (auto parameter = op->getAttrOfType<TypeAttr>("type"))
      add(parameter.getValue());
  });
  return sizes;
}

/// Replaces one size by another in types, and in integer and string attributes that repeat it.
static AttrTypeReplacer resizing(int64_t from, int64_t to) {
  AttrTypeReplacer replacer;
  auto resized = [=](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> sizes(shape);
    std::replace(sizes.begin(), sizes.end(), from, to);
    return sizes;
  };
  replacer.addReplacement([=](ShapedType type) -> std::optional<Type> {
    if (!type.hasRank() || !isa<TensorType, VectorType, MemRefType>(type))
      return std::nullopt;
    return type.clone(resized(type.getShape()));
  });
  replacer.addReplacement([=](DenseElementsAttr elements) -> std::optional<Attribute> {
    auto type = elements.getType().clone(resized(elements.getType().getShape()));
    if (type == elements.getType() || elements.getNumElements() == 0)
      return std::nullopt;
    return DenseElementsAttr::get(type, *elements.value_begin<Attribute>());
  });
  replacer.addReplacement([=](DenseI64ArrayAttr array) -> std::optional<Attribute> {
    return DenseI64ArrayAttr::get(array.getContext(), resized(array.asArrayRef()));
  });
  replacer.addReplacement([=](IntegerAttr number) -> std::optional<Attribute> {
    if (!number.getType().isIndex() || number.getInt() != from)
      return std::nullopt;
    return IntegerAttr::get(number.getType(), to);
  });
  replacer.addReplacement([=](StringAttr word) -> std::optional<Attribute> { // sizes in `model.shape`
    if (word.getValue() != std::to_string(from))
      return std::nullopt;
    return StringAttr::get(word.getContext(), std::to_string(to));
  });
  return replacer;
}

std::vector<ModuleChange> shrinkDimensions(ModuleOp module) {
  std::vector<ModuleChange> changes;
  for (int64_t from : sizesIn(module))
    for (int64_t to : {int64_t(1), int64_t(2), from / 2, from - 1})
      if (to > 0 && to < from)
        changes.push_back([=](ModuleOp copy, MutableArrayRef<Operation *>) {
          resizing(from, to).recursivelyReplaceElementsIn(copy, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                                          /*replaceTypes=*/true);
          return true;
        });
  return changes;
}

} // namespace attnc::reduce
