#include "compiler/Codegen/Formula/ViewSubscripts.h"

using namespace mlir;

namespace attnc {

static SourceElement sliceElement(RegionVectoriser &formula, tensor::ExtractSliceOp op,
                                  ArrayRef<LaneIndex> subscripts) {
  const LaneArithmetic &lanes = formula.getLanes();
  auto toIndex = [&](OpFoldResult value) {
    if (auto constant = dyn_cast<Attribute>(value))
      return lanes.uniform(cast<IntegerAttr>(constant).getInt());
    return formula.evaluateIndex(cast<Value>(value));
  };
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SourceElement source{op.getSource(), {}};
  for (auto [number, offset, stride] : llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    LaneIndex start = toIndex(offset);
    if (dropped[number]) {
      source.subscripts.push_back(start);
      continue;
    }
    source.subscripts.push_back(lanes.add(start, lanes.multiply(subscripts.front(), toIndex(stride))));
    subscripts = subscripts.drop_front();
  }
  return source;
}

/// A source dimension is the row-major number of the result dimensions that it is split into.
static SourceElement expandElement(RegionVectoriser &formula, tensor::ExpandShapeOp op,
                                   ArrayRef<LaneIndex> subscripts) {
  const LaneArithmetic &lanes = formula.getLanes();
  SourceElement source{op.getSrc(), {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    LaneIndex number = subscripts[group.front()];
    for (int64_t each : ArrayRef(group).drop_front())
      number = lanes.add(lanes.multiply(number, {formula.sizeOf(op.getResult(), each)}), subscripts[each]);
    source.subscripts.push_back(number);
  }
  return source;
}

static SourceElement collapseElement(RegionVectoriser &formula, tensor::CollapseShapeOp op,
                                     ArrayRef<LaneIndex> subscripts) {
  const LaneArithmetic &lanes = formula.getLanes();
  SourceElement source{op.getSrc(), {}};
  source.subscripts.resize(op.getSrcType().getRank());
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    LaneIndex rest = subscripts[number];
    for (int64_t each : llvm::reverse(ArrayRef(group).drop_front())) {
      LaneIndex size{formula.sizeOf(op.getSrc(), each)};
      LaneIndex quotient = lanes.floorDivide(rest, size);
      source.subscripts[each] = lanes.subtract(rest, lanes.multiply(quotient, size));
      rest = quotient;
    }
    source.subscripts[group.front()] = rest;
  }
  return source;
}

std::optional<SourceElement> sourceElement(RegionVectoriser &formula, Operation *view, ArrayRef<LaneIndex> subscripts) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(view)) {
    SourceElement source{transpose.getInput(), {}};
    source.subscripts.resize(subscripts.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      source.subscripts[from] = subscripts[to];
    return source;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return sliceElement(formula, slice, subscripts);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return expandElement(formula, expand, subscripts);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view))
    return collapseElement(formula, collapse, subscripts);
  if (auto cast = dyn_cast<tensor::CastOp>(view))
    return SourceElement{cast.getSource(), llvm::SmallVector<LaneIndex, 4>(subscripts)};
  return std::nullopt;
}

} // namespace attnc
