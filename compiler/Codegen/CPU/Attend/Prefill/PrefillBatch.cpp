#include "compiler/Codegen/CPU/Attend/Prefill/PrefillBatch.h"

using namespace mlir;

namespace attnc {

PrefillBatch::PrefillBatch(const PrefillContext &context)
    : PrefillContext(context), formulas(context.frame.builder, context.frame.location, context.schedule.lanes) {
  attn::AttendOp op = problem.op;
  auto sizesOf = [&](ValueRange sizes, Values &into, Value &product) {
    product = loops.constant(1);
    for (Value size : sizes) {
      into.push_back(frame.index(size));
      product = loops.mul(product, into.back());
    }
  };
  Value outers;
  sizesOf(op.getOuterSizes(), outerSizes, outers);
  sizesOf(op.getKeySizes(), keySizes, keys);
  sizesOf(op.getValueSizes(), valueSizes, values);
  frame.bindTo(formulas);
  // Both are evaluated for pairs that are dropped, too.
  formulas.deferReports(op.getScore());
  formulas.deferReports(op.getValue());
  rows = frame.size(problem.rows);
}

void PrefillBatch::open(Value number, AttendMask &mask) {
  Values batchSizes;
  for (unsigned dimension : problem.batchDims)
    batchSizes.push_back(outerSizes[dimension]);
  Values batchIndices = loops.delinearise(loops.div(number, loops.constant(modulus())), batchSizes);
  for (auto [dimension, index] : llvm::zip(problem.batchDims, batchIndices))
    bindOuter(problem, formulas, dimension, uniformIndex(index));
  if (problem.classes)
    openClass(loops.rem(number, loops.constant(modulus())), mask);
}

/// The class is `number` of the rows; its keys have the residue `number + offset`.
void PrefillBatch::openClass(Value number, AttendMask &mask) {
  rowResidue = number;
  keyResidue = loops.rem(loops.add(number, problem.classes->offset), loops.constant(modulus()));
  rows = countBelow(rows, rowResidue);
  keys = countBelow(keys, keyResidue);
  mask.assumeCongruence();
  formulas.bindValue(problem.classes->condition, loops.boolean(true));
}

Value PrefillBatch::countBelow(Value index, Value residue) const {
  if (!problem.classes)
    return index;
  return loops.ceilDiv(loops.max(loops.constant(0), loops.sub(index, residue)), modulus());
}

LoopBuilder::Values PrefillBatch::rowSizes() const {
  Values sizes;
  for (unsigned dimension : problem.rowDims)
    sizes.push_back(outerSizes[dimension]);
  return sizes;
}

RegionVectoriser PrefillBatch::bindKey(const RegionVectoriser &to, Value key) const {
  RegionVectoriser bound = to;
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(keyIndex(key), keySizes)))
    bindKeyIndex(problem, bound, dimension, uniformIndex(index));
  return bound;
}

RegionVectoriser PrefillBatch::bindRow(Value row) const {
  RegionVectoriser point = formulas;
  Values indices = loops.delinearise(indexOf(row, rowResidue), rowSizes());
  for (auto [dimension, index] : llvm::zip(problem.rowDims, indices))
    bindOuter(problem, point, dimension, uniformIndex(index));
  return point;
}

RegionVectoriser PrefillBatch::bindRows(Value first) const {
  RegionVectoriser rowVector = formulas;
  if (problem.classes) {
    bindOuter(problem, rowVector, problem.rowDims[0], steppingIndex(indexOf(first, rowResidue), modulus()));
    return rowVector;
  }
  for (auto [dimension, index] : llvm::zip(problem.rowDims, steppingSubscripts(loops, first, rowSizes())))
    bindOuter(problem, rowVector, dimension, index);
  return rowVector;
}

} // namespace attnc
