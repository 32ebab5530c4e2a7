// Phase 1 of the decode algorithm: m, l and O of a chunk's rows over the keys of one split, block by block. Blocks
// without selected pairs are skipped (AttendMask.h).
#include "compiler/Codegen/CPU/Attend/Decode/DecodeProducts.h"
#include "compiler/Codegen/CPU/Attend/Decode/DecodeWeights.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

DecodeTiles::DecodeTiles(const DecodeContext &context, AttendScratch &scratch)
    : loops(context.loops), rowPairs(DecodeBlock::maxKeys + context.schedule.lanes) {
  const AttendProblem &problem = context.problem;
  int64_t rows = context.shape.rows, lanes = context.schedule.lanes;
  for (size_t i = 0; i < std::max<size_t>(1, problem.products.size()); ++i)
    scores.push_back(scratch.take(rows, rowPairs));
  products = scratch.take(lanes, lanes);
  selected = scratch.take(rows, rowPairs, loops.builder.getI32Type());
  values = scratch.take(SizeExpr(rows) * problem.values.alignTo(lanes), 1);
  maxima = scratch.take(rows, lanes);
  sums = scratch.take(rows, lanes);
}

namespace {
class Split : public DecodeChunk {
public:
  void emit(const AttendMask::KeyRange &splitKeys) const;

private:
  void computeBlock(const DecodeBlock &block, Value maskKeepsAll) const;
  void storePartials(Value split) const;
};
} // namespace

void Split::emit(const AttendMask::KeyRange &splitKeys) const {
  DecodeWeights{*this}.start();
  DecodeValues{*this}.clear();
  AttendMask mask(problem);
  auto bind = [&](Value row) { return rows.bindRow(row); };
  mask.prepareRows(loops, {loops.constant(0), loops.constant(shape.rows), bind, /*inOrder=*/false});
  AttendMask::KeyRange range = mask.keyRange(loops, rows.keys, rows.formulas);
  range.begin = loops.max(range.begin, splitKeys.begin);
  range.end = loops.min(range.end, splitKeys.end);
  loops.loop(range.begin, range.end, loops.constant(DecodeBlock::maxKeys), [&](Value firstKey) {
    Value count = loops.min(loops.constant(DecodeBlock::maxKeys), loops.sub(range.end, firstKey));
    auto bindKey = [&](Value key) { return rows.bindKey(rows.formulas, key); };
    AttendMask::Decision decision = mask.decide(loops, firstKey, count, bindKey);
    loops.when(decision.some, [&] { computeBlock({firstKey, count, range.end}, decision.all); });
  });
  storePartials(loops.div(splitKeys.begin, loops.constant(schedule.splitKv)));
}

void Split::computeBlock(const DecodeBlock &block, Value maskKeepsAll) const {
  DecodeProducts{*this}.compute(block);
  auto weigh = [&](bool masked) {
    DecodeWeights{*this}.compute(block, masked);
    return Values();
  };
  loops.select(
      maskKeepsAll, {}, [&] { return weigh(false); }, [&] { return weigh(true); });
  DecodeValues{*this}.accumulate(block);
}

void Split::storePartials(Value split) const {
  Value padded = paddedValues();
  for (int64_t row = 0; row < shape.rows; ++row) {
    auto [memory, offset] = rows.partial(split, row);
    Value state = loops.constant(row * schedule.lanes);
    Value sum = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD,
                                            loops.load(tiles.sums, {state}), arith::FastMathFlags::reassoc);
    loops.storeScalar(loops.loadScalar(tiles.maxima, {state}), memory, {offset});
    loops.storeScalar(sum, memory, {loops.add(offset, 1)});
    Value from = loops.mul(padded, row), to = loops.add(offset, shape.partialHead);
    loops.loop(loops.constant(0), padded, loops.constant(schedule.lanes), [&, memory = memory](Value value) {
      loops.store(loops.load(tiles.values, {loops.add(from, value)}), memory, {loops.add(to, value)});
    });
  }
}

void emitSplit(const DecodeContext &context, AttendScratch &scratch) {
  LoopBuilder &loops = context.loops;
  DecodeRows rows(context);
  Value splits = context.frame.size(context.shape.splits);
  Value batch = loops.div(context.frame.chunk, splits);
  Value firstKey = loops.mul(loops.rem(context.frame.chunk, splits), context.schedule.splitKv);
  Value end = loops.min(rows.keys, loops.add(firstKey, context.schedule.splitKv));
  rows.open(batch);
  DecodeTiles tiles(context, scratch);
  Split{context, rows, tiles}.emit({firstKey, end});
}

} // namespace attnc
