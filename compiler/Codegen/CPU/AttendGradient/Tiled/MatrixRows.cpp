#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

using namespace mlir;

namespace attnc {

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

Matrix MatrixRows::ofRows(tensor::ExtractOp extract, BlockArgument index, Value memref, int64_t columns) const {
  return matrix(&GradientPhase::bindRow, extract, index, memref, columns);
}

Matrix MatrixRows::ofKeys(tensor::ExtractOp extract, BlockArgument index, Value memref, int64_t columns) const {
  return matrix(&GradientPhase::bindKey, extract, index, memref, columns);
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
  return {loops.flat(memref), offsetOf, problem.values};
}

Value MatrixRows::load(const Matrix &matrix, Value offset, int64_t number) const {
  int64_t left = matrix.columns - number * schedule.lanes;
  Value at = loops.add(offset, loops.constant(number * schedule.lanes));
  if (left >= schedule.lanes)
    return loops.load(matrix.flat, ValueRange{at});
  return loops.loadFirst(loops.constant(left), matrix.flat, {at});
}

void MatrixRows::store(Value vector, const Matrix &matrix, Value offset, int64_t number) const {
  int64_t left = matrix.columns - number * schedule.lanes;
  Value at = loops.add(offset, loops.constant(number * schedule.lanes));
  if (left >= schedule.lanes)
    return loops.store(vector, matrix.flat, ValueRange{at});
  loops.storeFirst(loops.constant(left), vector, matrix.flat, {at});
}

} // namespace attnc
