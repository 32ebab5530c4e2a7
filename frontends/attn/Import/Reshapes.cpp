#include "frontends/attn/Import/Reshapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

using namespace typed;

static Value collapse(OpBuilder &builder, const ImportTypes &types, Value value, ArrayRef<ReassociationIndices> groups,
                      Element element, const Shape &shape, Location at) {
  if (static_cast<size_t>(cast<RankedTensorType>(value.getType()).getRank()) == shape.size())
    return value;
  return tensor::CollapseShapeOp::create(builder, at, types.tensorType(element, shape), value, groups);
}

Value dropDimensions(OpBuilder &builder, const ImportTypes &types, Value value, Element element, const Shape &shape,
                     const llvm::SmallBitVector &dropped, Location at) {
  SmallVector<ReassociationIndices> groups;
  Shape kept;
  ReassociationIndices leading;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!dropped.test(i)) {
      kept.push_back(shape[i]);
      groups.emplace_back();
    }
    (groups.empty() ? leading : groups.back()).push_back(i);
  }
  if (!groups.empty())
    groups.front().insert(groups.front().begin(), leading.begin(), leading.end());
  return collapse(builder, types, value, groups, element, kept, at);
}

/// Between source and result stands a shape with one dimension for each group that has both: the source collapses to
/// it, and it expands to the result. Dimensions of 1 that come or go belong to the group before, or the first.
Value importReshape(OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, const Expr &expr,
                    Value source) {
  const Reshape &node = std::get<Reshape>(expr.node);
  Location at = types.location(expr.range);
  const Shape &from = node.source->type.shape;
  Shape middle;
  SmallVector<ReassociationIndices> collapsed, expanded;
  ReassociationIndices leadingSources, leadingResults;
  int64_t sourceDimension = 0, resultDimension = 0;
  for (const Reshape::Group &group : node.groups) {
    if (group.sources > 0 && group.results > 0) {
      Dim product(1);
      for (unsigned i = 0; i < group.sources; ++i)
        product = product * from[sourceDimension + i];
      middle.push_back(product);
      collapsed.push_back(std::exchange(leadingSources, {}));
      expanded.push_back(std::exchange(leadingResults, {}));
    }
    for (unsigned i = 0; i < group.sources; ++i)
      (collapsed.empty() ? leadingSources : collapsed.back()).push_back(sourceDimension++);
    for (unsigned i = 0; i < group.results; ++i)
      (expanded.empty() ? leadingResults : expanded.back()).push_back(resultDimension++);
  }
  Value value = collapse(builder, types, source, collapsed, expr.type.element, middle, at);
  if (middle.size() == expr.type.shape.size())
    return value;
  return tensor::ExpandShapeOp::create(builder, at, types.tensorType(expr.type), value, expanded,
                                       scopes.mixedSizes(expr.type.shape, at));
}

} // namespace attnc
