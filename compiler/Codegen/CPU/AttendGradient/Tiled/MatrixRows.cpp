#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

using namespace mlir;

namespace attnc {

Value loadVector(FlatBuilder &code, const Matrix &matrix, Value offset, int64_t number) {
  int64_t left = matrix.columns - number * code.lanes;
  Value at = code.add(offset, code.constant(number * code.lanes));
  if (left >= code.lanes)
    return code.load(matrix.flat, ValueRange{at});
  return code.loadFirst(code.constant(left), matrix.flat, {at});
}

void storeVector(FlatBuilder &code, Value vector, const Matrix &matrix, Value offset, int64_t number) {
  int64_t left = matrix.columns - number * code.lanes;
  Value at = code.add(offset, code.constant(number * code.lanes));
  if (left >= code.lanes)
    return code.store(vector, matrix.flat, ValueRange{at});
  code.storeFirst(code.constant(left), vector, matrix.flat, {at});
}

Value MatrixRows::offset(ValueRange subscripts, Value memref) const {
  LoopBuilder::Values sizes;
  for (unsigned dimension = 0; dimension < subscripts.size(); ++dimension)
    sizes.push_back(loops.sizeOf(memref, dimension));
  return loops.linearise(subscripts, sizes);
}

Value MatrixRows::offsetAt(RegionVectoriser &point, tensor::ExtractOp extract, Value memref) const {
  return offset(subscriptsOf(point, extract), memref);
}

Matrix MatrixRows::matrix(BindPoint bind, tensor::ExtractOp extract, BlockArgument index, Value memref,
                          int64_t columns) const {
  auto offsetOf = [this, bind, extract, index, memref](Value number) {
    RegionVectoriser point = (phase.*bind)(number);
    point.bindIndex(index, loops.constant(0));
    return offsetAt(point, extract, memref);
  };
  return {loops.flat(memref), offsetOf, columns};
}

/// Whether the offsets of consecutive values of an index of the score or the value have a constant distance.
bool MatrixRows::isStrided(tensor::ExtractOp extract, unsigned index) const {
  attn::AttendOp op = attend.op;
  Region &region = op.getValue().isAncestor(extract->getParentRegion()) ? op.getValue() : op.getScore();
  return IndexUses::stepsAlong(extract, region.getArgument(index));
}

Matrix MatrixRows::ofRows(tensor::ExtractOp extract, BlockArgument index, Value memref, int64_t columns) const {
  Matrix rows = matrix(&GradientPhase::bindRow, extract, index, memref, columns);
  rows.isStrided = attend.rowDims.size() == 1 && isStrided(extract, attend.rowDims[0]);
  return rows;
}

Matrix MatrixRows::ofKeys(tensor::ExtractOp extract, BlockArgument index, Value memref, int64_t columns) const {
  attn::AttendOp op = attend.op;
  Matrix keys = matrix(&GradientPhase::bindKey, extract, index, memref, columns);
  keys.isStrided = op.getNumKeys() == 1 && isStrided(extract, op.getNumOuter());
  return keys;
}

Matrix MatrixRows::rowFactor(const GradientDot &dot) const {
  tensor::ExtractOp extract = dot.rowFactor;
  return ofRows(extract, dot.feature, phase.frame.buffer(extract.getTensor()), dot.features);
}

Matrix MatrixRows::keyFactor(const GradientDot &dot) const {
  tensor::ExtractOp extract = dot.keyFactor;
  return ofKeys(extract, dot.feature, phase.frame.buffer(extract.getTensor()), dot.features);
}

Matrix MatrixRows::ofValues(Value tensor) const {
  Value memref = phase.frame.buffer(tensor);
  auto offsetOf = [this, memref](Value row) {
    RegionVectoriser point = phase.bindRow(row);
    LoopBuilder::Values subscripts;
    for (const LaneIndex &index : outerIndices(problem.attend, point))
      subscripts.push_back(index.base);
    subscripts.push_back(loops.constant(0));
    if (problem.valueLayout)
      subscripts = permuted(subscripts, *problem.valueLayout);
    return offset(subscripts, memref);
  };
  return {loops.flat(memref), offsetOf, problem.values, /*isStrided=*/attend.rowDims.size() == 1};
}

StridedRows MatrixRows::strided(const Matrix &matrix, Value first, Value count) const {
  Value offset = matrix.offsetOf(first), stride = loops.sub(matrix.offsetOf(loops.add(first, 1)), offset);
  return {matrix.flat, offset, stride, count, loops.constant(matrix.columns)};
}

} // namespace attnc
