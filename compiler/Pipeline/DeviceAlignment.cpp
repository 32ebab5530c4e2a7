#include "compiler/Pipeline/DeviceAlignment.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

namespace {

/// Fixed-point iteration: if one of the values that may share memory is unaligned, all of them are.
class Alignment {
public:
  Alignment(ModuleOp module, llvm::function_ref<bool(func::FuncOp, unsigned, unsigned)> mayShare)
      : module(module), mayShare(mayShare) {}

  void run() {
    for (bool goesOn = true; goesOn;) {
      size_t before = unaligned.size();
      module.walk([&](Operation *op) { visit(op); });
      goesOn = unaligned.size() > before;
    }
    module.walk([&](func::CallOp call) { mark(call); });
  }

private:
  ModuleOp module;
  llvm::function_ref<bool(func::FuncOp, unsigned, unsigned)> mayShare;
  llvm::DenseSet<Value> unaligned;

  /// Whether consecutive tensors of this type are all aligned. A dynamic size may be any number.
  static bool isWhole(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    int64_t bytes = elementBytes(tensor.getElementType());
    for (int64_t size : tensor.getShape())
      bytes *= ShapedType::isDynamic(size) ? 1 : size;
    return bytes % deviceAlignment == 0;
  }

  func::FuncOp kernelOf(func::CallOp call) { return module.lookupSymbol<func::FuncOp>(call.getCallee()); }

  void share(std::initializer_list<Value> values) {
    if (llvm::any_of(values, [&](Value each) { return unaligned.contains(each); }))
      unaligned.insert(values.begin(), values.end());
  }

  void visit(Operation *op) {
    if (auto element = dyn_cast<model::ElementOp>(op)) {
      if (!isWhole(element.getType()) || unaligned.contains(element.getList()))
        unaligned.insert(element.getResult());
    } else if (auto list = dyn_cast<model::WithElementOp>(op)) {
      share({list.getList(), list.getResult()});
      if (!isWhole(list.getElement().getType()) || unaligned.contains(list.getResult()))
        unaligned.insert(list.getElement());
    } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op)) {
      share({op->getOperand(0), op->getResult(0)});
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [start, inside, next, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults()))
        share({start, inside, next, result});
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      for (unsigned argument = 0; argument < call.getNumOperands(); ++argument)
        for (unsigned result = 0; result < call.getNumResults(); ++result)
          if (mayShare(kernelOf(call), argument, result))
            share({call.getOperand(argument), call.getResult(result)});
    }
  }

  void mark(func::CallOp call) {
    func::FuncOp kernel = kernelOf(call);
    auto unit = UnitAttr::get(module.getContext());
    for (auto [number, operand] : llvm::enumerate(call.getOperands()))
      if (unaligned.contains(operand))
        kernel.setArgAttr(number, unalignedAttrName, unit);
    for (auto [number, result] : llvm::enumerate(call.getResults()))
      if (unaligned.contains(result))
        kernel.setResultAttr(number, unalignedAttrName, unit);
  }
};

} // namespace

void markUnaligned(ModuleOp module, llvm::function_ref<bool(func::FuncOp, unsigned, unsigned)> mayShare) {
  Alignment(module, mayShare).run();
}

} // namespace attnc
