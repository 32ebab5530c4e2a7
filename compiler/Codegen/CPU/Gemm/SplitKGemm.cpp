#include "compiler/Codegen/CPU/Gemm/SplitKGemm.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"

using namespace mlir;

namespace attnc {

namespace {

/// The most elements of a result whose sums stay in the second-level cache beside the operands.
constexpr int64_t mostSums = int64_t(1) << 16;
/// Floats of a panel's steps that stay in the first-level cache while all tiles of rows read them.
constexpr int64_t cachedFloats = 6144;
/// Bytes of the steps of both operands that a worker copies at a time: a part of the second-level cache.
constexpr int64_t mostCopiedBytes = int64_t(1) << 18;
/// With fewer steps at a time, the sums are read and written too often.
constexpr int64_t fewestSteps = 32;
/// Slices of all matrices, if they are deep enough, to distribute among cores.
constexpr int64_t manySlices = 8;
/// Multiply-adds of the smallest slice that is worth a chunk, and of a slice of a long depth.
constexpr int64_t leastWork = int64_t(1) << 20, sliceWork = int64_t(1) << 22;
constexpr int64_t depthUnit = scheduleKey(KernelKind::Gemm, "kc").step;
constexpr int64_t lineFloats = cacheLineBytes / 4;
/// Floats of a contiguous step up to which tiles read an operand without a copy.
constexpr int64_t mostStepFloats = 512;
/// The most elements of a result whose operands, kc steps deep, are read without a copy.
constexpr int64_t fewSums = int64_t(1) << 14;

/// Whether tiles with lanes along the rows of the result are much faster, as it has few columns. The transposed sums
/// require the columns to be one loop.
bool suitsSwapping(const GemmProblem &problem, int64_t rows, int64_t columns, const Target &target) {
  constexpr double gain = 1.25;
  auto isLoop = [&](unsigned loop) { return !(problem.loopSizes[loop] == SizeExpr(1)); };
  return !problem.rightIsTransposed() && !scheduled(problem.kernel, "nr") && !scheduled(problem.kernel, "mr") &&
         llvm::count_if(problem.loopsOf(LoopGroup::Column), isLoop) == 1 &&
         panelSpeed(rows, target) > gain * panelSpeed(columns, target);
}

/// Columns of a panel. One tile of all rows reads a panel once: if the best width for the columns has two tiles, the
/// width of two vectors is chosen, unless it has more tiles in all.
int64_t panelColumns(int64_t rows, int64_t columns, const Target &target) {
  int64_t best = choosePanelColumns(columns, target), two = 2 * target.f32Lanes;
  auto tilesOf = [&](int64_t nr) {
    return llvm::divideCeil(rows, tileRows(nr / target.f32Lanes, target)) * llvm::divideCeil(columns, nr);
  };
  bool isOneTile = columns % two == 0 && rows <= tileRows(2, target);
  return best > two && isOneTile && tilesOf(two) <= tilesOf(best) ? two : best;
}

/// Steps of a slice with at least this work that reads at least `quarters` / 4 floats for each of its sums.
int64_t sliceDepth(int64_t rows, int64_t columns, int64_t work, int64_t quarters) {
  int64_t workDepth = llvm::divideCeil(work, rows * columns);
  return std::max<int64_t>(workDepth, llvm::divideCeil(quarters * rows * columns, 4 * (rows + columns)));
}

} // namespace

std::optional<SplitKSchedule> SplitKSchedule::choose(const GemmProblem &problem, const Target &target) {
  SizeExpr rows = problem.extent(LoopGroup::Row), columns = problem.extent(LoopGroup::Column);
  SizeExpr depth = problem.extent(LoopGroup::Depth);
  // A schedule with a number of rows of a block is one of products that are not split.
  if (problem.packing || problem.selector || !isRowContiguous(problem) ||
      !problem.isFlat(problem.left, LoopGroup::Batch) || scheduled(problem.kernel, "mc") || !rows.isConstant() ||
      !columns.isConstant())
    return std::nullopt;
  SplitKSchedule result;
  result.lanes = target.f32Lanes;
  result.rows = rows.constant();
  result.columns = columns.constant();
  result.isSwapped = suitsSwapping(problem, result.rows, result.columns, target);
  if (result.isSwapped)
    std::swap(result.rows, result.columns);
  if (result.rows == 0 || result.columns == 0 || result.rows * result.columns > mostSums)
    return std::nullopt;
  result.nr = scheduled(problem.kernel, "nr").value_or(panelColumns(result.rows, result.columns, target));
  result.mr = scheduled(problem.kernel, "mr").value_or(tileRows(result.vectors(), target));
  result.chooseReading(problem);
  // The bytes of a step grow with the rows and columns: with many of either, too few steps would fit.
  int64_t fitting = mostCopiedBytes / 4 / (result.copiedStep() + result.panels() * result.nr) / depthUnit * depthUnit;
  if (fitting < fewestSteps)
    return std::nullopt;
  int64_t cached = cachedFloats / result.nr / depthUnit * depthUnit;
  result.kc = scheduled(problem.kernel, "kc").value_or(std::min(cached, fitting));
  int64_t deep = llvm::alignTo(sliceDepth(result.rows, result.columns, sliceWork, 32), result.kc);
  int64_t shallow = llvm::alignTo(sliceDepth(result.rows, result.columns, leastWork, 3), result.kc);
  SizeExpr batch = problem.extent(LoopGroup::Batch);
  int64_t matrices = batch.isConstant() ? std::max<int64_t>(1, batch.constant()) : 1;
  SizeExpr many = llvm::divideCeil(manySlices, matrices);
  result.slices = SizeExpr::min(depth.ceilDiv(shallow), SizeExpr::max(depth.ceilDiv(deep), many));
  result.mayBeShort = !problem.rightIsTransposed() && result.rows * result.columns <= fewSums;
  if (result.mayBeShort) // none up to kc steps
    result.slices = SizeExpr::min(result.slices, SizeExpr::max(depth, result.kc) - result.kc);
  bool isLong = depth.isConstant() ? depth.constant() >= 2 * deep : batch == SizeExpr(1);
  return isLong ? std::optional(result) : std::nullopt;
}

/// Contiguous steps are one range of memory, which the hardware prefetcher follows; a copy took a sixth of the time.
void SplitKSchedule::chooseReading(const GemmProblem &problem) {
  auto isContiguous = [&](const Access &access, LoopGroup group) {
    auto stored = cast<RankedTensorType>(argumentOf(access.tensor).getType());
    return !isNarrow(stored.getElementType()) && problem.innerStride(access, LoopGroup::Depth) == problem.extent(group);
  };
  bool left = isContiguous(problem.left, LoopGroup::Row);
  bool right = !problem.rightIsTransposed() && isContiguous(problem.right, LoopGroup::Column);
  readsBroadcast = (isSwapped ? right : left) && rows <= mostStepFloats;
  readsVectors = (isSwapped ? left : right) && columns % nr == 0 && columns <= mostStepFloats;
}

int64_t SplitKSchedule::accumulatorSets(int64_t height) const {
  return std::min<int64_t>(8, int64_t(1) << llvm::Log2_64(std::max<int64_t>(1, mr / height)));
}

int64_t SplitKSchedule::copiedStep() const {
  int64_t lines = llvm::divideCeil(rows, lineFloats);
  return (lines % 2 == 0 ? lines + 1 : lines) * lineFloats;
}

int64_t SplitKSchedule::copiedBytes() const {
  return readsBroadcast ? 0 : llvm::alignTo(kc * copiedStep() * 4, scratchAlignment);
}

int64_t SplitKSchedule::workerBytes() const {
  int64_t productBytes = copiedBytes() + (readsVectors ? 0 : llvm::alignTo(panels() * kc * nr * 4, scratchAlignment));
  return std::max<int64_t>(productBytes, llvm::alignTo((totalRows() + transposedColumns()) * nr * 4, scratchAlignment));
}

namespace {

/// The common operands of both phases.
class SplitKPhase {
protected:
  SplitKPhase(const GemmProblem &problem, const SplitKSchedule &schedule, KernelFrame &frame)
      : problem(problem), schedule(schedule), frame(frame), code(frame.builder, frame.location, schedule.lanes) {
    SizeExpr floats = problem.extent(LoopGroup::Batch) * schedule.slices * SizeExpr(schedule.sumFloats());
    auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
    sums = frame.shared(0, type, {frame.size(floats)});
    count = frame.size(schedule.slices);
    depth = frame.size(problem.extent(LoopGroup::Depth));
    Operand left = operand(problem.left, LoopGroup::Row), right = operand(problem.right, LoopGroup::Column);
    scalars = schedule.isSwapped ? right : left;
    vectors = schedule.isSwapped ? left : right;
  }

