#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/DataSubscripts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

AttendPrefill::AttendPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const AttendPart &part,
                             const Target &target, StringRef symbol, ModuleOp code)
    : problem(problem), schedule(schedule), part(part), target(target), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, schedule.lanes), scratch(frame), mask(problem),
      batch(frame.builder, frame.location, schedule.lanes) {}

SizeExpr AttendPrefill::chunks() const {
  if (problem.yields(attn::Statistic::KeySums))
    return problem.batches * keySumParts(problem, schedule);
  return problem.batches * SizeExpr(modulus()) * part.tiles;
}

void AttendPrefill::emit() {
  openChunk();
  forEachBlockOfRows([&] {
    if (problem.classes)
      loops.when(loops.less(loops.constant(0), rowCount), [&] { emitRows(); }); // some classes have a row less
    else
      emitRows();
  });
}

void AttendPrefill::emitRows() {
  bindRows();
  takeTiles();
  for (unsigned product = 0; product < problem.products.size(); ++product)
    packRows(product);
  initialise();
  if (problem.normaliser->order() == Normaliser::Order::Factor && !problem.needsFinalWeights()) {
    passKeys(Pass::Online);
    findFactors();
    storeValues(/*normalised=*/false);
  } else {
    if (holdsScores()) {
      passKeys(Pass::Hold);
      weighHeld();
    } else if (problem.normaliser->order() == Normaliser::Order::Factor) {
      passKeys(Pass::Statistics);
      findFactors();
    }
    if (problem.normaliser->followsKeys())
      startSums();
    clearWeights();
    passKeys(Pass::Apply);
    storeValues(/*normalised=*/true);
  }
  storeLse();
  storeEntropy();
  storeTop();
}

//===-------------------------------------------- indices -----------------------------------------------------===//

RegionVectoriser AttendPrefill::bindKey(const RegionVectoriser &to, Value key) {
  RegionVectoriser bound = to;
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(indexOf(key, keyResidue), keySizes)))
    bindKeyIndex(problem, bound, dimension, uniformIndex(index));
  return bound;
}

/// The class is `number` of the rows; their keys are `offset` behind them.
void AttendPrefill::openClass(Value number) {
  rowResidue = number;
  keyResidue = loops.rem(loops.add(number, problem.classes->offset), loops.constant(modulus()));
  rows = countBelow(rows, rowResidue);
  keys = countBelow(keys, keyResidue);
  mask.assumeCongruence();
  batch.bindValue(problem.classes->condition, loops.boolean(true));
}

Value AttendPrefill::countBelow(Value index, Value residue) {
  if (!problem.classes)
    return index;
  return loops.ceilDiv(loops.max(loops.constant(0), loops.sub(index, residue)), modulus());
}

void AttendPrefill::openChunk() {
  attn::AttendOp op = problem.op;
  auto sizesOf = [&](ValueRange sizes, Values &into, Value &product) {
    product = loops.constant(1);
    for (Value size : sizes) {
      into.push_back(frame.index(size));
      product = loops.mul(product, into.back());
    }
  };
  Value outers;
  sizesOf(op.getOuterSizes(), outerSizes, outers);
  sizesOf(op.getKeySizes(), keySizes, keys);
  sizesOf(op.getValueSizes(), valueSizes, values);
  frame.bindTo(batch);
  // Both are evaluated for pairs that are dropped, too.
  batch.deferReports(op.getScore());
  batch.deferReports(op.getValue());

  rows = frame.size(problem.rows);
  blocks = frame.size(part.tiles);
  bool isInParts = problem.yields(attn::Statistic::KeySums);
  Value chunk = loops.div(frame.chunk, isInParts ? frame.size(keySumParts(problem, schedule)) : blocks);
  Values batchSizes;
  for (unsigned dimension : problem.batchDims)
    batchSizes.push_back(outerSizes[dimension]);
  Values batchIndices = loops.delinearise(loops.div(chunk, loops.constant(modulus())), batchSizes);
  for (auto [dimension, index] : llvm::zip(problem.batchDims, batchIndices))
    bindOuter(problem, batch, dimension, uniformIndex(index));
  if (problem.classes)
    openClass(loops.rem(chunk, loops.constant(modulus())));
}

