#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

AttendPrefill::AttendPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const AttendPart &part,
                             const Target &target, StringRef symbol, ModuleOp code)
    : problem(problem), schedule(schedule), part(part), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, schedule.lanes), scratch(frame), mask(problem),
      traits(problem), context{problem, schedule, target, traits, frame, loops} {}

SizeExpr AttendPrefill::chunks() const {
  if (sumsKeys())
    return problem.batches * keySumParts(problem, schedule);
  return problem.batches * SizeExpr(PrefillBatch::modulusOf(problem)) * part.tiles;
}

/// A chunk is a tile of queries. With key sums it is every n-th tile of a batch, so that the n chunks of a batch have
/// about equal work under any mask.
void AttendPrefill::emit() {
  PrefillBatch batch(context);
  Value tiles = frame.size(part.tiles);
  if (!sumsKeys()) {
    // Under a causal mask later rows have more work: they go first, so that all threads finish together.
    auto tileOf = [&](Value chunk) { return loops.sub(loops.add(tiles, -1), loops.rem(chunk, tiles)); };
    Value next = loops.min(loops.add(frame.chunk, 1), loops.add(frame.size(chunks()), -1));
    PrefillBatch nextBatch(context);
    nextBatch.open(loops.div(next, tiles), mask);
    batch.open(loops.div(frame.chunk, tiles), mask);
    return emitTile(batch, {}, tileOf(frame.chunk), {nextBatch, tileOf(next)});
  }
  Value parts = frame.size(keySumParts(problem, schedule)), first = loops.rem(frame.chunk, parts);
  batch.open(loops.div(frame.chunk, parts), mask);
  KeySumPart keySums = clearKeySums(batch);
  loops.loop(first, tiles, parts, [&](Value number) {
    emitTile(batch, keySums, number, {batch, loops.min(loops.add(number, parts), loops.add(tiles, -1))});
  });
}

KeySumPart AttendPrefill::clearKeySums(const PrefillBatch &batch) {
  KeySumPart keySums = {keySumsOf(problem, schedule, frame), loops.mul(frame.chunk, batch.keys)};
  loops.loop(loops.constant(0), batch.keys, loops.constant(1),
             [&](Value key) { loops.storeScalar(loops.scalar(0), keySums.sums, {loops.add(keySums.first, key)}); });
  return keySums;
}

void AttendPrefill::emitTile(PrefillBatch &batch, const KeySumPart &keySums, Value number,
                             const QueryTile::Next &next) {
  QueryTile queries(context, batch, part, number, next);
  auto emitRows = [&] {
    queries.bind(mask);
    PrefillTile(context, batch, queries, mask, keySums, scratch).emit();
  };
  if (problem.classes)
    loops.when(loops.less(loops.constant(0), queries.rowCount), emitRows); // some classes have a row less
  else
    emitRows();
}

} // namespace attnc
