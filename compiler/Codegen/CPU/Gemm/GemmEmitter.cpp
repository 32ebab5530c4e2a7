#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/CopyRows.h"
#include "compiler/Codegen/CPU/Gemm/GemmDot.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/CPU/Gemm/SplitKGemm.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

namespace {

/// The right operand, with `packed` for its panels.
PackedMatrix rightMatrix(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame,
                         FlatBuilder &code, Value packed) {
  SizeExpr depth = problem.extent(LoopGroup::Depth), columns = problem.extent(LoopGroup::Column);
  PackedMatrix matrix;
  matrix.source = code.flat(frame.buffer(problem.right.tensor));
  matrix.packed = packed;
  matrix.depth = frame.size(depth);
  matrix.columns = frame.size(columns);
  matrix.batchStride = frame.size(depth * columns);
  matrix.transposed = problem.rightIsTransposed();
  matrix.outerStride = frame.size(matrix.transposed ? depth : columns);
  matrix.nr = schedule.nr;
  return matrix;
}

/// The phase that multiplies.
class GemmEmission {
public:
  GemmEmission(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame)
      : problem(problem), schedule(schedule), frame(frame), code(frame.builder, frame.location, schedule.lanes) {}

  void emit() {
    readOperands();
    findResultOperands();
    decodeChunk();
    if (schedule.readsRight)
      return eachBatch([&] { onlyTileOfPanels(); });
    if (schedule.dots)
      return eachPanel([&](Value panel) { dots(panel); });
    Value onlyTile = code.less(rows, code.constant(schedule.mr + 1));
    code.branch(
        onlyTile, [&] { onlyTileOfPanels(); }, [&] { blocksOfPanels(); });
  }

private:
  void readOperands() {
    left = code.flat(frame.buffer(problem.left.tensor));
    SizeExpr batch = problem.extent(LoopGroup::Batch);
    SizeExpr panelFloats = problem.extent(LoopGroup::Depth) * SizeExpr(schedule.nr);
    auto floats = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
    if (problem.packing || schedule.dots || schedule.readsRight)
      right = code.flat(frame.buffer(problem.right.tensor));
    else if (schedule.packsPanels)
      right = frame.scratch(schedule.sumsBytes(), floats, {frame.size(panelFloats)});
    else
      right = frame.shared(0, floats, {frame.size(batch * schedule.panels * panelFloats)});
    result = code.flat(frame.result(0));
    rows = frame.size(problem.extent(LoopGroup::Row));
    depth = frame.size(problem.extent(LoopGroup::Depth));
    leftStep = frame.size(problem.innerStride(problem.left, LoopGroup::Depth));
    sums = frame.scratch(0, MemRefType::get({schedule.sumFloats()}, frame.builder.getF32Type()));
    if (schedule.widensLeft)
      copied = frame.scratch(frame.size(schedule.widenedOffset(problem)), floats,
                             {frame.size(schedule.widenedFloats(problem))});
    if (schedule.copiesLeft)
      copied =
          frame.scratch(schedule.sumsBytes(), MemRefType::get({schedule.copiedFloats()}, frame.builder.getF32Type()));
    chunkDepth = problem.isFlat(problem.left, LoopGroup::Depth) ? schedule.kc : problem.depthRun().constant();
  }

  void findResultOperands() {
    resultIsFlat = problem.isFlat(problem.result, LoopGroup::Row) && problem.isFlat(problem.result, LoopGroup::Column);
    linalg::GenericOp epilogue = problem.epilogue;
    if (!epilogue)
      return;
    AffineMap map = epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
    for (OpOperand *operand : epilogue.getDpsInputOperands())
      if (argumentOf(operand->get()) && epilogue.getMatchingIndexingMap(operand) == map)
        besideResult.push_back(code.flat(frame.buffer(operand->get())));
  }

  /// chunk -> batch, block of rows, group of panels.
  void decodeChunk() {
    Value blocks = schedule.packsPanels ? code.constant(1) : frame.size(schedule.rowBlocks);
    Value groups = frame.size(schedule.panelGroups);
    Value group = code.rem(frame.chunk, groups), outer = code.div(frame.chunk, groups);
    rowBlock = code.rem(outer, blocks);
    batch = code.div(outer, blocks);
    panels = frame.size(schedule.panels);
    firstPanel = code.mul(group, schedule.panelsPerChunk);
    lastPanel = code.add(firstPanel, schedule.panelsPerChunk);
    if (schedule.panelsPerChunk > 1)
      lastPanel = code.min(panels, lastPanel);
    leftBatch = offset(problem.left, LoopGroup::Batch, batch);
  }

