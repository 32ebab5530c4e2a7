#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

/// First of the two named barriers of the consumers' OrderedBarrier.
static constexpr int64_t firstOrderBarrier = 1;

//===------------------------------------------ tiles -------------------------------------------------------------===//

/// Shared memory for tiles; the rest of a block's memory is for rows that are computed again.
static constexpr int64_t tileBytes = 216 << 10;
static constexpr int64_t fewestStages = 2;

namespace {

/// Registers of a thread. Each of the three warp groups starts with 168: two consumers gain what the producer releases.
struct Registers {
  int64_t toFetch, toCompute;
  int64_t forFormulas; ///< the share of `toCompute` that score, mask and weight use
};

constexpr Registers withTma{40, 232, 64}, withThreads{72, 216, 56};
/// Copying threads have one copy pending while the next starts, so more than two stages would stay empty.
constexpr int64_t maxTmaStages = 4, maxThreadStages = 2;

} // namespace

/// Whether registers suffice for S, the previous tile's weights, O and the formulas. Formulas that read elements by key
/// need more registers, the more keys a tile has.
static bool haveRegisters(const AttendMatrices &matrices, int64_t keys, const Registers &registers, int64_t reads) {
  constexpr int64_t maxKeysReading = 64, perRead = 16;
  int64_t sums = keys / 2 + keys / 4 + matrices.values / 2;
  if (reads > 0 && keys > maxKeysReading)
    return false;
  return sums + registers.forFormulas + reads * perRead <= registers.toCompute;
}

/// Stages of each ring buffer: as many as fit beside the queries.
static int64_t countStages(const AttendMatrices &matrices, int64_t keys, int64_t maxStages) {
  int64_t left = tileBytes / elementBytes(matrices.type) - AttendWarpGroups::queries * matrices.features;
  return std::min(maxStages, left / (keys * (matrices.features + matrices.values)));
}

/// Whether a copying thread has registers for an address of each 16-byte vector that it copies; a second one for each
/// is needed if rows are not powers of two.
static bool haveAddresses(const AttendMatrices &matrices, int64_t keys) {
  constexpr int64_t maxVectors = 16;
  int64_t columns = std::max(matrices.features, matrices.values);
  int64_t vectors = keys * columns * elementBytes(matrices.type) / (vectorBytes * warpGroupThreads);
  return (llvm::isPowerOf2_64(columns) ? vectors : 2 * vectors) <= maxVectors;
}

/// Whether TMA copies tiles of so many keys.
static Verdict readMaps(const AttendProblem &problem, const AttendMatrices &matrices, int64_t keys,
                        std::optional<AttendMaps> &maps) {
  SmallVector<int64_t> sizes(KernelSizes(problem.kernel).numSymbols(), typicalSize);
  if (problem.cost().flops.evaluate(sizes) < flopsWorthMaps)
    return Verdict::no("attention below 2^34 operations is too short to gain from them");
  return AttendMaps::match(problem, matrices, AttendWarpGroups::queries, keys, maps);
}

