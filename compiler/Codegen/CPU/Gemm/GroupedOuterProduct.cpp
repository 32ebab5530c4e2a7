#include "compiler/Codegen/CPU/Gemm/GroupedOuterProduct.h"
#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/CPU/Gemm/GroupedRows.h"

using namespace mlir;

namespace attnc {

/// Floats of `copied` from one step to the next.
static int64_t copiedStepOf(const GemmSchedule &schedule) {
  constexpr int64_t lineFloats = cacheLineBytes / 4;
  return (llvm::divideCeil(schedule.blockRows(), lineFloats) | 1) * lineFloats;
}

static int64_t copiedBytesOf(const GemmSchedule &schedule) {
  return llvm::alignTo(schedule.kc * copiedStepOf(schedule) * 4, scratchAlignment);
}

int64_t outerProductBytes(const GemmSchedule &schedule) {
  int64_t packedBytes = schedule.panelsPerChunk * schedule.kc * schedule.nr * 4;
  return schedule.sumsBytes() + copiedBytesOf(schedule) + llvm::alignTo(packedBytes, scratchAlignment);
}

namespace {

class OuterProductPhase : GemmContext {
public:
  explicit OuterProductPhase(const GemmContext &context)
      : GemmContext(context), groups(context), tiles(context, ProductRows(context)),
        left(code.flat(frame.buffer(problem.left.tensor))), right(code.flat(frame.buffer(problem.right.tensor))) {
    auto floats = [&](int64_t count) { return MemRefType::get({count}, code.builder.getF32Type()); };
    int64_t copiedBytes = copiedBytesOf(schedule);
    sums = frame.scratch(0, floats(schedule.sumFloats()));
    copied = frame.scratch(schedule.sumsBytes(), floats(schedule.kc * copiedStepOf(schedule)));
    packed =
        frame.scratch(schedule.sumsBytes() + copiedBytes, floats(schedule.panelsPerChunk * schedule.kc * schedule.nr));
  }

  void emit() {
    decodeChunk();
    Value count = groups.count(matrix), kc = code.constant(schedule.kc);
    // A matrix without steps still has one block, which sets the sums to zero.
    code.loop(code.constant(0), code.max(count, code.constant(1)), schedule.kc, [&](Value k0) {
      Value steps = code.min(kc, code.sub(count, k0));
      copySteps(k0, steps);
      eachTile([&](Value panel, Value tile, Value sumsRow) { multiply(k0, steps, panel, tile, sumsRow); });
    });
    eachTile([&](Value panel, Value tile, Value sumsRow) {
      BlockOfSums block{sums, sumsRow, matrix, tiles.first(tile), tiles.height(tile), code.mul(panel, schedule.nr)};
      emitEpilogue(code, problem, frame, block, schedule.nr);
    });
  }

private:
  void decodeChunk() {
    Value panelGroups = frame.size(schedule.panelGroups), rowBlocks = frame.size(schedule.rowBlocks);
    Value outer = code.div(frame.chunk, panelGroups);
    firstPanel = code.mul(code.rem(frame.chunk, panelGroups), schedule.panelsPerChunk);
    endPanel = code.min(frame.size(schedule.panels), code.add(firstPanel, schedule.panelsPerChunk));
    std::tie(firstTile, endTile) = tiles.block(code.rem(outer, rowBlocks));
    matrix = code.div(outer, rowBlocks);
  }

  void eachTile(llvm::function_ref<void(Value panel, Value tile, Value sumsRow)> body) {
    code.loop(firstPanel, endPanel, 1, [&](Value panel) {
      Value panelRow = code.mul(code.sub(panel, firstPanel), schedule.blockRows());
      code.loop(firstTile, endTile, 1, [&](Value tile) {
        body(panel, tile, code.add(panelRow, code.mul(code.sub(tile, firstTile), schedule.mr)));
      });
    });
  }

  /// Copies `steps` steps of the matrix from k0 on.
  void copySteps(Value k0, Value steps) {
    Value first = code.add(groups.first(matrix), k0), columns = extent(LoopGroup::Column);
    Value firstRow = tiles.first(firstTile), rows = code.sub(tiles.firstOwnRow(endTile), firstRow);
    code.loop(code.constant(0), steps, 1, [&](Value k) {
      Value step = groups.row(code.add(first, k));
      code.copy(left, code.add(offset(problem.left, LoopGroup::Depth, step), firstRow), copied,
                code.mul(k, copiedStepOf(schedule)), rows);
      Value from = offset(problem.right, LoopGroup::Depth, step);
      code.loop(firstPanel, endPanel, 1, [&](Value panel) {
        Value column = code.mul(panel, schedule.nr);
        Value width = code.min(code.constant(schedule.nr), code.sub(columns, column));
        code.copy(right, code.add(from, column), packed, code.add(packedOffset(panel), code.mul(k, schedule.nr)),
                  width);
      });
    });
  }

  Value packedOffset(Value panel) { return code.mul(code.sub(panel, firstPanel), schedule.kc * schedule.nr); }

  void multiply(Value k0, Value steps, Value panel, Value tile, Value sumsRow) {
    code.dispatch(tiles.height(tile), schedule.blockHeights, [&](int64_t height) {
      TileOperands operands;
      operands.left = copied;
      operands.leftOffset = code.sub(tiles.first(tile), tiles.first(firstTile));
      for (int64_t row = 0; row < height; ++row)
        operands.rowDistances.push_back(code.constant(row));
      operands.leftStep = code.constant(copiedStepOf(schedule));
      operands.panel = packed;
      operands.panelOffset = packedOffset(panel);
      operands.depth = steps;
      operands.sums = sums;
      operands.sumsOffset = code.mul(sumsRow, schedule.nr);
      operands.isFirst = code.equal(k0, code.constant(0));
      emitTile(code, frame.code, {height, schedule.vectors(), schedule.accumulatorSets(height)}, operands);
    });
  }

  GroupedRows groups;
  RowTiles tiles;
  Value left, right, sums, copied, packed;
  Value matrix, firstTile, endTile, firstPanel, endPanel;
};

} // namespace

void emitGroupedOuterProduct(const GemmProblem &problem, const GemmSchedule &schedule, KernelFrame &frame) {
  FlatBuilder code(frame.builder, frame.location, schedule.lanes);
  OuterProductPhase({problem, schedule, frame, code}).emit();
}

} // namespace attnc
