#include "compiler/Fuse/Groups.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral kGroup = "attn.group";

void markGroup(Operation *op, GroupMark mark) {
  Builder builder(op->getContext());
  op->setAttr(kGroup, builder.getArrayAttr(
                          {builder.getI64IntegerAttr(mark.number), builder.getStringAttr(kernelKindName(mark.kind))}));
}

std::optional<GroupMark> groupOf(Operation *op) {
  auto mark = op->getAttrOfType<ArrayAttr>(kGroup);
  if (!mark || mark.size() != 2)
    return std::nullopt;
  auto number = dyn_cast<IntegerAttr>(mark[0]);
  auto name = dyn_cast<StringAttr>(mark[1]);
  auto kind = name ? parseKernelKind(name.getValue()) : std::nullopt;
  if (!number || !kind)
    return std::nullopt;
  return GroupMark{number.getInt(), *kind};
}

void unmarkGroup(Operation *op) { op->removeAttr(kGroup); }

int64_t nextGroupNumber(func::FuncOp function) {
  int64_t next = 0;
  function.walk([&](Operation *op) {
    if (auto mark = groupOf(op))
      next = std::max(next, mark->number + 1);
  });
  return next;
}

llvm::MapVector<int64_t, SmallVector<Operation *>> groupsIn(func::FuncOp function) {
  llvm::MapVector<int64_t, SmallVector<Operation *>> groups;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto mark = groupOf(op))
      groups[mark->number].push_back(op);
  });
  return groups;
}

bool computesTensor(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return llvm::any_of(op->getUses(), [](OpOperand &use) {
      auto destination = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return !isa<tensor::DimOp>(use.getOwner()) && !(destination && destination.isDpsInit(&use));
    });
  return isa<attn::AttendOp, attn::AttendGradientOp, attn::ScatterAddOp, linalg::LinalgOp, tensor::ExtractSliceOp,
             tensor::ConcatOp, tensor::InsertSliceOp, tensor::PadOp, tensor::GenerateOp, tensor::FromElementsOp,
             tensor::SplatOp>(op);
}

} // namespace attnc
