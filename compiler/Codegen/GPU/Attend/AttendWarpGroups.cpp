#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

/// Of a thread: 168 are there when the block begins, for each of its three groups.
static constexpr int64_t registersToCopy = 72, registersToCompute = 216;
/// The barriers by which warp groups take turns.
static constexpr int64_t firstTurnBarrier = 1;

/// Those of a tile: S, the weights of the tile before, and O; what formulas want comes on top.
static constexpr int64_t registersOfSums = 160;
/// Of what a block may have, some is for rows that are computed again.
static constexpr int64_t bytesOfTiles = 216 << 10;

int64_t AttendWarpGroups::keysOfTile(const AttendMatrices &matrices) {
  auto fits = [&](int64_t keys) {
    int64_t elements = queries * matrices.features + stages * keys * (matrices.features + matrices.values);
    return keys / 2 + keys / 4 + matrices.values / 2 <= registersOfSums &&
           elements * elementBytes(matrices.type) <= bytesOfTiles;
  };
  return fits(128) ? 128 : fits(64) ? 64 : 32;
}

/// Rows lie in panels of as many bytes as the products know, of which the row has whole ones.
SharedTile AttendWarpGroups::tileOf(int64_t rows, int64_t columns, int64_t numStages) {
  int64_t rowBytes = columns * elementBytes(matrices.type), panel = 128;
  while (rowBytes % panel != 0)
    panel /= 2;
  return SharedTile(memory, rows, rowBytes, numStages, panel);
}

AttendWarpGroups::AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
                                   StringRef symbol, ModuleOp code)
    : problem(problem), matrices(matrices), keys(keysOfTile(matrices)), frame(problem.kernel, symbol, code, threads),
      tiles(frame.builder, frame.location), loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame),
      fragments(problem, target, frame, rows), sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      queryTile(tileOf(queries, matrices.features, 1)), keyTile(tileOf(keys, matrices.features, stages)),
      valueTile(tileOf(keys, matrices.values, stages)),
      ring(memory, stages, /*fillers=*/warpGroupThreads, /*emptiers=*/consumers * warpGroupThreads / warpThreads) {}

KernelPhase AttendWarpGroups::emit() {
  openBlock();
  Value copies = tiles.less(thread, tiles.number(warpGroupThreads));
  tiles.when(copies, [&] {
    giveRegisters(tiles, registersToCopy);
    copyAll();
  });
  tiles.when(tiles.opposite(copies), [&] {
    takeRegisters(tiles, registersToCompute);
    computeAll();
  });
  return {frame.place.symbol, problem.batches * rowBlocks(), threads, memory.bytes(), DeviceForm::WarpGroups};
}

void AttendWarpGroups::openBlock() {
  firstRow = rows.openBlock(queries);
  thread = tiles.fromIndex(frame.place.thread);
  ring.open(tiles, thread);
}

Value AttendWarpGroups::isLeft(const KeyTile &tile) { return loops.less(tile.first, rows.range.end); }

//===------------------------------------------ who copies --------------------------------------------------------===//

TileCopy AttendWarpGroups::prepare(const SharedTile &tile, const AttendSources::KeyRows &lines) {
  OpBuilder &b = loops.builder;
  auto offset = [&](Value row) {
    Value distance = b.createOrFold<arith::MulIOp>(loops.location, tiles.widen(row), lines.stride);
    return b.createOrFold<arith::AddIOp>(loops.location, lines.first, distance);
  };
  return TileCopy(tiles, tile, {lines.pointer, offset}, thread, warpGroupThreads);
}

