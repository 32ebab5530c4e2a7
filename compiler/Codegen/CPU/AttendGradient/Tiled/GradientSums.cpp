#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientSums.h"
#include "compiler/Codegen/Nest/Routine.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

namespace {

/// Emits one sum, with the builder of a phase or of a routine.
class SumTiles {
public:
  SumTiles(FlatBuilder &code, const AttendGradientSchedule &schedule, const GradientSum &sum)
      : code(code), schedule(schedule), sum(sum) {}

  void emit();

private:
  using Values = LoopBuilder::Values;
  void addTile(RegisterTile size, Value row, int64_t firstVector);
  std::pair<Value, Value> factorRange(RegisterTile size, Value row);

  FlatBuilder &code;
  const AttendGradientSchedule &schedule;
  const GradientSum &sum;
};

} // namespace

/// The vectors of a row are split into register tiles as equal as can be.
void SumTiles::emit() {
  int64_t total = schedule.vectorsOf(sum.into.columns), parts = (total + schedule.vectors - 1) / schedule.vectors;
  for (int64_t part = 0, firstVector = 0; part < parts; ++part) {
    int64_t vectors = total / parts + (part < total % parts);
    forEachTile(code, sum.count, schedule.rowsOf(vectors), [&](Value row, int64_t tileRows) {
      addTile({tileRows, vectors}, row, firstVector);
    });
    firstVector += vectors;
  }
}

/// The range of factors that a tile may have terms with.
std::pair<Value, Value> SumTiles::factorRange(RegisterTile size, Value row) {
  Value zero = code.constant(0);
  if (!sum.isTrimmed)
    return {zero, sum.factorCount};
  Value tile = code.div(row, code.constant(TrimmedTiles::step));
  if (sum.isTransposed) {
    Value first = sum.trimmed.firstOf(code, tile);
    return {code.min(code.mul(first, TrimmedTiles::step), sum.factorCount), sum.factorCount};
  }
  Value end = sum.trimmed.endOf(code, tile);
  if (size.rows > TrimmedTiles::step)
    end = code.max(end, sum.trimmed.endOf(code, code.add(tile, 1)));
  return {zero, end};
}

void SumTiles::addTile(RegisterTile size, Value row, int64_t firstVector) {
  Values offsets;
  for (int64_t i = 0; i < size.rows; ++i)
    offsets.push_back(sum.into.offsetOf(code.add(code.add(sum.first, row), i)));
  auto sumsBefore = [&] {
    Values before;
    for (Value offset : offsets)
      for (int64_t vector = 0; vector < size.vectors; ++vector)
        before.push_back(loadVector(code, sum.into, offset, firstVector + vector));
    return before;
  };
  auto left = [&](int64_t i, Value k) {
    Value r = code.add(row, i);
    Value place =
        sum.isTransposed ? code.add(code.mul(k, schedule.tileKv), r) : code.add(code.mul(r, schedule.tileKv), k);
    return code.loadScalar(sum.tile, {place});
  };
  auto right = [&](int64_t vector, Value k) {
    return loadVector(code, sum.factor, sum.factor.offsetOf(code.add(sum.factorFirst, k)), firstVector + vector);
  };
  auto range = factorRange(size, row);
  TileProduct product = {code, size, range.first, range.second, left, right};
  Values sums = product.addTo(sumsBefore());
  if (sum.mayDrop) {
    auto again = [&] { return product.addTo(sumsBefore(), /*skipsZeros=*/true); };
    SmallVector<Type> types(sums.size(), code.vectorType());
    sums = code.select(code.hasNan(sums), types, again, [&] { return sums; });
  }
  for (int64_t i = 0; i < size.rows; ++i)
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      storeVector(code, sums[i * size.vectors + vector], sum.into, offsets[i], firstVector + vector);
}

//===-------------------------------------------- routines ----------------------------------------------------===//

