#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

Value DecodePrefetch::keysAhead(const SizeExpr &keyFloats) const {
  return loops.div(loops.constant(target.isa->prefetch.keyValueBytes),
                   loops.max(loops.constant(1), loops.mul(frame.size(keyFloats), 4)));
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

DecodePrefetch::Run DecodePrefetch::run(tensor::ExtractOp extract, function_ref<RegionVectoriser(Value key)> bind,
                                        Value key) const {
  FlatBuilder flat(loops.builder, loops.location, schedule.lanes);
  Value memref = frame.buffer(extract.getTensor());
  auto offsetAt = [&](Value key) {
    RegionVectoriser point = bind(key);
    Values sizes;
    for (unsigned dimension = 0; dimension < extract.getIndices().size(); ++dimension)
      sizes.push_back(loops.sizeOf(memref, dimension));
    return loops.linearise(subscriptsOf(point, extract), sizes);
  };
  Value offset = offsetAt(key);
  return {flat.dynamic(flat.flat(memref)), offset, loops.sub(offsetAt(loops.add(key, 1)), offset)};
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
    if (dependsOnKey && point.isAvailable(extract.getResult()) && IndexUses::isPlacedByIndices(extract))
      runs.push_back(run(extract, bind, key));
  });
  return runs;
}

DecodePrefetch::Runs DecodePrefetch::valueRuns(Value key) const {
  auto extract = AttendProblem::yielded(op().getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || !IndexUses::isPlacedByIndices(extract))
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

void DecodePrefetch::prefetch(const Runs &runs, int64_t key, Value number) const {
  for (const Run &run : runs)
    loops.prefetch(run.flat, {loops.add(loops.add(run.offset, loops.mul(run.stride, key)), number)},
                   /*locality=*/4 - target.isa->prefetch.keyValueCache);
}

} // namespace attnc