  /// Packs the panel, if that is left to this chunk.
  Value packed(Value panel) {
    if (schedule.packsPanels)
      emitPackPanel(code, frame.code, rightMatrix(problem, schedule, frame, code, right),
                    code.add(code.mul(batch, panels), panel), code.constant(0));
    return panel;
  }

  void onlyTileOfPanels() {
    if (schedule.singleHeights.empty())
      return;
    firstWidened = code.constant(0);
    if (schedule.widensLeft)
      widenRows(rows);
    eachPanel([&](Value panel) { singleTile(packed(panel)); });
  }

  void blocksOfPanels() {
    if (schedule.blockHeights.empty())
      return;
    if (schedule.copiesLeft)
      return blockOfPanels();
    if (schedule.widensLeft && !schedule.packsPanels)
      widenBlock();
    eachPanel([&](Value panel) { eachBlock(packed(panel)); });
  }

  /// Every block of rows of this chunk meets the panel.
  void eachBlock(Value panel) {
    if (!schedule.packsPanels)
      return block(panel);
    code.loop(code.constant(0), frame.size(schedule.rowBlocks), 1, [&](Value each) {
      rowBlock = each;
      if (schedule.widensLeft)
        widenBlock();
      block(panel);
    });
  }

  /// The rows that the tiles of this block read, of which the first may belong to the block before, too.
  void widenBlock() {
    RowTiles tiles = rowTiles();
    Value firstTile = code.mul(rowBlock, schedule.tilesPerBlock);
    Value lastTile = code.min(tiles.count, code.add(firstTile, schedule.tilesPerBlock));
    firstWidened = code.sub(firstRowOf(tiles, code.add(firstTile, 1)), heightOfTile(tiles, firstTile));
    widenRows(code.sub(firstRowOf(tiles, lastTile), firstWidened));
  }

  void widenRows(Value count) {
    Value whole = code.mul(code.div(depth, schedule.lanes), schedule.lanes);
    code.loop(code.constant(0), count, 1, [&](Value row) {
      Value from = code.add(leftBatch, offset(problem.left, LoopGroup::Row, code.add(firstWidened, row)));
      Value to = code.mul(row, depth);
      auto widen = [&](Value k, Value mask) {
        code.store(code.load(left, code.add(from, k), mask), copied, code.add(to, k), mask);
      };
      code.loop(code.constant(0), whole, schedule.lanes, [&](Value k) { widen(k, Value()); });
      code.when(code.less(whole, depth), [&] { widen(whole, code.laneMask(code.sub(depth, whole))); });
    });
  }

  /// The matrices of this chunk, one or several.
  void eachBatch(llvm::function_ref<void()> body) {
    if (schedule.batchesPerChunk == 1)
      return body();
    Value first = code.mul(batch, schedule.batchesPerChunk), all = frame.size(problem.extent(LoopGroup::Batch));
    code.loop(first, code.min(all, code.add(first, schedule.batchesPerChunk)), 1, [&](Value each) {
      batch = each;
      leftBatch = offset(problem.left, LoopGroup::Batch, batch);
      body();
    });
  }

  void eachPanel(llvm::function_ref<void(Value)> body) { code.loop(firstPanel, lastPanel, 1, body); }

  /// Elements of left before number `flat` of a group.
  Value offset(const Access &access, LoopGroup group, Value flat) {
    if (problem.isFlat(access, group))
      return code.mul(flat, frame.size(problem.innerStride(access, group)));
    SmallVector<SizeExpr> sizes;
    for (unsigned loop : problem.loopsOf(group))
      sizes.push_back(problem.loopSizes[loop]);
    Value sum = code.constant(0);
    for (auto [loop, at] : llvm::zip(problem.loopsOf(group), coordinatesOf(code, frame, sizes, flat))) {
      auto *dimension = llvm::find(access.loops, loop);
      sum = code.add(sum, code.mul(at, frame.size(problem.stride(access, dimension - access.loops.begin()))));
    }
    return sum;
  }

  Value columns() { return frame.size(problem.extent(LoopGroup::Column)); }

  /// What lies from a step of a panel to the next.
  Value panelStep() { return schedule.readsRight ? columns() : code.constant(schedule.nr); }

