#include "compiler/Codegen/CPU/Attend/Decode/DecodeRows.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

DecodeRows::DecodeRows(const DecodeContext &context)
    : DecodeContext(context), formulas(frame.builder, frame.location, schedule.lanes) {
  for (const SizeExpr &size : problem.outerSizes)
    outerSizes.push_back(frame.size(size));
  keys = frame.index(op().getKeySizes()[0]);
  values = frame.index(op().getValueSizes()[0]);
  frame.bindTo(formulas);
  // Score and value are evaluated for dropped pairs too.
  formulas.deferReports(op().getScore());
  formulas.deferReports(op().getValue());
}

void DecodeRows::open(Value number) {
  batch = number;
  Values batchSizes;
  for (unsigned dimension : problem.batchDims)
    batchSizes.push_back(dimension == problem.groupDim ? loops.ceilDiv(outerSizes[dimension], problem.group)
                                                       : outerSizes[dimension]);
  for (auto [dimension, index] : llvm::zip(problem.batchDims, loops.delinearise(batch, batchSizes))) {
    if (dimension == problem.groupDim)
      firstHead = loops.mul(index, problem.group);
    else
      bindOuter(problem, formulas, dimension, uniformIndex(index));
  }
  for (int64_t row = 0; row < shape.rows; ++row)
    points.push_back(bindRow(loops.constant(row)));
}

RegionVectoriser DecodeRows::bindRow(Value row) const {
  Values sizes;
  if (problem.groupDim)
    sizes.push_back(loops.constant(problem.group));
  for (unsigned dimension : problem.rowDims)
    sizes.push_back(outerSizes[dimension]);
  Values indices = loops.delinearise(row, sizes);
  RegionVectoriser point = formulas;
  if (problem.groupDim) {
    Value head = loops.add(firstHead, indices[0]);
    const SizeExpr &heads = problem.outerSizes[*problem.groupDim];
    if (!heads.isConstant() || heads.constant() % problem.group != 0)
      head = loops.min(head, loops.add(outerSizes[*problem.groupDim], -1));
    bindOuter(problem, point, *problem.groupDim, uniformIndex(head));
  }
  for (auto [dimension, index] :
       llvm::zip(problem.rowDims, ArrayRef<Value>(indices).drop_front(problem.groupDim ? 1 : 0)))
    bindOuter(problem, point, dimension, uniformIndex(loops.add(index, problem.firstRow)));
  return point;
}

Value DecodeRows::hasHead(int64_t row) const {
  if (!problem.groupDim)
    return {};
  int64_t head = row / problem.rows.constant();
  return loops.less(loops.add(firstHead, head), outerSizes[*problem.groupDim]);
}

/// Partial results are in the launch's shared scratch, [batch][split][row].
DecodeRows::Partial DecodeRows::partial(Value split, int64_t row) const {
  Value size = frame.size(shape.partialSize), splits = frame.size(shape.splits);
  Value number = loops.add(loops.mul(loops.add(loops.mul(batch, splits), split), shape.rows), row);
  auto type = MemRefType::get({ShapedType::kDynamic}, loops.builder.getF32Type());
  Value elements = frame.size(shape.batches * shape.splits * SizeExpr(shape.rows) * shape.partialSize);
  return {frame.shared(int64_t(0), type, elements), loops.mul(number, size)};
}

} // namespace attnc
