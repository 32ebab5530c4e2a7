#include "compiler/Codegen/CPU/Attend/Prefill/ValueTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"
#include "compiler/Codegen/Nest/Routine.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

namespace {

class ValueTiles {
public:
  ValueTiles(FlatBuilder &code, const AttendSchedule &schedule, const ValueTileOperands &operands,
             const ValueSource &source)
      : code(code), schedule(schedule), operands(operands), source(source), access(code, schedule) {}

  void emit();

private:
  using Values = LoopBuilder::Values;
  /// `rows` values from firstValue on, and the vectors of queries from number firstVector on. With `selectedOnly`,
  /// dropped pairs add nothing, not even a NaN.
  struct Tile {
    Value firstValue;
    int64_t rows, firstVector;
    bool selectedOnly;
  };
  void accumulate(Value firstValue, int64_t rows);
  Values sum(Value firstValue, int64_t rows, bool selectedOnly);
  Values addKey(const Tile &tile, Value key, ValueRange before);
  void prefetch(Value key, Value firstValue, int64_t rows);

  FlatBuilder &code;
  const AttendSchedule &schedule;
  const ValueTileOperands &operands;
  const ValueSource &source;
  TileAccess access;
};

} // namespace

void ValueTiles::emit() {
  auto tiles = [&](Value from, Value to, int64_t rows) {
    code.loop(from, to, code.constant(rows), [&](Value firstValue) { accumulate(firstValue, rows); });
  };
  Value zero = code.constant(0);
  if (auto known = FlatBuilder::constantOf(operands.values)) {
    // A short last tile would run at a fraction of the rate: the tiles are as equal as can be.
    int64_t number = *known, count = (number + schedule.tileRows - 1) / schedule.tileRows;
    if (number == 0)
      return;
    int64_t smaller = number / count, larger = number % count;
    Value boundary = code.constant(larger * (smaller + 1));
    if (larger > 0)
      tiles(zero, boundary, smaller + 1);
    return tiles(boundary, code.constant(number), smaller);
  }
  Value boundary = code.mul(code.div(operands.values, code.constant(schedule.tileRows)), schedule.tileRows);
  tiles(zero, boundary, schedule.tileRows);
  tiles(boundary, operands.values, 1);
}

void ValueTiles::accumulate(Value firstValue, int64_t rows) {
  Values added = sum(firstValue, rows, /*selectedOnly=*/false);
  if (operands.allSelected) {
    Value isSuspect = code.select(
        operands.allSelected, {code.builder.getI1Type()}, [&] { return Values{code.boolean(false)}; },
        [&] { return Values{code.hasNan(added)}; })[0];
    SmallVector<Type> types(added.size(), code.vectorType());
    added = code.select(
        isSuspect, types, [&] { return sum(firstValue, rows, /*selectedOnly=*/true); }, [&] { return added; });
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = added[i * schedule.vectors + vector], before = access.load(operands.sums, vector, firstValue, i);
      sum = operands.corrections.empty() ? code.addf(before, sum) : code.fma(before, operands.corrections[vector], sum);
      access.store(sum, operands.sums, vector, firstValue, i);
    }
}

/// The sums over the keys of a block, [value][vector]; over the selected pairs alone, or with a weight of zero
/// elsewhere.
LoopBuilder::Values ValueTiles::sum(Value firstValue, int64_t rows, bool selectedOnly) {
  Values total(rows * schedule.vectors, code.splat(0.0));
  Value zero = code.constant(0), one = code.constant(1), several = code.constant(keysAtOnce);
  Tile tile{firstValue, rows, 0, selectedOnly};
  auto addOne = [&](Value key, ValueRange before) { return addKey(tile, key, before); };
  if (selectedOnly)
    return code.loop(zero, operands.count, one, total, addOne);
  ArrayRef<Value> ends = operands.liveEnds;
  Value whole = code.mul(code.div(ends[0], several), keysAtOnce);
  total = code.loop(zero, whole, several, total, [&](Value first, ValueRange before) {
    prefetch(first, firstValue, rows);
    Values next(before);
    for (int64_t i = 0; i < keysAtOnce; ++i)
      next = addOne(code.add(first, i), next);
    return next;
  });
  total = code.loop(whole, ends[0], one, total, addOne);
  for (tile.firstVector = 1; tile.firstVector < int64_t(ends.size()); ++tile.firstVector) {
    auto isLive = [&](size_t number) { return int64_t(number) % schedule.vectors >= tile.firstVector; };
    Values live;
    for (auto [number, sum] : llvm::enumerate(total))
      if (isLive(number))
        live.push_back(sum);
    live = code.loop(ends[tile.firstVector - 1], ends[tile.firstVector], one, live, addOne);
    for (size_t number = 0, next = 0; number < total.size(); ++number)
      if (isLive(number))
        total[number] = live[next++];
  }
  return total;
}

