#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"
#include "compiler/Codegen/Nest/TransposeRoutines.h"

using namespace mlir;

namespace attnc {

void QueryResults::store(attn::Statistic statistic, int64_t vector, Value value, ValueRange last,
                         std::optional<ArrayRef<int64_t>> layout) {
  SmallVector<LaneIndex> indices = outerIndices(problem, queries.vectors[vector]);
  for (Value index : last)
    indices.push_back(uniformIndex(index));
  if (layout)
    indices = permuted(indices, *layout);
  RegionVectoriser element = queries.vectors[vector];
  element.store(value, frame.result(*problem.resultOf(statistic)), indices);
}

/// The subscripts of the element with the last subscript `last` of a row.
LoopBuilder::Values QueryResults::coordinatesOf(RegionVectoriser &row, Value last,
                                                std::optional<ArrayRef<int64_t>> layout) const {
  Values coordinates;
  for (const LaneIndex &index : outerIndices(problem, row))
    coordinates.push_back(index.base);
  coordinates.push_back(last);
  return layout ? permuted(coordinates, *layout) : coordinates;
}

StridedRows QueryResults::rowsOf(attn::Statistic statistic, Value first,
                                 std::optional<ArrayRef<int64_t>> layout) const {
  StridedRows rows = queries.strided(frame.result(*problem.resultOf(statistic)), queries.firstRow,
                                     [&](RegionVectoriser &row) { return coordinatesOf(row, first, layout); });
  rows.count = queries.rowCount;
  return rows;
}

void QueryResults::storeRuns(attn::Statistic statistic, Value tile, Value first, Value count, Value scales,
                             std::optional<ArrayRef<int64_t>> layout) {
  Value result = frame.result(*problem.resultOf(statistic));
  if (queries.areStrided()) {
    StridedRows rows = rowsOf(statistic, first, layout);
    rows.columns = count;
    return unpackRows(loops, frame.code, {tile, loops.constant(0), schedule.tileQ()}, rows, scales);
  }
  access.forEachVector([&](Value query) {
    std::vector<RegionVectoriser> points = queries.bindLanes(query);
    loops.loop(loops.constant(0), count, loops.constant(schedule.lanes), [&](Value row) {
      SmallVector<Values> coordinates;
      for (int64_t line = 0; line < schedule.lanes; ++line)
        coordinates.push_back({access.offsetFrom(query, row, line)});
      for (auto [lane, column] : llvm::enumerate(loops.loadTransposed(tile, coordinates))) {
        Value run = column;
        if (scales)
          run = loops.mulf(run, loops.splat(loops.loadScalar(scales, {loops.add(query, lane)})));
        Value exists = loops.less(loops.add(query, lane), queries.rowCount);
        loops.when(exists, [&, lane = lane] {
          loops.storeFirst(loops.sub(count, row), run, result,
                           coordinatesOf(points[lane], loops.add(first, row), layout));
        });
      }
    });
  });
}

} // namespace attnc
