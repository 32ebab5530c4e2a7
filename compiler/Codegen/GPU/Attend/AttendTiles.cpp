#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Codegen/DataSubscripts.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ what has this form ------------------------------------------------===//

static std::optional<MatrixType> storedTypeOf(tensor::ExtractOp extract) {
  BlockArgument argument = argumentOf(extract.getTensor());
  return argument ? matrixTypeOf(cast<RankedTensorType>(argument.getType()).getElementType()) : std::nullopt;
}

/// Whether its rows lie in memory as whole units of 16 bytes, with `column` along them.
static bool hasWholeRows(tensor::ExtractOp extract, BlockArgument column, int64_t elements) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  return IndexUses::isPlacedByIndices(extract) && !extract.getIndices().empty() &&
         extract.getIndices().back() == column && type.getShape().back() == elements;
}

/// 16 .. 256 elements, in fragments of 16.
static bool isTileWidth(const SizeExpr &size) {
  return size.isConstant() && size.constant() >= 16 && size.constant() <= 256 && size.constant() % 16 == 0;
}

static bool isOnePass(const AttendProblem &problem) {
  const Normaliser &normaliser = *problem.normaliser;
  return normaliser.order() == Normaliser::Order::Factor && !problem.needsFinalWeights() && !normaliser.followsKeys() &&
         problem.hasValue() && !problem.yields(attn::Statistic::Entropy) && !problem.yieldsTop();
}

std::optional<AttendTilesShape> AttendTilesShape::of(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  if (!isAligned(problem.kernel))
    return std::nullopt;
  for (Region *formula : {&op.getScore(), &op.getWeight(), &op.getValue()})
    if (readsByData(*formula))
      return std::nullopt;
  if (!isOnePass(problem) || problem.products.size() != 1 || !problem.products[0].isDot || op.getNumKeys() != 1 ||
      op.getNumValues() != 1)
    return std::nullopt;
  const PairReduction &product = problem.products[0];
  attn::ReduceOp reduce = product.op;
  tensor::ExtractOp query = product.rowExtracts[0], key = product.keyFactor.getDefiningOp<tensor::ExtractOp>();
  auto value = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!key || !value || reduce.getSizes().size() != 1 || !isTileWidth(product.features) || !isTileWidth(problem.values))
    return std::nullopt;
  int64_t features = product.features.constant(), values = problem.values.constant();
  BlockArgument feature = reduce.getBody().getArgument(0), column = op.getValue().getArguments().back();
  BlockArgument keyOfScore = op.getScore().getArguments().back();
  BlockArgument keyOfValue = op.getValue().getArgument(op.getNumOuter());
  bool areRows = hasWholeRows(query, feature, features) && hasWholeRows(key, feature, features) &&
                 hasWholeRows(value, column, values) && IndexUses::stepsAlong(key, keyOfScore) &&
                 IndexUses::stepsAlong(value, keyOfValue) && !(IndexUses(op).of(value) & problem.rowUses());
  std::optional<MatrixType> type = storedTypeOf(query);
  if (!areRows || !type || storedTypeOf(key) != type || storedTypeOf(value) != type)
    return std::nullopt;
  // Weights of the other normalisers have no bound, and f16 has one.
  if (*type == MatrixType::F16 && (!problem.normaliser->usesMaximum() || problem.hasWeight()))
    return std::nullopt;
  return AttendTilesShape{*type, features, values, std::max(features, values) > 128 ? 32 : 64, query, key, value};
}

//===------------------------------------------ the block's rows --------------------------------------------------===//

AttendTiles::AttendTiles(const AttendProblem &problem, const AttendTilesShape &shape, const Target &target,
                         StringRef symbol, ModuleOp code)
    : problem(problem), shape(shape), target(target), frame(problem.kernel, symbol, code, AttendTilesShape::threads),
      tiles(frame.builder, frame.location), loops(frame.builder, frame.location, /*lanes=*/2),
      warp(ThreadGroup::Kind::Warp, frame.place, frame.builder, frame.location), general(problem, target, frame),
      mask(problem), memory(tiles, frame.code),
      queryTile(memory, AttendTilesShape::queries, shape.features * elementBytes(shape.type)),
      keyTile(memory, shape.keys, shape.features * elementBytes(shape.type), /*stages=*/2),
      valueTile(memory, shape.keys, shape.values * elementBytes(shape.type), /*stages=*/2) {
  mask.scanKeysBy([this](const AttendMask::KeyRange &keys, function_ref<Value(Value)> valueAt) {
    return scanInWarp(loops, warp, keys, valueAt);
  });
}