static std::string routineName(const GradientSum &sum, const AttendGradientSchedule &schedule) {
  std::string name = fmt::format("gradient_sum.{}x{}.{}{}{}{}", sum.into.columns, schedule.tileKv, schedule.vectors,
                                 sum.isTransposed ? ".transposed" : "", sum.isTrimmed ? ".trimmed" : "",
                                 sum.mayDrop ? ".dropping" : "");
  return name + elementTypes({sum.factor.flat, sum.into.flat});
}

/// The rows from `offset` on, `stride` apart, as a matrix.
static Matrix stridedMatrix(FlatBuilder &code, Value flat, Value offset, Value stride, int64_t columns) {
  auto offsetOf = [&code, offset, stride](Value row) { return code.add(offset, code.mul(row, stride)); };
  return {flat, offsetOf, columns, /*isStrided=*/true};
}

/// The routine serves the sums of all kernels with as many columns.
static void callSumRoutine(FlatBuilder &code, ModuleOp module, const MatrixRows &matrices,
                           const AttendGradientSchedule &schedule, const GradientSum &sum) {
  StridedRows factor = matrices.strided(sum.factor, sum.factorFirst, sum.factorCount);
  StridedRows into = matrices.strided(sum.into, sum.first, sum.count);
  RoutineCall call{routineName(sum, schedule),
                   {factor.count, into.count},
                   {factor.flat, factor.offset, factor.stride, into.flat, into.offset, into.stride, sum.tile}};
  if (sum.isTrimmed)
    call.operands.append({sum.trimmed.ends, sum.trimmed.firsts});
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    GradientSum inside = sum;
    inside.factorCount = operands[0];
    inside.count = operands[1];
    inside.factor = stridedMatrix(routine, operands[2], operands[3], operands[4], sum.factor.columns);
    inside.into = stridedMatrix(routine, operands[5], operands[6], operands[7], sum.into.columns);
    inside.first = inside.factorFirst = routine.constant(0);
    inside.tile = operands[8];
    if (sum.isTrimmed)
      inside.trimmed = {operands[9], operands[10]};
    SumTiles(routine, schedule, inside).emit();
  });
}

//===-------------------------------------------- the sums of a block -----------------------------------------===//

void GradientSums::accumulate(const PairBlock &block) {
  attn::AttendOp op = problem.attend.op;
  bool mayDrop = !block.isWhole && problem.attend.hasMask();
  // The result has rows for the keys of the block, or for its rows.
  auto addToKeys = [&](Value tile, Matrix factor, Matrix into) {
    add({tile, /*isTransposed=*/true, factor, into, block.firstRow, block.rowCount, block.firstKey, block.keyCount,
         block.isTrimmed, mayDrop, trimmed.tables});
  };
  auto addToRows = [&](Value tile, Matrix factor, Matrix into) {
    add({tile, /*isTransposed=*/false, factor, into, block.firstKey, block.keyCount, block.firstRow, block.rowCount,
         block.isTrimmed, mayDrop, trimmed.tables});
  };
  if (problem.valueResult) {
    BlockArgument index = op.getValue().getArguments().back();
    Matrix into = matrices.ofKeys(problem.value, index, frame.result(*problem.valueResult), problem.values);
    addToKeys(tiles.scores[0], matrices.ofValues(problem.cotangentOf(attn::Statistic::Value)), into);
  }
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    Matrix rowFactor = matrices.rowFactor(dot), keyFactor = matrices.keyFactor(dot);
    if (dot.keyResult) {
      Matrix into = matrices.ofKeys(dot.keyFactor, dot.feature, frame.result(*dot.keyResult), dot.features);
      addToKeys(tiles.gradients[number], rowFactor, into);
    }
    if (dot.rowResult)
      addToRows(tiles.gradients[number], keyFactor, rowSums.rows(number));
  }
}

void GradientSums::add(const GradientSum &sum) {
  if (sum.factor.isStrided && sum.into.isStrided)
    callSumRoutine(loops, frame.code, matrices, schedule, sum);
  else
    SumTiles(loops, schedule, sum).emit();
}

} // namespace attnc
