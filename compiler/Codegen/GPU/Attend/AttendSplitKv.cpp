#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ sizes -------------------------------------------------------------===//

/// Blocks that keep a device busy: 132 multiprocessors with two blocks each, twice.
static constexpr int64_t wantedBlocks = 528;
/// Largest number of keys that is not split.
static constexpr int64_t fewKeys = 256;
/// Upper limit of splits if the number of batches is dynamic.
static constexpr int64_t usualSplits = 64;
/// Elements m, l of a partial result; its values are aligned to an access.
static constexpr int64_t headElements = 2, valueAlignment = deviceLanes;

/// Fewest keys of a split. A partial result is written and read once, which costs little if there are many keys.
static int64_t minKeys(const SizeExpr &batches, int64_t blockSplits) {
  if (blockSplits == 1 && (!batches.isConstant() || batches.constant() >= 8))
    return 256;
  return blockSplits == 1 && batches.constant() >= 4 ? 128 : 64;
}

AttendSplitKv::AttendSplitKv(const AttendProblem &problem, int64_t blockSplits)
    : numbers(RowNumbers::perGroup(problem)), values(problem.values.alignTo(valueAlignment)) {
  int64_t maxSplits = usualSplits * blockSplits;
  if (numbers.batches.isConstant())
    maxSplits = std::max<int64_t>(1, wantedBlocks * blockSplits / std::max<int64_t>(1, numbers.batches.constant()));
  splits = SizeExpr::max(1, SizeExpr::min(problem.keys.ceilDiv(minKeys(numbers.batches, blockSplits)), maxSplits));
  areFew = SizeExpr(1) - SizeExpr::min(1, numbers.rows.floorDiv(maxRows + 1));
}

SizeExpr AttendSplitKv::bytes() const {
  SizeExpr partials = numbers.batches * SizeExpr::min(numbers.rows, maxRows) * splits;
  return (partials * SizeExpr(headElements)).alignTo(valueAlignment) * SizeExpr(4) * areFew +
         partials * values * SizeExpr(4) * areFew;
}

Verdict AttendSplitKv::canSplit(const AttendProblem &problem) {
  if (Verdict merge = canMergeOnline(problem); !merge)
    return merge;
  SizeExpr rows = RowNumbers::perGroup(problem).rows;
  if (rows.isConstant() && rows.constant() > maxRows)
    return Verdict::no("it has many rows");
  // As many queries as keys: if queries are few, so are keys.
  if (problem.rows == problem.keys)
    return Verdict::no("it has as many queries as keys");
  if (problem.keys.isConstant() && problem.keys.constant() <= fewKeys)
    return Verdict::no("it has few keys");
  return Verdict::yes();
}

//===------------------------------------------ memory ------------------------------------------------------------===//

PartialResults::PartialResults(const AttendSplitKv &splitKv, const AttendProblem &problem, DeviceFrame &frame)
    : splits(frame.size(splitKv.splits)), frame(frame), loops(frame.builder, frame.location, /*lanes=*/1),
      rows(frame.size(splitKv.numbers.rows)), values(frame.size(problem.values.alignTo(valueAlignment))),
      heads(frame.size((splitKv.numbers.batches * splitKv.numbers.rows * splitKv.splits * SizeExpr(headElements))
                           .alignTo(valueAlignment))) {}

Value PartialResults::number(Value batch, Value row, Value split) {
  return loops.add(loops.mul(loops.add(loops.mul(batch, rows), row), splits), split);
}

Value PartialResults::at(Value elements) {
  OpBuilder &b = loops.builder;
  Value word = arith::IndexCastOp::create(b, loops.location, b.getI64Type(), elements);
  Value scratch = frame.sharedScratch();
  return LLVM::GEPOp::create(b, loops.location, scratch.getType(), b.getF32Type(), scratch, ValueRange{word});
}

static int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

PartialResults::Head PartialResults::loadHead(Value partial) {
  OpBuilder &b = loops.builder;
  auto type = VectorType::get({headElements}, b.getF32Type());
  Value head = LLVM::LoadOp::create(b, loops.location, type, at(loops.mul(partial, headElements)), headElements * 4);
  return {vector::ExtractOp::create(b, loops.location, head, 0), vector::ExtractOp::create(b, loops.location, head, 1)};
}

void PartialResults::storeHead(Value partial, const Head &head) {
  OpBuilder &b = loops.builder;
  auto type = VectorType::get({headElements}, b.getF32Type());
  Value both = vector::FromElementsOp::create(b, loops.location, type, ValueRange{head.largest, head.sum});
  LLVM::StoreOp::create(b, loops.location, both, at(loops.mul(partial, headElements)), headElements * 4);
}

Value PartialResults::load(Value partial, Value first, Type type) {
  Value offset = loops.add(heads, loops.add(loops.mul(partial, values), first));
  return LLVM::LoadOp::create(loops.builder, loops.location, type, at(offset), lanesOf(type) * 4);
}

void PartialResults::store(Value partial, Value first, Value value) {
  Value offset = loops.add(heads, loops.add(loops.mul(partial, values), first));
  LLVM::StoreOp::create(loops.builder, loops.location, value, at(offset), lanesOf(value.getType()) * 4);
}

AttendMask::KeyRange PartialResults::cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys) {
  Value count = loops.max(loops.constant(0), loops.sub(whole.end, whole.begin));
  Value tiles = loops.ceilDiv(count, tileKeys);
  Value splitKeys = loops.mul(loops.div(loops.add(tiles, loops.add(splits, -1)), splits), tileKeys);
  Value begin = loops.add(whole.begin, loops.mul(splitKeys, split));
  return {begin, loops.min(whole.end, loops.add(begin, splitKeys))};
}

} // namespace attnc
