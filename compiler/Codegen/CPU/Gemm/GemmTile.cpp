#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/Nest/Routine.h"

using namespace mlir;

namespace attnc {

namespace {

/// Steps of k in an iteration of the loop.
int64_t iterationSteps(const TileShape &shape) { return std::max<int64_t>(4, shape.sets); }

class TileEmission {
public:
  /// `isWhole`: the depth is a multiple of iterationSteps().
  TileEmission(FlatBuilder &code, const TileShape &shape, const TileOperands &operands, bool isWhole)
      : code(code), shape(shape), operands(operands), isWhole(isWhole) {}

  void emit() {
    FlatBuilder::Values sums = multiply();
    auto each = [&](bool adds) {
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value at = code.add(operands.sumsOffset, i * code.lanes);
        code.store(adds ? code.addf(code.load(operands.sums, at), sum) : sum, operands.sums, at);
      }
    };
    code.branch(
        operands.isFirst, [&] { each(false); }, [&] { each(true); });
  }

  /// The sums, row by row.
  FlatBuilder::Values multiply() {
    int64_t sums = shape.rows * shape.vectors;
    FlatBuilder::Values accumulators(shape.sets * sums, code.splat(0.0));
    Value whole = isWhole ? operands.depth : code.mul(code.div(operands.depth, unroll), unroll);
    accumulators =
        operands.result ? withRowFetches(whole, accumulators) : iterations(code.constant(0), whole, accumulators);
    FlatBuilder::Values first = added(accumulators, sums);
    if (isWhole)
      return first;
    return code.loop(whole, operands.depth, 1, first, [&](Value k, ValueRange carried) {
      FlatBuilder::Values next(carried);
      step(k, next, 0);
      return next;
    });
  }

private:
  FlatBuilder::Values iterations(Value from, Value to, ValueRange accumulators) {
    return code.loop(from, to, unroll, accumulators,
                     [&](Value k, ValueRange carried) { return steps(k, FlatBuilder::Values(carried), unroll); });
  }

  FlatBuilder::Values withRowFetches(Value whole, ValueRange accumulators) {
    Value rowSteps = code.mul(code.div(whole, shape.rows * unroll), unroll);
    Value last = code.constant(shape.rows - 1);
    return code.loop(code.constant(0), code.constant(shape.rows), 1, accumulators, [&](Value row, ValueRange carried) {
      code.when(operands.result->isNeeded, [&] { fetchRow(row); });
      Value from = code.mul(row, rowSteps);
      return iterations(from, code.choose(code.less(row, last), code.add(from, rowSteps), whole), carried);
    });
  }

  /// `count` steps from k on, with their prefetches.
  FlatBuilder::Values steps(Value k, FlatBuilder::Values accumulators, int64_t count) {
    slots = count * shape.rows;
    slot = 0;
    streams.clear();
    for (const TileFetch &fetch : operands.fetches)
      streams.push_back({bufferOf(fetch), code.add(fetch.offset, code.mul(k, fetch.lines * lineElementsOf(fetch) / 4)),
                         fetch.lines * count / 4, fetch.locality});
    for (int64_t u = 0; u < count; ++u)
      step(code.add(k, u), accumulators, u % shape.sets);
    streams.clear();
    return accumulators;
  }

  void step(Value k, FlatBuilder::Values &accumulators, int64_t set) {
    int64_t width = shape.vectors * code.lanes;
    Value panelStep = operands.panelStep ? operands.panelStep : code.constant(width);
    Value panelAt = code.add(operands.panelOffset, code.mul(k, panelStep));
    FlatBuilder::Values panelRow;
    for (int64_t v = 0; v < shape.vectors; ++v)
      panelRow.push_back(code.load(operands.panel, code.add(panelAt, v * code.lanes),
                                   operands.panelMasks.empty() ? Value() : operands.panelMasks[v]));
    // Hardware prefetchers do not cross pages.
    if (operands.panelStep && operands.stepsAhead)
      for (int64_t at = 0; at < width; at += FlatBuilder::lineElements(operands.panel))
        code.prefetch(operands.panel, code.add(code.add(panelAt, code.mul(panelStep, operands.stepsAhead)), at), 3);
    Value leftAt = code.add(operands.leftOffset, code.mul(k, operands.leftStep));
    for (int64_t r = 0; r < shape.rows; ++r, ++slot) {
      Value spread = code.splat(code.loadScalar(operands.left, code.add(leftAt, operands.rowDistances[r])));
      fetchAhead();
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Value &sum = accumulators[(set * shape.rows + r) * shape.vectors + v];
        sum = code.fma(spread, panelRow[v], sum);
      }
    }
  }

  /// The lines that the epilogue accesses for row `row`.
  void fetchRow(Value row) {
    const ResultFetch &result = *operands.result;
    Value at = code.add(result.at, code.mul(row, result.rowStep));
    auto eachLine = [&](Value buffer, llvm::function_ref<void(Value)> fetch) {
      for (int64_t column = 0; column < result.columns; column += FlatBuilder::lineElements(buffer))
        fetch(code.add(at, column));
    };
    eachLine(result.written, [&](Value line) { code.prefetchForWriting(result.written, line); });
    for (Value buffer : result.read)
      eachLine(buffer, [&](Value line) { code.prefetch(buffer, line, 3); });
  }

