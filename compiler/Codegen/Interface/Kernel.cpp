#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace attnc {

StringRef kernelKindName(KernelKind kind) {
  switch (kind) {
  case KernelKind::Attend:
    return "attend";
  case KernelKind::AttendGradient:
    return "attend_gradient";
  case KernelKind::Gemm:
    return "gemm";
  case KernelKind::Rows:
    return "rows";
  case KernelKind::Loops:
    return "loops";
  case KernelKind::Pack:
    return "pack";
  }
  llvm_unreachable("six kinds of kernel");
}

std::optional<KernelKind> parseKernelKind(StringRef name) {
  for (KernelKind kind : {KernelKind::Attend, KernelKind::AttendGradient, KernelKind::Gemm, KernelKind::Rows,
                          KernelKind::Loops, KernelKind::Pack})
    if (kernelKindName(kind) == name)
      return kind;
  return std::nullopt;
}

bool isKernel(func::FuncOp function) { return function->hasAttr(kernelAttrName); }

std::optional<KernelKind> kernelKindOf(func::FuncOp function) {
  auto name = function->getAttrOfType<StringAttr>(kernelAttrName);
  return name ? parseKernelKind(name.getValue()) : std::nullopt;
}


BlockArgument argumentOf(Value tensor) {
  if (auto widen = tensor.getDefiningOp<arith::ExtFOp>())
    tensor = widen.getIn();
  return dyn_cast<BlockArgument>(tensor);
}

Value widened(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (auto widen = dyn_cast<arith::ExtFOp>(user))
      return widen;
  return argument;
}

SmallVector<Value> computedResults(func::FuncOp kernel) {
  return llvm::map_to_vector(kernel.front().getTerminator()->getOperands(), [](Value returned) {
    auto narrow = returned.getDefiningOp<arith::TruncFOp>();
    return narrow ? narrow.getIn() : returned;
  });
}

template <typename AttrTy> static AttrTy scheduledAttribute(func::FuncOp kernel, StringRef key) {
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(scheduleAttrName);
  return schedule ? schedule.getAs<AttrTy>(key) : AttrTy();
}

std::optional<int64_t> scheduled(func::FuncOp kernel, StringRef key) {
  auto value = scheduledAttribute<IntegerAttr>(kernel, key);
  return value ? std::optional(value.getInt()) : std::nullopt;
}

std::optional<StringRef> scheduledWord(func::FuncOp kernel, StringRef key) {
  auto value = scheduledAttribute<StringAttr>(kernel, key);
  return value ? std::optional(value.getValue()) : std::nullopt;
}

} // namespace attnc
