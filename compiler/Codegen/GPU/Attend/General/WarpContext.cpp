#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t maxRows = 4;
/// Values of a row in the registers of a thread.
static constexpr int64_t maxValues = 8;

static int64_t warpRows(const AttendProblem &problem, const RowNumbers &numbers) {
  int64_t rows = maxRows;
  if (numbers.rows.isConstant())
    rows = std::min<int64_t>(rows, llvm::PowerOf2Ceil(std::max<int64_t>(1, numbers.rows.constant())));
  while (rows > 1 && rows * problem.top() > maxTopEntries / 2)
    rows /= 2;
  return rows;
}

AttendGeneralShape::AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers)
    : rows(warpRows(problem, numbers)), width(1), accesses(1) {
  rowBlocks = numbers.rows.ceilDiv(rows);
  warps = numbers.batches * rowBlocks;
  valueSlices = 1;
  if (!problem.hasValue())
    return;
  attn::AttendOp op = problem.op;
  int64_t known = problem.values.isConstant() ? problem.values.constant() : 0;
  for (int64_t wide : {4, 2})
    if (width == 1 && known > 0 && known % (wide * warpThreads) == 0 && op.getNumValues() == 1)
      width = wide;
  int64_t maxAccesses = problem.values.isConstant() ? maxValues / width : maxValues / 2;
  int64_t wanted = known > 0 ? (known + warpThreads * width - 1) / (warpThreads * width) : maxAccesses;
  int64_t slices = (wanted + maxAccesses - 1) / maxAccesses;
  accesses = (wanted + slices - 1) / slices;
  valueSlices = SizeExpr::max(1, problem.values.ceilDiv(sliceValues()));
}

LoopBuilder::Values WarpContext::RowStates::packed() const {
  Values all;
  for (const Values *list : {&largest, &sums, &logs, &top, &values})
    all.append(*list);
  return all;
}

WarpContext::RowStates WarpContext::RowStates::with(ValueRange packed) const {
  RowStates next;
  for (auto [list, into] : {std::pair(&largest, &next.largest),
                            {&sums, &next.sums},
                            {&logs, &next.logs},
                            {&top, &next.top},
                            {&values, &next.values}}) {
    llvm::append_range(*into, packed.take_front(list->size()));
    packed = packed.drop_front(list->size());
  }
  return next;
}

Value WarpContext::scalarOf(Value value) const {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(loops.builder, loops.location, value, 0);
}

Value WarpContext::threadSum(Value partial) const {
  SweepReduction sum{attn::Combine::Add, loops.builder.getF32Type()};
  return loops.splat(group.combine(sum, scalarOf(partial))[0]);
}

RegionVectoriser WarpContext::bindRow(int64_t lanes, int64_t row) const {
  return rows.bindRow(rows.formulas(lanes), ValueRange(warp.subscripts[row]));
}

std::vector<RegionVectoriser> WarpContext::bindPairs(int64_t lanes, Value key) const {
  std::vector<RegionVectoriser> pairs;
  for (int64_t row = 0; row < shape.rows; ++row)
    pairs.push_back(rows.bindKey(lanes == 1 ? warp.points[row] : bindRow(lanes, row), key));
  return pairs;
}

void WarpContext::forEachRow(function_ref<void(int64_t)> body) const {
  for (int64_t row = 0; row < shape.rows; ++row)
    loops.when(warp.exist[row], [&] { body(row); });
}

void WarpContext::storeResult(int64_t row, Value value, attn::Statistic statistic, ValueRange last) const {
  auto result = problem.resultOf(statistic);
  if (!result)
    return;
  RegionVectoriser element = warp.points[row];
  SmallVector<LaneIndex> indices = outerIndices(problem, element);
  for (Value index : last)
    indices.push_back(uniformIndex(index));
  element.store(scalarOf(value), frame.result(*result), indices);
}

} // namespace attnc
