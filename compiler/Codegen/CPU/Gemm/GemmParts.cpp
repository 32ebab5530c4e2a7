#include "compiler/Codegen/CPU/Gemm/GemmParts.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/CPU/Gemm/Packing.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Schedule/ScheduleKeys.h"

using namespace mlir;

namespace attnc {

namespace {

/// The most elements of a result whose sums stay in the second cache beside the operands.
constexpr int64_t mostSums = int64_t(1) << 16;
/// Floats of a panel's steps that the first cache keeps while all tiles of rows meet them.
constexpr int64_t nearFloats = 6144;
/// Bytes of the steps of both operands that a worker copies at a time: a share of the second cache.
constexpr int64_t copiedShare = int64_t(1) << 18;
/// Fewer steps at a time than these, and the sums are read and written too often.
constexpr int64_t fewestSteps = 32;
/// So many parts of all matrices, where they are deep enough, are enough to share out among cores.
constexpr int64_t manyParts = 8;
/// Multiply-adds that make a part worth its launch, and of a part of which there are many.
constexpr int64_t leastWork = int64_t(1) << 20, partWork = int64_t(1) << 22;
constexpr int64_t depthUnit = scheduleKey(KernelKind::Gemm, "kc").step;
constexpr int64_t lineFloats = cacheLineBytes / 4;
/// Floats of a step, where steps follow each other, up to which tiles read an operand as it lies.
constexpr int64_t mostStepFloats = 512;
/// The most elements of a result whose operands, kc steps deep, are read as they lie.
constexpr int64_t fewSums = int64_t(1) << 14;

/// Whether tiles with vectors along the rows of the result are that much faster, for it has few columns. What is turned
/// round goes to columns of one loop.
bool suitsSwapping(const GemmProblem &problem, int64_t rows, int64_t columns, const Target &target) {
  constexpr double gain = 1.25;
  auto isLoop = [&](unsigned loop) { return !(problem.loopSizes[loop] == SizeExpr(1)); };
  return !problem.rightIsTransposed() && !scheduled(problem.kernel, "nr") && !scheduled(problem.kernel, "mr") &&
         llvm::count_if(problem.loopsOf(LoopGroup::Column), isLoop) == 1 &&
         panelSpeed(rows, target) > gain * panelSpeed(columns, target);
}

/// Columns of a panel. One tile of all rows reads a panel once; where the width that suits columns best has two, one of
/// two vectors that has as few tiles in all is taken.
int64_t panelColumns(int64_t rows, int64_t columns, const Target &target) {
  int64_t best = choosePanelColumns(columns, target), two = 2 * target.f32Lanes;
  auto tilesOf = [&](int64_t nr) {
    return llvm::divideCeil(rows, tileRows(nr / target.f32Lanes, target)) * llvm::divideCeil(columns, nr);
  };
  bool isOneTile = columns % two == 0 && rows <= tileRows(2, target);
  return best > two && isOneTile && tilesOf(two) <= tilesOf(best) ? two : best;
}

/// Steps of a part: at least so much work, and so many that it reads `quarters` / 4 floats for each of its sums.
int64_t depthOfPart(int64_t rows, int64_t columns, int64_t work, int64_t quarters) {
  int64_t ofWork = llvm::divideCeil(work, rows * columns);
  return std::max<int64_t>(ofWork, llvm::divideCeil(quarters * rows * columns, 4 * (rows + columns)));
}

} // namespace

std::optional<GemmParts> GemmParts::choose(const GemmProblem &problem, const Target &target) {
  SizeExpr rows = problem.extent(LoopGroup::Row), columns = problem.extent(LoopGroup::Column);
  SizeExpr depth = problem.extent(LoopGroup::Depth);
  // A number of rows of a block is said for the other form.
  if (problem.packing || !liesByDepth(problem) || !problem.isFlat(problem.left, LoopGroup::Batch) ||
      scheduled(problem.kernel, "mc") || !rows.isConstant() || !columns.isConstant())
    return std::nullopt;
  GemmParts made;
  made.lanes = target.f32Lanes;
  made.rows = rows.constant();
  made.columns = columns.constant();
  made.isSwapped = suitsSwapping(problem, made.rows, made.columns, target);
  if (made.isSwapped)
    std::swap(made.rows, made.columns);
  if (made.rows == 0 || made.columns == 0 || made.rows * made.columns > mostSums)
    return std::nullopt;
  made.nr = scheduled(problem.kernel, "nr").value_or(panelColumns(made.rows, made.columns, target));
  made.mr = scheduled(problem.kernel, "mr").value_or(tileRows(made.vectors(), target));
  made.chooseReading(problem);
  // A step grows with the rows and columns: with many of either, too few would fit.
  int64_t fitting = copiedShare / 4 / (made.copiedStep() + made.panels() * made.nr) / depthUnit * depthUnit;
  if (fitting < fewestSteps)
    return std::nullopt;
  made.kc = scheduled(problem.kernel, "kc").value_or(std::min(nearFloats / made.nr / depthUnit * depthUnit, fitting));
  int64_t deep = llvm::alignTo(depthOfPart(made.rows, made.columns, partWork, 32), made.kc);
  int64_t shallow = llvm::alignTo(depthOfPart(made.rows, made.columns, leastWork, 3), made.kc);
  SizeExpr batch = problem.extent(LoopGroup::Batch);
  int64_t matrices = batch.isConstant() ? std::max<int64_t>(1, batch.constant()) : 1;
  SizeExpr many = llvm::divideCeil(manyParts, matrices);
  made.parts = SizeExpr::min(depth.ceilDiv(shallow), SizeExpr::max(depth.ceilDiv(deep), many));
  made.mayBeShort = !problem.rightIsTransposed() && made.rows * made.columns <= fewSums;
  if (made.mayBeShort) // none up to kc steps, which are one lot
    made.parts = SizeExpr::min(made.parts, SizeExpr::max(depth, made.kc) - made.kc);
  bool isLong = depth.isConstant() ? depth.constant() >= 2 * deep : batch == SizeExpr(1);
  return isLong ? std::optional(made) : std::nullopt;
}

/// Where that is so, a lot of steps is one piece of memory, which the processor follows to the caches by itself; a copy
/// of it took up a sixth of the time.
void GemmParts::chooseReading(const GemmProblem &problem) {
  auto isOnePiece = [&](const Access &access, LoopGroup group) {
    auto stored = cast<RankedTensorType>(argumentOf(access.tensor).getType());
    return !isNarrow(stored.getElementType()) &&
           problem.innerStride(access, LoopGroup::Depth) == problem.extent(group);
  };
  bool left = isOnePiece(problem.left, LoopGroup::Row);
  bool right = !problem.rightIsTransposed() && isOnePiece(problem.right, LoopGroup::Column);
  readsSpread = (isSwapped ? right : left) && rows <= mostStepFloats;
  readsAlong = (isSwapped ? left : right) && columns % nr == 0 && columns <= mostStepFloats;
}

int64_t GemmParts::accumulatorSets(int64_t height) const {
  return std::min<int64_t>(8, int64_t(1) << llvm::Log2_64(std::max<int64_t>(1, mr / height)));
}

int64_t GemmParts::copiedStep() const {
  int64_t lines = llvm::divideCeil(rows, lineFloats);
  return (lines % 2 == 0 ? lines + 1 : lines) * lineFloats;
}

int64_t GemmParts::copiedBytes() const {
  return readsSpread ? 0 : llvm::alignTo(kc * copiedStep() * 4, scratchAlignment);
}

int64_t GemmParts::workerBytes() const {
  int64_t ofProducts = copiedBytes() + (readsAlong ? 0 : llvm::alignTo(panels() * kc * nr * 4, scratchAlignment));
  return std::max<int64_t>(ofProducts, llvm::alignTo((totalRows() + turnedColumns()) * nr * 4, scratchAlignment));
}

namespace {

/// What both phases have in common.
class PartsEmission {
protected:
  PartsEmission(const GemmProblem &problem, const GemmParts &parts, KernelFrame &frame)
      : problem(problem), parts(parts), frame(frame), code(frame.builder, frame.location, parts.lanes) {
    SizeExpr floats = problem.extent(LoopGroup::Batch) * parts.parts * SizeExpr(parts.sumFloats());
    auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
    sums = frame.shared(0, type, {frame.size(floats)});
    count = frame.size(parts.parts);
    depth = frame.size(problem.extent(LoopGroup::Depth));
    Operand left = operandOf(problem.left, LoopGroup::Row), right = operandOf(problem.right, LoopGroup::Column);
    spread = parts.isSwapped ? right : left;
    along = parts.isSwapped ? left : right;
  }

