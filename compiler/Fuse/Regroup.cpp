#include "compiler/Fuse/Regroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

std::optional<SmallVector<unsigned>> splitIntoGroups(ArrayRef<unsigned> dims, ArrayRef<Dims> groups) {
  SmallVector<unsigned> order;
  while (!dims.empty()) {
    auto owner =
        llvm::find_if(groups, [&](const Dims &group) { return !group.empty() && group.front() == dims.front(); });
    if (owner == groups.end() || dims.size() < owner->size() || dims.take_front(owner->size()) != ArrayRef(*owner))
      return std::nullopt;
    order.push_back(owner - groups.begin());
    dims = dims.drop_front(owner->size());
  }
  return order;
}

Grouping groupingOf(ArrayRef<unsigned> order, ArrayRef<Dims> groups) {
  Grouping grouping;
  for (unsigned number : order)
    grouping.push_back(groups[number]);
  return grouping;
}

AffineMap groupedMap(ArrayRef<unsigned> order, ArrayRef<unsigned> loopOfGroup, unsigned loops, MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (unsigned number : order)
    results.push_back(getAffineDimExpr(loopOfGroup[number], context));
  return AffineMap::get(loops, 0, results, context);
}

//===-------------------------------------------- reshapes ----------------------------------------------------===//

static OpFoldResult sizeOperand(OpBuilder &builder, Location location, const SizeExpr &size, SymbolicShapes &shapes) {
  if (size.isConstant())
    return builder.getIndexAttr(size.constant());
  return shapes.materialise(builder, location, size);
}

static Value expandTo(OpBuilder &builder, Value value, ArrayRef<SizeExpr> sizes, ArrayRef<ReassociationIndices> groups,
                      SymbolicShapes &shapes) {
  SmallVector<OpFoldResult> output;
  SmallVector<int64_t> extents;
  for (const SizeExpr &size : sizes) {
    extents.push_back(size.isConstant() ? size.constant() : ShapedType::kDynamic);
    output.push_back(sizeOperand(builder, value.getLoc(), size, shapes));
  }
  auto type = RankedTensorType::get(extents, cast<RankedTensorType>(value.getType()).getElementType());
  return tensor::ExpandShapeOp::create(builder, value.getLoc(), type, value, groups, output);
}

/// Returns the groups of an expand_shape: a unit dimension joins the dimension before it, leading ones the first
/// dimension.
static SmallVector<ReassociationIndices> joinUnits(const Grouping &grouping) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, dims] : llvm::enumerate(grouping)) {
    if (!dims.empty()) {
      groups.push_back(std::move(leading));
      leading.clear();
      groups.back().push_back(position);
    } else {
      (groups.empty() ? leading : groups.back()).push_back(position);
    }
  }
  return groups;
}

static SmallVector<ReassociationIndices> reassociationOf(const Grouping &grouping) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (const Dims &dims : grouping)
    if (!dims.empty()) {
      ReassociationIndices &group = groups.emplace_back();
      for (size_t i = 0; i < dims.size(); ++i)
        group.push_back(next++);
    }
  return groups;
}

static bool hasUnits(const Grouping &grouping) {
  return llvm::any_of(grouping, [](const Dims &dims) { return dims.empty(); });
}

Value grouped(OpBuilder &builder, Value value, const Grouping &grouping, SymbolicShapes &shapes) {
  auto reassociation = reassociationOf(grouping);
  if (static_cast<int64_t>(reassociation.size()) != cast<RankedTensorType>(value.getType()).getRank())
    value = tensor::CollapseShapeOp::create(builder, value.getLoc(), value, reassociation);
  if (!hasUnits(grouping))
    return value;
  SmallVector<SizeExpr> sizes;
  int64_t next = 0;
  for (const Dims &dims : grouping)
    sizes.push_back(dims.empty() ? SizeExpr(1) : shapes.extent(value, next++));
  return expandTo(builder, value, sizes, joinUnits(grouping), shapes);
}

Value ungrouped(OpBuilder &builder, Value value, Value like, const Grouping &grouping, SymbolicShapes &shapes) {
  if (hasUnits(grouping))
    value = tensor::CollapseShapeOp::create(builder, value.getLoc(), value, joinUnits(grouping));
  auto reassociation = reassociationOf(grouping);
  if (static_cast<int64_t>(reassociation.size()) == cast<RankedTensorType>(like.getType()).getRank())
    return value;
  return expandTo(builder, value, shapes.shape(like), reassociation, shapes);
}

Value groupedEmpty(OpBuilder &builder, Value value, const Grouping &grouping, SymbolicShapes &shapes) {
  SmallVector<OpFoldResult> sizes;
  int64_t next = 0;
  for (const Dims &dims : grouping) {
    SizeExpr size(1);
    for (size_t i = 0; i < dims.size(); ++i)
      size *= shapes.extent(value, next++);
    sizes.push_back(sizeOperand(builder, value.getLoc(), size, shapes));
  }
  auto elementType = cast<RankedTensorType>(value.getType()).getElementType();
  return tensor::EmptyOp::create(builder, value.getLoc(), sizes, elementType);
}

FrozenRewritePatternSet reshapePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  return FrozenRewritePatternSet(std::move(patterns));
}

} // namespace attnc
