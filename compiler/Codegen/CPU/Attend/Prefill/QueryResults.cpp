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

void QueryResults::storeRuns(attn::Statistic statistic, Value tile, Value first, Value count, Value scales,
                             std::optional<ArrayRef<int64_t>> layout) {
  Value result = frame.result(*problem.resultOf(statistic));
  auto coordinatesOf = [&](RegionVectoriser &row, Value last) {
    Values coordinates;
    for (const LaneIndex &index : outerIndices(problem, row))
      coordinates.push_back(index.base);
    coordinates.push_back(loops.add(first, last));
    return layout ? permuted(coordinates, *layout) : coordinates;
  };
  if (queries.areStrided()) {
    StridedRows rows = queries.strided(result, queries.firstRow,
                                       [&](RegionVectoriser &row) { return coordinatesOf(row, loops.constant(0)); });
    rows.count = queries.rowCount;
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
          loops.storeFirst(loops.sub(count, row), run, result, coordinatesOf(points[lane], row));
        });
      }
    });
  });
}

} // namespace attnc