  /// An operand whose steps of k are rows.
  struct Operand {
    Value buffer, step, batchStride; ///< flat; from one k, and from one matrix, to the next
    bool isDense;                    ///< a step is as long as the result has rows (columns)

    Value at(FlatBuilder &code, Value batch, Value k) const {
      return code.add(code.mul(k, step), code.mul(batch, batchStride));
    }
  };

  Value firstRowOf(Value tile) {
    return code.add(code.mul(tile, parts.height()), code.min(tile, code.constant(parts.higherTiles())));
  }
  Value heightOf(Value tile) {
    Value isHigher = code.less(tile, code.constant(parts.higherTiles()));
    return code.add(code.constant(parts.height()), code.choose(isHigher, code.constant(1), code.constant(0)));
  }
  SmallVector<int64_t> heights() const {
    SmallVector<int64_t> heights = {parts.height()};
    if (parts.higherTiles() != 0)
      heights.push_back(parts.height() + 1);
    return heights;
  }
  /// Where the sums of a tile lie.
  Value sumsOf(Value batch, Value part, Value panel, Value tile) {
    Value ofPart = code.mul(code.add(code.mul(batch, count), part), parts.sumFloats());
    return code.add(ofPart, code.mul(code.add(code.mul(panel, parts.tiles()), tile), parts.mr * parts.nr));
  }