  /// An operand whose steps of k are its rows.
  struct Operand {
    Value buffer, step, batchStride; ///< flat; from one k, and from one matrix, to the next
    bool isDense;                    ///< a step is as long as the result has rows (columns)

    Value at(FlatBuilder &code, Value batch, Value k) const {
      return code.add(code.mul(k, step), code.mul(batch, batchStride));
    }
  };

  Value tileStart(Value tile) {
    return code.add(code.mul(tile, schedule.height()), code.min(tile, code.constant(schedule.higherTiles())));
  }
  Value tileHeight(Value tile) {
    Value isHigher = code.less(tile, code.constant(schedule.higherTiles()));
    return code.add(code.constant(schedule.height()), code.choose(isHigher, code.constant(1), code.constant(0)));
  }
  SmallVector<int64_t> heights() const {
    SmallVector<int64_t> heights = {schedule.height()};
    if (schedule.higherTiles() != 0)
      heights.push_back(schedule.height() + 1);
    return heights;
  }
  /// The offset of the sums of a tile.
  Value sumsOffset(Value batch, Value slice, Value panel, Value tile) {
    Value sliceOffset = code.mul(code.add(code.mul(batch, count), slice), schedule.sumFloats());
    return code.add(sliceOffset,
                    code.mul(code.add(code.mul(panel, schedule.tiles()), tile), schedule.mr * schedule.nr));
  }

