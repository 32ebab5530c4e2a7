#include "compiler/Codegen/GPU/Attend/SplitKvTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Shared memory of a block: two blocks fit a multiprocessor of sm_80, and one fits any device.
static constexpr int64_t maxBytes = 80 << 10, maxStages = 4;
/// The warps' final exchange: bytes of m and l; values of padding between rows, so that eight rows cover all banks.
static constexpr int64_t headBytes = 8, rowPadding = 8;
/// A warp's values start at a multiple of the largest swizzle period (WarpTileStart).
static constexpr int64_t maxSwizzlePeriod = 8;

SplitKvTiles::Tiling SplitKvTiles::chooseTiling(const AttendMatrices &matrices) {
  constexpr int64_t maxWarps = 4, fewValues = 64;
  int64_t size = elementBytes(matrices.type);
  bool isCut = matrices.values > fewValues && matrices.values * size % (2 * maxSwizzlePeriod * vectorBytes) == 0;
  Tiling tiling{.valueWarps = isCut ? 2 : 1, .warpKeys = productDepth(matrices.type)};
  int64_t stageBytes = maxBytes - tileRows * matrices.features * size;
  auto stages = [&] { return stageBytes / (tiling.keys() * (matrices.features + matrices.values) * size); };
  tiling.keyWarps = maxWarps / tiling.valueWarps;
  while (stages() < 2)
    tiling.keyWarps /= 2;
  tiling.stages = std::min(stages(), maxStages);
  return tiling;
}

Verdict SplitKvTiles::suits(const AttendMatrices &matrices) {
  bool isWide = is32Bit(matrices.type);
  if (matrices.values / chooseTiling(matrices).valueWarps <= (isWide ? 128 : 192))
    return Verdict::yes();
  return Verdict::no(isWide ? "a warp of split keys has registers for the sums of 128 values of f32, or for half of "
                              "a multiple of 64"
                            : "a warp of split keys has registers for the sums of 192 values in 16 bits, or for "
                              "half of a multiple of 128");
}

SplitKvTiles::SplitKvTiles(const AttendProblem &problem, const AttendMatrices &matrices, const AttendSplitKv &splitKv,
                           const Target &target, StringRef symbol, ModuleOp code)
    : tiling(chooseTiling(matrices)), problem(problem), matrices(matrices), splitKv(splitKv), target(target),
      frame(problem.kernel, symbol, code, tiling.threads()), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame, splitKv.numbers),
      fragments(problem, target, frame, rows), sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      queryTile(memory, tileRows, matrices.features * elementBytes(matrices.type)), sharedAt(memory.bytes()),
      stages(matrices, frame, rows, memory, tiling.keys(), tiling.stages), partials(splitKv, problem, frame) {
  int64_t shared = tiling.keyWarps * tileRows * (headBytes + (matrices.values + rowPadding) * 4);
  if (int64_t more = sharedAt + shared - memory.bytes(); more > 0)
    memory.allocate(more);
}

KernelPhase SplitKvTiles::emit() {
  openBlock();
  sources.copyQueries(tiles, queryTile, firstRow, tiles.fromIndex(frame.position.thread), tiling.threads());
  shareStates(passTiles());
  storePartials();
  SizeExpr blocks = splitKv.numbers.batches * splitKv.splits * splitKv.numbers.rows.ceilDiv(tileRows);
  return {frame.position.symbol, blocks, tiling.threads(), memory.bytes()};
}