KernelPhase AttendTiles::emit() {
  openBlock();
  openCopies();
  finish(passTiles());
  return {frame.place.symbol, problem.batches * rowBlocks(), AttendTilesShape::threads, memory.bytes()};
}

Value AttendTiles::lane(Value vector, int64_t number) {
  return vector::ExtractOp::create(loops.builder, loops.location, vector, number);
}

void AttendTiles::openBlock() {
  for (Value size : op().getOuterSizes())
    outerSizes.push_back(frame.index(size));
  rows = frame.size(problem.rows);
  keys = frame.size(problem.keys);
  Value blocks = frame.size(rowBlocks());
  Values batchSizes;
  for (unsigned dimension : problem.batchDims)
    batchSizes.push_back(outerSizes[dimension]);
  batchNumber = loops.div(frame.place.block, blocks);
  batchIndices = loops.delinearise(batchNumber, batchSizes);
  // Under a causal mask later rows have more work: they come first, so that the multiprocessors end together.
  Value block = loops.sub(loops.add(blocks, -1), loops.rem(frame.place.block, blocks));
  firstRow = loops.mul(block, AttendTilesShape::queries);

  Value thread = tiles.fromIndex(frame.place.thread);
  laneNumber = tiles.rem(thread, warpThreads);
  warpNumber = tiles.div(thread, warpThreads);
  place = placeInFragment(tiles, laneNumber);
  Value firstOwn = tiles.toIndex(tiles.add(tiles.mul(warpNumber, productRows), place.row));
  for (int64_t row = 0; row < rowsOfLane; ++row) {
    Value number = loops.add(loops.add(firstRow, firstOwn), row * productRows / rowsOfLane);
    rowExists.push_back(loops.less(number, rows));
    ownRows.push_back(loops.min(number, loops.add(rows, -1)));
    rowPoints.push_back(bindRow(openBatch(loops.lanes), ownRows[row]));
  }
  RegionVectoriser batch = openBatch(1);
  auto bind = [&](Value row) { return bindRow(batch, row); };
  Value count = loops.min(loops.constant(AttendTilesShape::queries), loops.sub(rows, firstRow));
  mask.prepareRows(loops, {firstRow, count, bind, /*inOrder=*/true});
  range = mask.keyRange(loops, keys, batch);
}

/// The formulas of the batch, for `lanes` points at once.
RegionVectoriser AttendTiles::openBatch(int64_t lanes) {
  RegionVectoriser batch(frame.builder, frame.location, lanes);
  frame.bindTo(batch);
  batch.deferReports(op().getScore());
  for (auto [dimension, index] : llvm::zip(problem.batchDims, batchIndices))
    bindOuter(problem, batch, dimension, uniformIndex(index));
  return batch;
}

RegionVectoriser AttendTiles::bindRow(RegionVectoriser to, Value row) {
  Values sizes;
  for (unsigned dimension : problem.rowDims)
    sizes.push_back(outerSizes[dimension]);
  for (auto [dimension, index] : llvm::zip(problem.rowDims, loops.delinearise(row, sizes)))
    bindOuter(problem, to, dimension, uniformIndex(index));
  return to;
}

//===------------------------------------------ copies ------------------------------------------------------------===//

/// Where an extract reads, as a number of bytes (i64).
Value AttendTiles::bytesOf(tensor::ExtractOp extract, RegionVectoriser &point) {
  Value memref = frame.buffer(extract.getTensor());
  Values subscripts, sizes;
  for (auto [dimension, subscript] : llvm::enumerate(extract.getIndices())) {
    subscripts.push_back(point.evaluateIndex(subscript).base);
    sizes.push_back(loops.sizeOf(memref, dimension));
  }
  Value bytes = loops.mul(loops.linearise(subscripts, sizes), elementBytes(shape.type));
  return loops.builder.createOrFold<arith::IndexCastOp>(loops.location, loops.builder.getI64Type(), bytes);
}