/// A chunk is a block of rows, or a part of a batch's blocks: each so many as there are parts, which have about as much
/// to do under any mask.
void AttendPrefill::forEachBlockOfRows(function_ref<void()> body) {
  if (!problem.yields(attn::Statistic::KeySums)) {
    // Under a causal mask later rows have more work: they come first, so that the threads end together.
    openRows(loops.sub(loops.add(blocks, -1), loops.rem(frame.chunk, blocks)));
    return body();
  }
  Value parts = frame.size(keySumParts(problem, schedule)), part = loops.rem(frame.chunk, parts);
  keySums = keySumsOf(problem, schedule, frame);
  firstKeySum = loops.mul(frame.chunk, keys);
  loops.loop(loops.constant(0), keys, loops.constant(1),
             [&](Value key) { loops.storeScalar(loops.scalar(0), keySums, {loops.add(firstKeySum, key)}); });
  loops.loop(part, blocks, parts, [&](Value block) {
    openRows(block);
    body();
  });
}

void AttendPrefill::openRows(Value block) {
  firstRow = loops.add(frame.size(part.first), loops.mul(block, schedule.tileQ()));
  rowCount = loops.min(loops.constant(schedule.tileQ()), loops.sub(rows, firstRow));
}

void AttendPrefill::bindRows() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    rowVectors.push_back(bindRowVector(at(vector)));
  auto bind = [&](Value row) { return bindRow(row); };
  mask.prepareRows(loops, {firstRow, rowCount, bind, /*inOrder=*/true});
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value first = loops.add(firstRow, at(vector));
    Value end = mask.keyEnd(loops, {first, loops.constant(schedule.lanes), bind, /*inOrder=*/true}, allKeys(), batch);
    if (!end)
      return;
    end = countBelow(end, keyResidue);
    vectorKeyEnds.push_back(vector == 0 ? end : loops.max(vectorKeyEnds.back(), end));
  }
}

/// The formulas of the rows from `vector` of the block on, in the lanes.
RegionVectoriser AttendPrefill::bindRowVector(Value vector) {
  Values rowSizes;
  for (unsigned dimension : problem.rowDims)
    rowSizes.push_back(outerSizes[dimension]);
  RegionVectoriser rowVector = batch;
  Value first = loops.add(firstRow, vector);
  if (problem.classes) {
    bindOuter(problem, rowVector, problem.rowDims[0], steppingIndex(indexOf(first, rowResidue), modulus()));
  } else {
    for (auto [dimension, index] : llvm::zip(problem.rowDims, steppingSubscripts(loops, first, rowSizes)))
      bindOuter(problem, rowVector, dimension, index);
  }
  SizeExpr end = part.first + part.tiles * SizeExpr(schedule.tileQ());
  bool isWhole = !problem.classes && problem.rows.isAtLeast(end);
  if (!isWhole)
    rowVector.setActiveLanes(loops.max(loops.constant(0), loops.sub(rowCount, vector)));
  return rowVector;
}

/// Below key liveEnds[v] of a block vectors v, v + 1, ... are computed; earlier ones drop all keys from
/// liveEnds[v - 1] on.
LoopBuilder::Values AttendPrefill::liveEnds(Value firstKey, Value count) {
  Values ends;
  for (Value end : ArrayRef<Value>(vectorKeyEnds).drop_back(vectorKeyEnds.empty() ? 0 : 1))
    ends.push_back(loops.min(count, loops.max(loops.constant(0), loops.sub(end, firstKey))));
  ends.push_back(count);
  return ends;
}

/// The formulas of one row, by its number in the batch.
RegionVectoriser AttendPrefill::bindRow(Value row) {
  Values rowSizes;
  for (unsigned dimension : problem.rowDims)
    rowSizes.push_back(outerSizes[dimension]);
  RegionVectoriser point = batch;
  Values indices = loops.delinearise(indexOf(row, rowResidue), rowSizes);
  for (auto [dimension, index] : llvm::zip(problem.rowDims, indices))
    bindOuter(problem, point, dimension, uniformIndex(index));
  return point;
}

//===-------------------------------------------- scratch -----------------------------------------------------===//