/// Blocks with the same keys are adjacent.
void SplitKvTiles::openBlock() {
  Value blocks = frame.size(splitKv.numbers.rows.ceilDiv(tileRows)),
        batchSplit = loops.div(frame.position.block, blocks);
  firstRow = loops.mul(loops.rem(frame.position.block, blocks), loops.constant(tileRows));
  split = loops.rem(batchSplit, partials.splits);
  rows.openBatch(loops.div(batchSplit, partials.splits));
  rows.open(firstRow, tileRows);
  rows.range = partials.cut(rows.range, split, tiling.keys());
  Value thread = tiles.fromIndex(frame.position.thread);
  laneNumber = tiles.rem(thread, warpThreads);
  Value warp = tiles.div(thread, warpThreads), valueWarp = tiles.rem(warp, tiling.valueWarps);
  keyWarp = tiles.div(warp, tiling.valueWarps);
  firstValue = tiles.mul(valueWarp, matrices.values / tiling.valueWarps);
  fragments.open(firstRow, laneNumber);
  stages.open(sources, laneNumber, tiles.mul(keyWarp, tiling.warpKeys), tiling.valueWarps > 1 ? firstValue : Value());
}

//===------------------------------------------ tiles of keys -----------------------------------------------------===//

/// All stages but one are in flight, or have arrived, while a tile is computed. The loop carries the tiles from the one
/// that is computed to the last one requested: first key, and whether no pair is masked.
SplitKvTiles::States SplitKvTiles::passTiles() {
  States start = fragments.start(matrices.values / tiling.valueWarps, /*withSink=*/false);
  int64_t ahead = stages.stages - 1, numbers = 2 * ahead + 1;
  Values carried;
  for (int64_t stage = 0; stage < ahead; ++stage) {
    Value from = stage == 0 ? rows.range.begin : loops.add(carried[2 * stage - 2], tiling.keys());
    KeyTile tile = rows.search(from, tiling.keys());
    stages.copy(tile, tiles.constant(stage));
    carried.append({tile.first, tile.all});
  }
  carried.push_back(tiles.constant(0));
  carried.append(start.packed());
  auto isLeft = [&](ValueRange now) { return loops.less(now[0], rows.range.end); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange now) {
    Value stage = now[2 * ahead], into = tiles.rem(tiles.add(stage, ahead), stages.stages);
    awaitCopies(tiles, ahead - 1);
    tiles.syncBlock();
    KeyTile next = rows.search(loops.add(now[2 * ahead - 2], tiling.keys()), tiling.keys());
    stages.copy(next, into);
    Values results = llvm::to_vector(now.slice(2, 2 * ahead - 2));
    results.append({next.first, next.all, tiles.rem(tiles.add(stage, 1), stages.stages)});
    results.append(computeTile({now[0], now[1]}, stage, start.with(now.drop_front(numbers))).packed());
    return results;
  });
  awaitCopies(tiles, 0); // the queries, if there was no tile
  return start.with(ValueRange(last).drop_front(numbers));
}

SplitKvTiles::States SplitKvTiles::computeTile(const KeyTile &tile, Value stage, States states) {
  FragmentReader readQueries(tiles, queryTile, FragmentReader::Matrix::A, /*columnsAreDepth=*/true, laneNumber, {});
  Value queries = queryTile.stageOffset(tiles, tiles.constant(0));
  Values products = stages.products(readQueries, queries, stage, tiling.warpKeys / productColumns);
  KeyTile own{loops.add(tile.first, tiles.toIndex(tiles.mul(keyWarp, tiling.warpKeys))), tile.all};
  if (is32Bit(matrices.type))
    fragments.checkProducts(products, states);
  Values scores = fragments.computeScores(own, products);
  Values corrections;
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.computeWeights(own, scores, states);
  stages.addValues(stage, fragments.leftMatrices(matrices.type, weights), corrections, states.values);
  return states;
}

//===------------------------------------------ what warps have ---------------------------------------------------===//

/// Pointers to m and l of a row of a warp, and to one of its values; numbers are i32.
Value SplitKvTiles::headAt(Value warp, Value row) {
  Value number = tiles.mul(tiles.add(tiles.mul(warp, tileRows), row), headBytes);
  return tiles.at(memory.base, tiles.add(number, sharedAt));
}