/// Of the first feature, or value, of a key.
Value AttendTiles::placeOfKey(tensor::ExtractOp extract, Value key) {
  RegionVectoriser point = openBatch(1);
  bindKeyIndex(problem, point, 0, uniformIndex(key));
  bindValueIndex(problem, point, 0, uniformIndex(loops.constant(0)));
  point.bindIndex(attn::ReduceOp(product().op).getBody().getArgument(0), loops.constant(0));
  return bytesOf(extract, point);
}

AttendTiles::KeyRows AttendTiles::rowsOf(tensor::ExtractOp extract) {
  Value first = placeOfKey(extract, loops.constant(0)), second = placeOfKey(extract, loops.constant(1));
  return {first, loops.builder.createOrFold<arith::SubIOp>(loops.location, second, first)};
}

Value AttendTiles::pointerOf(tensor::ExtractOp extract) {
  unsigned buffer = 0;
  for (BlockArgument argument :
       func::FuncOp(problem.kernel).getArguments().take_front(argumentOf(extract.getTensor()).getArgNumber()))
    buffer += isa<RankedTensorType>(argument.getType());
  return frame.pointer(buffer);
}

/// Copies the queries, and prepares the copies of keys and values.
void AttendTiles::openCopies() {
  OpBuilder &b = loops.builder;
  Value thread = tiles.fromIndex(frame.place.thread), zero = arith::ConstantIntOp::create(b, loops.location, 0, 64);
  BlockArgument feature = attn::ReduceOp(product().op).getBody().getArgument(0);
  auto ofQuery = [&](Value row) {
    Value number = loops.min(loops.add(firstRow, tiles.toIndex(row)), loops.add(rows, -1));
    RegionVectoriser point = bindRow(openBatch(1), number);
    point.bindIndex(feature, loops.constant(0));
    return bytesOf(shape.query, point);
  };
  TileCopy copyQueries(tiles, queryTile, {pointerOf(shape.query), ofQuery}, thread, AttendTilesShape::threads);
  copyQueries.issue(queryTile.stage(tiles, tiles.number(0)), zero, nullptr, nullptr);
  KeyRows ofKeys = rowsOf(shape.key), ofValues = rowsOf(shape.value);
  auto offsetIn = [&](const KeyRows &lines) {
    return [&](Value row) {
      Value distance = b.createOrFold<arith::MulIOp>(loops.location, tiles.widen(row), lines.stride);
      return b.createOrFold<arith::AddIOp>(loops.location, lines.first, distance);
    };
  };
  auto keyOffset = offsetIn(ofKeys), valueOffset = offsetIn(ofValues);
  copyKeys.emplace(tiles, keyTile, TileSource{pointerOf(shape.key), keyOffset}, thread, AttendTilesShape::threads);
  copyValues.emplace(tiles, valueTile, TileSource{pointerOf(shape.value), valueOffset}, thread,
                     AttendTilesShape::threads);
  keyStride = ofKeys.stride;
  valueStride = ofValues.stride;
  readKeys.emplace(tiles, keyTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/true, laneNumber, nullptr, nullptr);
  readValues.emplace(tiles, valueTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/false, laneNumber, nullptr,
                     nullptr);
}

/// Begins to copy a tile's keys and values to stage number `stage`; past the last key there are zeros.
void AttendTiles::copyTile(const KeyTile &tile, Value stage) {
  OpBuilder &b = loops.builder;
  Value count = loops.min(loops.constant(shape.keys), loops.sub(range.end, tile.first));
  Value first = b.createOrFold<arith::IndexCastOp>(loops.location, b.getI64Type(), tile.first);
  auto issue = [&](TileCopy &copy, const SharedTile &into, Value stride) {
    Value advance = b.createOrFold<arith::MulIOp>(loops.location, first, stride);
    copy.issue(into.stage(tiles, stage), advance, tiles.fromIndex(count), nullptr);
  };
  loops.when(loops.less(tile.first, range.end), [&] {
    issue(*copyKeys, keyTile, keyStride);
    issue(*copyValues, valueTile, valueStride);
  });
  closeCopies(tiles);
}

//===------------------------------------------ tiles of keys -----------------------------------------------------===//

