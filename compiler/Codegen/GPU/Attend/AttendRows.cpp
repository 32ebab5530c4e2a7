#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

RowNumbers RowNumbers::perGroup(const AttendProblem &problem) {
  if (!problem.groupDim || problem.group == 1)
    return perBatch(problem);
  SizeExpr batches = 1;
  for (unsigned dimension : problem.batchDims) {
    const SizeExpr &size = problem.outerSizes[dimension];
    batches = batches * (dimension == problem.groupDim ? size.ceilDiv(problem.group) : size);
  }
  return {true, batches, SizeExpr(problem.group) * problem.rows};
}

AttendRows::AttendRows(const AttendProblem &problem, DeviceFrame &frame, const RowNumbers &numbers)
    : numbers(numbers), problem(problem), frame(frame), loops(frame.builder, frame.location, /*lanes=*/1),
      warp(ThreadGroup::Kind::Warp, frame.position, frame.builder, frame.location), mask(problem) {
  attn::AttendOp op = problem.op;
  auto read = [&](ValueRange sizes, Values &into) {
    for (Value size : sizes)
      into.push_back(frame.index(size));
  };
  read(op.getOuterSizes(), outerSizes);
  read(op.getKeySizes(), keySizes);
  read(op.getValueSizes(), valueSizes);
  rows = frame.size(numbers.rows);
  keys = frame.size(problem.keys);
  values = frame.size(problem.values);
  mask.scanKeysBy([this](const AttendMask::KeyRange &keys, function_ref<Value(Value)> valueAt) {
    return scanInWarp(keys, valueAt);
  });
}

void AttendRows::openBatch(Value number) {
  batch = number;
  Values sizes;
  for (unsigned dimension : problem.batchDims)
    sizes.push_back(isHeadGroup(dimension) ? loops.ceilDiv(outerSizes[dimension], problem.group)
                                           : outerSizes[dimension]);
  batchIndices = loops.delinearise(batch, sizes);
  for (auto [dimension, index] : llvm::zip(problem.batchDims, batchIndices))
    if (isHeadGroup(dimension))
      firstHead = loops.mul(index, loops.constant(problem.group));
}

void AttendRows::open(Value first, int64_t maxCount) {
  RegionVectoriser ofBatch = formulas(1);
  auto bind = [&](Value row) { return bindRow(ofBatch, row); };
  Value count = loops.min(loops.constant(maxCount), loops.sub(rows, first));
  mask.prepareRows(loops, {first, count, bind, /*inOrder=*/!numbers.areGrouped});
  range = mask.keyRange(loops, keys, ofBatch);
}

Value AttendRows::openBlock(int64_t count) {
  Value blocks = frame.size(numbers.rows.ceilDiv(count));
  openBatch(loops.div(frame.position.block, blocks));
  // Under a causal mask later rows have more work; they go first, so that all multiprocessors finish together.
  Value block = loops.sub(loops.add(blocks, -1), loops.rem(frame.position.block, blocks));
  Value first = loops.mul(block, count);
  open(first, count);
  return first;
}

//===------------------------------------------ formulas ----------------------------------------------------------===//

RegionVectoriser AttendRows::formulas(int64_t lanes) const {
  attn::AttendOp op = problem.op;
  RegionVectoriser ofBatch(frame.builder, frame.location, lanes);
  frame.bindTo(ofBatch);
  // Score and mask are evaluated for masked pairs too.
  ofBatch.deferReports(op.getScore());
  ofBatch.deferReports(op.getValue());
  for (auto [dimension, index] : llvm::zip(problem.batchDims, batchIndices))
    bindOuter(problem, ofBatch, dimension, uniformIndex(isHeadGroup(dimension) ? firstHead : index));
  return ofBatch;
}

/// Extents of the rows: of one head, or of the head group.
LoopBuilder::Values AttendRows::rowSizes() {
  Values sizes;
  if (numbers.areGrouped)
    sizes.push_back(loops.constant(problem.group));
  for (unsigned dimension : problem.rowDims)
    sizes.push_back(outerSizes[dimension]);
  return sizes;
}

