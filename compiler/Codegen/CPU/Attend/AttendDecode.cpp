#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

Verdict canDecode(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  if (problem.needsFinalWeights() || !problem.hasValue())
    return Verdict::no("what it yields needs finished weights, and parts of a row are joined as sums");
  if (problem.yields(attn::Statistic::Entropy) || problem.yieldsTop())
    return Verdict::no("parts of a row carry no entropy and no largest keys");
  if (problem.normaliser->followsKeys() || problem.normaliser->order() == Normaliser::Order::AllScores)
    return Verdict::no("a weight depends on more than sums over parts of its row");
  for (const PairReduction &product : problem.products)
    if (attn::ReduceOp(product.op).getSizes().size() != 1)
      return Verdict::no("a product has several feature indices");
  if (op.getNumKeys() != 1 || op.getNumValues() != 1)
    return Verdict::no("it has several key or value indices");
  std::string few = "keys are split for " + std::to_string(mostDecodeRows) + " queries that share them at most";
  if (!problem.rows.isConstant())
    return Verdict::no(few + ", and how many there are is only known when it runs");
  if (int64_t queries = problem.rows.constant() * problem.group; queries > mostDecodeRows)
    return Verdict::no(few + ", and here are " + std::to_string(queries));
  return Verdict::yes();
}

AttendDecodeShape::AttendDecodeShape(const AttendProblem &problem, const AttendSchedule &schedule)
    : rows(problem.rows.constant() * problem.group), batches(1),
      splits(SizeExpr::max(1, problem.keys.ceilDiv(schedule.splitKv))),
      partSize(problem.values.alignTo(schedule.lanes) + SizeExpr(schedule.lanes)), partHead(schedule.lanes) {
  for (unsigned dimension : problem.batchDims) {
    const SizeExpr &size = problem.outerSizes[dimension];
    batches = batches * (dimension == problem.groupDim ? size.ceilDiv(problem.group) : size);
  }
}

AttendDecode::AttendDecode(const AttendProblem &problem, const AttendSchedule &schedule, const AttendDecodeShape &shape,
                           const Target &target, StringRef symbol, ModuleOp code)
    : problem(problem), schedule(schedule), shape(shape), target(target), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, schedule.lanes), scratch(frame), mask(problem),
      batch(frame.builder, frame.location, schedule.lanes) {
  int64_t number = (shape.rows + 3) / 4;
  for (int64_t tile = 0, first = 0; tile < number; ++tile) {
    int64_t count = (shape.rows - first) / (number - tile);
    rowTiles.push_back({first, count});
    first += count;
  }
}

//===-------------------------------------------- chunks and rows ---------------------------------------------===//

void AttendDecode::openChunk(bool withSplits) {
  attn::AttendOp op = problem.op;
  for (auto [sizes, into] :
       {std::pair(op.getOuterSizes(), &outerSizes), {op.getKeySizes(), &keySizes}, {op.getValueSizes(), &valueSizes}})
    for (Value size : sizes)
      into->push_back(frame.index(size));
  keys = keySizes[0];
  values = valueSizes[0];
  frame.bindTo(batch);
  // Both are evaluated for pairs that are dropped, too.
  batch.deferReports(op.getScore());
  batch.deferReports(op.getValue());

  Value splits = frame.size(shape.splits);
  batchNumber = withSplits ? loops.div(frame.chunk, splits) : frame.chunk;
  if (withSplits) {
    firstSplitKey = loops.mul(loops.rem(frame.chunk, splits), schedule.splitKv);
    endSplitKey = loops.min(keys, loops.add(firstSplitKey, schedule.splitKv));
  }
  Values batchSizes;
  for (unsigned dimension : problem.batchDims)
    batchSizes.push_back(dimension == problem.groupDim ? loops.ceilDiv(outerSizes[dimension], problem.group)
                                                       : outerSizes[dimension]);
  Values indices = loops.delinearise(batchNumber, batchSizes);
  Value groupNumber;
  for (auto [dimension, index] : llvm::zip(problem.batchDims, indices)) {
    if (dimension == problem.groupDim)
      groupNumber = index;
    else
      bindOuter(problem, batch, dimension, uniformIndex(index));
  }
  firstOfGroup = groupNumber ? loops.mul(groupNumber, problem.group) : Value();
  for (int64_t row = 0; row < shape.rows; ++row)
    rowPoints.push_back(bindRow(loops.constant(row)));
}

