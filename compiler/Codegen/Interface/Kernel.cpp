#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace attnc {

namespace {

struct KindRow {
  KernelKind kind;
  llvm::StringLiteral name;
  KernelTraits traits;
};

constexpr KindRow kinds[] = {
#define KERNEL_KIND(KIND, NAME, ...) {KernelKind::KIND, NAME, {__VA_ARGS__}},
#include "compiler/Codegen/Interface/KernelKinds.def"
};

const KindRow &rowOf(KernelKind kind) { return kinds[static_cast<size_t>(kind)]; }

} // namespace

StringRef kernelKindName(KernelKind kind) { return rowOf(kind).name; }

std::optional<KernelKind> parseKernelKind(StringRef name) {
  auto row = llvm::find_if(kinds, [&](const KindRow &each) { return each.name == name; });
  return row == std::end(kinds) ? std::nullopt : std::optional(row->kind);
}

const KernelTraits &kernelTraits(KernelKind kind) { return rowOf(kind).traits; }

std::optional<KernelKind> findKernelKindByRoot(StringRef opName) {
  auto row = llvm::find_if(kinds, [&](const KindRow &each) { return each.traits.rootOp == opName; });
  return row == std::end(kinds) ? std::nullopt : std::optional(row->kind);
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
