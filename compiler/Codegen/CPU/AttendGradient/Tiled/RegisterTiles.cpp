#include "compiler/Codegen/CPU/AttendGradient/Tiled/RegisterTiles.h"

using namespace mlir;

namespace attnc {

/// Terms of a product that one iteration of the loop adds, where their number is known.
static constexpr int64_t termsAtOnce = 2;

void forEachTile(FlatBuilder &loops, Value count, int64_t rows, function_ref<void(Value, int64_t)> body) {
  Value zero = loops.constant(0), step = loops.constant(rows);
  Value whole = loops.mul(loops.div(count, step), rows);
  loops.loop(zero, whole, step, [&](Value row) { body(row, rows); });
  auto known = LoopBuilder::constantOf(count);
  if (!known || *known % rows != 0)
    loops.loop(whole, count, loops.constant(1), [&](Value row) { body(row, 1); });
}

LoopBuilder::Values TileProduct::addTo(ValueRange sums, bool skipsZeros) const {
  using Values = LoopBuilder::Values;
  auto addTerm = [&](Value k, ValueRange before) {
    Values factors, next;
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      factors.push_back(right(vector, k));
    for (int64_t i = 0; i < size.rows; ++i) {
      Value scalar = left(i, k), factor = loops.splat(scalar);
      Value counts = skipsZeros ? loops.compare(arith::CmpFPredicate::UNE, scalar, loops.scalar(0.0)) : Value();
      for (Value vector : factors) {
        Value sum = before[next.size()], added = loops.fma(factor, vector, sum);
        next.push_back(counts ? loops.choose(counts, added, sum) : added);
      }
    }
    return next;
  };
  auto known = LoopBuilder::constantOf(begin) == 0 ? LoopBuilder::constantOf(end) : std::nullopt;
  int64_t step = known && *known % termsAtOnce == 0 && !skipsZeros ? termsAtOnce : 1;
  return loops.loop(begin, end, loops.constant(step), sums, [&](Value first, ValueRange carried) {
    Values next(carried);
    for (int64_t i = 0; i < step; ++i)
      next = addTerm(loops.add(first, i), next);
    return next;
  });
}

} // namespace attnc
