#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

/// Hardware prefetchers follow addresses within a block alone. Blocks are therefore prefetched from memory, into the
/// second-level cache, which has more outstanding misses than the first-level cache.
static constexpr int64_t bytesAheadOfBlocks = 6144;

Value DecodePrefetch::keysAhead(const SizeExpr &keyFloats) const {
  return loops.div(loops.constant(isInBlocks ? bytesAheadOfBlocks : target.isa->prefetch.keyValueBytes),
                   loops.max(loops.constant(1), loops.mul(frame.size(keyFloats), 4)));
}

bool DecodePrefetch::readsBlocks(attn::AttendOp op) {
  auto visit = [](tensor::ExtractOp extract) {
    bool isInBlock = IndexUses::isLocated(extract) && !IndexUses::isPlacedByIndices(extract);
    return isInBlock ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op.walk(visit).wasInterrupted();
}

DecodePrefetch::Runs DecodePrefetch::aheadOfProduct(unsigned product, const DecodeBlock &block, Value key) const {
  bool isLast = product + 1 == problem.products.size();
  Value zero = loops.constant(0), ahead = loops.add(key, keysAhead(problem.products[product].features));
  Value beyond = loops.sub(ahead, block.count), isInside = loops.less(ahead, block.count);
  Runs runs = productRuns(product, loops.add(block.firstKey, loops.choose(isInside, ahead, key)));
  if (isLast) {
    Value isInValues = loops.both(loops.less(loops.add(block.count, -1), ahead), loops.less(beyond, block.count));
    redirect(runs, valueRuns(loops.add(block.firstKey, loops.max(beyond, zero))), isInValues);
  }
  return runs;
}

DecodePrefetch::Runs DecodePrefetch::aheadOfValues(const DecodeBlock &block, Value key) const {
  Value ahead = loops.add(key, keysAhead(problem.values)), position = loops.add(block.firstKey, ahead);
  Value isInside = loops.less(ahead, block.count);
  Runs runs = valueRuns(loops.add(block.firstKey, loops.choose(isInside, ahead, key)));
  if (!problem.products.empty()) {
    Value isInNext = loops.both(loops.less(loops.add(block.count, -1), ahead), loops.less(position, block.end));
    redirect(runs, productRuns(0, position), isInNext);
  }
  return runs;
}

/// If a table has the places of blocks of keys, only keys that exist have a place. The distance of keys of a block is
/// that of the first two keys.
DecodePrefetch::Run DecodePrefetch::run(tensor::ExtractOp extract, function_ref<RegionVectoriser(Value key)> bind,
                                        Value key) const {
  FlatBuilder flat(loops.builder, loops.location, schedule.lanes);
  Value memref = frame.buffer(extract.getTensor());
  auto offsetAt = [&](Value key) {
    RegionVectoriser point = bind(isInBlocks ? loops.min(key, loops.add(rows.keys, -1)) : key);
    Values sizes;
    for (unsigned dimension = 0; dimension < extract.getIndices().size(); ++dimension)
      sizes.push_back(loops.sizeOf(memref, dimension));
    return loops.linearise(subscriptsOf(point, extract), sizes);
  };
  Value offset = offsetAt(key), first = isInBlocks ? loops.constant(0) : key;
  Value stride = loops.sub(offsetAt(loops.add(first, 1)), isInBlocks ? offsetAt(first) : offset);
  return {flat.dynamic(flat.flat(memref)), offset, stride};
}

DecodePrefetch::Runs DecodePrefetch::productRuns(unsigned product, Value key) const {
  attn::ReduceOp reduce = problem.products[product].op;
  auto bind = [&](Value key) {
    RegionVectoriser point = rows.bindKey(0, key);
    point.bindIndex(reduce.getBody().getArgument(0), uniformIndex(loops.constant(0)));
    return point;
  };
  RegionVectoriser point = bind(key);
  Runs runs;
  reduce.walk([&](tensor::ExtractOp extract) {
    bool dependsOnKey = IndexUses(op()).of(extract) & IndexUses::anyKey;
    if (dependsOnKey && point.isAvailable(extract.getResult()) && IndexUses::isLocated(extract))
      runs.push_back(run(extract, bind, key));
  });
  return runs;
}

DecodePrefetch::Runs DecodePrefetch::valueRuns(Value key) const {
  auto extract = AttendProblem::yielded(op().getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || !IndexUses::isLocated(extract))
    return {};
  auto bind = [&](Value key) {
    RegionVectoriser point = rows.bindKey(0, key);
    bindValueIndex(problem, point, 0, uniformIndex(loops.constant(0)));
    return point;
  };
  return {run(extract, bind, key)};
}

/// Replaces the first run by the first of the others, if the condition holds.
void DecodePrefetch::redirect(Runs &runs, const Runs &others, Value condition) const {
  if (runs.empty() || others.empty() || runs[0].flat.getType() != others[0].flat.getType())
    return;
  for (Value Run::*field : {&Run::flat, &Run::offset, &Run::stride})
    runs[0].*field = loops.choose(condition, others[0].*field, runs[0].*field);
}

void DecodePrefetch::prefetch(const Runs &runs, Value key, Value number) const {
  for (const Run &run : runs)
    loops.prefetch(run.flat, {loops.add(loops.add(run.offset, loops.mul(run.stride, key)), number)},
                   /*locality=*/4 - (isInBlocks ? 2 : target.isa->prefetch.keyValueCache));
}

} // namespace attnc