  const GemmProblem &problem;
  const SplitKSchedule &schedule;
  KernelFrame &frame;
  FlatBuilder code;
  Operand scalars, vectors; ///< the operand that tiles broadcast, and the one that they load in vectors
  Value sums, count, depth;

private:
  Operand operand(const Access &access, LoopGroup group) {
    bool isOne = problem.extent(LoopGroup::Batch) == SizeExpr(1);
    SizeExpr step = problem.innerStride(access, LoopGroup::Depth);
    SizeExpr batchStride = isOne ? SizeExpr(0) : problem.innerStride(access, LoopGroup::Batch);
    return {code.flat(frame.buffer(access.tensor)), frame.size(step), frame.size(batchStride),
            step == problem.extent(group)};
  }
};

/// Phase 1: the products of each slice.
class SliceProducts : SplitKPhase {
public:
  SliceProducts(const GemmProblem &problem, const SplitKSchedule &schedule, KernelFrame &frame)
      : SplitKPhase(problem, schedule, frame) {}

  void emit() {
    auto floats = [&](int64_t count) { return MemRefType::get({count}, frame.builder.getF32Type()); };
    if (!schedule.readsBroadcast)
      copied = frame.scratch(0, floats(schedule.kc * schedule.copiedStep()));
    if (!schedule.readsVectors)
      packed = frame.scratch(schedule.copiedBytes(), floats(schedule.panels() * schedule.kc * schedule.nr));
    slice = code.rem(frame.chunk, count);
    batch = code.div(frame.chunk, count);
    Value first = firstStep(slice), last = code.min(depth, firstStep(code.add(slice, 1)));
    bool isWhole = FlatBuilder::constantOf(code.rem(depth, schedule.kc)) == int64_t(0);
    code.loop(first, last, schedule.kc, [&](Value k0) {
      Value steps = isWhole ? code.constant(schedule.kc) : code.min(code.constant(schedule.kc), code.sub(last, k0));
      if (!schedule.readsBroadcast)
        copyScalars(k0, steps);
      if (!schedule.readsVectors)
        packVectors(k0, steps);
      code.loop(code.constant(0), code.constant(schedule.panels()), 1, [&](Value panel) {
        code.loop(code.constant(0), code.constant(schedule.tiles()), 1, [&](Value tile) {
          multiply({k0, steps, code.equal(k0, first)}, panel, tile);
        });
      });
    });
  }

private:
  struct Steps {
    Value first, count, isFirst;
  };

  /// Slices are multiples of kc steps, whose numbers differ by at most one; no slice is empty.
  Value firstStep(Value number) {
    Value blocks = frame.size(problem.extent(LoopGroup::Depth).ceilDiv(schedule.kc));
    return code.mul(code.div(code.mul(number, blocks), count), schedule.kc);
  }

  void copyScalars(Value k0, Value steps) {
    Value from = scalars.at(code, batch, k0);
    code.loop(code.constant(0), steps, 1, [&](Value k) {
      code.copy(scalars.buffer, code.add(from, code.mul(k, scalars.step)), copied, code.mul(k, schedule.copiedStep()),
                code.constant(schedule.rows));
    });
  }

  void packVectors(Value k0, Value steps) {
    PackedMatrix matrix;
    matrix.source = vectors.buffer;
    matrix.packed = packed;
    matrix.depth = steps;
    matrix.firstStep = k0;
    matrix.columns = code.constant(schedule.columns);
    matrix.batchStride = vectors.batchStride;
    matrix.transposed = problem.rightIsTransposed();
    matrix.outerStride = matrix.transposed ? depth : vectors.step;
    matrix.nr = schedule.nr;
    code.loop(code.constant(0), code.constant(schedule.panels()), 1, [&](Value panel) {
      emitPackPanel(code, frame.code, matrix, code.add(code.mul(batch, schedule.panels()), panel),
                    code.mul(panel, schedule.kc * schedule.nr));
    });
  }