  const GemmProblem &problem;
  const GemmParts &parts;
  KernelFrame &frame;
  FlatBuilder code;
  Operand spread, along; ///< the one that tiles read element by element, and the one that they read in vectors
  Value sums, count, depth;

private:
  Operand operandOf(const Access &access, LoopGroup group) {
    bool isOne = problem.extent(LoopGroup::Batch) == SizeExpr(1);
    SizeExpr step = problem.innerStride(access, LoopGroup::Depth);
    SizeExpr batchStride = isOne ? SizeExpr(0) : problem.innerStride(access, LoopGroup::Batch);
    return {code.flat(frame.buffer(access.tensor)), frame.size(step), frame.size(batchStride),
            step == problem.extent(group)};
  }
};

/// The phase that multiplies.
class PartProducts : PartsEmission {
public:
  PartProducts(const GemmProblem &problem, const GemmParts &parts, KernelFrame &frame)
      : PartsEmission(problem, parts, frame) {}

  void emit() {
    auto floats = [&](int64_t count) { return MemRefType::get({count}, frame.builder.getF32Type()); };
    if (!parts.readsSpread)
      copied = frame.scratch(0, floats(parts.kc * parts.copiedStep()));
    if (!parts.readsAlong)
      packed = frame.scratch(parts.copiedBytes(), floats(parts.panels() * parts.kc * parts.nr));
    part = code.rem(frame.chunk, count);
    batch = code.div(frame.chunk, count);
    Value first = firstStepOf(part), last = code.min(depth, firstStepOf(code.add(part, 1)));
    bool isWhole = FlatBuilder::constantOf(code.rem(depth, parts.kc)) == int64_t(0);
    code.loop(first, last, parts.kc, [&](Value k0) {
      Value steps = isWhole ? code.constant(parts.kc) : code.min(code.constant(parts.kc), code.sub(last, k0));
      if (!parts.readsSpread)
        copySpread(k0, steps);
      if (!parts.readsAlong)
        packAlong(k0, steps);
      code.loop(code.constant(0), code.constant(parts.panels()), 1, [&](Value panel) {
        code.loop(code.constant(0), code.constant(parts.tiles()), 1, [&](Value tile) {
          multiply({k0, steps, code.equal(k0, first)}, panel, tile);
        });
      });
    });
  }

private:
  struct Steps {
    Value first, count, isFirst;
  };

  /// Parts are whole lots of kc steps, of which one has as many as the next or one more; no part has none.
  Value firstStepOf(Value number) {
    Value lots = frame.size(problem.extent(LoopGroup::Depth).ceilDiv(parts.kc));
    return code.mul(code.div(code.mul(number, lots), count), parts.kc);
  }

  void copySpread(Value k0, Value steps) {
    Value from = spread.at(code, batch, k0);
    int64_t whole = parts.rows / parts.lanes * parts.lanes;
    code.loop(code.constant(0), steps, 1, [&](Value k) {
      Value read = code.add(from, code.mul(k, spread.step)), written = code.mul(k, parts.copiedStep());
      auto copy = [&](Value row, Value mask) {
        code.store(code.load(spread.buffer, code.add(read, row), mask), copied, code.add(written, row), mask);
      };
      code.loop(code.constant(0), code.constant(whole), parts.lanes, [&](Value row) { copy(row, Value()); });
      if (whole < parts.rows)
        copy(code.constant(whole), code.laneMask(code.constant(parts.rows - whole)));
    });
  }

