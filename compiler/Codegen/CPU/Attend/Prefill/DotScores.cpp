#include "compiler/Codegen/CPU/Attend/Prefill/DotScores.h"
#include "compiler/Codegen/CPU/Attend/Prefill/KeyTiles.h"
#include "compiler/Codegen/Nest/Routine.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

namespace {

/// Terms of a dot product that one iteration of the innermost loop adds.
constexpr int64_t featuresAtOnce = 2;

/// Emits the body of the routine.
class DotTiles {
public:
  DotTiles(FlatBuilder &code, const AttendSchedule &schedule, const DotScores &operands)
      : code(code), schedule(schedule), operands(operands), access(code, schedule) {}

  void emit() {
    forEachKeyTile(code, operands.keys.count, operands.liveEnds, schedule.tileRows, [&](const KeyTileShape &tile) {
      if (tile.rows > 1)
        code.when(operands.isLast, [&] {
          prefetchQueries(tile);
          if (operands.results.flat)
            prefetchResults(tile);
        });
      storeScores(access, code, tile, sums(tile), operands.scores, operands.maxima);
    });
  }

private:
  using Values = LoopBuilder::Values;

  Value keyAt(const KeyTileShape &tile, Value number) {
    return code.add(operands.keys.offset, code.mul(code.add(tile.row, number), operands.keys.stride));
  }

  /// Line by line, so that later lines are prefetched in step with the multiplications.
  Values sums(const KeyTileShape &tile) {
    int64_t features = operands.features, whole = features / lineFloats * lineFloats;
    Values keys, sums(tile.rows * (schedule.vectors - tile.firstVector), code.splat(0.0));
    for (int64_t i = 0; i < tile.rows; ++i)
      keys.push_back(keyAt(tile, code.constant(i)));
    Value zero = code.constant(0), line = code.constant(lineFloats);
    sums = code.loop(zero, code.constant(whole), line, sums, [&](Value first, ValueRange before) {
      prefetchKeys(tile, first);
      Value end = code.add(first, lineFloats);
      return code.loop(first, end, code.constant(featuresAtOnce), before, [&](Value feature, ValueRange carried) {
        Values next(carried);
        for (int64_t i = 0; i < featuresAtOnce; ++i)
          next = addTerms(tile, keys, code.add(feature, i), next);
        return next;
      });
    });
    return code.loop(code.constant(whole), code.constant(features), code.constant(1), sums,
                     [&](Value feature, ValueRange carried) { return addTerms(tile, keys, feature, carried); });
  }

  Values addTerms(const KeyTileShape &tile, ValueRange keys, Value feature, ValueRange sums) {
    Values queries, next;
    for (int64_t vector = tile.firstVector; vector < schedule.vectors; ++vector)
      queries.push_back(access.load(operands.queries, vector, feature));
    for (Value key : keys) {
      Value factor = code.splat(code.loadScalar(operands.keys.flat, {code.add(key, feature)}));
      for (Value query : queries)
        next.push_back(code.fma(factor, query, sums[next.size()]));
    }
    return next;
  }

  /// The line of `feature` of the next tile's keys into the first-level cache, and of the next block's into the second.
  void prefetchKeys(const KeyTileShape &tile, Value feature) {
    for (int64_t i = 0; i < tile.rows; ++i)
      for (auto [distance, locality] : {std::pair(code.constant(tile.rows), 3u), {operands.keys.count, 2u}}) {
        Value key = keyAt(tile, code.add(distance, i));
        code.prefetch(operands.keys.flat, {code.add(key, feature)}, locality);
      }
  }

  /// Prefetches the lines of `count` rows of `columns` elements, an equal share in each register tile of the block;
  /// `prefetch` emits the prefetch of the line at an offset.
  void prefetchRows(const KeyTileShape &tile, const StridedRows &rows, Value count, int64_t columns,
                    function_ref<void(Value offset)> prefetch) {
    int64_t elements = FlatBuilder::lineElements(rows.flat), lines = (columns + elements - 1) / elements;
    forShareOfTile(code, tile, operands.keys.count, code.mul(count, lines), [&](Value number) {
      Value row = code.div(number, lines), line = code.rem(number, lines);
      prefetch(code.add(code.add(rows.offset, code.mul(row, rows.stride)), code.mul(line, elements)));
    });
  }

  void prefetchQueries(const KeyTileShape &tile) {
    const StridedRows &next = operands.nextQueries;
    prefetchRows(tile, next, code.constant(schedule.tileQ()), operands.features,
                 [&](Value offset) { code.prefetch(next.flat, {offset}, /*locality=*/3); });
  }

  void prefetchResults(const KeyTileShape &tile) {
    const StridedRows &results = operands.results;
    prefetchRows(tile, results, results.count, operands.resultColumns,
                 [&](Value offset) { code.prefetchForWriting(results.flat, offset); });
  }

  FlatBuilder &code;
  const AttendSchedule &schedule;
  const DotScores &operands;
  TileAccess access;
};

std::string routineName(const AttendSchedule &schedule, const DotScores &operands) {
  std::string name = fmt::format("scores.{}.{}x{}.{}.{}{}", operands.features, schedule.tileRows, schedule.vectors,
                                 schedule.tileKv, operands.liveEnds.size(), operands.maxima ? ".maxima" : "");
  name += elementTypes({operands.keys.flat, operands.nextQueries.flat});
  if (operands.results.flat)
    name += fmt::format(".results.{}", operands.resultColumns) + elementTypes({operands.results.flat});
  return name;
}

} // namespace

void computeDotScores(FlatBuilder &code, ModuleOp module, const AttendSchedule &schedule, const DotScores &given) {
  const StridedRows &keys = given.keys, &next = given.nextQueries, &results = given.results;
  RoutineCall call{routineName(schedule, given), {keys.stride}, {}};
  call.operands.append({keys.flat, keys.offset, keys.count, given.queries, given.scores, next.flat, next.offset,
                        next.stride, given.isLast});
  call.operands.append(given.liveEnds.begin(), given.liveEnds.end() - 1); // the last one is the number of keys
  if (given.maxima)
    call.operands.push_back(given.maxima);
  if (results.flat)
    call.operands.append({results.flat, results.offset, results.stride, results.count});
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    DotScores inside = given;
    inside.keys = {operands[1], operands[2], operands[0], operands[3]};
    inside.queries = operands[4];
    inside.scores = operands[5];
    inside.nextQueries = {operands[6], operands[7], operands[8]};
    inside.isLast = operands[9];
    operands = operands.drop_front(10);
    inside.liveEnds = llvm::to_vector(operands.take_front(given.liveEnds.size() - 1));
    inside.liveEnds.push_back(inside.keys.count);
    operands = operands.drop_front(given.liveEnds.size() - 1);
    if (given.maxima) {
      inside.maxima = operands.front();
      operands = operands.drop_front();
    }
    if (given.results.flat)
      inside.results = {operands[0], operands[1], operands[2], operands[3]};
    DotTiles(routine, schedule, inside).emit();
  });
}

} // namespace attnc
