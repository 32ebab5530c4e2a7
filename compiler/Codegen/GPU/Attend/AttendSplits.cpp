#include "compiler/Codegen/GPU/Attend/AttendSplits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Of a block: two have room in a processor of sm_80, and one in every device.
static constexpr int64_t mostBytes = 80 << 10, mostStages = 4;
/// What warps share at the end: bytes of m and l, and values between rows, so that eight rows lie in all banks.
static constexpr int64_t headBytes = 8, rowPadding = 8;
/// A warp's values begin at a multiple of the units that change places in a row (PartStart).
static constexpr int64_t exchangedUnits = 8;

AttendSplits::Tiling AttendSplits::tilingOf(const AttendMatrices &matrices) {
  constexpr int64_t mostWarps = 4, fewValues = 64;
  int64_t size = elementBytes(matrices.type);
  bool isCut = matrices.values > fewValues && matrices.values * size % (2 * exchangedUnits * unitBytes) == 0;
  Tiling tiling{.valueWarps = isCut ? 2 : 1, .keysOfWarp = productDepth(matrices.type)};
  int64_t ofStages = mostBytes - tileRows * matrices.features * size;
  auto stages = [&] { return ofStages / (tiling.keys() * (matrices.features + matrices.values) * size); };
  tiling.keyWarps = mostWarps / tiling.valueWarps;
  while (stages() < 2)
    tiling.keyWarps /= 2;
  tiling.stages = std::min(stages(), mostStages);
  return tiling;
}

Verdict AttendSplits::suits(const AttendMatrices &matrices) {
  bool isOfWords = areWords(matrices.type);
  if (matrices.values / tilingOf(matrices).valueWarps <= (isOfWords ? 128 : 192))
    return Verdict::yes();
  return Verdict::no(isOfWords ? "a warp of split keys has registers for the sums of 128 values of f32, or for half of "
                                 "a multiple of 64"
                               : "a warp of split keys has registers for the sums of 192 values in 16 bits, or for "
                                 "half of a multiple of 128");
}

AttendSplits::AttendSplits(const AttendProblem &problem, const AttendMatrices &matrices, const AttendParts &parts,
                           const Target &target, StringRef symbol, ModuleOp code)
    : tiling(tilingOf(matrices)), problem(problem), matrices(matrices), parts(parts), target(target),
      frame(problem.kernel, symbol, code, tiling.threads()), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame, parts.numbers),
      fragments(problem, target, frame, rows), sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      queryTile(memory, tileRows, matrices.features * elementBytes(matrices.type)), sharedAt(memory.bytes()),
      stages(matrices, frame, rows, memory, tiling.keys(), tiling.stages), partMemory(parts, problem, frame) {
  int64_t shared = tiling.keyWarps * tileRows * (headBytes + (matrices.values + rowPadding) * 4);
  if (int64_t more = sharedAt + shared - memory.bytes(); more > 0)
    memory.take(more);
}

KernelPhase AttendSplits::emit() {
  openBlock();
  sources.copyQueries(tiles, queryTile, firstRow, tiles.fromIndex(frame.place.thread), tiling.threads());
  shareStates(passTiles());
  storeParts();
  SizeExpr blocks = parts.numbers.batches * parts.splits * parts.numbers.rows.ceilDiv(tileRows);
  return {frame.place.symbol, blocks, tiling.threads(), memory.bytes()};
}