  Value panelOffset(Value panel) {
    if (schedule.packsPanels)
      return code.constant(0);
    if (schedule.readsRight)
      return code.add(code.mul(code.mul(batch, depth), columns()), code.mul(panel, schedule.nr));
    return code.mul(code.mul(code.add(code.mul(batch, panels), panel), depth), schedule.nr);
  }

  /// Where the tile of `height` rows from `firstRow` on, at step k0, lies in its operands. Rows beyond number
  /// `lastRow`, if there may be any, repeat that one.
  TileOperands operandsOf(Value firstRow, int64_t height, Value lastRow, Value k0, Value panelAt) {
    if (schedule.widensLeft)
      return widenedOperandsOf(firstRow, height, lastRow, k0, panelAt);
    TileOperands operands;
    operands.left = left;
    Value rowOffset = offset(problem.left, LoopGroup::Row, firstRow);
    operands.leftOffset = code.add(code.add(leftBatch, rowOffset), offset(problem.left, LoopGroup::Depth, k0));
    bool flat = problem.isFlat(problem.left, LoopGroup::Row);
    for (int64_t r = 0; r < height; ++r) {
      Value row = lastRow ? code.min(code.constant(r), code.sub(lastRow, firstRow)) : code.constant(r);
      operands.rowDistances.push_back(
          flat ? offset(problem.left, LoopGroup::Row, row)
               : code.sub(offset(problem.left, LoopGroup::Row, code.add(firstRow, row)), rowOffset));
    }
    operands.leftStep = leftStep;
    operands.panel = right;
    operands.panelOffset = code.add(panelAt, code.mul(k0, panelStep()));
    return operands;
  }

  /// The same of rows that were widened.
  TileOperands widenedOperandsOf(Value firstRow, int64_t height, Value lastRow, Value k0, Value panelAt) {
    TileOperands operands;
    operands.left = copied;
    operands.leftOffset = code.add(code.mul(code.sub(firstRow, firstWidened), depth), k0);
    for (int64_t r = 0; r < height; ++r) {
      Value row = lastRow ? code.min(code.constant(r), code.sub(lastRow, firstRow)) : code.constant(r);
      operands.rowDistances.push_back(code.mul(row, depth));
    }
    operands.leftStep = code.constant(1);
    operands.panel = right;
    operands.panelOffset = code.add(panelAt, code.mul(k0, panelStep()));
    return operands;
  }

  /// The same of a tile that was copied, number `place` of its block.
  TileOperands copiedOperandsOf(Value place, int64_t height, Value k0, Value panelAt) {
    TileOperands operands;
    operands.left = copied;
    operands.leftOffset = code.mul(place, schedule.kc * schedule.mr);
    for (int64_t r = 0; r < height; ++r)
      operands.rowDistances.push_back(code.constant(r));
    operands.leftStep = code.constant(schedule.mr);
    operands.panel = right;
    operands.panelOffset = code.add(panelAt, code.mul(k0, schedule.nr));
    return operands;
  }

  /// What is needed of the result, and of the operands that are read beside it, when the tile from `row` on is done.
  ResultFetch fetchOfResult(Value isWanted, Value row, Value panel) {
    Value at = code.add(code.add(offset(problem.result, LoopGroup::Batch, batch), code.mul(panel, schedule.nr)),
                        offset(problem.result, LoopGroup::Row, row));
    Value rowStep = frame.size(problem.innerStride(problem.result, LoopGroup::Row));
    return {isWanted, at, rowStep, schedule.nr, result, besideResult};
  }

  /// Puts the tile's sums at row `row` of the block, or adds them to what is there.
  void multiplyTile(const TileShape &shape, TileOperands &operands, Value row, Value isFirst) {
    operands.sums = sums;
    operands.sumsOffset = code.mul(row, schedule.nr);
    operands.isFirst = isFirst;
    emitTile(code, frame.code, shape, operands);
  }

  void dots(Value panel) {
    Value firstColumn = code.mul(panel, schedule.nr);
    Value columns = frame.size(problem.extent(LoopGroup::Column));
    DotOperands operands;
    operands.left = left;
    for (int64_t row = 0; row < problem.extent(LoopGroup::Row).constant(); ++row)
      operands.rowOffsets.push_back(code.add(leftBatch, offset(problem.left, LoopGroup::Row, code.constant(row))));
    operands.right = right;
    operands.rightOffset = code.mul(code.add(code.mul(batch, columns), firstColumn), depth);
    operands.columns = code.min(code.constant(schedule.nr), code.sub(columns, firstColumn));
    operands.depth = depth;
    operands.sums = sums;
    emitDots(code, operands, schedule.nr, schedule.mr * schedule.vectors());
    finish(panel, code.constant(0), rows, code.constant(0));
  }

