// Lines that a chunk asks for ahead of reading them. Its streams follow each other, and so do the lines: a block's
// keys, its values, the next block's keys.
#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"

using namespace mlir;

namespace attnc {

/// How far ahead. One stream into the nearest cache: a second one, into the next cache, costs more than it brings.
static constexpr int64_t bytesAhead = 6144;

Value AttendDecode::keysAhead(const SizeExpr &floatsOfKey) {
  return loops.div(loops.constant(bytesAhead), loops.max(loops.constant(1), loops.mul(frame.size(floatsOfKey), 4)));
}

/// Of a tile's keys: those of the keys as far ahead in the block, or of the values that follow them. Where nothing
/// follows, of the tile itself, which are there.
AttendDecode::Lines AttendDecode::linesAheadOfProduct(const ProductTile &tile) {
  bool isLast = tile.number + 1 == problem.products.size();
  Value zero = loops.constant(0);
  Value ahead = loops.add(tile.key, keysAhead(problem.products[tile.number].features));
  Value beyond = loops.sub(ahead, tile.count), isInside = loops.less(ahead, tile.count);
  Lines lines = linesOfProduct(tile.number, loops.add(tile.firstKey, loops.choose(isInside, ahead, tile.key)));
  if (isLast) {
    Value isInValues = loops.both(loops.less(loops.add(tile.count, -1), ahead), loops.less(beyond, tile.count));
    redirect(lines, linesOfValue(loops.add(tile.firstKey, loops.max(beyond, zero))), isInValues);
  }
  return lines;
}

/// Of one key's values.
AttendDecode::Lines AttendDecode::linesAheadOfValues(const ValueTile &tile, Value key) {
  Value ahead = loops.add(key, keysAhead(problem.values)), place = loops.add(tile.firstKey, ahead);
  Value isInside = loops.less(ahead, tile.blockCount);
  Lines lines = linesOfValue(loops.add(tile.firstKey, loops.choose(isInside, ahead, key)));
  if (!problem.products.empty()) {
    Value isInNext = loops.both(loops.less(loops.add(tile.blockCount, -1), ahead), loops.less(place, endOfKeys));
    redirect(lines, linesOfProduct(0, place), isInNext);
  }
  return lines;
}

AttendDecode::Run AttendDecode::runOf(tensor::ExtractOp extract, function_ref<RegionVectoriser(Value key)> bind,
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

AttendDecode::Lines AttendDecode::linesOfProduct(unsigned number, Value key) {
  attn::ReduceOp op = problem.products[number].op;
  auto bind = [&](Value key) {
    RegionVectoriser point = rowPoints[0];
    bindKeyIndex(problem, point, 0, uniformIndex(key));
    point.bindIndex(op.getBody().getArgument(0), uniformIndex(loops.constant(0)));
    return point;
  };
  RegionVectoriser point = bind(key);
  Lines lines;
  op.walk([&](tensor::ExtractOp extract) {
    bool ofKey = IndexUses(problem.op).of(extract) & IndexUses::anyKey;
    if (ofKey && point.isAvailable(extract.getResult()) && IndexUses::isPlacedByIndices(extract))
      lines.push_back(runOf(extract, bind, key));
  });
  return lines;
}

AttendDecode::Lines AttendDecode::linesOfValue(Value key) {
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
void AttendDecode::redirect(Lines &lines, const Lines &others, Value condition) {
  if (lines.empty() || others.empty() || lines[0].flat.getType() != others[0].flat.getType())
    return;
  for (Value Run::*part : {&Run::flat, &Run::place, &Run::stride})
    lines[0].*part = loops.choose(condition, others[0].*part, lines[0].*part);
}

void AttendDecode::prefetch(const Lines &lines, int64_t key, Value place) {
  for (const Run &run : lines)
    loops.prefetch(run.flat, {loops.add(loops.add(run.place, loops.mul(run.stride, key)), place)}, /*locality=*/3);
}

} // namespace attnc