/// Blocks with the same keys follow each other.
void AttendSplits::openBlock() {
  Value blocks = frame.size(parts.numbers.rows.ceilDiv(tileRows)), ofRows = loops.div(frame.place.block, blocks);
  firstRow = loops.mul(loops.rem(frame.place.block, blocks), loops.constant(tileRows));
  split = loops.rem(ofRows, partMemory.splits);
  rows.openBatch(loops.div(ofRows, partMemory.splits));
  rows.open(firstRow, tileRows);
  rows.range = partMemory.cut(rows.range, split, tiling.keys());
  Value thread = tiles.fromIndex(frame.place.thread);
  laneNumber = tiles.rem(thread, warpThreads);
  Value warp = tiles.div(thread, warpThreads), valueWarp = tiles.rem(warp, tiling.valueWarps);
  keyWarp = tiles.div(warp, tiling.valueWarps);
  firstValue = tiles.mul(valueWarp, matrices.values / tiling.valueWarps);
  fragments.open(firstRow, laneNumber);
  stages.open(sources, laneNumber, tiles.mul(keyWarp, tiling.keysOfWarp), tiling.valueWarps > 1 ? firstValue : Value());
}

//===------------------------------------------ tiles of keys -----------------------------------------------------===//

/// All stages but one are under way, or there, while a tile is computed. Tiles are carried from the one that is
/// computed to the last one that was asked for: first key, whether all is kept.
AttendSplits::States AttendSplits::passTiles() {
  States start = fragments.start(matrices.values / tiling.valueWarps, /*withSink=*/false);
  int64_t ahead = stages.stages - 1, numbers = 2 * ahead + 1;
  Values carried;
  for (int64_t stage = 0; stage < ahead; ++stage) {
    Value from = stage == 0 ? rows.range.begin : loops.add(carried[2 * stage - 2], tiling.keys());
    KeyTile tile = rows.search(from, tiling.keys());
    stages.copy(tile, tiles.number(stage));
    carried.append({tile.first, tile.all});
  }
  carried.push_back(tiles.number(0));
  carried.append(start.packed());
  auto isLeft = [&](ValueRange now) { return loops.less(now[0], rows.range.end); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange now) {
    Value stage = now[2 * ahead], into = tiles.rem(tiles.add(stage, ahead), stages.stages);
    awaitCopies(tiles, ahead - 1);
    tiles.waitForBlock();
    KeyTile next = rows.search(loops.add(now[2 * ahead - 2], tiling.keys()), tiling.keys());
    stages.copy(next, into);
    Values results = llvm::to_vector(now.slice(2, 2 * ahead - 2));
    results.append({next.first, next.all, tiles.rem(tiles.add(stage, 1), stages.stages)});
    results.append(computeTile({now[0], now[1]}, stage, start.with(now.drop_front(numbers))).packed());
    return results;
  });
  awaitCopies(tiles, 0); // the queries, where there was no tile
  return start.with(ValueRange(last).drop_front(numbers));
}

AttendSplits::States AttendSplits::computeTile(const KeyTile &tile, Value stage, States states) {
  FragmentReader readQueries(tiles, queryTile, FragmentReader::Matrix::A, /*columnsAreDepth=*/true, laneNumber, {});
  Value queries = queryTile.stage(tiles, tiles.number(0));
  Values products = stages.products(readQueries, queries, stage, tiling.keysOfWarp / productColumns);
  KeyTile own{loops.add(tile.first, tiles.toIndex(tiles.mul(keyWarp, tiling.keysOfWarp))), tile.all};
  if (areWords(matrices.type))
    fragments.checkProducts(products, states);
  Values scores = fragments.scoresOf(own, products);
  Values corrections;
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.weightsOf(own, scores, states);
  stages.addValues(stage, fragments.leftMatrices(matrices.type, weights), corrections, states.values);
  return states;
}

//===------------------------------------------ what warps have ---------------------------------------------------===//

/// Pointers to m and l of a row that a warp has, and to a value of it; numbers are i32.
Value AttendSplits::headAt(Value warp, Value row) {
  Value place = tiles.mul(tiles.add(tiles.mul(warp, tileRows), row), headBytes);
  return tiles.at(memory.base, tiles.add(place, sharedAt));
}

