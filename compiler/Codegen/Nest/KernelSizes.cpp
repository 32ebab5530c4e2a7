#include "compiler/Codegen/Nest/KernelSizes.h"
#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace attnc {

static SmallVector<SizeExpr> numberDimensions(RankedTensorType type, unsigned &symbols) {
  SmallVector<SizeExpr> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? SizeExpr::symbol(symbols++) : SizeExpr(size));
  return sizes;
}

KernelSizes::KernelSizes(func::FuncOp kernel) : kernel(kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      operandSizes[argument] = numberDimensions(type, symbols);
  for (Type type : kernel.getResultTypes())
    resultSizes.push_back(numberDimensions(cast<RankedTensorType>(type), symbols));
  for (BlockArgument argument : kernel.getArguments())
    if (argument.getType().isIndex())
      indexArguments.try_emplace(argument, SizeExpr::symbol(symbols++));
}

SizeExpr KernelSizes::resultDimension(unsigned result, unsigned dimension) const {
  return resultSizes[result][dimension];
}

SizeExpr KernelSizes::dimension(Value tensor, unsigned dimension) const { return *tryDimension(tensor, dimension); }

std::optional<SizeExpr> KernelSizes::tryDimension(Value tensor, unsigned dimension) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return SizeExpr(type.getDimSize(dimension));
  if (auto found = operandSizes.find(tensor); found != operandSizes.end())
    return found->second[dimension];
  Operation *op = tensor.getDefiningOp();
  if (auto widen = dyn_cast_or_null<arith::ExtFOp>(op))
    return tryDimension(widen.getIn(), dimension);
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return tryValueOf(empty.getDynamicSize(dimension));
  if (auto destination = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return tryDimension(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dimension);
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op);
      slice && slice.getSourceType().getRank() == type.getRank())
    if (auto size = dyn_cast<Value>(slice.getMixedSizes()[dimension]))
      return tryValueOf(size);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return tryDimension(cast.getSource(), dimension);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    if (auto size = dyn_cast<Value>(expand.getMixedOutputShape()[dimension]))
      return tryValueOf(size);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    SizeExpr product(1);
    ReassociationIndices group = collapse.getReassociationIndices()[dimension];
    for (int64_t each : group) {
      std::optional<SizeExpr> size = tryDimension(collapse.getSrc(), each);
      if (!size)
        return std::nullopt;
      product = product * *size;
    }
    return product;
  }
  // If the value is returned, the size of the result.
  for (OpOperand &use : tensor.getUses()) {
    if (isa<func::ReturnOp>(use.getOwner()))
      return resultSizes[use.getOperandNumber()][dimension];
    if (auto narrow = dyn_cast<arith::TruncFOp>(use.getOwner()))
      return tryDimension(narrow.getOut(), dimension);
  }
  return std::nullopt;
}

std::optional<SizeExpr> KernelSizes::tryValueOf(Value index) const {
  if (auto found = indexArguments.find(index); found != indexArguments.end())
    return found->second;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return SizeExpr(constant.getSExtValue());
  auto operandValue = [&](Value operand) { return tryValueOf(operand); };
  auto extent = [&](Value tensor, int64_t dimension) { return tryDimension(tensor, dimension); };
  Operation *op = index.getDefiningOp();
  return op ? foldSize(op, operandValue, extent) : std::nullopt;
}

SizeExpr KernelSizes::valueOf(Value index) const {
  std::optional<SizeExpr> value = tryValueOf(index);
  if (!value)
    llvm::report_fatal_error("a kernel has an index that is not a function of its sizes");
  return *value;
}

SizeExpr KernelSizes::elements(Value tensor) const {
  SizeExpr product(1);
  for (int64_t each : llvm::seq<int64_t>(0, cast<RankedTensorType>(tensor.getType()).getRank()))
    product = product * dimension(tensor, each);
  return product;
}

SizeExpr KernelSizes::resultElements(unsigned result) const {
  SizeExpr product(1);
  for (const SizeExpr &size : resultSizes[result])
    product = product * size;
  return product;
}

std::optional<SizeExpr> KernelSizes::points(linalg::GenericOp loops) const {
  SizeExpr points(1);
  for (unsigned loop = 0; loop < loops.getNumLoops(); ++loop) {
    std::optional<SizeExpr> size;
    for (OpOperand &operand : loops->getOpOperands())
      for (auto [number, subscript] : llvm::enumerate(loops.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(subscript); !size && dim && dim.getPosition() == loop)
          size = tryDimension(operand.get(), number);
    if (!size)
      return std::nullopt;
    points *= *size;
  }
  return points;
}

/// The number of elements that tensor.extract reads of a tensor; nothing if other ops read the tensor.
std::optional<SizeExpr> KernelSizes::lookUps(Value tensor) const {
  SizeExpr sum;
  bool isRead = false;
  for (Operation *user : tensor.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    isRead = true;
    auto widen = dyn_cast<arith::ExtFOp>(user);
    auto loops = isa<tensor::ExtractOp>(user) ? dyn_cast<linalg::GenericOp>(user->getParentOp()) : linalg::GenericOp();
    std::optional<SizeExpr> count = widen ? lookUps(widen.getOut()) : loops ? points(loops) : std::nullopt;
    if (!count)
      return std::nullopt;
    sum += *count;
  }
  return isRead ? std::optional(sum) : std::nullopt;
}

SizeExpr KernelSizes::bytesRead() const {
  SizeExpr bytes;
  for (BlockArgument argument : kernel.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      SizeExpr count = elements(argument);
      if (std::optional<SizeExpr> most = lookUps(argument))
        count = SizeExpr::min(count, *most);
      bytes += count * SizeExpr(elementBytes(type.getElementType()));
    }
  return bytes;
}

SizeExpr KernelSizes::bytesWritten() const {
  SizeExpr bytes;
  for (auto [number, type] : llvm::enumerate(kernel.getResultTypes()))
    bytes = bytes + resultElements(number) * SizeExpr(elementBytes(cast<RankedTensorType>(type).getElementType()));
  return bytes;
}

} // namespace attnc