/// Adds one key to the sums of the live vectors, [value][live vector].
LoopBuilder::Values ValueTiles::addKey(const Tile &tile, Value key, ValueRange before) {
  Values factors, flags, next;
  for (int64_t vector = tile.firstVector; vector < schedule.vectors; ++vector) {
    factors.push_back(access.load(operands.weights, vector, key));
    if (tile.selectedOnly)
      flags.push_back(source.flagsOf(key, vector));
  }
  ValueSource::ValueOfKey valueOf = source.ofKey(key);
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value number = code.add(tile.firstValue, i), shared = source.dependsOnRows ? Value() : valueOf(number, 0);
    for (auto [live, weight] : llvm::enumerate(factors)) {
      Value value = shared ? shared : valueOf(number, tile.firstVector + int64_t(live));
      Value sum = before[next.size()], added = code.fma(value, weight, sum);
      next.push_back(tile.selectedOnly ? code.choose(flags[live], added, sum) : added);
    }
  }
  return next;
}

/// A tile reads a column of lines, which no hardware prefetcher foresees. Tiles that share their lines divide the keys
/// among them: each prefetches the next line of one key of the group, and this line of one key of the next block.
void ValueTiles::prefetch(Value key, Value firstValue, int64_t rows) {
  if (!source.prefetchLine)
    return;
  Value number = code.rem(code.div(firstValue, code.constant(rows)), code.constant(keysAtOnce));
  Value ours = code.add(key, number);
  source.prefetchLine(ours, code.add(firstValue, lineFloats), 3);
  source.prefetchLine(code.add(ours, operands.count), firstValue, 2);
}

void emitValueTiles(FlatBuilder &code, const AttendSchedule &schedule, const ValueTileOperands &operands,
                    const ValueSource &source) {
  ValueTiles(code, schedule, operands, source).emit();
}

//===-------------------------------------------- routines ----------------------------------------------------===//

static ValueSource sourceOf(FlatBuilder &code, const AttendSchedule &schedule, const StridedRows &rows, Value flags,
                            Value firstFlags) {
  ValueSource source;
  source.ofKey = [&code, rows](Value key) {
    Value begin = code.add(rows.offset, code.mul(key, rows.stride));
    return [&code, rows, begin](Value number, int64_t) {
      return code.splat(code.loadScalar(rows.flat, {code.add(begin, number)}));
    };
  };
  source.flagsOf = [&code, &schedule, flags, firstFlags](Value key, int64_t vector) {
    return code.loadFlags(flags, {code.add(code.mul(code.add(firstFlags, key), schedule.vectors), vector)});
  };
  source.prefetchLine = [&code, rows](Value key, Value number, unsigned locality) {
    code.prefetch(rows.flat, {code.add(code.add(rows.offset, code.mul(key, rows.stride)), number)}, locality);
  };
  return source;
}

void callValueTiles(FlatBuilder &code, ModuleOp module, const AttendSchedule &schedule, const ValueTileOperands &given,
                    const StridedRows &rows, Value flags, Value firstFlags) {
  bool isCorrected = !given.corrections.empty(), drops = bool(given.allSelected);
  std::string name = fmt::format("value_sums.{}x{}.{}{}{}", schedule.tileRows, schedule.vectors, given.liveEnds.size(),
                                 isCorrected ? ".corrected" : "", drops ? ".dropping" : "");
  RoutineCall call{name + elementTypes(rows.flat), {given.values}, {}};
  if (drops)
    call.fixed.push_back(given.allSelected);
  call.operands.append({rows.flat, rows.offset, rows.stride, given.weights, given.sums, given.count});
  call.operands.append(given.liveEnds.begin(), given.liveEnds.end() - 1); // the last one is the number of keys
  call.operands.append(given.corrections);
  if (drops)
    call.operands.append({flags, firstFlags});
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    auto take = [&](size_t number) {
      ValueRange taken = operands.take_front(number);
      operands = operands.drop_front(number);
      return llvm::to_vector(taken);
    };
    auto takeOne = [&] { return take(1)[0]; };
    StridedRows values;
    ValueTileOperands inside;
    inside.values = takeOne();
    inside.allSelected = drops ? takeOne() : Value();
    values.flat = takeOne();
    values.offset = takeOne();
    values.stride = takeOne();
    inside.weights = takeOne();
    inside.sums = takeOne();
    inside.count = takeOne();
    inside.liveEnds = take(given.liveEnds.size() - 1);
    inside.liveEnds.push_back(inside.count);
    inside.corrections = take(given.corrections.size());
    Value flags = drops ? takeOne() : Value(), firstFlags = drops ? takeOne() : Value();
    emitValueTiles(routine, schedule, inside, sourceOf(routine, schedule, values, flags, firstFlags));
  });
}

} // namespace attnc