Value AttendSplits::valuesAt(Value warp, Value row, Value column) {
  Value place = tiles.mul(tiles.add(tiles.mul(warp, tileRows), row), matrices.values + rowPadding);
  int64_t first = sharedAt + tiling.keyWarps * tileRows * headBytes;
  return tiles.at(memory.base, tiles.add(tiles.mul(tiles.add(place, column), 4), first));
}

/// Leaves what a warp has where all threads of the block see it, over tiles that nobody reads any more.
void AttendSplits::shareStates(const States &states) {
  OpBuilder &b = loops.builder;
  auto pairType = VectorType::get({2}, b.getF32Type());
  auto pairOf = [&](Value left, Value right) -> Value {
    return vector::FromElementsOp::create(b, loops.location, pairType, ValueRange{left, right});
  };
  tiles.waitForBlock();
  FragmentPlace place = placeInFragment(tiles, laneNumber);
  Values totals = fragments.totalsOf(states);
  for (int64_t row = 0; row < AttendFragments::rowsOfLane; ++row) {
    Value number = tiles.add(place.row, row * productRows / AttendFragments::rowsOfLane);
    tiles.when(tiles.less(tiles.add(place.column, firstValue), tiles.number(2)),
               [&] { tiles.store(pairOf(states.largest[row], totals[row]), headAt(keyWarp, number)); });
    for (int64_t square = 0; square < matrices.values / tiling.valueWarps / productColumns; ++square) {
      int64_t first = square * AttendFragments::sumsOfSquare + 2 * row;
      Value column = tiles.add(tiles.add(firstValue, place.column), square * productColumns);
      tiles.store(pairOf(states.values[first], states.values[first + 1]), valuesAt(keyWarp, number, column));
    }
  }
  tiles.waitForBlock();
}

Value AttendSplits::correctionOf(Value before, Value largest) {
  Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(largest));
  return factor ? vector::ExtractOp::create(loops.builder, loops.location, factor, 0).getResult() : loops.scalar(1);
}

/// Writes the parts of the rows that exist, four values a thread at a time.
void AttendSplits::storeParts() {
  tiles.loop(tiles.fromIndex(frame.place.thread), tiles.number(tileRows * matrices.values / deviceLanes),
             tiling.threads(), {}, [&](Value number, ValueRange) {
               Value row = loops.add(firstRow, tiles.toIndex(tiles.div(number, matrices.values / deviceLanes)));
               loops.when(rows.exists(row), [&] { storeUnit(number); });
               return TileBuilder::Values();
             });
}

void AttendSplits::storeUnit(Value number) {
  OpBuilder &b = loops.builder;
  LoopBuilder wide(b, loops.location, deviceLanes);
  int64_t units = matrices.values / deviceLanes;
  Value row = tiles.div(number, units), column = tiles.mul(tiles.rem(number, units), deviceLanes);
  auto ofHead = [&](int64_t warp, int64_t which) {
    Value pointer = tiles.at(headAt(tiles.number(warp), row), tiles.number(which * 4));
    return tiles.load(b.getF32Type(), pointer);
  };
  Value largest = ofHead(0, 0);
  for (int64_t warp = 1; warp < tiling.keyWarps; ++warp)
    largest = loops.maxKeepingFirst(largest, ofHead(warp, 0));
  Value sum = loops.scalar(0), values = wide.splat(0.0);
  for (int64_t warp = 0; warp < tiling.keyWarps; ++warp) {
    Value factor = correctionOf(ofHead(warp, 0), largest);
    sum = loops.addf(sum, loops.mulf(ofHead(warp, 1), factor));
    values =
        wide.fma(tiles.load(wide.vectorType(), valuesAt(tiles.number(warp), row, column)), wide.splat(factor), values);
  }
  Value part = partMemory.number(rows.batch, loops.add(firstRow, tiles.toIndex(row)), split);
  partMemory.store(part, tiles.toIndex(column), values);
  loops.when(tiles.less(column, tiles.number(1)), [&] { partMemory.storeHead(part, {largest, sum}); });
}

} // namespace attnc
