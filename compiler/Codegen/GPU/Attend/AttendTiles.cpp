#include "compiler/Codegen/GPU/Attend/AttendTiles.h"

using namespace mlir;

namespace attnc {

AttendTiles::AttendTiles(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
                         StringRef symbol, ModuleOp code)
    : keys(std::max(matrices.features, matrices.values) > 128 ? 32 : 64), problem(problem), matrices(matrices),
      frame(problem.kernel, symbol, code, threads), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame), fragments(problem, target, frame, rows),
      sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      queryTile(memory, queries, matrices.features * elementBytes(matrices.type)),
      keyTile(memory, keys, matrices.features * elementBytes(matrices.type), /*stages=*/2),
      valueTile(memory, keys, matrices.values * elementBytes(matrices.type), /*stages=*/2) {}

KernelPhase AttendTiles::emit() {
  openBlock();
  openCopies();
  States states = passTiles();
  awaitCopies(tiles, 0);
  fragments.finish(states);
  return {frame.place.symbol, problem.batches * rowBlocks(), threads, memory.bytes()};
}

void AttendTiles::openBlock() {
  Value blocks = frame.size(rowBlocks());
  rows.openBatch(loops.div(frame.place.block, blocks));
  // Under a causal mask later rows have more work: they come first, so that the multiprocessors end together.
  Value block = loops.sub(loops.add(blocks, -1), loops.rem(frame.place.block, blocks));
  firstRow = loops.mul(block, queries);
  rows.open(firstRow, queries);
  Value thread = tiles.fromIndex(frame.place.thread);
  laneNumber = tiles.rem(thread, warpThreads);
  warpNumber = tiles.div(thread, warpThreads);
  fragments.open(loops.add(firstRow, tiles.toIndex(tiles.mul(warpNumber, productRows))), laneNumber);
}

//===------------------------------------------ copies ------------------------------------------------------------===//

/// Copies the queries, and prepares the copies of keys and values.
void AttendTiles::openCopies() {
  OpBuilder &b = loops.builder;
  Value thread = tiles.fromIndex(frame.place.thread), zero = arith::ConstantIntOp::create(b, loops.location, 0, 64);
  auto ofQuery = [&](Value row) { return sources.query(loops.add(firstRow, tiles.toIndex(row))); };
  TileCopy copyQueries(tiles, queryTile, {sources.queries(), ofQuery}, thread, threads);
  copyQueries.issue(queryTile.stage(tiles, tiles.number(0)), zero, nullptr, nullptr);
  auto prepare = [&](std::optional<TileCopy> &copy, const SharedTile &tile, const AttendSources::KeyRows &lines) {
    auto offset = [&](Value row) {
      Value distance = b.createOrFold<arith::MulIOp>(loops.location, tiles.widen(row), lines.stride);
      return b.createOrFold<arith::AddIOp>(loops.location, lines.first, distance);
    };
    copy.emplace(tiles, tile, TileSource{lines.pointer, offset}, thread, threads);
    return lines.stride;
  };
  keyStride = prepare(copyKeys, keyTile, sources.keys());
  valueStride = prepare(copyValues, valueTile, sources.values());
  readKeys.emplace(tiles, keyTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/true, laneNumber, nullptr, nullptr);
  readValues.emplace(tiles, valueTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/false, laneNumber, nullptr,
                     nullptr);
}

/// Begins to copy a tile's keys and values to stage number `stage`; past the last key there are zeros.
void AttendTiles::copyTile(const KeyTile &tile, Value stage) {
  OpBuilder &b = loops.builder;
  Value count = loops.min(loops.constant(keys), loops.sub(rows.range.end, tile.first));
  Value first = b.createOrFold<arith::IndexCastOp>(loops.location, b.getI64Type(), tile.first);
  auto issue = [&](TileCopy &copy, const SharedTile &into, Value stride) {
    Value advance = b.createOrFold<arith::MulIOp>(loops.location, first, stride);
    copy.issue(into.stage(tiles, stage), advance, tiles.fromIndex(count), nullptr);
  };
  loops.when(loops.less(tile.first, rows.range.end), [&] {
    issue(*copyKeys, keyTile, keyStride);
    issue(*copyValues, valueTile, valueStride);
  });
  closeCopies(tiles);
}

