#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Analysis/OpCost.h"

using namespace mlir;

namespace attnc {

/// Largest size of both stages of 32-bit elements: with the longest queries, which take twice as much, a block fits any
/// device.
static constexpr int64_t wideTileBytes = 32 << 10;

/// Whether score, mask and weight take more instructions than a scaled product under a causal mask, or there is a sink.
static bool haveManyFormulas(const AttendProblem &problem) {
  constexpr int64_t scaledAndCausal = 7;
  attn::AttendOp op = problem.op;
  int64_t instructions = 0;
  for (Region *formula : {&op.getScore(), &op.getMask(), &op.getWeight()})
    instructions += costOf(*formula).instructions;
  return instructions > scaledAndCausal || !op.getSink().empty();
}

int64_t AttendTiles::tileKeys(const AttendProblem &problem, const AttendMatrices &matrices) {
  constexpr int64_t maxValuesWithFormulas = 192; // with more values, 32 keys spill
  if (!is32Bit(matrices.type)) {
    if (matrices.values > maxValuesWithFormulas && haveManyFormulas(problem))
      return 16;
    return std::max(matrices.features, matrices.values) > 128 ? 32 : 64;
  }
  int64_t keyBytes = 2 * (matrices.features + matrices.values) * elementBytes(matrices.type), keys = 64;
  while (keys * keyBytes > wideTileBytes)
    keys /= 2;
  return keys;
}

AttendTiles::AttendTiles(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
                         StringRef symbol, ModuleOp code)
    : keys(tileKeys(problem, matrices)), problem(problem), matrices(matrices),
      frame(problem.kernel, symbol, code, threads), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame), fragments(problem, target, frame, rows),
      sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      queryTile(memory, queries, matrices.features * elementBytes(matrices.type)),
      stages(this->matrices, frame, rows, memory, keys, /*stages=*/2) {}

KernelPhase AttendTiles::emit() {
  openBlock();
  openCopies();
  States states = passTiles();
  awaitCopies(tiles, 0);
  fragments.finish(states);
  return {frame.position.symbol, problem.batches * rowBlocks(), threads, memory.bytes()};
}

void AttendTiles::openBlock() {
  firstRow = rows.openBlock(queries);
  Value thread = tiles.fromIndex(frame.position.thread);
  laneNumber = tiles.rem(thread, warpThreads);
  warpNumber = tiles.div(thread, warpThreads);
  fragments.open(loops.add(firstRow, tiles.toIndex(tiles.mul(warpNumber, productRows))), laneNumber);
}

//===------------------------------------------ copies ------------------------------------------------------------===//

/// Copies the queries, and prepares the copies of keys and values.
void AttendTiles::openCopies() {
  sources.copyQueries(tiles, queryTile, firstRow, tiles.fromIndex(frame.position.thread), threads);
  stages.open(sources, laneNumber, {}, {});
}

//===------------------------------------------ tiles of keys -----------------------------------------------------===//

/// The next tile is copied while a tile is computed. One barrier for each tile: after it the tile has arrived, and no
/// thread reads the buffer that the next copy overwrites.
AttendTiles::States AttendTiles::passTiles() {
  States start = fragments.start(matrices.values);
  KeyTile first = rows.search(rows.range.begin, keys);
  stages.copy(first, tiles.constant(0));
  Values carried = {first.first, first.all, tiles.constant(0)};
  carried.append(start.packed());
  auto isLeft = [&](ValueRange carried) { return loops.less(carried[0], rows.range.end); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange carried) {
    KeyTile tile{carried[0], carried[1]};
    Value stage = carried[2];
    awaitCopies(tiles, 0);
    tiles.syncBlock();
    KeyTile next = rows.search(loops.add(tile.first, keys), keys);
    Value nextStage = tiles.exclusiveOr(stage, 1);
    stages.copy(next, nextStage);
    Values results = {next.first, next.all, nextStage};
    results.append(computeTile(tile, stage, start.with(carried.drop_front(3))).packed());
    return results;
  });
  return start.with(ValueRange(last).drop_front(3));
}

AttendTiles::States AttendTiles::computeTile(const KeyTile &tile, Value stage, States states) {
  FragmentReader readQueries(tiles, queryTile, FragmentReader::Matrix::A, /*columnsAreDepth=*/true, laneNumber,
                             {tiles.mul(warpNumber, productRows), {}});
  int64_t squares = keys / productColumns;
  Values products = stages.products(readQueries, queryTile.stageOffset(tiles, tiles.constant(0)), stage, squares);
  if (is32Bit(matrices.type))
    fragments.checkProducts(products, states);
  Values scores = fragments.computeScores(tile, products);
  Values corrections;
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.computeWeights(tile, scores, states);
  stages.addValues(stage, fragments.leftMatrices(matrices.type, weights), corrections, states.values);
  return states;
}

} // namespace attnc