/// A stage holds what is multiplied at a time: keys, and the values of the tile before. The queries are there with the
/// first keys.
void AttendWarpGroups::copyAll() {
  OpBuilder &b = loops.builder;
  sources.copyQueries(tiles, queryTile, firstRow, thread, warpGroupThreads);
  AttendSources::KeyRows ofKeys = sources.keys(), ofValues = sources.values();
  TileCopy copyKeys = prepare(keyTile, ofKeys), copyValues = prepare(valueTile, ofValues);
  auto copy = [&](TileCopy &by, const SharedTile &into, Value stage, Value first, Value stride) {
    tiles.when(isLeft({first, {}}), [&] {
      Value count = loops.min(loops.constant(keys), loops.sub(rows.range.end, first));
      Value number = b.createOrFold<arith::IndexCastOp>(loops.location, b.getI64Type(), first);
      by.issue(into.stage(tiles, stage), b.createOrFold<arith::MulIOp>(loops.location, number, stride),
               tiles.fromIndex(count), nullptr);
    });
  };
  TileRing::Place start = ring.first(tiles);
  Value none = rows.range.end;
  Values carried = {rows.search(rows.range.begin, keys).first, none, start.stage, start.parity};
  auto goesOn = [&](ValueRange carried) { return tiles.either(isLeft({carried[0], {}}), isLeft({carried[1], {}})); };
  tiles.loopWhile(carried, goesOn, [&](ValueRange carried) -> Values {
    Value first = carried[0], before = carried[1];
    TileRing::Place place{carried[2], carried[3]}, next = ring.next(tiles, place);
    ring.awaitEmpty(tiles, place);
    copy(copyKeys, keyTile, place.stage, first, ofKeys.stride);
    copy(copyValues, valueTile, place.stage, before, ofValues.stride);
    closeCopies(tiles);
    awaitCopies(tiles, 0);
    ring.markFull(tiles, place.stage);
    return {rows.search(loops.add(first, keys), keys).first, first, next.stage, next.parity};
  });
  closeCopies(tiles); // the queries, where there was no tile
  awaitCopies(tiles, 0);
}

//===------------------------------------------ who computes ------------------------------------------------------===//

LoopBuilder::Values AttendWarpGroups::Carried::packed() const {
  Values all = {next.first, next.all, place.stage, place.parity};
  all.append(weights);
  all.append(states.packed());
  return all;
}

AttendWarpGroups::Carried AttendWarpGroups::Carried::with(ValueRange packed) const {
  Carried to;
  to.next = {packed[0], packed[1]};
  to.place = {packed[2], packed[3]};
  packed = packed.drop_front(4);
  llvm::append_range(to.weights, packed.take_front(weights.size()));
  to.states = states.with(packed.drop_front(weights.size()));
  return to;
}

void AttendWarpGroups::computeAll() {
  Value own = tiles.sub(thread, tiles.number(warpGroupThreads));
  group = tiles.div(own, warpGroupThreads);
  laneNumber = tiles.rem(thread, warpThreads);
  Value warp = tiles.div(own, warpThreads);
  fragments.open(loops.add(firstRow, tiles.toIndex(tiles.mul(warp, productRows))), laneNumber);
  turns.emplace(tiles, group, firstTurnBarrier);
  KeyTile first = rows.search(rows.range.begin, keys);
  States start = fragments.start(matrices.values);
  SmallVector<Type> types = llvm::to_vector(ValueRange(start.packed()).getTypes());
  Values last = loops.select(
      isLeft(first), types, [&] { return passTiles(first, start).packed(); }, [&] { return start.packed(); });
  fragments.finish(start.with(last));
}

AttendWarpGroups::States AttendWarpGroups::passTiles(const KeyTile &first, const States &start) {
  turns->open();
  Carried carried = begin(first, start);
  carried = carried.with(tiles.loopWhile(
      carried.packed(), [&](ValueRange packed) { return isLeft(carried.with(packed).next); },
      [&](ValueRange packed) { return continueWith(carried.with(packed)).packed(); }));
  States states = carried.states;
  ring.awaitFull(tiles, carried.place);
  states.values = awaitProducts(tiles, 0, addValues(carried), carried.weights);
  return states;
}