//===------------------------------------------ tiles of keys -----------------------------------------------------===//

/// While a tile is computed the next one is copied. A barrier a tile: behind it the tile is there, and nobody reads any
/// more what the next one overwrites.
AttendTiles::States AttendTiles::passTiles() {
  States start = fragments.start(matrices.values);
  KeyTile first = rows.search(rows.range.begin, keys);
  copyTile(first, tiles.number(0));
  Values carried = {first.first, first.all, tiles.number(0)};
  carried.append(start.packed());
  auto isLeft = [&](ValueRange carried) { return loops.less(carried[0], rows.range.end); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange carried) {
    KeyTile tile{carried[0], carried[1]};
    Value stage = carried[2];
    awaitCopies(tiles, 0);
    tiles.waitForBlock();
    KeyTile next = rows.search(loops.add(tile.first, keys), keys);
    Value nextStage = tiles.exclusiveOr(stage, 1);
    copyTile(next, nextStage);
    Values results = {next.first, next.all, nextStage};
    results.append(computeTile(tile, stage, start.with(carried.drop_front(3))).packed());
    return results;
  });
  return start.with(ValueRange(last).drop_front(3));
}

AttendTiles::States AttendTiles::computeTile(const KeyTile &tile, Value stage, States states) {
  Values scores = fragments.scoresOf(tile, products(stage));
  if (problem.normaliser->usesMaximum())
    fragments.correct(states, fragments.raiseMaxima(scores, states));
  Values weights = fragments.weightsOf(tile, scores, states);
  addValues(stage, weights, states);
  return states;
}

//===------------------------------------------ products ----------------------------------------------------------===//

static FragmentD fragmentAt(ValueRange sums, int64_t square) {
  ValueRange four = sums.slice(square * AttendFragments::sumsOfSquare, AttendFragments::sumsOfSquare);
  return {four[0], four[1], four[2], four[3]};
}

/// sums += a * b of two squares beside each other.
static void addSquares(TileBuilder &tiles, MatrixType type, const FragmentA &a, const std::array<Value, 4> &b,
                       int64_t square, TileBuilder::Values &sums) {
  for (int64_t beside = 0; beside < 2; ++beside) {
    FragmentD sum = multiplyAdd(tiles, type, a, {b[2 * beside], b[2 * beside + 1]}, fragmentAt(sums, square + beside));
    llvm::copy(sum, sums.begin() + (square + beside) * AttendFragments::sumsOfSquare);
  }
}

/// Q K^T, a fragment for each 8 keys.
LoopBuilder::Values AttendTiles::products(Value stage) {
  int64_t squares = keys / productColumns;
  Values sums(squares * AttendFragments::sumsOfSquare, loops.scalar(0));
  Value here = keyTile.stage(tiles, stage), ofQueries = queryTile.stage(tiles, tiles.number(0));
  FragmentReader readQueries(tiles, queryTile, FragmentReader::Matrix::A, /*columnsAreDepth=*/true, laneNumber,
                             tiles.mul(warpNumber, productRows), nullptr);
  for (int64_t unit = 0; unit < keyTile.rowUnits(); unit += 2) {
    FragmentA query = readQueries.read(ofQueries, 0, unit);
    for (int64_t square = 0; square < squares; square += 2)
      addSquares(tiles, matrices.type, query, readKeys->read(here, square * productColumns, unit), square, sums);
  }
  return sums;
}

/// O += P V: 16 keys at a time, whose weights are the left matrix.
void AttendTiles::addValues(Value stage, const Values &weights, States &states) {
  Value here = valueTile.stage(tiles, stage);
  for (int64_t square = 0; square < keys / productColumns; square += 2) {
    FragmentA weight = fragments.leftMatrix(matrices.type, weights, square);
    for (int64_t column = 0; column < matrices.values / productColumns; column += 2)
      addSquares(tiles, matrices.type, weight, readValues->read(here, square * productColumns, column), column,
                 states.values);
  }
}

} // namespace attnc