void AttendPrefill::takeTiles() {
  int64_t columns = schedule.tileQ();
  for (const PairReduction &product : problem.products) {
    auto &tiles = rowTiles.emplace_back();
    for (size_t i = 0; i < product.rowExtracts.size(); ++i)
      tiles.push_back(scratch.take(product.features.alignTo(schedule.lanes), columns));
  }
  for (auto [number, product] : llvm::enumerate(problem.products))
    if (product.tanhs)
      takeTanhTiles(number);
    else
      tanhTiles.emplace_back();
  for (size_t i = 0; i < std::max<size_t>(1, problem.products.size()); ++i)
    scoreTiles.push_back(scratch.take(schedule.tileKv, columns));
  sumTile = scratch.take(problem.hasValue() ? problem.values.alignTo(schedule.lanes) : SizeExpr(0), columns);
  SizeExpr held = holdsScores() ? problem.keys : SizeExpr(0);
  heldTile = scratch.take(held, columns);
  SizeExpr flagged = holdsScores() ? problem.keys : SizeExpr(schedule.tileKv);
  keptTile = scratch.take(dropsPairs() ? flagged : SizeExpr(0), schedule.vectors, loops.flagsType());
  for (const PairExtract &extract : problem.pairExtracts) {
    bool isFloat = tensor::ExtractOp(extract.op).getType().isF32();
    Value &tile = pairTiles.emplace_back();
    if (!extract.isBias())
      tile = scratch.take(schedule.tileKv, columns, isFloat ? Type() : frame.builder.getI32Type());
  }
  maxima = scratch.take(1, columns);
  blockMaxima = scratch.take(1, columns);
  sums = scratch.take(1, columns);
  factors = scratch.take(1, columns);
  logSums = scratch.take(problem.yields(attn::Statistic::Entropy) ? 1 : 0, columns);
  int64_t top = problem.top();
  topScores = scratch.take(top, columns);
  topKeys = scratch.take(top, columns, frame.builder.getI32Type());
  topPlaces = scratch.take(holdsScores() ? top : 0, columns, frame.builder.getI32Type());
  firstHeld = loops.constant(0);
}

void AttendPrefill::startRows() {
  attn::AttendOp op = problem.op;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value sink;
    if (problem.hasSink()) {
      RegionVectoriser &row = rowVectors[vector];
      Value score = row.broadcast(row.evaluate(AttendProblem::yielded(op.getSink())));
      sink = loops.mulf(score, loops.splat(problem.normaliser->scoreScale()));
    }
    auto [largest, sum] = problem.normaliser->start(code(), sink);
    storeTile(largest, maxima, vector);
    storeTile(sum, sums, vector);
    if (problem.yields(attn::Statistic::Entropy))
      storeTile(loops.splat(0.0), logSums, vector);
  }
}

/// Sums that weights depend on are carried in each pass.
void AttendPrefill::startSums() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    storeTile(problem.normaliser->start(code(), {}).sum, sums, vector);
}

void AttendPrefill::initialise() {
  Value zeroIndex = loops.constant(0), zero = loops.splat(0.0);
  startRows();
  startTop();
  if (!problem.hasValue())
    return;
  loops.loop(zeroIndex, values, loops.constant(1), [&](Value value) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeTile(zero, sumTile, vector, value);
  });
}

//===-------------------------------------------- blocks of keys ----------------------------------------------===//

/// Where the mask is a table of blocks, as many keys as make each block of pairs be of one row of blocks, or 0.
int64_t AttendPrefill::alignedStep() {
  constexpr int64_t fewest = 32;
  int64_t keysOfElement = problem.hasMask() && !problem.classes ? mask.keysOfElement() : 0;
  if (keysOfElement == 0)
    return 0;
  int64_t parts = (keysOfElement + schedule.tileKv - 1) / schedule.tileKv, step = keysOfElement / parts;
  return keysOfElement % parts == 0 && step >= fewest && step % schedule.lanes == 0 ? step : 0;
}

void AttendPrefill::passKeys(Pass pass) {
  AttendMask::KeyRange range = mask.keyRange(loops, allKeys(), batch);
  range = {countBelow(range.begin, keyResidue), countBelow(range.end, keyResidue)};
  // Blocks of equal length: none is left with a few keys. 128 divides what lengths are often multiples of.
  Value length = loops.max(loops.constant(0), loops.sub(range.end, range.begin));
  Value blocks = loops.max(loops.constant(1), loops.ceilDiv(length, schedule.tileKv));
  Value perBlock = loops.div(loops.add(length, loops.add(blocks, -1)), blocks);
  int64_t unit = hasBias() ? schedule.lanes : keysAtOnce; // biases are transposed in squares
  Value step = loops.mul(loops.max(loops.constant(1), loops.ceilDiv(perBlock, unit)), unit);
  if (int64_t aligned = alignedStep()) {
    step = loops.constant(aligned);
    range.begin = loops.mul(loops.div(range.begin, step), aligned);
  }
  Values held = holdsScores() ? Values{loops.constant(0)} : Values();
  SmallVector<Type> types = llvm::to_vector(ValueRange(held).getTypes());
  held = loops.loop(range.begin, range.end, step, held, [&](Value firstKey, ValueRange before) {
    Value count = loops.min(step, loops.sub(range.end, firstKey)), end = loops.add(firstKey, count);
    // After its last keys a block of rows is followed by the one before it.
    isLastBlock = loops.compare(arith::CmpIPredicate::sge, end, range.end);
    nextPairRow = loops.choose(isLastBlock, loops.add(firstRow, -schedule.tileQ()), firstRow);
    nextPairKey = loops.choose(isLastBlock, range.begin, end);
    auto bind = [&](Value key) { return bindKey(batch, key); };
    AttendMask::Decision decision = mask.decide(loops, firstKey, count, bind);
    auto skip = [&] { return Values(before); };
    auto compute = [&] {
      if (!before.empty())
        firstHeld = before[0];
      computeBlock(pass, firstKey, count, decision.all);
      return before.empty() ? Values() : Values{loops.add(firstHeld, count)};
    };
    auto consider = [&] {
      loadPairTiles(firstKey, count);
      return loops.select(keepsSome(decision.unsure, firstKey, count), types, compute, skip);
    };
    return loops.select(decision.some, types, consider, skip);
  });
  if (!held.empty())
    heldCount = held[0];
}