/// Row (head of the group, query): the queries of one head follow each other. The last group may be short: its last
/// head is repeated, and not stored.
RegionVectoriser AttendDecode::bindRow(Value row) {
  Values sizes;
  if (problem.groupDim)
    sizes.push_back(loops.constant(problem.group));
  for (unsigned dimension : problem.rowDims)
    sizes.push_back(outerSizes[dimension]);
  Values indices = loops.delinearise(row, sizes);
  RegionVectoriser point = batch;
  if (problem.groupDim) {
    Value head = loops.add(firstOfGroup, indices[0]);
    const SizeExpr &heads = problem.outerSizes[*problem.groupDim];
    if (!heads.isConstant() || heads.constant() % problem.group != 0)
      head = loops.min(head, loops.add(outerSizes[*problem.groupDim], -1));
    bindOuter(problem, point, *problem.groupDim, uniformIndex(head));
  }
  for (auto [dimension, index] :
       llvm::zip(problem.rowDims, ArrayRef<Value>(indices).drop_front(problem.groupDim ? 1 : 0)))
    bindOuter(problem, point, dimension, uniformIndex(index));
  return point;
}

//===-------------------------------------------- phase 1 -----------------------------------------------------===//

void AttendDecode::emitParts() {
  openChunk(/*withSplits=*/true);
  for (size_t i = 0; i < std::max<size_t>(1, problem.products.size()); ++i)
    scoreTiles.push_back(scratch.take(shape.rows, blockKeys() + schedule.lanes));
  partTile = scratch.take(schedule.lanes, schedule.lanes);
  keptTile = scratch.take(shape.rows, blockKeys() + schedule.lanes, frame.builder.getI32Type());
  sumTile = scratch.take(SizeExpr(shape.rows) * problem.values.alignTo(schedule.lanes), 1);
  maxima = scratch.take(shape.rows, schedule.lanes);
  sums = scratch.take(shape.rows, schedule.lanes);
  Value zero = loops.constant(0), rowValues = frame.size(problem.values.alignTo(schedule.lanes));
  Normaliser::Carriers start = problem.normaliser->start(code(), {});
  for (int64_t row = 0; row < shape.rows; ++row) {
    loops.store(start.largest, maxima, {loops.constant(row * schedule.lanes)});
    loops.store(start.sum, sums, {loops.constant(row * schedule.lanes)});
  }
  loops.loop(zero, loops.mul(rowValues, shape.rows), loops.constant(schedule.lanes),
             [&](Value value) { loops.store(loops.splat(0.0), sumTile, {value}); });

  auto bind = [&](Value row) { return bindRow(row); };
  mask.prepareRows(loops, {zero, loops.constant(shape.rows), bind, /*inOrder=*/false});
  AttendMask::KeyRange range = mask.keyRange(loops, keys, batch);
  range.begin = loops.max(range.begin, firstSplitKey);
  range.end = endOfKeys = loops.min(range.end, endSplitKey);
  loops.loop(range.begin, range.end, loops.constant(blockKeys()), [&](Value firstKey) {
    Value count = loops.min(loops.constant(blockKeys()), loops.sub(range.end, firstKey));
    auto bindKey = [&](Value key) {
      RegionVectoriser point = batch;
      bindKeyIndex(problem, point, 0, uniformIndex(key));
      return point;
    };
    AttendMask::Decision decision = mask.decide(loops, firstKey, count, bindKey);
    loops.when(decision.some, [&] { computeBlock(firstKey, count, decision.all); });
  });
  storeParts();
}

void AttendDecode::computeBlock(Value firstKey, Value count, Value all) {
  for (unsigned product = 0; product < problem.products.size(); ++product)
    computeProduct(product, firstKey, count);
  auto weights = [&](bool masked) {
    for (int64_t row = 0; row < shape.rows; ++row)
      computeWeights(row, firstKey, count, masked);
    return Values();
  };
  loops.select(
      all, {}, [&] { return weights(false); }, [&] { return weights(true); });
  accumulateValues(firstKey, count);
}

/// A row's part in the shared scratch: (memref, place of m; l follows), O begins at `partHead`.
LoopBuilder::Values AttendDecode::partAt(Value batchNumber, Value split, int64_t row) {
  Value size = frame.size(shape.partSize), splits = frame.size(shape.splits);
  Value number = loops.add(loops.mul(loops.add(loops.mul(batchNumber, splits), split), shape.rows), row);
  auto type = MemRefType::get({ShapedType::kDynamic}, loops.builder.getF32Type());
  Value elements = frame.size(shape.batches * shape.splits * SizeExpr(shape.rows) * shape.partSize);
  return {frame.shared(int64_t(0), type, elements), loops.mul(number, size)};
}