  /// All rows are one tile: the panel streams through once.
  void singleTile(Value panel) {
    Value panelAt = panelOffset(panel), zero = code.constant(0), lastRow = code.sub(rows, code.constant(1));
    Value leastHeight = code.constant(schedule.singleHeights.back());
    for (int64_t height : llvm::reverse(ArrayRef(schedule.singleHeights).drop_back()))
      leastHeight = code.choose(code.less(rows, code.constant(height + 1)), code.constant(height), leastHeight);
    bool whole = problem.isFlat(problem.left, LoopGroup::Depth);
    auto part = [&](Value k0, Value steps, Value isFirst) {
      code.dispatch(leastHeight, schedule.singleHeights, [&](int64_t height) {
        TileOperands operands = operandsOf(zero, height, lastRow, k0, panelAt);
        operands.depth = steps;
        if (schedule.readsRight && !(schedule.panels == SizeExpr(1)))
          operands.panelStep = panelStep();
        else if (!schedule.readsRight || FlatBuilder::constantOf(depth).value_or(streamSteps) >= streamSteps)
          operands.fetches = {{code.add(operands.panelOffset, streamLines * lineElements()), panelLines(), 2}};
        TileShape shape{height, schedule.vectors(), schedule.accumulatorSets(height)};
        multiplyTile(shape, operands, zero, isFirst);
      });
    };
    if (whole)
      part(zero, depth, code.equal(zero, zero));
    else
      eachDepthChunk(part);
    finish(panel, zero, rows, zero);
  }

  /// How the rows are shared out among tiles: tile t is new in rows [from(t), from(t + 1)), and computes `height(t)`
  /// rows up to there (it overlaps the tile before where there are more).
  struct RowTiles {
    Value count, low, higher; ///< tiles in all; the lower height; the number of tiles that are one row higher
  };

  RowTiles rowTiles() {
    Value count = frame.size(schedule.rowTiles), even = code.div(rows, count);
    Value lowest = code.constant(schedule.blockHeights.front());
    Value higher = code.choose(code.less(even, lowest), code.constant(0), code.rem(rows, count));
    return {count, code.max(even, lowest), higher};
  }

  Value firstRowOf(const RowTiles &tiles, Value tile) {
    return code.min(rows, code.add(code.mul(tile, tiles.low), code.min(tile, tiles.higher)));
  }

  /// Several tiles of rows share each chunk of the panel.
  void block(Value panel) {
    RowTiles tiles = rowTiles();
    eachDepthChunk([&](Value k0, Value steps, Value isFirst) {
      Value next = code.mul(steps, schedule.nr);
      tilesOfBlock(tiles, {panel, k0, steps, isFirst, next, code.constant(0)});
    });
  }

  /// They share it with what is copied of their rows, which meets all panels of the chunk.
  void blockOfPanels() {
    RowTiles tiles = rowTiles();
    Value firstTile = code.mul(rowBlock, schedule.tilesPerBlock);
    Value count = code.sub(code.min(tiles.count, code.add(firstTile, schedule.tilesPerBlock)), firstTile);
    eachDepthChunk([&](Value k0, Value steps, Value isFirst) {
      CopiedRows rows{left,       code.add(leftBatch, offset(problem.left, LoopGroup::Depth, k0)),
                      leftStep,   steps,
                      copied,     schedule.kc,
                      schedule.mr};
      auto heightOf = [&](Value place) { return heightOfTile(tiles, code.add(firstTile, place)); };
      auto firstOf = [&](Value place) {
        return code.sub(firstRowOf(tiles, code.add(code.add(firstTile, place), 1)), heightOf(place));
      };
      emitCopyRows(code, rows, count, firstOf, heightOf);
      eachPanel([&](Value panel) {
        Value kept = code.mul(code.sub(panel, firstPanel), schedule.blockRows());
        tilesOfBlock(tiles, {panel, k0, steps, isFirst, code.mul(depth, schedule.nr), kept});
      });
    });
  }

  /// A chunk of a panel for all tiles of the block: `steps` steps from k0 on. The one that is needed after it lies
  /// `next` floats further. The sums of the first tile are kept at row `kept`.
  struct PanelChunk {
    Value panel, k0, steps, isFirst, next, kept;
  };

