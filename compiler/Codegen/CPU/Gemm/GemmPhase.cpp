#include "compiler/Codegen/CPU/Gemm/GemmPhase.h"
#include "compiler/Codegen/CPU/Gemm/GemmDot.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/CPU/Gemm/GemmOperands.h"
#include "compiler/Codegen/CPU/Gemm/GroupedRows.h"

using namespace mlir;

namespace attnc {

namespace {

/// Fewest steps of k with prefetches of a panel that is read once: for fewer the hardware prefetcher is enough.
constexpr int64_t streamSteps = 512;

class GemmPhase : GemmContext {
public:
  explicit GemmPhase(const GemmContext &context)
      : GemmContext(context), right(context), result(code.flat(frame.result(0))), depth(extent(LoopGroup::Depth)),
        left(context), rows(context),
        sums(frame.scratch(0, MemRefType::get({schedule.sumFloats()}, code.builder.getF32Type()))) {}

  void emit() {
    findResultOperands();
    decodeChunk();
    if (problem.selector)
      return emitMatrix();
    if (schedule.readsRight)
      return eachBatch([&] { emitSingleTiles(); });
    if (schedule.dots)
      return eachPanel([&](Value panel) { emitDotProducts(panel); });
    emitTilesOfRows();
  }

private:
  /// A matrix of a grouped product that has rows: number `batch` of these matrices.
  void emitMatrix() {
    GroupedRows sorted(*this);
    code.when(code.less(batch, sorted.filledCount()), [&] {
      batch = sorted.filledMatrix(batch);
      rows = ProductRows(code, sorted, batch);
      left.setBatch(batch, rows);
      emitTilesOfRows();
    });
  }

  void emitTilesOfRows() {
    Value isSingle = code.less(rows.count, code.constant(schedule.mr + 1));
    code.branch(
        isSingle, [&] { emitSingleTiles(); }, [&] { emitBlocks(); });
  }

  void findResultOperands() {
    resultIsFlat = !problem.selector && problem.isFlat(problem.result, LoopGroup::Row) &&
                   problem.isFlat(problem.result, LoopGroup::Column);
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
    Value blocks = schedule.hasAllRows(problem) ? code.constant(1) : frame.size(schedule.rowBlocks);
    Value groups = frame.size(schedule.panelGroups);
    Value group = code.rem(frame.chunk, groups), outer = code.div(frame.chunk, groups);
    rowBlock = code.rem(outer, blocks);
    batch = code.div(outer, blocks);
    Value panels = frame.size(schedule.panels);
    firstPanel = code.mul(group, schedule.panelsPerChunk);
    lastPanel = code.add(firstPanel, schedule.panelsPerChunk);
    if (schedule.panelsPerChunk > 1)
      lastPanel = code.min(panels, lastPanel);
    left.setBatch(batch, rows);
  }

  //===------------------------------------------ loops ---------------------------------------------------------===//

  /// The matrices of this chunk, one or several.
  void eachBatch(llvm::function_ref<void()> body) {
    if (schedule.batchesPerChunk == 1)
      return body();
    Value first = code.mul(batch, schedule.batchesPerChunk), all = extent(LoopGroup::Batch);
    code.loop(first, code.min(all, code.add(first, schedule.batchesPerChunk)), 1, [&](Value each) {
      batch = each;
      left.setBatch(batch, rows);
      body();
    });
  }

  void eachPanel(llvm::function_ref<void(Value)> body) { code.loop(firstPanel, lastPanel, 1, body); }

