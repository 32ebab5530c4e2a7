#include "compiler/Codegen/CPU/Attend/AttendKeySums.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t mostParts = 16;

SizeExpr keySumParts(const AttendProblem &problem, const AttendSchedule &schedule) {
  return SizeExpr::min(problem.rows.ceilDiv(schedule.tileQ()), mostParts);
}

static SizeExpr keySumElements(const AttendProblem &problem, const AttendSchedule &schedule) {
  return problem.batches * keySumParts(problem, schedule) * problem.keys;
}

SizeExpr keySumBytes(const AttendProblem &problem, const AttendSchedule &schedule) {
  return keySumElements(problem, schedule) * SizeExpr(4);
}

Value keySumsOf(const AttendProblem &problem, const AttendSchedule &schedule, KernelFrame &frame) {
  auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
  return frame.shared(int64_t(0), type, frame.size(keySumElements(problem, schedule)));
}

AttendKeySums::AttendKeySums(const AttendProblem &problem, const AttendSchedule &schedule, StringRef symbol,
                             ModuleOp code)
    : problem(problem), schedule(schedule), frame(problem.kernel, symbol, code),
      loops(frame.builder, frame.location, schedule.lanes) {}

SizeExpr AttendKeySums::chunks() const {
  SizeExpr rows = 1;
  for (unsigned dimension : problem.batchDims)
    if (!problem.isSummed(dimension))
      rows = rows * problem.outerSizes[dimension];
  return rows;
}

void AttendKeySums::emit() {
  keys = frame.size(problem.keys);
  parts = frame.size(keySumParts(problem, schedule));
  sums = keySumsOf(problem, schedule, frame);
  Values apart;
  for (unsigned dimension : problem.batchDims) {
    batchSizes.push_back(frame.size(problem.outerSizes[dimension]));
    if (!problem.isSummed(dimension))
      apart.push_back(batchSizes.back());
  }
  Values indices = loops.delinearise(frame.chunk, apart);
  auto next = indices.begin();
  for (unsigned dimension : problem.batchDims)
    batchIndices.push_back(problem.isSummed(dimension) ? Value() : *next++);
  Value result = loops.flat(frame.result(*problem.resultOf(attn::Statistic::KeySums)));
  Value first = loops.mul(frame.chunk, keys);
  loops.loop(loops.constant(0), keys, loops.constant(schedule.lanes), [&](Value key) {
    Value count = loops.sub(keys, key);
    loops.storeFirst(count, sumOfParts(key, count), result, {loops.add(first, key)});
  });
}

/// The sums of all parts for a vector of keys from `key` on, of which `count` exist.
Value AttendKeySums::sumOfParts(Value key, Value count) {
  Values sizes;
  for (auto [index, size] : llvm::zip_equal(batchIndices, batchSizes))
    if (!index)
      sizes.push_back(size);
  sizes.push_back(parts);
  return loops.nest(sizes, {loops.splat(0.0)}, [&](ValueRange at, ValueRange carried) {
    Values batch = batchIndices;
    auto next = at.begin();
    for (Value &index : batch)
      if (!index)
        index = *next++;
    Value part = loops.add(loops.mul(loops.linearise(batch, batchSizes), parts), at.back());
    Value place = loops.add(loops.mul(part, keys), key);
    return Values{loops.addf(carried[0], loops.loadFirst(count, sums, {place}))};
  })[0];
}

} // namespace attnc