/// The first tile from a key on of which a pair may be kept.
AttendTiles::KeyTile AttendTiles::search(Value from) {
  if (!problem.hasMask())
    return {from, loops.boolean(true)};
  OpBuilder &b = loops.builder;
  RegionVectoriser batch = openBatch(1);
  auto bind = [&](Value key) {
    RegionVectoriser point = batch;
    bindKeyIndex(problem, point, 0, uniformIndex(key));
    return point;
  };
  Type flag = b.getI1Type(), types[] = {from.getType(), flag};
  auto search = scf::WhileOp::create(b, loops.location, types, from);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&search.getBefore(), {}, from.getType(), loops.location);
  Value first = before->getArgument(0);
  Values decided = loops.select(
      loops.less(first, range.end), {flag, flag},
      [&] {
        Value count = loops.min(loops.constant(shape.keys), loops.sub(range.end, first));
        AttendMask::Decision decision = mask.decide(loops, first, count, bind);
        return Values{decision.some, decision.all};
      },
      [&] {
        return Values{loops.boolean(true), loops.boolean(true)};
      });
  Value isEmpty = b.createOrFold<arith::XOrIOp>(loops.location, decided[0], loops.boolean(true));
  scf::ConditionOp::create(b, loops.location, isEmpty, ValueRange{first, decided[1]});
  Block *after = b.createBlock(&search.getAfter(), {}, types, {loops.location, loops.location});
  scf::YieldOp::create(b, loops.location, loops.add(after->getArgument(0), shape.keys));
  return {search.getResult(0), search.getResult(1)};
}

LoopBuilder::Values AttendTiles::States::packed() const {
  Values all(largest);
  all.append(sums);
  for (const FragmentD &fragment : values)
    all.append(fragment.begin(), fragment.end());
  return all;
}

AttendTiles::States AttendTiles::States::with(ValueRange packed) const {
  States next = *this;
  auto take = [&](Value &into) {
    into = packed.front();
    packed = packed.drop_front();
  };
  llvm::for_each(next.largest, take);
  llvm::for_each(next.sums, take);
  for (FragmentD &fragment : next.values)
    llvm::for_each(fragment, take);
  return next;
}

/// What a row has before its first key counts once: the first of its lanes has it.
AttendTiles::States AttendTiles::startOfRows() {
  States start;
  Value zero = loops.splat(0.0), isFirst = tiles.less(place.column, tiles.number(2));
  for (RegionVectoriser &point : rowPoints) {
    Value sink;
    if (problem.hasSink()) {
      sink = point.broadcast(point.evaluate(AttendProblem::yielded(op().getSink())));
      sink = loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
    }
    Normaliser::Carriers carriers = problem.normaliser->start(code(), sink);
    start.largest.push_back(lane(carriers.largest, 0));
    Value sum = vector::FromElementsOp::create(loops.builder, loops.location, loops.vectorType(),
                                               ValueRange{lane(carriers.sum, 0), loops.scalar(0)});
    start.sums.push_back(loops.choose(isFirst, sum, zero));
  }
  start.values.assign(shape.values / productColumns, zeroFragment(tiles));
  return start;
}

/// While a tile is computed the next one is copied. A barrier a tile: behind it the tile is there, and nobody reads any
/// more what the next one overwrites.
AttendTiles::States AttendTiles::passTiles() {
  OpBuilder &b = loops.builder;
  States start = startOfRows();
  KeyTile first = search(range.begin);
  copyTile(first, tiles.number(0));
  Values carried = {first.first, first.all, tiles.number(0)};
  carried.append(start.packed());
  SmallVector<Type> types = llvm::to_vector(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), loops.location);
  auto pass = scf::WhileOp::create(b, loops.location, types, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&pass.getBefore(), {}, types, locations);
    Value isLeft = loops.less(before->getArgument(0), range.end);
    scf::ConditionOp::create(b, loops.location, isLeft, before->getArguments());
    Block *after = b.createBlock(&pass.getAfter(), {}, types, locations);
    KeyTile tile{after->getArgument(0), after->getArgument(1)};
    Value stage = after->getArgument(2);
    awaitCopies(tiles, 0);
    tiles.waitForBlock();
    KeyTile next = search(loops.add(tile.first, shape.keys));
    Value nextStage = tiles.exclusiveOr(stage, 1);
    copyTile(next, nextStage);
    Values results = {next.first, next.all, nextStage};
    results.append(computeTile(tile, stage, start.with(after->getArguments().drop_front(3))).packed());
    scf::YieldOp::create(b, loops.location, results);
  }
  return start.with(pass.getResults().drop_front(3));
}

} // namespace attnc