  void packAlong(Value k0, Value steps) {
    PackedMatrix matrix;
    matrix.source = along.buffer;
    matrix.packed = packed;
    matrix.depth = steps;
    matrix.firstStep = k0;
    matrix.columns = code.constant(parts.columns);
    matrix.batchStride = along.batchStride;
    matrix.transposed = problem.rightIsTransposed();
    matrix.outerStride = matrix.transposed ? depth : along.step;
    matrix.nr = parts.nr;
    code.loop(code.constant(0), code.constant(parts.panels()), 1, [&](Value panel) {
      emitPackPanel(code, frame.code, matrix, code.add(code.mul(batch, parts.panels()), panel),
                    code.mul(panel, parts.kc * parts.nr));
    });
  }

  /// The share of tile number `number` in fetching what is read next of an operand, `floats` a step from `next` on.
  TileFetch shareOf(const Operand &operand, Value next, int64_t floats, Value number, Value steps) {
    int64_t perLine = FlatBuilder::lineElements(operand.buffer);
    int64_t lines = llvm::divideCeil(4 * floats, perLine * parts.tiles() * parts.panels());
    Value before = code.mul(code.mul(number, code.div(steps, 4)), lines * perLine);
    return {code.add(operand.at(code, batch, next), before), lines, 2, operand.buffer};
  }

  /// Where a tile reads element by element.
  void spreadOf(TileOperands &operands, Value k0, Value tile, int64_t height) {
    Value first = firstRowOf(tile);
    operands.left = parts.readsSpread ? spread.buffer : copied;
    operands.leftOffset = parts.readsSpread ? code.add(spread.at(code, batch, k0), first) : first;
    for (int64_t row = 0; row < height; ++row)
      operands.rowDistances.push_back(code.constant(row));
    operands.leftStep = parts.readsSpread ? spread.step : code.constant(parts.copiedStep());
  }

  /// Where it reads in vectors.
  void alongOf(TileOperands &operands, Value k0, Value panel) {
    operands.panel = parts.readsAlong ? along.buffer : packed;
    if (!parts.readsAlong) {
      operands.panelOffset = code.mul(panel, parts.kc * parts.nr);
      return;
    }
    operands.panelOffset = code.add(along.at(code, batch, k0), code.mul(panel, parts.nr));
    if (parts.panels() != 1)
      operands.panelStep = along.step;
    operands.fetchesSteps = false;
  }

  void multiply(const Steps &steps, Value panel, Value tile) {
    Value number = code.add(code.mul(panel, parts.tiles()), tile), next = code.add(steps.first, steps.count);
    code.dispatch(heightOf(tile), heights(), [&](int64_t height) {
      TileOperands operands;
      spreadOf(operands, steps.first, tile, height);
      alongOf(operands, steps.first, panel);
      operands.depth = steps.count;
      if (spread.isDense)
        operands.fetches.push_back(shareOf(spread, next, parts.rows, number, steps.count));
      if (along.isDense)
        operands.fetches.push_back(shareOf(along, next, parts.columns, number, steps.count));
      operands.sums = sums;
      operands.sumsOffset = sumsOf(batch, part, panel, tile);
      operands.isFirst = steps.isFirst;
      emitTile(code, frame.code, {height, parts.vectors(), parts.accumulatorSets(height)}, operands);
    });
  }

  Value copied, packed, part, batch;
};

/// The phase that adds up the parts.
class SumOfParts : PartsEmission {
public:
  SumOfParts(const GemmProblem &problem, const GemmParts &parts, KernelFrame &frame)
      : PartsEmission(problem, parts, frame) {}

  void emit() {
    tile = code.rem(frame.chunk, parts.tiles());
    Value outer = code.div(frame.chunk, parts.tiles());
    panel = code.rem(outer, parts.panels());
    batch = code.div(outer, parts.panels());
    total = frame.scratch(0, MemRefType::get({parts.totalRows() * parts.nr}, frame.builder.getF32Type()));
    if (!parts.mayBeShort)
      return addUp();
    code.branch(
        code.equal(count, code.constant(0)), [&] { multiply(); }, [&] { addUp(); });
  }

private:
  void addUp() {
    Value rows = heightOf(tile), zero = code.constant(0);
    code.loop(zero, code.mul(rows, parts.nr), parts.nr, [&](Value at) {
      FlatBuilder::Values none(parts.vectors(), code.splat(0.0));
      FlatBuilder::Values sum = code.loop(zero, count, 1, none, [&](Value part, ValueRange before) {
        Value from = code.add(sumsOf(batch, part, panel, tile), at);
        FlatBuilder::Values next;
        for (auto [i, vector] : llvm::enumerate(before))
          next.push_back(code.addf(vector, code.load(sums, code.add(from, i * parts.lanes))));
        return next;
      });
      for (auto [i, vector] : llvm::enumerate(sum))
        code.store(vector, total, code.add(at, i * parts.lanes));
    });
    finish(rows);
  }