  /// The prefetches of each stream in this slot.
  void fetchAhead() {
    for (Stream &stream : streams)
      for (; stream.fetched * slots <= slot * stream.lines && stream.fetched < stream.lines; ++stream.fetched)
        code.prefetch(stream.buffer, code.add(stream.from, stream.fetched * FlatBuilder::lineElements(stream.buffer)),
                      stream.locality);
  }

  Value bufferOf(const TileFetch &fetch) const { return fetch.buffer ? fetch.buffer : operands.panel; }
  int64_t lineElementsOf(const TileFetch &fetch) const { return FlatBuilder::lineElements(bufferOf(fetch)); }

  /// The sums over all sets.
  FlatBuilder::Values added(ArrayRef<Value> accumulators, int64_t sums) {
    FlatBuilder::Values total(accumulators.take_front(sums));
    for (int64_t set = 1; set < shape.sets; ++set)
      for (int64_t i = 0; i < sums; ++i)
        total[i] = code.addf(total[i], accumulators[set * sums + i]);
    return total;
  }

  FlatBuilder &code;
  const TileShape &shape;
  const TileOperands &operands;
  const bool isWhole;
  /// The prefetches of one iteration: its lines are evenly distributed over slots, one for each row and step.
  struct Stream {
    Value buffer, from;
    int64_t lines;
    unsigned locality;
    int64_t fetched = 0;
  };
  const int64_t unroll = iterationSteps(shape);
  SmallVector<Stream> streams;
  int64_t slots = 0, slot = 0;
};

/// The values that addresses and branches depend on, which a routine fixes if they are constant.
SmallVector<Value *> fixedValues(TileOperands &operands) {
  SmallVector<Value *> values = {&operands.isFirst, &operands.leftStep};
  for (Value &distance : operands.rowDistances)
    values.push_back(&distance);
  if (operands.panelStep)
    values.push_back(&operands.panelStep);
  if (operands.result)
    values.push_back(&operands.result->isNeeded);
  return values;
}

SmallVector<Value *> passedValues(TileOperands &operands) {
  SmallVector<Value *> values = {&operands.left,  &operands.leftOffset, &operands.panel,     &operands.panelOffset,
                                 &operands.depth, &operands.sums,       &operands.sumsOffset};
  for (TileFetch &fetch : operands.fetches) {
    values.push_back(&fetch.offset);
    if (fetch.buffer)
      values.push_back(&fetch.buffer);
  }
  if (operands.result) {
    values.append({&operands.result->at, &operands.result->rowStep, &operands.result->written});
    for (Value &buffer : operands.result->read)
      values.push_back(&buffer);
  }
  return values;
}

/// The routine's name, with all properties that its code depends on besides its values.
std::string routineName(const TileShape &shape, const TileOperands &operands, bool isWhole) {
  std::string name;
  llvm::raw_string_ostream text(name);
  auto element = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); };
  text << "tile." << shape.rows << 'x' << shape.vectors << 'x' << shape.sets << (isWhole ? ".whole" : "");
  if (operands.panelStep)
    text << ".separated" << operands.stepsAhead;
  text << element(operands.left) << element(operands.panel);
  for (const TileFetch &fetch : operands.fetches) {
    text << ".fetch" << fetch.lines << 'l' << fetch.locality;
    if (fetch.buffer)
      text << element(fetch.buffer);
  }
  if (operands.result) {
    text << ".result" << operands.result->columns << element(operands.result->written);
    for (Value buffer : operands.result->read)
      text << element(buffer);
  }
  return name;
}

} // namespace

FlatBuilder::Values emitSums(FlatBuilder &code, const TileShape &shape, const TileOperands &operands) {
  assert(operands.fetches.empty() && !operands.result && !operands.stepsAhead);
  bool isWhole = FlatBuilder::constantOf(code.rem(operands.depth, iterationSteps(shape))) == 0;
  return TileEmission(code, shape, operands, isWhole).multiply();
}

void emitTile(FlatBuilder &code, ModuleOp module, const TileShape &shape, const TileOperands &operands) {
  bool isWhole = FlatBuilder::constantOf(code.rem(operands.depth, iterationSteps(shape))) == 0;
  TileOperands inside = operands;
  SmallVector<Value *> values = fixedValues(inside), passed = passedValues(inside);
  RoutineCall call{routineName(shape, operands, isWhole), {}, {}};
  for (Value *value : values)
    call.fixed.push_back(*value);
  for (Value *value : passed)
    call.operands.push_back(*value);
  values.append(passed);
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange routineOperands) {
    for (auto [value, operand] : llvm::zip_equal(values, routineOperands))
      *value = operand;
    TileEmission(routine, shape, inside, isWhole).emit();
  });
}

} // namespace attnc