Value SplitKvTiles::valuesAt(Value warp, Value row, Value column) {
  Value number = tiles.mul(tiles.add(tiles.mul(warp, tileRows), row), matrices.values + rowPadding);
  int64_t first = sharedAt + tiling.keyWarps * tileRows * headBytes;
  return tiles.at(memory.base, tiles.add(tiles.mul(tiles.add(number, column), 4), first));
}

/// Writes the states of a warp to shared memory, over tiles that are no longer read.
void SplitKvTiles::shareStates(const States &states) {
  OpBuilder &b = loops.builder;
  auto pairType = VectorType::get({2}, b.getF32Type());
  auto makePair = [&](Value left, Value right) -> Value {
    return vector::FromElementsOp::create(b, loops.location, pairType, ValueRange{left, right});
  };
  tiles.syncBlock();
  FragmentPosition position = fragmentPosition(tiles, laneNumber);
  Values totals = fragments.rowTotals(states);
  for (int64_t row = 0; row < AttendFragments::laneRows; ++row) {
    Value number = tiles.add(position.row, row * productRows / AttendFragments::laneRows);
    tiles.when(tiles.less(tiles.add(position.column, firstValue), tiles.constant(2)),
               [&] { tiles.store(makePair(states.largest[row], totals[row]), headAt(keyWarp, number)); });
    for (int64_t fragment = 0; fragment < matrices.values / tiling.valueWarps / productColumns; ++fragment) {
      int64_t first = fragment * AttendFragments::fragmentSums + 2 * row;
      Value column = tiles.add(tiles.add(firstValue, position.column), fragment * productColumns);
      tiles.store(makePair(states.values[first], states.values[first + 1]), valuesAt(keyWarp, number, column));
    }
  }
  tiles.syncBlock();
}

Value SplitKvTiles::correction(Value before, Value largest) {
  Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(largest));
  return factor ? vector::ExtractOp::create(loops.builder, loops.location, factor, 0).getResult() : loops.scalar(1);
}

/// Writes the partial results of the rows that exist, four values for each thread at a time.
void SplitKvTiles::storePartials() {
  tiles.loop(tiles.fromIndex(frame.position.thread), tiles.constant(tileRows * matrices.values / deviceLanes),
             tiling.threads(), {}, [&](Value number, ValueRange) {
               Value row = loops.add(firstRow, tiles.toIndex(tiles.div(number, matrices.values / deviceLanes)));
               loops.when(rows.exists(row), [&] { storeVector(number); });
               return TileBuilder::Values();
             });
}

void SplitKvTiles::storeVector(Value number) {
  OpBuilder &b = loops.builder;
  LoopBuilder wide(b, loops.location, deviceLanes);
  int64_t vectors = matrices.values / deviceLanes;
  Value row = tiles.div(number, vectors), column = tiles.mul(tiles.rem(number, vectors), deviceLanes);
  auto loadHead = [&](int64_t warp, int64_t which) {
    Value pointer = tiles.at(headAt(tiles.constant(warp), row), tiles.constant(which * 4));
    return tiles.load(b.getF32Type(), pointer);
  };
  Value largest = loadHead(0, 0);
  for (int64_t warp = 1; warp < tiling.keyWarps; ++warp)
    largest = loops.maxKeepingFirst(largest, loadHead(warp, 0));
  Value sum = loops.scalar(0), values = wide.splat(0.0);
  for (int64_t warp = 0; warp < tiling.keyWarps; ++warp) {
    Value factor = correction(loadHead(warp, 0), largest);
    sum = loops.addf(sum, loops.mulf(loadHead(warp, 1), factor));
    values = wide.fma(tiles.load(wide.vectorType(), valuesAt(tiles.constant(warp), row, column)), wide.splat(factor),
                      values);
  }
  Value partial = partials.number(rows.batch, loops.add(firstRow, tiles.toIndex(row)), split);
  partials.store(partial, tiles.toIndex(column), values);
  loops.when(tiles.less(column, tiles.constant(1)), [&] { partials.storeHead(partial, {largest, sum}); });
}

} // namespace attnc
