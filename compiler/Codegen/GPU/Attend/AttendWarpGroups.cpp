#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

/// The barriers by which warp groups take turns.
static constexpr int64_t firstTurnBarrier = 1;

//===------------------------------------------ tiles -------------------------------------------------------------===//

/// Of what a block may have, some is for rows that are computed again.
static constexpr int64_t bytesOfTiles = 216 << 10;
static constexpr int64_t fewestStages = 2;

namespace {

/// Of a thread. 168 are there for each of the three warp groups when the block begins: what two take, one has given.
struct Registers {
  int64_t toFetch, toCompute;
  int64_t ofFormulas; ///< of those to compute, what score, mask and weight take
};

constexpr Registers byHardware{40, 232, 64}, byThreads{72, 216, 56};
/// Threads have one copy under way while the next begins: more stages than two would stay empty.
constexpr int64_t mostStagesOfHardware = 4, mostStagesOfThreads = 2;

} // namespace

/// S, the weights of the tile before, and O are in registers, and what formulas take. Those that read by the key take
/// more, the more keys there are.
static bool haveRegisters(const AttendMatrices &matrices, int64_t keys, const Registers &registers, int64_t reads) {
  constexpr int64_t mostKeysReading = 64, ofReading = 16;
  int64_t sums = keys / 2 + keys / 4 + matrices.values / 2;
  if (reads > 0 && keys > mostKeysReading)
    return false;
  return sums + registers.ofFormulas + reads * ofReading <= registers.toCompute;
}

/// Of each ring: what is left of a block's memory beside the queries.
static int64_t stagesOf(const AttendMatrices &matrices, int64_t keys, int64_t most) {
  int64_t left = bytesOfTiles / elementBytes(matrices.type) - AttendWarpGroups::queries * matrices.features;
  return std::min(most, left / (keys * (matrices.features + matrices.values)));
}

/// Threads that copy have an address for each unit of a tile that they copy, and its place too where rows are no powers
/// of two.
static bool haveAddresses(const AttendMatrices &matrices, int64_t keys) {
  constexpr int64_t mostUnits = 16;
  int64_t columns = std::max(matrices.features, matrices.values);
  int64_t units = keys * columns * elementBytes(matrices.type) / (unitBytes * warpGroupThreads);
  return (llvm::isPowerOf2_64(columns) ? units : 2 * units) <= mostUnits;
}

/// Whether the hardware copies tiles of so many keys.
static Verdict readMaps(const AttendProblem &problem, const AttendMatrices &matrices, int64_t keys,
                        std::optional<AttendMaps> &maps) {
  SmallVector<int64_t> sizes(KernelSizes(problem.kernel).numSymbols(), typicalSize);
  if (problem.cost().flops.evaluate(sizes) < flopsWorthMaps)
    return Verdict::no("attention below 2^34 operations ends before they pay");
  return AttendMaps::match(problem, matrices, AttendWarpGroups::queries, keys, maps);
}

Verdict AttendWarpGroups::chooseTiling(const AttendProblem &problem, const AttendMatrices &matrices,
                                       std::optional<Tiling> &tiling) {
  int64_t reads = readsByKey(problem);
  for (int64_t keys : {128, 96, 64, 48, 32, 16}) {
    std::optional<AttendMaps> maps;
    Verdict hasMaps = readMaps(problem, matrices, keys, maps);
    const Registers &registers = maps ? byHardware : byThreads;
    int64_t stages = stagesOf(matrices, keys, maps ? mostStagesOfHardware : mostStagesOfThreads);
    bool hasRoom = haveRegisters(matrices, keys, registers, reads) && (maps || haveAddresses(matrices, keys));
    if (stages < fewestStages || !hasRoom)
      continue;
    tiling = {keys, stages, registers.toFetch, registers.toCompute, maps, hasMaps};
    return Verdict::yes();
  }
  return Verdict::no("the values of 64 queries leave a thread of a warp group too few registers for its formulas");
}

//===------------------------------------------ a block -----------------------------------------------------------===//

AttendWarpGroups::AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Tiling &tiling,
                                   const Target &target, StringRef symbol, ModuleOp code)
    : problem(problem), matrices(matrices), tiling(tiling), frame(problem.kernel, symbol, code, threads),
      tiles(frame.builder, frame.location), loops(frame.builder, frame.location, /*lanes=*/1), rows(problem, frame),
      fragments(problem, target, frame, rows), sources(problem, this->matrices, frame, rows), memory(tiles, frame.code),
      rings(matrices, {queries, tiling.keys, tiling.stages, /*emptiers=*/consumers * warpGroupThreads / warpThreads},
            this->tiling.maps, frame, rows, memory) {}

KernelPhase AttendWarpGroups::emit() {
  openBlock();
  Value fetches = tiles.less(thread, tiles.number(warpGroupThreads));
  tiles.when(fetches, [&] {
    giveRegisters(tiles, tiling.registersToFetch);
    rings.fill(sources, thread, firstRow);
  });
  tiles.when(tiles.opposite(fetches), [&] {
    takeRegisters(tiles, tiling.registersToCompute);
    computeAll();
  });
  return {frame.place.symbol, problem.batches * rowBlocks(), threads, memory.bytes(), DeviceForm::WarpGroups};
}