LoopBuilder::Values AttendRows::subscriptsOf(Value row) {
  Values subscripts = loops.delinearise(loops.min(row, loops.add(rows, -1)), rowSizes());
  if (numbers.areGrouped)
    subscripts[0] = loops.min(loops.add(firstHead, subscripts[0]), loops.add(outerSizes[*problem.groupDim], -1));
  return subscripts;
}

/// The last group may have fewer heads.
Value AttendRows::exists(Value row) {
  Value inside = loops.less(row, rows);
  if (!numbers.areGrouped)
    return inside;
  const SizeExpr &heads = problem.outerSizes[*problem.groupDim];
  if (heads.isConstant() && heads.constant() % problem.group == 0)
    return inside;
  Value head = loops.add(firstHead, loops.delinearise(row, rowSizes())[0]);
  return loops.both(inside, loops.less(head, outerSizes[*problem.groupDim]));
}

RegionVectoriser AttendRows::bindRow(RegionVectoriser to, ValueRange subscripts) const {
  if (numbers.areGrouped) {
    bindOuter(problem, to, *problem.groupDim, uniformIndex(subscripts.front()));
    subscripts = subscripts.drop_front();
  }
  for (auto [dimension, index] : llvm::zip(problem.rowDims, subscripts))
    bindOuter(problem, to, dimension, uniformIndex(index));
  return to;
}

RegionVectoriser AttendRows::bindKey(RegionVectoriser to, Value key) {
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(key, keySizes)))
    bindKeyIndex(problem, to, dimension, uniformIndex(index));
  return to;
}

//===------------------------------------------ keys --------------------------------------------------------------===//

/// Bounds of a value over a range of keys; each thread of the warp evaluates some of the keys.
Interval AttendRows::scanInWarp(const AttendMask::KeyRange &keys, function_ref<Value(Value)> valueAt) {
  OpBuilder &builder = loops.builder;
  Type i32 = builder.getI32Type();
  SweepReduction extrema[] = {{attn::Combine::Min, i32}, {attn::Combine::Max, i32}};
  // Each thread starts with a valid key: past the end, the last one.
  auto numberAt = [&](Value key) -> Value {
    return arith::IndexCastOp::create(builder, loops.location, i32, valueAt(key));
  };
  Value first = loops.add(keys.begin, warp.rank);
  Value own = numberAt(loops.min(first, loops.add(keys.end, -1)));
  auto found = loops.loop(loops.add(first, warp.size()), keys.end, loops.constant(warp.size()), {own, own},
                          [&](Value key, ValueRange carried) {
                            Value number = numberAt(key);
                            Values next;
                            for (auto [reduction, before] : llvm::zip_equal(extrema, carried))
                              next.push_back(combine(builder, loops.location, reduction.kind, before, number));
                            return next;
                          });
  found = warp.combine(extrema, found);
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), value);
  };
  return {toIndex(found[0]), toIndex(found[1])};
}

AttendMask::Decision AttendRows::decide(Value first, Value count) {
  RegionVectoriser ofBatch = formulas(1);
  return mask.decide(loops, first, count, [&](Value key) { return bindKey(ofBatch, key); });
}

KeyTile AttendRows::search(Value from, int64_t tileKeys) {
  if (!problem.hasMask())
    return {from, loops.boolean(true)};
  OpBuilder &b = loops.builder;
  Type flag = b.getI1Type(), types[] = {from.getType(), flag};
  auto search = scf::WhileOp::create(b, loops.location, types, from);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&search.getBefore(), {}, from.getType(), loops.location);
  Value first = before->getArgument(0);
  Values decided = loops.select(
      loops.less(first, range.end), {flag, flag},
      [&] {
        AttendMask::Decision decision = decide(first, loops.min(loops.constant(tileKeys), loops.sub(range.end, first)));
        return Values{decision.some, decision.all};
      },
      [&] {
        return Values{loops.boolean(true), loops.boolean(true)};
      });
  Value isEmpty = b.createOrFold<arith::XOrIOp>(loops.location, decided[0], loops.boolean(true));
  scf::ConditionOp::create(b, loops.location, isEmpty, ValueRange{first, decided[1]});
  Block *after = b.createBlock(&search.getAfter(), {}, types, {loops.location, loops.location});
  scf::YieldOp::create(b, loops.location, loops.add(after->getArgument(0), tileKeys));
  return {search.getResult(0), search.getResult(1)};
}

} // namespace attnc