Verdict AttendWarpGroups::chooseTiling(const AttendProblem &problem, const AttendMatrices &matrices,
                                       std::optional<Tiling> &tiling) {
  int64_t reads = readsByKey(problem);
  for (int64_t keys : {128, 96, 64, 48, 32, 16}) {
    std::optional<AttendMaps> maps;
    Verdict hasMaps = readMaps(problem, matrices, keys, maps);
    const Registers &registers = maps ? withTma : withThreads;
    int64_t stages = countStages(matrices, keys, maps ? maxTmaStages : maxThreadStages);
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
      rings(matrices, {queries, tiling.keys, tiling.stages, /*consumers=*/consumers * warpGroupThreads / warpThreads},
            this->tiling.maps, frame, rows, memory) {}

KernelPhase AttendWarpGroups::emit() {
  openBlock();
  Value fetches = tiles.less(thread, tiles.constant(warpGroupThreads));
  tiles.when(fetches, [&] {
    decreaseRegisters(tiles, tiling.registersToFetch);
    rings.fill(sources, thread, firstRow);
  });
  tiles.when(tiles.opposite(fetches), [&] {
    increaseRegisters(tiles, tiling.registersToCompute);
    computeAll();
  });
  return {frame.position.symbol, problem.batches * rowBlocks(), threads, memory.bytes(), DeviceVariant::WarpGroups};
}

void AttendWarpGroups::openBlock() {
  firstRow = rows.openBlock(queries);
  thread = tiles.fromIndex(frame.position.thread);
  rings.open(thread);
}

Value AttendWarpGroups::isLeft(const KeyTile &tile) { return loops.less(tile.first, rows.range.end); }

//===------------------------------------------ consumers ---------------------------------------------------------===//

LoopBuilder::Values AttendWarpGroups::Carried::packed() const {
  Values all = {next.first, next.all, position.stage, position.parity};
  all.append(weights);
  all.append(states.packed());
  return all;
}

AttendWarpGroups::Carried AttendWarpGroups::Carried::with(ValueRange packed) const {
  Carried to;
  to.next = {packed[0], packed[1]};
  to.position = {packed[2], packed[3]};
  packed = packed.drop_front(4);
  llvm::append_range(to.weights, packed.take_front(weights.size()));
  to.states = states.with(packed.drop_front(weights.size()));
  return to;
}

void AttendWarpGroups::computeAll() {
  Value own = tiles.sub(thread, tiles.constant(warpGroupThreads));
  Value warp = tiles.broadcastFirstLane(tiles.div(own, warpThreads));
  group = tiles.div(warp, warpGroupThreads / warpThreads);
  laneNumber = tiles.rem(thread, warpThreads);
  fragments.open(loops.add(firstRow, tiles.toIndex(tiles.mul(warp, productRows))), laneNumber);
  order.emplace(tiles, group, firstOrderBarrier);
  KeyTile first = rows.search(rows.range.begin, tiling.keys);
  States start = fragments.start(matrices.values);
  SmallVector<Type> types = llvm::to_vector(ValueRange(start.packed()).getTypes());
  Values last = loops.select(
      isLeft(first), types, [&] { return passTiles(first, start).packed(); }, [&] { return start.packed(); });
  fragments.finish(start.with(last));
}

AttendWarpGroups::States AttendWarpGroups::passTiles(const KeyTile &first, const States &start) {
  order->open();
  Carried carried = begin(first, start);
  carried = carried.with(tiles.loopWhile(
      carried.packed(), [&](ValueRange packed) { return isLeft(carried.with(packed).next); },
      [&](ValueRange packed) { return continueWith(carried.with(packed)).packed(); }));
  States states = carried.states;
  states.values = awaitProducts(tiles, 0, addValues(carried), carried.weights);
  return states;
}

/// Computes scores and weights of the first tile.
AttendWarpGroups::Carried AttendWarpGroups::begin(const KeyTile &first, const States &start) {
  TileRing::Position position = rings.keyRing.first(tiles);
  Carried result{rows.search(loops.add(first.first, tiling.keys), tiling.keys), position, start, {}};
  rings.keyRing.awaitFull(tiles, position);
  order->wait();
  Values sums = multiplyKeys(position);
  order->release(tiles.opposite(isLeft(result.next)));
  sums = awaitProducts(tiles, 0, sums);
  release(rings.keyRing, position);
  Values corrections; // there is no O yet
  result.weights = weigh(first, sums, result.states, corrections);
  return result;
}

/// Computes scores and weights of the next tile, while the values of this one are added.
AttendWarpGroups::Carried AttendWarpGroups::continueWith(const Carried &before) {
  TileRing::Position position = rings.keyRing.next(tiles, before.position);
  Carried result{rows.search(loops.add(before.next.first, tiling.keys), tiling.keys), position, before.states, {}};
  rings.keyRing.awaitFull(tiles, position);
  order->wait();
  Values sums = multiplyKeys(position), values = addValues(before);
  order->release(tiles.opposite(isLeft(result.next)));
  sums = awaitProducts(tiles, 1, sums);
  release(rings.keyRing, position);
  Values corrections;
  result.weights = weigh(before.next, sums, result.states, corrections);
  result.states.values = awaitProducts(tiles, 0, values, before.weights);
  release(rings.valueRing, before.position);
  AttendFragments::correct(result.states.values, corrections, loops);
  return result;
}

/// `corrections` returns the factors of O, by row.
LoopBuilder::Values AttendWarpGroups::weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections) {
  Values scores = fragments.computeScores(tile, sums);
  if (problem.normaliser->usesMaximum())
    corrections = fragments.raiseMaxima(scores, states);
  Values weights = fragments.computeWeights(tile, scores, states), left;
  for (int64_t square = 0; square < tiling.keys / productColumns; square += 2)
    llvm::append_range(left, fragments.leftMatrix(matrices.type, weights, square));
  return left;
}

/// One arrival for each warp.
void AttendWarpGroups::release(const TileRing &ring, const TileRing::Position &position) {
  tiles.when(tiles.less(laneNumber, tiles.constant(1)), [&] { ring.markEmpty(tiles, position.stage); });
}

//===------------------------------------------ products ----------------------------------------------------------===//

LoopBuilder::Values AttendWarpGroups::multiplyKeys(const TileRing::Position &position) {
  OpBuilder &b = loops.builder;
  SharedOperand left(rings.queries, matrices.type, /*columnsAreDepth=*/true);
  SharedOperand right(rings.keys, matrices.type, /*columnsAreDepth=*/true);
  Value queryStage = rings.queries.stageOffset(tiles, tiles.constant(0)),
        here = rings.keys.stageOffset(tiles, position.stage);
  Value firstQuery = tiles.mul(group, warpGroupRows), none = LLVM::UndefOp::create(b, loops.location, b.getF32Type());
  Values sums = beginProducts(tiles, Values(tiling.keys / 2, none));
  for (int64_t k = 0; k < matrices.features; k += productDepth(matrices.type))
    sums = multiplyAdd(tiles, matrices.type, left.slice(tiles, queryStage, firstQuery, k),
                       right.slice(tiles, here, tiles.constant(0), k), sums, k > 0 ? Value() : loops.boolean(false));
  commitProducts(tiles);
  return sums;
}

LoopBuilder::Values AttendWarpGroups::addValues(const Carried &of) {
  rings.valueRing.awaitFull(tiles, of.position);
  SharedOperand right(rings.values, matrices.type, /*columnsAreDepth=*/false);
  Value here = rings.values.stageOffset(tiles, of.position.stage);
  Values sums = beginProducts(tiles, of.states.values);
  int64_t depth = productDepth(matrices.type);
  for (int64_t key = 0; key < tiling.keys; key += depth) {
    ArrayRef<Value> left = ArrayRef(of.weights).slice(key / depth * 4, 4);
    sums = multiplyAdd(tiles, matrices.type, FragmentA{left[0], left[1], left[2], left[3]},
                       right.slice(tiles, here, tiles.constant(0), key), sums);
  }
  commitProducts(tiles);
  return sums;
}

} // namespace attnc