  /// The part of tile `number` in prefetching the next steps of an operand, `floats` a step from `next` on.
  TileFetch nextSteps(const Operand &operand, Value next, int64_t floats, Value number, Value steps) {
    int64_t perLine = FlatBuilder::lineElements(operand.buffer);
    int64_t lines = llvm::divideCeil(4 * floats, perLine * schedule.tiles() * schedule.panels());
    Value before = code.mul(code.mul(number, code.div(steps, 4)), lines * perLine);
    return {code.add(operand.at(code, batch, next), before), lines, 2, operand.buffer};
  }

  /// The operand that a tile broadcasts.
  void setScalars(TileOperands &operands, Value k0, Value tile, int64_t height) {
    Value first = tileStart(tile);
    operands.left = schedule.readsBroadcast ? scalars.buffer : copied;
    operands.leftOffset = schedule.readsBroadcast ? code.add(scalars.at(code, batch, k0), first) : first;
    for (int64_t row = 0; row < height; ++row)
      operands.rowDistances.push_back(code.constant(row));
    operands.leftStep = schedule.readsBroadcast ? scalars.step : code.constant(schedule.copiedStep());
  }

  /// The operand that it loads in vectors.
  void setVectors(TileOperands &operands, Value k0, Value panel) {
    operands.panel = schedule.readsVectors ? vectors.buffer : packed;
    if (!schedule.readsVectors) {
      operands.panelOffset = code.mul(panel, schedule.kc * schedule.nr);
      return;
    }
    operands.panelOffset = code.add(vectors.at(code, batch, k0), code.mul(panel, schedule.nr));
    if (schedule.panels() != 1)
      operands.panelStep = vectors.step;
  }

  void multiply(const Steps &steps, Value panel, Value tile) {
    Value number = code.add(code.mul(panel, schedule.tiles()), tile), next = code.add(steps.first, steps.count);
    code.dispatch(tileHeight(tile), heights(), [&](int64_t height) {
      TileOperands operands;
      setScalars(operands, steps.first, tile, height);
      setVectors(operands, steps.first, panel);
      operands.depth = steps.count;
      if (scalars.isDense)
        operands.fetches.push_back(nextSteps(scalars, next, schedule.rows, number, steps.count));
      if (vectors.isDense)
        operands.fetches.push_back(nextSteps(vectors, next, schedule.columns, number, steps.count));
      operands.sums = sums;
      operands.sumsOffset = sumsOffset(batch, slice, panel, tile);
      operands.isFirst = steps.isFirst;
      emitTile(code, frame.code, {height, schedule.vectors(), schedule.accumulatorSets(height)}, operands);
    });
  }

  Value copied, packed, slice, batch;
};

/// Phase 2: the sum of the slices.
class SliceSum : SplitKPhase {
public:
  SliceSum(const GemmProblem &problem, const SplitKSchedule &schedule, KernelFrame &frame)
      : SplitKPhase(problem, schedule, frame) {}

  void emit() {
    tile = code.rem(frame.chunk, schedule.tiles());
    Value outer = code.div(frame.chunk, schedule.tiles());
    panel = code.rem(outer, schedule.panels());
    batch = code.div(outer, schedule.panels());
    total = frame.scratch(0, MemRefType::get({schedule.totalRows() * schedule.nr}, frame.builder.getF32Type()));
    if (!schedule.mayBeShort)
      return addSlices();
    code.branch(
        code.equal(count, code.constant(0)), [&] { multiply(); }, [&] { addSlices(); });
  }

private:
  void addSlices() {
    Value rows = tileHeight(tile), zero = code.constant(0);
    code.loop(zero, code.mul(rows, schedule.nr), schedule.nr, [&](Value at) {
      FlatBuilder::Values none(schedule.vectors(), code.splat(0.0));
      FlatBuilder::Values sum = code.loop(zero, count, 1, none, [&](Value slice, ValueRange before) {
        Value from = code.add(sumsOffset(batch, slice, panel, tile), at);
        FlatBuilder::Values next;
        for (auto [i, vector] : llvm::enumerate(before))
          next.push_back(code.addf(vector, code.load(sums, code.add(from, i * schedule.lanes))));
        return next;
      });
      for (auto [i, vector] : llvm::enumerate(sum))
        code.store(vector, total, code.add(at, i * schedule.lanes));
    });
    storeTotal(rows);
  }