  /// From `total`, of so many rows of the tile, to the result.
  void finish(Value rows) {
    Value zero = code.constant(0), firstRow = firstRowOf(tile), firstColumn = code.mul(panel, parts.nr);
    if (!parts.isSwapped)
      return emitEpilogue(code, problem, frame, {total, zero, batch, firstRow, rows, firstColumn}, parts.nr);
    Value columns = code.min(code.constant(parts.nr), code.sub(code.constant(parts.columns), firstColumn));
    Value turned = turnRound();
    BlockOfSums block{turned, zero, batch, firstColumn, columns, firstRow};
    block.columns = rows;
    emitEpilogue(code, problem, frame, block, parts.turnedColumns());
  }

  /// `total` by columns. Rows that the tile does not have become columns that nobody reads.
  Value turnRound() {
    int64_t width = parts.turnedColumns(), floats = width * parts.nr;
    Value turned = frame.scratch(floats * 4, MemRefType::get({floats}, frame.builder.getF32Type()));
    code.loop(code.constant(0), code.constant(parts.nr), parts.lanes, [&](Value column) {
      for (int64_t row = 0; row < width; row += parts.lanes) {
        FlatBuilder::Values vectors;
        for (int64_t i = 0; i < parts.lanes; ++i)
          vectors.push_back(code.load(total, code.add(column, (row + i) * parts.nr)));
        for (auto [i, vector] : llvm::enumerate(code.transpose(vectors)))
          code.store(vector, turned, code.add(code.mul(code.add(column, i), width), row));
      }
    });
    return turned;
  }

  /// The tile of a short depth, of operands as they lie.
  void multiply() {
    Value firstColumn = code.mul(panel, parts.nr), left = code.sub(code.constant(parts.columns), firstColumn);
    bool isRagged = parts.columns % parts.nr != 0;
    code.dispatch(heightOf(tile), heights(), [&](int64_t height) {
      if (!isRagged)
        return multiply(height, firstColumn, {});
      SmallVector<Value> masks;
      for (int64_t v = 0; v < parts.vectors(); ++v)
        masks.push_back(code.laneMask(code.sub(left, code.constant(v * parts.lanes))));
      multiply(height, firstColumn, masks);
    });
  }

  void multiply(int64_t height, Value firstColumn, ArrayRef<Value> masks) {
    Value zero = code.constant(0);
    TileOperands operands;
    operands.left = spread.buffer;
    operands.leftOffset = code.add(spread.at(code, batch, zero), firstRowOf(tile));
    for (int64_t row = 0; row < height; ++row)
      operands.rowDistances.push_back(code.constant(row));
    operands.leftStep = spread.step;
    operands.panel = along.buffer;
    operands.panelOffset = code.add(along.at(code, batch, zero), firstColumn);
    operands.panelStep = along.step;
    operands.fetchesSteps = false;
    operands.panelMasks.assign(masks.begin(), masks.end());
    operands.depth = depth;
    FlatBuilder::Values sums = emitSums(code, {height, parts.vectors(), parts.accumulatorSets(height)}, operands);
    if (hasShortFormula(problem) && !parts.isSwapped) {
      BlockOfSums block{Value(), Value(), batch, firstRowOf(tile), code.constant(height), firstColumn};
      block.registers = sums;
      return emitEpilogue(code, problem, frame, block, parts.nr);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      code.store(sum, total, code.constant(i * parts.lanes));
    finish(code.constant(height));
  }

  Value total, tile, panel, batch;
};

} // namespace

KernelCode emitGemmInParts(const GemmProblem &problem, const GemmParts &parts, ModuleOp code) {
  func::FuncOp kernel = problem.kernel;
  std::string name = kernel.getSymName().str();
  SizeExpr batch = problem.extent(LoopGroup::Batch);
  KernelFrame products(kernel, name + ".parts", code);
  PartProducts(problem, parts, products).emit();
  KernelFrame sum(kernel, name, code);
  SumOfParts(problem, parts, sum).emit();
  KernelCode made;
  made.phases = {{name + ".parts", batch * parts.parts}, {name, batch * SizeExpr(parts.panels() * parts.tiles())}};
  made.sharedBytes = (batch * parts.parts * SizeExpr(parts.sumFloats() * 4)).alignTo(scratchAlignment);
  made.workerBytes = parts.workerBytes();
  return made;
}

} // namespace attnc
