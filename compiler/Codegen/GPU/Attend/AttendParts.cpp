#include "compiler/Codegen/GPU/Attend/AttendParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ sizes -------------------------------------------------------------===//

/// Blocks that a device has at a time, at least, and a few times over: 132 processors, two blocks each.
static constexpr int64_t wantedBlocks = 528;
/// So many keys are not split.
static constexpr int64_t fewKeys = 256;
/// Where the number of batches is not known.
static constexpr int64_t usualSplits = 64;
/// Elements of a part in front of its values: m, l. Values begin at whole accesses.
static constexpr int64_t headElements = 2, valueUnit = deviceLanes;

/// A part is written and read once: of many keys that is little.
static int64_t leastKeys(const SizeExpr &batches, int64_t splitsOfBlock) {
  if (splitsOfBlock == 1 && (!batches.isConstant() || batches.constant() >= 8))
    return 256;
  return splitsOfBlock == 1 && batches.constant() >= 4 ? 128 : 64;
}

AttendParts::AttendParts(const AttendProblem &problem, int64_t splitsOfBlock)
    : numbers(RowNumbers::ofGroups(problem)), values(problem.values.alignTo(valueUnit)) {
  int64_t most = usualSplits * splitsOfBlock;
  if (numbers.batches.isConstant())
    most = std::max<int64_t>(1, wantedBlocks * splitsOfBlock / std::max<int64_t>(1, numbers.batches.constant()));
  splits = SizeExpr::max(1, SizeExpr::min(problem.keys.ceilDiv(leastKeys(numbers.batches, splitsOfBlock)), most));
  areFew = SizeExpr(1) - SizeExpr::min(1, numbers.rows.floorDiv(mostRows + 1));
}

SizeExpr AttendParts::bytes() const {
  SizeExpr parts = numbers.batches * SizeExpr::min(numbers.rows, mostRows) * splits;
  return (parts * SizeExpr(headElements)).alignTo(valueUnit) * SizeExpr(4) * areFew +
         parts * values * SizeExpr(4) * areFew;
}

Verdict AttendParts::canSplit(const AttendProblem &problem) {
  const Normaliser &normaliser = *problem.normaliser;
  if (normaliser.order() != Normaliser::Order::Factor || normaliser.followsKeys())
    return Verdict::no("a weight depends on more than sums over parts of its row");
  if (problem.needsFinalWeights() || !problem.hasValue())
    return Verdict::no("it needs the final weights");
  if (problem.yields(attn::Statistic::Entropy) || problem.yieldsTop())
    return Verdict::no("parts of rows have no entropy and no largest keys");
  SizeExpr rows = RowNumbers::ofGroups(problem).rows;
  if (rows.isConstant() && rows.constant() > mostRows)
    return Verdict::no("it has many rows");
  // Few queries have few keys then.
  if (problem.rows == problem.keys)
    return Verdict::no("it has as many queries as keys");
  if (problem.keys.isConstant() && problem.keys.constant() <= fewKeys)
    return Verdict::no("it has few keys");
  return Verdict::yes();
}

//===------------------------------------------ memory ------------------------------------------------------------===//

PartMemory::PartMemory(const AttendParts &parts, const AttendProblem &problem, DeviceFrame &frame)
    : splits(frame.size(parts.splits)), frame(frame), loops(frame.builder, frame.location, /*lanes=*/1),
      rows(frame.size(parts.numbers.rows)), values(frame.size(problem.values.alignTo(valueUnit))),
      heads(frame.size(
          (parts.numbers.batches * parts.numbers.rows * parts.splits * SizeExpr(headElements)).alignTo(valueUnit))) {}

Value PartMemory::number(Value batch, Value row, Value split) {
  return loops.add(loops.mul(loops.add(loops.mul(batch, rows), row), splits), split);
}

Value PartMemory::at(Value elements) {
  OpBuilder &b = loops.builder;
  Value word = arith::IndexCastOp::create(b, loops.location, b.getI64Type(), elements);
  Value scratch = frame.sharedScratch();
  return LLVM::GEPOp::create(b, loops.location, scratch.getType(), b.getF32Type(), scratch, ValueRange{word});
}

static int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

PartMemory::Head PartMemory::loadHead(Value part) {
  OpBuilder &b = loops.builder;
  auto type = VectorType::get({headElements}, b.getF32Type());
  Value head = LLVM::LoadOp::create(b, loops.location, type, at(loops.mul(part, headElements)), headElements * 4);
  return {vector::ExtractOp::create(b, loops.location, head, 0), vector::ExtractOp::create(b, loops.location, head, 1)};
}

void PartMemory::storeHead(Value part, const Head &head) {
  OpBuilder &b = loops.builder;
  auto type = VectorType::get({headElements}, b.getF32Type());
  Value both = vector::FromElementsOp::create(b, loops.location, type, ValueRange{head.largest, head.sum});
  LLVM::StoreOp::create(b, loops.location, both, at(loops.mul(part, headElements)), headElements * 4);
}

Value PartMemory::load(Value part, Value first, Type type) {
  Value place = loops.add(heads, loops.add(loops.mul(part, values), first));
  return LLVM::LoadOp::create(loops.builder, loops.location, type, at(place), lanesOf(type) * 4);
}

void PartMemory::store(Value part, Value first, Value value) {
  Value place = loops.add(heads, loops.add(loops.mul(part, values), first));
  LLVM::StoreOp::create(loops.builder, loops.location, value, at(place), lanesOf(value.getType()) * 4);
}

AttendMask::KeyRange PartMemory::cut(const AttendMask::KeyRange &whole, Value split, int64_t tileKeys) {
  Value count = loops.max(loops.constant(0), loops.sub(whole.end, whole.begin));
  Value tiles = loops.ceilDiv(count, tileKeys);
  Value ofSplit = loops.mul(loops.div(loops.add(tiles, loops.add(splits, -1)), splits), tileKeys);
  Value begin = loops.add(whole.begin, loops.mul(ofSplit, split));
  return {begin, loops.min(whole.end, loops.add(begin, ofSplit))};
}

} // namespace attnc