  void tilesOfBlock(const RowTiles &tiles, const PanelChunk &chunk) {
    Value firstTile = code.mul(rowBlock, schedule.tilesPerBlock);
    Value lastTile = code.min(tiles.count, code.add(firstTile, schedule.tilesPerBlock));
    code.loop(firstTile, lastTile, 1, [&](Value tile) { blockTile(chunk, tiles, tile, code.sub(tile, firstTile)); });
  }

  Value heightOfTile(const RowTiles &tiles, Value tile) {
    return code.add(tiles.low, code.choose(code.less(tile, tiles.higher), code.constant(1), code.constant(0)));
  }

  /// Tile number `tile`, which is number `place` of its block.
  void blockTile(const PanelChunk &chunk, const RowTiles &tiles, Value tile, Value place) {
    Value isLast = code.less(code.sub(depth, chunk.steps), code.add(chunk.k0, 1));
    Value height = heightOfTile(tiles, tile);
    Value firstNew = firstRowOf(tiles, tile), end = firstRowOf(tiles, code.add(tile, 1));
    Value row = code.sub(end, height), kept = code.add(chunk.kept, code.mul(place, schedule.mr));
    if (schedule.storesFromRegisters)
      return code.dispatch(height, schedule.blockHeights, [&](int64_t rowsOfTile) {
        storeTile(operandsOf(row, rowsOfTile, Value(), chunk.k0, panelOffset(chunk.panel)), rowsOfTile, chunk.panel,
                  row, code.sub(firstNew, row));
      });
    int64_t share = llvm::divideCeil(panelLines(), schedule.tilesPerBlock);
    Value fetched = code.mul(code.mul(place, code.div(chunk.steps, 4)), share * lineElements());
    code.dispatch(height, schedule.blockHeights, [&](int64_t rowsOfTile) {
      Value panelAt = panelOffset(chunk.panel);
      TileOperands operands = schedule.copiesLeft ? copiedOperandsOf(place, rowsOfTile, chunk.k0, panelAt)
                                                  : operandsOf(row, rowsOfTile, Value(), chunk.k0, panelAt);
      operands.depth = chunk.steps;
      Value soon = code.add(operands.panelOffset, stepsAhead * schedule.nr);
      Value nextChunk = code.add(code.add(operands.panelOffset, chunk.next), fetched);
      operands.fetches = {{soon, panelLines(), 3}, {nextChunk, share, 2}};
      if (resultIsFlat)
        operands.result = fetchOfResult(isLast, row, chunk.panel);
      multiplyTile({rowsOfTile, schedule.vectors()}, operands, kept, chunk.isFirst);
    });
    code.when(isLast,
              [&] { finish(chunk.panel, firstNew, code.sub(end, firstNew), code.add(kept, code.sub(firstNew, row))); });
  }

  /// From registers to the result: all rows of the tile but the first `skipped`.
  void storeTile(TileOperands operands, int64_t height, Value panel, Value row, Value skipped) {
    operands.depth = depth;
    BlockOfSums block{Value(), Value(), batch, row, code.constant(height), code.mul(panel, schedule.nr)};
    block.registers = emitSums(code, {height, schedule.vectors()}, operands);
    // Tiles of a known number of rows do not overlap.
    if (!problem.extent(LoopGroup::Row).isConstant())
      block.skipped = skipped;
    emitEpilogue(code, problem, frame, block, schedule.nr);
  }

  /// Cache lines of a panel in four steps of k.
  int64_t panelLines() const { return schedule.nr * 4 / lineElements(); }
  int64_t lineElements() const { return FlatBuilder::lineElements(right); }

  /// K in chunks; a K of zero still has one, which sets the sums to zero.
  void eachDepthChunk(llvm::function_ref<void(Value, Value, Value)> body) {
    std::optional<int64_t> known = FlatBuilder::constantOf(depth);
    Value zero = code.constant(0);
    if (known && *known <= chunkDepth)
      return body(zero, depth, code.equal(zero, zero));
    code.loop(zero, code.max(depth, code.constant(1)), chunkDepth, [&](Value k0) {
      Value steps = known && *known % chunkDepth == 0 ? code.constant(chunkDepth)
                                                      : code.min(code.constant(chunkDepth), code.sub(depth, k0));
      body(k0, steps, code.equal(k0, zero));
    });
  }