  /// Stores the first `rows` rows of `total` to the result.
  void storeTotal(Value rows) {
    Value zero = code.constant(0), firstRow = tileStart(tile), firstColumn = code.mul(panel, schedule.nr);
    if (!schedule.isSwapped)
      return emitEpilogue(code, problem, frame, {total, zero, batch, firstRow, rows, firstColumn}, schedule.nr);
    Value columns = code.min(code.constant(schedule.nr), code.sub(code.constant(schedule.columns), firstColumn));
    Value transposed = transposeTotal();
    BlockOfSums block{transposed, zero, batch, firstColumn, columns, firstRow};
    block.columns = rows;
    emitEpilogue(code, problem, frame, block, schedule.transposedColumns());
  }

  /// `total`, transposed. Rows that the tile does not have become columns that are not read.
  Value transposeTotal() {
    int64_t width = schedule.transposedColumns(), floats = width * schedule.nr;
    Value transposed = frame.scratch(floats * 4, MemRefType::get({floats}, frame.builder.getF32Type()));
    code.loop(code.constant(0), code.constant(schedule.nr), schedule.lanes, [&](Value column) {
      for (int64_t row = 0; row < width; row += schedule.lanes) {
        FlatBuilder::Values vectors;
        for (int64_t i = 0; i < schedule.lanes; ++i)
          vectors.push_back(code.load(total, code.add(column, (row + i) * schedule.nr)));
        for (auto [i, vector] : llvm::enumerate(code.transpose(vectors)))
          code.store(vector, transposed, code.add(code.mul(code.add(column, i), width), row));
      }
    });
    return transposed;
  }

  /// The tile of a short depth, from operands as they are stored.
  void multiply() {
    Value firstColumn = code.mul(panel, schedule.nr), left = code.sub(code.constant(schedule.columns), firstColumn);
    bool isRagged = schedule.columns % schedule.nr != 0;
    code.dispatch(tileHeight(tile), heights(), [&](int64_t height) {
      if (!isRagged)
        return multiply(height, firstColumn, {});
      SmallVector<Value> masks;
      for (int64_t v = 0; v < schedule.vectors(); ++v)
        masks.push_back(code.laneMask(code.sub(left, code.constant(v * schedule.lanes))));
      multiply(height, firstColumn, masks);
    });
  }

  void multiply(int64_t height, Value firstColumn, ArrayRef<Value> masks) {
    Value zero = code.constant(0);
    TileOperands operands;
    operands.left = scalars.buffer;
    operands.leftOffset = code.add(scalars.at(code, batch, zero), tileStart(tile));
    for (int64_t row = 0; row < height; ++row)
      operands.rowDistances.push_back(code.constant(row));
    operands.leftStep = scalars.step;
    operands.panel = vectors.buffer;
    operands.panelOffset = code.add(vectors.at(code, batch, zero), firstColumn);
    operands.panelStep = vectors.step;
    operands.panelMasks.assign(masks.begin(), masks.end());
    operands.depth = depth;
    FlatBuilder::Values sums = emitSums(code, {height, schedule.vectors(), schedule.accumulatorSets(height)}, operands);
    if (hasShortFormula(problem) && !schedule.isSwapped) {
      BlockOfSums block{Value(), Value(), batch, tileStart(tile), code.constant(height), firstColumn};
      block.registers = sums;
      return emitEpilogue(code, problem, frame, block, schedule.nr);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      code.store(sum, total, code.constant(i * schedule.lanes));
    storeTotal(code.constant(height));
  }

  Value total, tile, panel, batch;
};

} // namespace

KernelCode emitSplitKGemm(const GemmProblem &problem, const SplitKSchedule &schedule, ModuleOp code) {
  func::FuncOp kernel = problem.kernel;
  std::string name = kernel.getSymName().str();
  SizeExpr batch = problem.extent(LoopGroup::Batch);
  KernelFrame products(kernel, name + ".parts", code);
  SliceProducts(problem, schedule, products).emit();
  KernelFrame sum(kernel, name, code);
  SliceSum(problem, schedule, sum).emit();
  KernelCode result;
  result.phases = {{name + ".parts", batch * schedule.slices},
                   {name, batch * SizeExpr(schedule.panels() * schedule.tiles())}};
  result.sharedBytes = (batch * schedule.slices * SizeExpr(schedule.sumFloats() * 4)).alignTo(scratchAlignment);
  result.workerBytes = schedule.workerBytes();
  return result;
}

} // namespace attnc
