// Lines that a chunk asks for ahead of reading them. Its streams follow each other, and so do the lines: a block's
// keys, its values, the next block's keys.
#include "compiler/Codegen/CPU/Attend/AttendBinding.h"
#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Nest/FlatBuilder.h"

using namespace mlir;

namespace attnc {

/// How far ahead, in bytes, and for which cache.
static constexpr std::pair<int64_t, unsigned> distances[] = {{16384, 2}, {2048, 3}};

Value AttendDecode::keysIn(int64_t bytes, const SizeExpr &floatsOfKey) {
  return loops.div(loops.constant(bytes), loops.max(loops.constant(1), loops.mul(frame.size(floatsOfKey), 4)));
}

/// Of a tile's keys: those of the keys as far ahead in the block, or of the values that follow them. Where nothing
/// follows, of the tile itself, which are there.
AttendDecode::Lines AttendDecode::linesAheadOfProduct(const ProductTile &tile) {
  bool isLast = tile.number + 1 == problem.products.size();
  Value zero = loops.constant(0);
  Lines lines;
  for (auto [bytes, locality] : distances) {
    Value ahead = loops.add(tile.key, keysIn(bytes, problem.products[tile.number].features));
    Value beyond = loops.sub(ahead, tile.count), isInside = loops.less(ahead, tile.count);
    auto runs = runsOfProduct(tile.number, loops.add(tile.firstKey, loops.choose(isInside, ahead, tile.key)));
    if (isLast) {
      Value isInValues = loops.both(loops.less(loops.add(tile.count, -1), ahead), loops.less(beyond, tile.count));
      redirect(runs, runsOfValue(loops.add(tile.firstKey, loops.max(beyond, zero))), isInValues);
    }
    for (Lines::Run &run : runs) {
      run.locality = locality;
      lines.runs.push_back(run);
    }
  }
  return lines;
}

/// Of one key's values.
AttendDecode::Lines AttendDecode::linesAheadOfValues(const ValueTile &tile, Value key) {
  Lines lines;
  for (auto [bytes, locality] : distances) {
    Value ahead = loops.add(key, keysIn(bytes, problem.values)), place = loops.add(tile.firstKey, ahead);
    Value isInside = loops.less(ahead, tile.blockCount);
    auto runs = runsOfValue(loops.add(tile.firstKey, loops.choose(isInside, ahead, key)));
    if (!problem.products.empty()) {
      Value isInNext = loops.both(loops.less(loops.add(tile.blockCount, -1), ahead), loops.less(place, endOfKeys));
      redirect(runs, runsOfProduct(0, place), isInNext);
    }
    for (Lines::Run &run : runs) {
      run.locality = locality;
      lines.runs.push_back(run);
    }
  }
  return lines;
}

AttendDecode::Lines::Run AttendDecode::runOf(tensor::ExtractOp extract, function_ref<RegionVectoriser(Value key)> bind,
                                             Value key) {
  FlatBuilder flat(loops.builder, loops.location, schedule.lanes);
  Value memref = frame.buffer(extract.getTensor());
  auto placeOf = [&](Value key) {
    RegionVectoriser point = bind(key);
    Values subscripts, sizes;
    for (auto [dimension, subscript] : llvm::enumerate(extract.getIndices())) {
      subscripts.push_back(point.evaluateIndex(subscript).base);
      sizes.push_back(loops.sizeOf(memref, dimension));
    }
    return loops.linearise(subscripts, sizes);
  };
  Value place = placeOf(key);
  return {flat.dynamic(flat.flat(memref)), place, loops.sub(placeOf(loops.add(key, 1)), place)};
}

SmallVector<AttendDecode::Lines::Run, 4> AttendDecode::runsOfProduct(unsigned number, Value key) {
  attn::ReduceOp op = problem.products[number].op;
  auto bind = [&](Value key) {
    RegionVectoriser point = rowPoints[0];
    bindKeyIndex(problem, point, 0, uniformIndex(key));
    point.bindIndex(op.getBody().getArgument(0), uniformIndex(loops.constant(0)));
    return point;
  };
  RegionVectoriser point = bind(key);
  SmallVector<Lines::Run, 4> runs;
  op.walk([&](tensor::ExtractOp extract) {
    bool ofKey = IndexUses(problem.op).of(extract) & IndexUses::anyKey;
    if (ofKey && point.isAvailable(extract.getResult()) && IndexUses::isPlacedByIndices(extract))
      runs.push_back(runOf(extract, bind, key));
  });
  return runs;
}

SmallVector<AttendDecode::Lines::Run, 4> AttendDecode::runsOfValue(Value key) {
  attn::AttendOp op = problem.op;
  auto extract = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || !IndexUses::isPlacedByIndices(extract))
    return {};
  auto bind = [&](Value key) {
    RegionVectoriser point = rowPoints[0];
    bindKeyIndex(problem, point, 0, uniformIndex(key));
    bindValueIndex(problem, point, 0, uniformIndex(loops.constant(0)));
    return point;
  };
  return {runOf(extract, bind, key)};
}

/// Where the condition holds the first run is the first of the others.
void AttendDecode::redirect(MutableArrayRef<Lines::Run> runs, ArrayRef<Lines::Run> others, Value condition) {
  if (runs.empty() || others.empty() || runs[0].flat.getType() != others[0].flat.getType())
    return;
  for (Value Lines::Run::*part : {&Lines::Run::flat, &Lines::Run::place, &Lines::Run::stride})
    runs[0].*part = loops.choose(condition, others[0].*part, runs[0].*part);
}

void AttendDecode::prefetch(const Lines &lines, int64_t key, Value place) {
  for (const Lines::Run &run : lines.runs)
    loops.prefetch(run.flat, {loops.add(loops.add(run.place, loops.mul(run.stride, key)), place)}, run.locality);
}

} // namespace attnc