  /// From the sums of `count` rows, which lie in scratch from row `kept` on, to the result.
  void finish(Value panel, Value firstRow, Value count, Value kept) {
    BlockOfSums block{sums, kept, batch, firstRow, count, code.mul(panel, schedule.nr)};
    emitEpilogue(code, problem, frame, block, schedule.nr);
  }

  /// How far ahead of its use a stream is fetched.
  static constexpr int64_t streamLines = 64;
  /// What is shorter, in steps of k, the processor has followed to its end by itself.
  static constexpr int64_t streamSteps = 512;
  /// How far ahead a chunk of the panel comes from the second cache to the first, in steps of k.
  static constexpr int64_t stepsAhead = 8;

  const GemmProblem &problem;
  const GemmSchedule &schedule;
  KernelFrame &frame;
  FlatBuilder code;
  int64_t chunkDepth = 0;
  bool resultIsFlat = false;
  SmallVector<Value> besideResult; ///< operands of the epilogue that lie as the result does
  Value left, copied, right, result, sums, rows, depth, leftStep, leftBatch;
  Value batch, rowBlock, panels, firstPanel, lastPanel;
  Value firstWidened; ///< the row that lies first in `copied`
};

void emitPackPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame) {
  FlatBuilder code(frame.builder, frame.location, schedule.lanes);
  SizeExpr floats = problem.extent(LoopGroup::Batch) * schedule.panels * problem.extent(LoopGroup::Depth);
  Value packed = frame.shared(0, MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type()),
                              {frame.size(floats * SizeExpr(schedule.nr))});
  emitPackPanel(code, frame.code, rightMatrix(problem, schedule, frame, code, packed), frame.chunk);
}

} // namespace

Verdict supportsGemm(func::FuncOp kernel, const Target &target) {
  std::optional<GemmProblem> problem;
  if (Verdict v = GemmProblem::match(kernel, problem); !v)
    return v;
  if (problem->packing && problem->packing->nr % target.f32Lanes != 0)
    return Verdict::no("its panels are not whole vectors");
  // A vector of lanes must not run from one value of an outer column loop to the next.
  unsigned loops = 0;
  int64_t inner = 0;
  for (unsigned loop : problem->loopsOf(LoopGroup::Column))
    if (SizeExpr size = problem->loopSizes[loop]; !(size == SizeExpr(1))) {
      ++loops;
      inner = size.isConstant() ? size.constant() : 1;
    }
  if (loops > 1 && inner % target.f32Lanes != 0)
    return Verdict::no("the innermost dimension of its result is not a whole number of vectors");
  return Verdict::yes();
}

FailureOr<KernelCode> emitGemm(func::FuncOp kernel, const Target &target, ModuleOp code) {
  std::optional<GemmProblem> problem;
  if (!GemmProblem::match(kernel, problem))
    return failure();
  KernelCost cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  if (std::optional<SplitKSchedule> split = SplitKSchedule::choose(*problem, target)) {
    KernelCode result = emitSplitKGemm(*problem, *split, code);
    result.cost = cost;
    recordSchedule(kernel, {{"mr", split->mr}, {"nr", split->nr}, {"kc", split->kc}});
    return result;
  }
  GemmSchedule schedule(*problem, target);
  KernelCode result;
  std::string name = kernel.getSymName().str();
  if (!problem->packing && !schedule.dots && !schedule.readsRight && !schedule.packsPanels) {
    KernelFrame frame(kernel, name + ".pack", code);
    emitPackPhase(*problem, schedule, frame);
    SizeExpr panels = problem->extent(LoopGroup::Batch) * schedule.panels;
    result.phases.push_back({name + ".pack", panels});
    result.sharedBytes =
        (panels * problem->extent(LoopGroup::Depth) * SizeExpr(schedule.nr * 4)).alignTo(scratchAlignment);
  }
  KernelFrame frame(kernel, name, code);
  GemmEmission(*problem, schedule, frame).emit();
  result.phases.push_back({name, schedule.chunks(*problem)});
  result.workerBytes = schedule.workerBytes(*problem);
  result.cost = cost;
  if (schedule.dots)
    recordSchedule(kernel, {{"nr", schedule.nr}});
  else
    recordSchedule(kernel,
                   {{"mr", schedule.mr}, {"nr", schedule.nr}, {"kc", schedule.kc}, {"mc", schedule.blockRows()}});
  return result;
}

} // namespace attnc
