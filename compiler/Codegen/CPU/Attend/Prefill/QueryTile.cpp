#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

QueryTile::QueryTile(const PrefillContext &context, const PrefillBatch &batch, const AttendPart &part, Value number,
                     const Next &next)
    : PrefillContext(context), batch(batch), nextBatch(next.batch), part(part) {
  firstRow = firstRowOf(number);
  rowCount = loops.min(loops.constant(schedule.tileQ()), loops.sub(batch.rows, firstRow));
  firstRowOfNext = firstRowOf(next.number);
}

Value QueryTile::firstRowOf(Value number) const {
  return loops.add(frame.size(part.first), loops.mul(number, schedule.tileQ()));
}

void QueryTile::bind(AttendMask &mask) {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    vectors.push_back(bindVector(loops.constant(vector * schedule.lanes)));
  auto bindRow = [&](Value row) { return batch.bindRow(row); };
  mask.prepareRows(loops, {firstRow, rowCount, bindRow, /*inOrder=*/true});
  if (!mask.keyEndDependsOnRows())
    return;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value first = loops.add(firstRow, loops.constant(vector * schedule.lanes));
    AttendMask::RowRange rows = {first, loops.constant(schedule.lanes), bindRow, /*inOrder=*/true};
    Value end = mask.keyEnd(loops, rows, batch.allKeys(), batch.formulas);
    if (!end)
      return;
    end = batch.keysBelow(end);
    vectorKeyEnds.push_back(vector == 0 ? end : loops.max(vectorKeyEnds.back(), end));
  }
}

RegionVectoriser QueryTile::bindVector(Value query) const {
  RegionVectoriser rowVector = batch.bindRows(loops.add(firstRow, query));
  SizeExpr end = part.first + part.tiles * SizeExpr(schedule.tileQ());
  bool isWhole = !problem.classes && problem.rows.isAtLeast(end);
  if (!isWhole)
    rowVector.setActiveLanes(loops.max(loops.constant(0), loops.sub(rowCount, query)));
  return rowVector;
}

std::vector<RegionVectoriser> QueryTile::bindLanes(Value query) const {
  std::vector<RegionVectoriser> points;
  Value last = loops.add(batch.rows, -1);
  for (int64_t lane = 0; lane < schedule.lanes; ++lane)
    points.push_back(batch.bindRow(loops.min(loops.add(loops.add(firstRow, query), lane), last)));
  return points;
}

bool QueryTile::areStrided(tensor::ExtractOp extract) const {
  attn::AttendOp op = problem.op;
  return areStrided() && IndexUses::stepsAlong(extract, op.getScore().getArgument(problem.rowDims[0]));
}

RegionVectoriser QueryTile::bindNext(Value query) const {
  return nextBatch.bindRow(loops.min(loops.add(firstRowOfNext, query), loops.add(nextBatch.rows, -1)));
}

StridedRows QueryTile::strided(const PrefillBatch &of, Value memref, Value row,
                               function_ref<Values(RegionVectoriser &)> subscriptsAt) const {
  RegionVectoriser first = of.bindRow(row), second = of.bindRow(loops.add(row, 1));
  return stridedRows(loops, memref, subscriptsAt(first), subscriptsAt(second));
}

LoopBuilder::Values QueryTile::liveEnds(const KeyBlock &block) const {
  Values ends;
  for (Value end : ArrayRef<Value>(vectorKeyEnds).drop_back(vectorKeyEnds.empty() ? 0 : 1))
    ends.push_back(loops.min(block.count, loops.max(loops.constant(0), loops.sub(end, block.firstKey))));
  ends.push_back(block.count);
  return ends;
}

} // namespace attnc