/// The scores and weights of the first tile.
AttendWarpGroups::Carried AttendWarpGroups::begin(const KeyTile &first, const States &start) {
  TileRing::Place place = ring.first(tiles);
  Carried made{rows.search(loops.add(first.first, keys), keys), ring.next(tiles, place), start, {}};
  ring.awaitFull(tiles, place);
  turns->take();
  Values sums = multiplyKeys(place);
  turns->pass(tiles.opposite(isLeft(made.next)));
  sums = awaitProducts(tiles, 0, sums);
  release(place);
  Values corrections; // of nothing
  made.weights = weigh(first, sums, made.states, corrections);
  return made;
}

/// The scores and weights of the next tile, while the values of this one are added.
AttendWarpGroups::Carried AttendWarpGroups::continueWith(const Carried &before) {
  const TileRing::Place &place = before.place;
  Carried made{rows.search(loops.add(before.next.first, keys), keys), ring.next(tiles, place), before.states, {}};
  ring.awaitFull(tiles, place);
  turns->take();
  Values sums = multiplyKeys(place), values = addValues(before);
  turns->pass(tiles.opposite(isLeft(made.next)));
  sums = awaitProducts(tiles, 1, sums);
  Values corrections;
  made.weights = weigh(before.next, sums, made.states, corrections);
  made.states.values = awaitProducts(tiles, 0, values, before.weights);
  release(place);
  if (!corrections.empty())
    fragments.correct(made.states, corrections);
  return made;
}

/// What a row's sums of values have to be multiplied with is left in `corrections`.
LoopBuilder::Values AttendWarpGroups::weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections) {
  Values scores = fragments.scoresOf(tile, sums);
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.weightsOf(tile, scores, states), left;
  for (int64_t square = 0; square < keys / productColumns; square += 2)
    llvm::append_range(left, fragments.leftMatrix(matrices.type, weights, square));
  return left;
}

/// One arrival a warp.
void AttendWarpGroups::release(const TileRing::Place &place) {
  tiles.when(tiles.less(laneNumber, tiles.number(1)), [&] { ring.markEmpty(tiles, place.stage); });
}

//===------------------------------------------ products ----------------------------------------------------------===//

LoopBuilder::Values AttendWarpGroups::multiplyKeys(const TileRing::Place &place) {
  OpBuilder &b = loops.builder;
  SharedOperand left(queryTile, matrices.type, /*columnsAreDepth=*/true);
  SharedOperand right(keyTile, matrices.type, /*columnsAreDepth=*/true);
  Value ofQueries = queryTile.stage(tiles, tiles.number(0)), here = keyTile.stage(tiles, place.stage);
  Value firstQuery = tiles.mul(group, warpGroupRows), none = LLVM::UndefOp::create(b, loops.location, b.getF32Type());
  Values sums = beginProducts(tiles, Values(keys / 2, none));
  for (int64_t k = 0; k < matrices.features; k += productDepth(matrices.type))
    sums = multiplyAdd(tiles, matrices.type, left.part(tiles, ofQueries, firstQuery, k),
                       right.part(tiles, here, tiles.number(0), k), sums, k > 0 ? Value() : loops.boolean(false));
  closeProducts(tiles);
  return sums;
}

LoopBuilder::Values AttendWarpGroups::addValues(const Carried &of) {
  SharedOperand right(valueTile, matrices.type, /*columnsAreDepth=*/false);
  Value here = valueTile.stage(tiles, of.place.stage);
  Values sums = beginProducts(tiles, of.states.values);
  int64_t depth = productDepth(matrices.type);
  for (int64_t key = 0; key < keys; key += depth) {
    ArrayRef<Value> left = ArrayRef(of.weights).slice(key / depth * 4, 4);
    sums = multiplyAdd(tiles, matrices.type, FragmentA{left[0], left[1], left[2], left[3]},
                       right.part(tiles, here, tiles.number(0), key), sums);
  }
  closeProducts(tiles);
  return sums;
}

} // namespace attnc