  /// K in chunks; a K of zero still has one, which sets the sums to zero.
  void eachDepthChunk(llvm::function_ref<void(Value k0, Value steps, Value isFirst)> body) {
    bool isFlat = problem.isFlat(problem.left, LoopGroup::Depth);
    int64_t chunkDepth = isFlat ? schedule.kc : problem.depthRun().constant();
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

  //===------------------------------------------ all rows at once ----------------------------------------------===//

  void emitDotProducts(Value panel) {
    Value firstColumn = code.mul(panel, schedule.nr), columns = extent(LoopGroup::Column);
    DotOperands operands;
    operands.left = left.source;
    for (int64_t row = 0; row < problem.extent(LoopGroup::Row).constant(); ++row)
      operands.rowOffsets.push_back(left.rowOffset(code.constant(row)));
    operands.right = right.buffer;
    operands.rightOffset = code.mul(code.add(code.mul(batch, columns), firstColumn), depth);
    operands.columns = code.min(code.constant(schedule.nr), code.sub(columns, firstColumn));
    operands.depth = depth;
    operands.sums = sums;
    emitDots(code, operands, schedule.nr, schedule.mr * schedule.vectors());
    storeResult(panel, code.constant(0), rows.count, code.constant(0));
  }

  /// All rows are one tile, which each panel streams through once.
  void emitSingleTiles() {
    if (schedule.singleHeights.empty())
      return;
    if (schedule.copiesRows)
      left.copyRows(code.constant(0), rows.count);
    eachPanel([&](Value panel) {
      right.pack(batch, panel);
      emitSingleTile(panel);
    });
  }

  void emitSingleTile(Value panel) {
    Value offset = right.panelOffset(batch, panel), zero = code.constant(0);
    Value lastRow = code.sub(rows.count, code.constant(1));
    Value leastHeight = code.constant(schedule.singleHeights.back());
    for (int64_t height : llvm::reverse(ArrayRef(schedule.singleHeights).drop_back()))
      leastHeight = code.choose(code.less(rows.count, code.constant(height + 1)), code.constant(height), leastHeight);
    auto multiply = [&](Value k0, Value steps, Value isFirst) {
      code.dispatch(leastHeight, schedule.singleHeights, [&](int64_t height) {
        TileOperands operands = left.tile(zero, height, lastRow, k0);
        right.addTo(operands, offset, k0);
        operands.depth = steps;
        if (schedule.readsRight && !(schedule.panels == SizeExpr(1))) {
          operands.panelStep = right.step();
          operands.stepsAhead = schedule.prefetch.separatedSteps;
        } else if (!schedule.readsRight || FlatBuilder::constantOf(depth).value_or(streamSteps) >= streamSteps) {
          int64_t distance = schedule.prefetch.streamedLines * right.lineElements();
          operands.fetches = {{code.add(operands.panelOffset, distance), right.lines(), 2}};
        }
        TileShape shape{height, schedule.vectors(), schedule.accumulatorSets(height)};
        addTile(shape, operands, zero, isFirst);
      });
    };
    if (problem.isFlat(problem.left, LoopGroup::Depth))
      multiply(zero, depth, code.equal(zero, zero));
    else
      eachDepthChunk(multiply);
    storeResult(panel, zero, rows.count, zero);
  }

  //===------------------------------------------ blocks of rows ------------------------------------------------===//

  void emitBlocks() {
    if (schedule.blockHeights.empty())
      return;
    if (schedule.copiesLeft)
      return emitCopiedBlock();
    if (problem.selector && !schedule.packsPanels)
      return eachBlock([&] { eachPanel([&](Value panel) { emitBlock(panel); }); });
    if (schedule.copiesRows && !schedule.packsPanels)
      copyRowsOfBlock();
    eachPanel([&](Value panel) {
      right.pack(batch, panel);
      if (!schedule.packsPanels)
        return emitBlock(panel);
      eachBlock([&] { emitBlock(panel); });
    });
  }

  /// All blocks of rows, whose rows are copied if necessary.
  void eachBlock(llvm::function_ref<void()> body) {
    Value blocks = problem.selector ? RowTiles(*this, rows).blocks() : frame.size(schedule.rowBlocks);
    code.loop(code.constant(0), blocks, 1, [&](Value each) {
      rowBlock = each;
      if (schedule.copiesRows)
        copyRowsOfBlock();
      body();
    });
  }

  /// The rows that the tiles of this block read, of which the first may belong to the block before, too.
  void copyRowsOfBlock() {
    RowTiles tiles(*this, rows);
    auto [firstTile, endTile] = tiles.block(rowBlock);
    Value firstRow = tiles.first(firstTile);
    left.copyRows(firstRow, code.sub(tiles.firstOwnRow(endTile), firstRow));
  }

  /// The tiles of the block share each chunk of the panel.
  void emitBlock(Value panel) {
    RowTiles tiles(*this, rows);
    eachDepthChunk([&](Value k0, Value steps, Value isFirst) {
      Value next = code.mul(steps, schedule.nr);
      emitTiles(tiles, {panel, k0, steps, isFirst, next, code.constant(0)});
    });
  }

  /// All panels of the chunk share the copies of the block's tiles.
  void emitCopiedBlock() {
    RowTiles tiles(*this, rows);
    auto [firstTile, endTile] = tiles.block(rowBlock);
    Value count = code.sub(endTile, firstTile);
    eachDepthChunk([&, first = firstTile](Value k0, Value steps, Value isFirst) {
      left.copyTiles(tiles, first, count, k0, steps);
      eachPanel([&](Value panel) {
        Value sumsRow = code.mul(code.sub(panel, firstPanel), schedule.blockRows());
        emitTiles(tiles, {panel, k0, steps, isFirst, code.mul(depth, schedule.nr), sumsRow});
      });
    });
  }

  /// A chunk of a panel for all tiles of the block: `steps` steps from k0 on. The chunk that is read next is `next`
  /// floats further. The sums of the first tile start at row `sumsRow` of the scratch.
  struct PanelChunk {
    Value panel, k0, steps, isFirst, next, sumsRow;
  };

  void emitTiles(const RowTiles &tiles, const PanelChunk &chunk) {
    auto [firstTile, endTile] = tiles.block(rowBlock);
    code.loop(firstTile, endTile, 1,
              [&, first = firstTile](Value tile) { emitBlockTile(chunk, tiles, tile, code.sub(tile, first)); });
  }

  /// Tile `tile`, which is number `number` of its block.
  void emitBlockTile(const PanelChunk &chunk, const RowTiles &tiles, Value tile, Value number) {
    Value isLast = code.less(code.sub(depth, chunk.steps), code.add(chunk.k0, 1));
    Value height = tiles.height(tile);
    Value firstOwnRow = tiles.firstOwnRow(tile), end = tiles.firstOwnRow(code.add(tile, 1));
    Value row = code.sub(end, height), sumsRow = code.add(chunk.sumsRow, code.mul(number, schedule.mr));
    if (schedule.storesFromRegisters)
      return code.dispatch(height, schedule.blockHeights, [&](int64_t tileRows) {
        TileOperands operands = left.tile(row, tileRows, Value(), chunk.k0);
        right.addTo(operands, right.panelOffset(batch, chunk.panel), chunk.k0);
        storeTile(operands, tileRows, chunk.panel, row, code.sub(firstOwnRow, row));
      });
    int64_t lines = llvm::divideCeil(right.lines(), schedule.tilesPerBlock);
    Value fetched = code.mul(code.mul(number, code.div(chunk.steps, 4)), lines * right.lineElements());
    code.dispatch(height, schedule.blockHeights, [&](int64_t tileRows) {
      Value offset = right.panelOffset(batch, chunk.panel);
      TileOperands operands =
          schedule.copiesLeft ? left.copiedTile(number, tileRows) : left.tile(row, tileRows, Value(), chunk.k0);
      right.addTo(operands, offset, chunk.k0);
      operands.depth = chunk.steps;
      Value soon = code.add(operands.panelOffset, schedule.prefetch.panelSteps * schedule.nr);
      Value nextChunk = code.add(code.add(operands.panelOffset, chunk.next), fetched);
      operands.fetches = {{soon, right.lines(), 3}, {nextChunk, lines, 2}};
      if (resultIsFlat)
        operands.result = resultFetch(isLast, row, chunk.panel);
      addTile({tileRows, schedule.vectors()}, operands, sumsRow, chunk.isFirst);
    });
    code.when(isLast, [&] {
      storeResult(chunk.panel, firstOwnRow, code.sub(end, firstOwnRow), code.add(sumsRow, code.sub(firstOwnRow, row)));
    });
  }

  //===------------------------------------------ sums and results ----------------------------------------------===//

  /// Stores the tile's sums at row `row` of the scratch, or adds them to those there.
  void addTile(const TileShape &shape, TileOperands &operands, Value row, Value isFirst) {
    operands.sums = sums;
    operands.sumsOffset = code.mul(row, schedule.nr);
    operands.isFirst = isFirst;
    emitTile(code, frame.code, shape, operands);
  }

  /// Prefetches the result, and the operands of the epilogue with its layout, for the tile from `row` on.
  ResultFetch resultFetch(Value isNeeded, Value row, Value panel) {
    Value at = code.add(code.add(offset(problem.result, LoopGroup::Batch, batch), code.mul(panel, schedule.nr)),
                        offset(problem.result, LoopGroup::Row, row));
    Value rowStep = frame.size(problem.innerStride(problem.result, LoopGroup::Row));
    return {isNeeded, at, rowStep, schedule.nr, result, besideResult};
  }

  /// From registers to the result: all rows of the tile but the first `skipped`.
  void storeTile(TileOperands operands, int64_t height, Value panel, Value row, Value skipped) {
    operands.depth = depth;
    BlockOfSums block{Value(), Value(), batch, row, code.constant(height), code.mul(panel, schedule.nr)};
    block.registers = emitSums(code, {height, schedule.vectors()}, operands);
    // Tiles of a constant number of rows do not overlap.
    if (!problem.extent(LoopGroup::Row).isConstant())
      block.skipped = skipped;
    emitEpilogue(code, problem, frame, block, schedule.nr);
  }

  /// From the sums of `count` rows, from row `sumsRow` of the scratch on, to the result.
  void storeResult(Value panel, Value firstRow, Value count, Value sumsRow) {
    BlockOfSums block{sums, sumsRow, batch, firstRow, count, code.mul(panel, schedule.nr)};
    block.sorted = rows.isSorted() ? &rows : nullptr;
    emitEpilogue(code, problem, frame, block, schedule.nr);
  }

  RightPanels right;
  Value result, depth;
  LeftOperand left;
  ProductRows rows; ///< of the matrix `batch`
  Value sums;
  bool resultIsFlat = false;
  SmallVector<Value> besideResult; ///< operands of the epilogue with the layout of the result
  Value batch, rowBlock, firstPanel, lastPanel;
};

} // namespace

void emitGemmPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame) {
  FlatBuilder code(frame.builder, frame.location, schedule.lanes);
  GemmPhase({problem, schedule, frame, code}).emit();
}

void emitSortPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame) {
  FlatBuilder code(frame.builder, frame.location, schedule.lanes);
  GroupedRows({problem, schedule, frame, code}).sort();
}

void emitPackPhase(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame) {
  FlatBuilder code(frame.builder, frame.location, schedule.lanes);
  SizeExpr floats = problem.extent(LoopGroup::Batch) * schedule.panels * problem.extent(LoopGroup::Depth);
  Value packed = frame.shared(0, MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type()),
                              {frame.size(floats * SizeExpr(schedule.nr))});
  emitPackPanel(code, frame.code, rightMatrix({problem, schedule, frame, code}, packed), frame.chunk);
}

} // namespace attnc