void AttendDecode::storeParts() {
  Value split = loops.div(firstSplitKey, loops.constant(schedule.splitKv));
  Value rowValues = frame.size(problem.values.alignTo(schedule.lanes));
  for (int64_t row = 0; row < shape.rows; ++row) {
    Values part = partAt(batchNumber, split, row);
    Value place = loops.constant(row * schedule.lanes);
    Value sum = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD,
                                            loops.load(sums, {place}), arith::FastMathFlags::reassoc);
    loops.storeScalar(loops.loadScalar(maxima, {place}), part[0], {part[1]});
    loops.storeScalar(sum, part[0], {loops.add(part[1], 1)});
    Value from = loops.mul(rowValues, row), to = loops.add(part[1], shape.partHead);
    loops.loop(loops.constant(0), rowValues, loops.constant(schedule.lanes), [&](Value value) {
      loops.store(loops.load(sumTile, {loops.add(from, value)}), part[0], {loops.add(to, value)});
    });
  }
}

//===-------------------------------------------- phase 2 -----------------------------------------------------===//

void AttendDecode::emitMerge() {
  openChunk(/*withSplits=*/false);
  for (int64_t row = 0; row < shape.rows; ++row) {
    int64_t headOfGroup = row / problem.rows.constant();
    if (problem.groupDim)
      loops.when(loops.less(loops.add(firstOfGroup, headOfGroup), outerSizes[*problem.groupDim]),
                 [&] { mergeRow(row); });
    else
      mergeRow(row);
  }
}

LoopBuilder::Value AttendDecode::firstLane(Value vector) {
  return vector::ExtractOp::create(loops.builder, loops.location, vector, 0);
}

/// What a row has before its first key, as scalars: its sink counts once, whatever the splits.
Normaliser::Carriers AttendDecode::startOfRow(int64_t row) {
  Value sink;
  if (problem.hasSink()) {
    Value score = rowPoints[row].broadcast(rowPoints[row].evaluate(AttendProblem::yielded(op().getSink())));
    sink = loops.mulf(score, loops.splat(problem.normaliser->scoreScale()));
  }
  Normaliser::Carriers start = problem.normaliser->start(code(), sink);
  return {firstLane(start.largest), firstLane(start.sum)};
}

void AttendDecode::mergeRow(int64_t row) {
  Value zero = loops.constant(0), one = loops.constant(1), splits = frame.size(shape.splits);
  auto partOf = [&](Value split) { return partAt(batchNumber, split, row); };
  Normaliser::Carriers start = startOfRow(row);
  Value largest = loops.loop(zero, splits, one, {start.largest}, [&](Value split, ValueRange carried) {
    Values part = partOf(split);
    return Values{loops.maxKeepingFirst(carried[0], loops.loadScalar(part[0], {part[1]}))};
  })[0];
  // The factor of a part takes the place of its largest score.
  auto factorOf = [&](Value before) {
    Value factor = problem.normaliser->correction(code(), loops.splat(before), loops.splat(largest));
    return factor ? firstLane(factor) : loops.scalar(1);
  };
  Value ofStart = problem.hasSink() ? loops.mulf(start.sum, factorOf(start.largest)) : start.sum;
  Value sum = loops.loop(zero, splits, one, {ofStart}, [&](Value split, ValueRange carried) {
    Values part = partOf(split);
    Value factor = factorOf(loops.loadScalar(part[0], {part[1]}));
    loops.storeScalar(factor, part[0], {part[1]});
    Value weight = loops.loadScalar(part[0], {loops.add(part[1], 1)});
    return Values{loops.addf(carried[0], loops.mulf(weight, factor))};
  })[0];
  mergeValues(row, problem.normaliser->factor(code(), sum));
  auto lseResult = problem.resultOf(attn::Statistic::Lse);
  if (!lseResult)
    return;
  Value lse = problem.normaliser->lse(code(), {largest, sum});
  Values place;
  for (const LaneIndex &index : outerIndices(problem, rowPoints[row]))
    place.push_back(index.base);
  loops.storeScalar(lse, frame.result(*lseResult), place);
}

void AttendDecode::mergeValues(int64_t row, Value inverse) {
  attn::AttendOp op = problem.op;
  Value zero = loops.constant(0), one = loops.constant(1), splits = frame.size(shape.splits);
  loops.loop(zero, values, loops.constant(schedule.lanes), [&](Value value) {
    Value sum = loops.loop(zero, splits, one, {loops.splat(0.0)}, [&](Value split, ValueRange carried) {
      Values part = partAt(batchNumber, split, row);
      Value place = loops.add(loops.add(part[1], shape.partHead), value);
      return Values{loops.fma(loops.loadScalar(part[0], {part[1]}), loops.load(part[0], {place}), carried[0])};
    })[0];
    SmallVector<LaneIndex> indices = outerIndices(problem, rowPoints[row]);
    indices.push_back(steppingIndex(value));
    if (auto layout = op.getValueLayout())
      indices = permuted(indices, *layout);
    RegionVectoriser element = rowPoints[row];
    element.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(values, value)));
    element.store(loops.mulf(sum, loops.splat(inverse)), frame.result(*problem.resultOf(attn::Statistic::Value)),
                  indices);
  });
}

} // namespace attnc