void AttendWarpGroups::openBlock() {
  firstRow = rows.openBlock(queries);
  thread = tiles.fromIndex(frame.place.thread);
  rings.open(thread);
}

Value AttendWarpGroups::isLeft(const KeyTile &tile) { return loops.less(tile.first, rows.range.end); }

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
  Value warp = tiles.ofFirstLane(tiles.div(own, warpThreads));
  group = tiles.div(warp, warpGroupThreads / warpThreads);
  laneNumber = tiles.rem(thread, warpThreads);
  fragments.open(loops.add(firstRow, tiles.toIndex(tiles.mul(warp, productRows))), laneNumber);
  turns.emplace(tiles, group, firstTurnBarrier);
  KeyTile first = rows.search(rows.range.begin, tiling.keys);
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
  states.values = awaitProducts(tiles, 0, addValues(carried), carried.weights);
  return states;
}

/// The scores and weights of the first tile.
AttendWarpGroups::Carried AttendWarpGroups::begin(const KeyTile &first, const States &start) {
  TileRing::Place place = rings.ofKeys.first(tiles);
  Carried made{rows.search(loops.add(first.first, tiling.keys), tiling.keys), place, start, {}};
  rings.ofKeys.awaitFull(tiles, place);
  turns->take();
  Values sums = multiplyKeys(place);
  turns->pass(tiles.opposite(isLeft(made.next)));
  sums = awaitProducts(tiles, 0, sums);
  release(rings.ofKeys, place);
  Values corrections; // of nothing
  made.weights = weigh(first, sums, made.states, corrections);
  return made;
}

/// The scores and weights of the next tile, while the values of this one are added.
AttendWarpGroups::Carried AttendWarpGroups::continueWith(const Carried &before) {
  TileRing::Place place = rings.ofKeys.next(tiles, before.place);
  Carried made{rows.search(loops.add(before.next.first, tiling.keys), tiling.keys), place, before.states, {}};
  rings.ofKeys.awaitFull(tiles, place);
  turns->take();
  Values sums = multiplyKeys(place), values = addValues(before);
  turns->pass(tiles.opposite(isLeft(made.next)));
  sums = awaitProducts(tiles, 1, sums);
  release(rings.ofKeys, place);
  Values corrections;
  made.weights = weigh(before.next, sums, made.states, corrections);
  made.states.values = awaitProducts(tiles, 0, values, before.weights);
  release(rings.ofValues, before.place);
  AttendFragments::correct(made.states.values, corrections, loops);
  return made;
}

/// What a row's sums of values have to be multiplied with is left in `corrections`.
LoopBuilder::Values AttendWarpGroups::weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections) {
  Values scores = fragments.scoresOf(tile, sums);
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.weightsOf(tile, scores, states), left;
  for (int64_t square = 0; square < tiling.keys / productColumns; square += 2)
    llvm::append_range(left, fragments.leftMatrix(matrices.type, weights, square));
  return left;
}

/// One arrival a warp.
void AttendWarpGroups::release(const TileRing &ring, const TileRing::Place &place) {
  tiles.when(tiles.less(laneNumber, tiles.number(1)), [&] { ring.markEmpty(tiles, place.stage); });
}

//===------------------------------------------ products ----------------------------------------------------------===//

LoopBuilder::Values AttendWarpGroups::multiplyKeys(const TileRing::Place &place) {
  OpBuilder &b = loops.builder;
  SharedOperand left(rings.queries, matrices.type, /*columnsAreDepth=*/true);
  SharedOperand right(rings.keys, matrices.type, /*columnsAreDepth=*/true);
  Value ofQueries = rings.queries.stage(tiles, tiles.number(0)), here = rings.keys.stage(tiles, place.stage);
  Value firstQuery = tiles.mul(group, warpGroupRows), none = LLVM::UndefOp::create(b, loops.location, b.getF32Type());
  Values sums = beginProducts(tiles, Values(tiling.keys / 2, none));
  for (int64_t k = 0; k < matrices.features; k += productDepth(matrices.type))
    sums = multiplyAdd(tiles, matrices.type, left.part(tiles, ofQueries, firstQuery, k),
                       right.part(tiles, here, tiles.number(0), k), sums, k > 0 ? Value() : loops.boolean(false));
  closeProducts(tiles);
  return sums;
}

LoopBuilder::Values AttendWarpGroups::addValues(const Carried &of) {
  rings.ofValues.awaitFull(tiles, of.place);
  SharedOperand right(rings.values, matrices.type, /*columnsAreDepth=*/false);
  Value here = rings.values.stage(tiles, of.place.stage);
  Values sums = beginProducts(tiles, of.states.values);
  int64_t depth = productDepth(matrices.type);
  for (int64_t key = 0; key < tiling.keys; key += depth) {
    ArrayRef<Value> left = ArrayRef(of.weights).slice(key / depth * 4, 4);
    sums = multiplyAdd(tiles, matrices.type, FragmentA{left[0], left[1], left[2], left[3]},
                       right.part(tiles, here, tiles.number(0), key), sums);
  }
  closeProducts(tiles);
  return sums;
}

} // namespace attnc