/// Where the mask cannot be decided by blocks: whether any pair of this one is kept.
Value AttendPrefill::keepsSome(Value unsure, Value firstKey, Value count) {
  if (LoopBuilder::constantOf(unsure) == 0)
    return loops.boolean(true);
  auto test = [&] { return Values{testPairs(firstKey, count)}; };
  return loops.select(unsure, loops.builder.getI1Type(), test, [&] { return Values{loops.boolean(true)}; })[0];
}

Value AttendPrefill::testPairs(Value firstKey, Value count) {
  OpBuilder &builder = loops.builder;
  attn::AttendOp op = problem.op;
  Value none = arith::ConstantOp::create(builder, loops.location,
                                         DenseElementsAttr::get(loops.vectorType(builder.getI1Type()), false));
  Values kept = loops.loop(loops.constant(0), count, loops.constant(1), {none}, [&](Value key, ValueRange carried) {
    Value any = carried[0];
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = bindPair(vector, firstKey, key);
      Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
      if (Value active = pair.laneMask())
        keeps = loops.both(keeps, active);
      any = loops.either(any, keeps);
    }
    return Values{any};
  });
  return vector::ReductionOp::create(builder, loops.location, vector::CombiningKind::OR, kept[0]);
}

/// Products and scores of a block; the rows' largest scores so far, if the normaliser uses them.
LoopBuilder::Values AttendPrefill::computeAllScores(Value firstKey, Value count, Value all) {
  if (keepsMaxima())
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeTile(loadTile(maxima, vector), blockMaxima, vector);
  for (unsigned product = 0; product < problem.products.size(); ++product)
    computeProduct(product, firstKey, count);
  SmallVector<Type> types(problem.normaliser->usesMaximum() ? schedule.vectors : 0, loops.vectorType());
  return loops.select(
      all, types, [&] { return computeScores(firstKey, count, /*masked=*/false); },
      [&] { return computeScores(firstKey, count, /*masked=*/true); });
}

/// Reports what scores of kept pairs read out of range.
void AttendPrefill::checkScores(Value firstKey, Value count) {
  attn::AttendOp op = problem.op;
  if (!readsByData(op.getScore()))
    return;
  loops.loop(loops.constant(0), count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = bindPair(vector, firstKey, key);
      if (problem.hasMask())
        pair.restrictLanes(loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask()))));
      pair.checkSubscripts(op.getScore());
    }
  });
}

void AttendPrefill::computeBlock(Pass pass, Value firstKey, Value count, Value all) {
  Values newMaxima;
  if (pass != Pass::Apply || !holdsScores())
    newMaxima = computeAllScores(firstKey, count, all);
  if (seesScores(pass)) {
    checkScores(firstKey, count);
    if (problem.yieldsTop())
      noteTop(firstKey, count);
  }
  if (pass == Pass::Hold)
    return hold(count, newMaxima);
  PairBlock block = {firstKey, count, dropsByMaskAlone() ? all : loops.boolean(false)};
  Values corrections = weigh(pass, block, newMaxima);
  if (pass == Pass::Statistics)
    return;
  if (problem.hasValue()) {
    checkValues(block);
    accumulateValues(block, corrections);
  }
  if (problem.resultOf(attn::Statistic::Weights))
    storeWeights(firstKey, count);
  if (problem.yields(attn::Statistic::KeySums))
    addKeySums(block);
}

} // namespace attnc
