// Emits a pointwise op with transposed reads, such as a transpose.
#include "compiler/Codegen/CPU/Loops/LoopsTransposed.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Kernels/Loops/PointwiseKernel.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attnc {

/// Limit of the body, which is emitted once for each row of a tile.
static constexpr int64_t mostFormulaInstructions = 16;

/// The loop along which a result or an operand is contiguous.
static std::optional<unsigned> lastLoop(AffineMap map) {
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return std::nullopt;
  return cast<AffineDimExpr>(map.getResults().back()).getPosition();
}

std::optional<TransposedLoops> matchTransposedLoops(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumLoops() < 2 ||
      costOf(op.getRegion()).instructions > mostFormulaInstructions)
    return std::nullopt;
  std::optional<unsigned> lane = lastLoop(op.getMatchingIndexingMap(op.getDpsInitOperand(0))), contiguous;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!lane || lastLoop(op.getMatchingIndexingMap(&init)) != lane)
      return std::nullopt;
  TransposedLoops transposed{*lane, 0, {}};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    AffineMap map = op.getMatchingIndexingMap(operand);
    std::optional<unsigned> last = lastLoop(map);
    bool isRead = !op.getMatchingBlockArgument(operand).use_empty();
    if (!type || type.getElementTypeBitWidth() != 32 || !isRead || !last || last == lane || !map.isFunctionOfDim(*lane))
      continue;
    if (contiguous && contiguous != last)
      continue;
    contiguous = last;
    transposed.operands.push_back(operand->getOperandNumber());
  }
  if (!contiguous)
    return std::nullopt;
  transposed.contiguous = *contiguous;
  return transposed;
}

namespace {

class TransposedEmission : GenericKernel {
public:
  TransposedEmission(func::FuncOp kernel, linalg::GenericOp op, const TransposedLoops &transposed, const Target &target,
                     ModuleOp code)
      : GenericKernel(op, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes), transposed(transposed),
        loops(b, loc, lanes), at(op.getNumLoops()) {}

  KernelCode run(StringRef symbol) {
    SizeExpr outer(1), strips = sizes[transposed.contiguous].ceilDiv(lanes), length = sizes[transposed.lane];
    SmallVector<Value> outerSizes;
    SmallVector<unsigned> outerLoops;
    for (auto [each, size] : llvm::enumerate(sizes))
      if (each != transposed.lane && each != transposed.contiguous) {
        outer = outer * size;
        outerSizes.push_back(frame.size(size));
        outerLoops.push_back(each);
      }
    int64_t perChunk = length.isConstant() ? std::max<int64_t>(2048 / std::max<int64_t>(length.constant(), 1), 1) : 4;
    SizeExpr all = outer * strips;
    Value first = loops.mul(frame.chunk, perChunk), numStrips = frame.size(strips);
    Value end = loops.min(loops.add(first, perChunk), frame.size(all));
    loop(b, loc, first, end, 1, {}, [&](Value number, ValueRange) {
      for (auto [each, subscript] :
           llvm::zip(outerLoops, subscriptsOf(b, loc, loops.div(number, numStrips), outerSizes)))
        at[each] = subscript;
      emitStrip(loops.mul(loops.rem(number, numStrips), lanes));
      return SmallVector<Value>();
    });
    return {{{symbol.str(), all.ceilDiv(perChunk)}}, 0, 0, cost()};
  }

private:
  /// L iterations of the contiguous loop, from `top` on, and all iterations of the lane loop.
  void emitStrip(Value top) {
    RegionVectoriser outside(b, loc, lanes);
    frame.bindTo(outside);
    bindViews(outside);
    Value length = frame.size(sizes[transposed.lane]);
    Value height = loops.sub(frame.size(sizes[transposed.contiguous]), top);
    loop(b, loc, constant(0), length, lanes, {}, [&](Value left, ValueRange) {
      Value width = loops.sub(length, left);
      Value isFull = loops.less(constant(lanes - 1), loops.min(width, height));
      auto branch = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      emitTile(outside, top, left, {}, {});
      b.setInsertionPointToStart(branch.elseBlock());
      emitTile(outside, top, left, height, width);
      return SmallVector<Value>();
    });
  }

  /// One tile; at the edges only `height` rows and `width` columns of it exist.
  void emitTile(const RegionVectoriser &outside, Value top, Value left, Value height, Value width) {
    SmallVector<SmallVector<Value>> columns;
    for (unsigned operand : transposed.operands)
      columns.push_back(loops.transpose(loadRows(outside, op->getOpOperand(operand), top, left, height, width)));
    for (int64_t number = 0; number < lanes; ++number) {
      auto emit = [&] {
        RegionVectoriser cell = outside;
        if (width)
          cell.setActiveLanes(loops.min(width, constant(lanes)));
        at[transposed.contiguous] = LaneIndex{loops.add(top, number), 0, {}, true};
        at[transposed.lane] = LaneIndex{left, 1, {}, true};
        cell.bindIterations(op, at);
        for (auto [operand, column] : llvm::zip(transposed.operands, columns))
          cell.bindValue(op.getMatchingBlockArgument(&op->getOpOperand(operand)), column[number]);
        storeResults(cell, at);
      };
      // A row after the last one reads nothing, not even uniform operands.
      if (height)
        loops.when(loops.less(constant(number), height), emit);
      else
        emit();
    }
  }

  SmallVector<Value> loadRows(const RegionVectoriser &outside, OpOperand &operand, Value top, Value left, Value height,
                              Value width) {
    SmallVector<Value> rows;
    for (int64_t number = 0; number < lanes; ++number) {
      RegionVectoriser row = outside;
      if (width) { // a vector load, for the operand depends on the contiguous loop, so no lane has to be active
        Value isInside = loops.less(constant(number), width);
        row.setActiveLanes(loops.choose(isInside, loops.min(height, constant(lanes)), constant(0)));
      }
      at[transposed.contiguous] = LaneIndex{top, 1, {}, true};
      at[transposed.lane] = LaneIndex{loops.add(left, number), 0, {}, true};
      SmallVector<LaneIndex> subscripts;
      for (AffineExpr each : op.getMatchingIndexingMap(&operand).getResults())
        subscripts.push_back(at[cast<AffineDimExpr>(each).getPosition()]);
      rows.push_back(row.broadcast(row.load(operand.get(), subscripts)));
    }
    return rows;
  }

  TransposedLoops transposed;
  LoopBuilder loops;
  SmallVector<LaneIndex> at; ///< indices of the loops at the current tile
};

} // namespace

KernelCode emitTransposed(func::FuncOp kernel, linalg::GenericOp op, const TransposedLoops &transposed,
                          const Target &target, ModuleOp code) {
  return TransposedEmission(kernel, op, transposed, target, code).run(kernel.getSymName());
}

} // namespace attnc
