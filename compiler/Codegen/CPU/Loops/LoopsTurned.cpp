// Emits a pointwise op that reads operands across the direction in which it writes, such as a transpose.
#include "compiler/Codegen/CPU/Loops/LoopsTurned.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Kernels/Loops/PointwiseKernel.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attnc {

/// A tile holds the body once for each of its rows.
static constexpr int64_t mostInstructions = 16;

/// The loop along which a result or an operand is contiguous.
static std::optional<unsigned> lastLoop(AffineMap map) {
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return std::nullopt;
  return cast<AffineDimExpr>(map.getResults().back()).getPosition();
}

std::optional<TurnedLoops> matchTurnedLoops(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumLoops() < 2 || costOf(op.getRegion()).instructions > mostInstructions)
    return std::nullopt;
  std::optional<unsigned> lane = lastLoop(op.getMatchingIndexingMap(op.getDpsInitOperand(0))), contiguous;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!lane || lastLoop(op.getMatchingIndexingMap(&init)) != lane)
      return std::nullopt;
  TurnedLoops turned{*lane, 0, {}};
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
    turned.operands.push_back(operand->getOperandNumber());
  }
  if (!contiguous)
    return std::nullopt;
  turned.contiguous = *contiguous;
  return turned;
}

namespace {

class TurnedEmission : GenericKernel {
public:
  TurnedEmission(func::FuncOp kernel, linalg::GenericOp op, const TurnedLoops &turned, const Target &target,
                 ModuleOp code)
      : GenericKernel(op, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes), turned(turned),
        loops(b, loc, lanes), at(op.getNumLoops()) {}

  KernelCode run(StringRef symbol) {
    SizeExpr outer(1), strips = sizes[turned.contiguous].ceilDiv(lanes), length = sizes[turned.lane];
    SmallVector<Value> outerSizes;
    SmallVector<unsigned> outerLoops;
    for (auto [each, size] : llvm::enumerate(sizes))
      if (each != turned.lane && each != turned.contiguous) {
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
  /// L iterations of the contiguous loop, from `top` on, and all of the lane loop.
  void emitStrip(Value top) {
    RegionVectoriser outside(b, loc, lanes);
    frame.bindTo(outside);
    bindViews(outside);
    Value length = frame.size(sizes[turned.lane]);
    Value height = loops.sub(frame.size(sizes[turned.contiguous]), top);
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

  /// One tile; at the edges `height` and `width` say how much of it there is.
  void emitTile(const RegionVectoriser &outside, Value top, Value left, Value height, Value width) {
    SmallVector<SmallVector<Value>> columns;
    for (unsigned operand : turned.operands)
      columns.push_back(loops.transpose(loadRows(outside, op->getOpOperand(operand), top, left, height, width)));
    for (int64_t number = 0; number < lanes; ++number) {
      auto emit = [&] {
        RegionVectoriser cell = outside;
        if (width)
          cell.setActiveLanes(loops.min(width, constant(lanes)));
        at[turned.contiguous] = LaneIndex{loops.add(top, number), 0, {}, true};
        at[turned.lane] = LaneIndex{left, 1, {}, true};
        cell.bindIterations(op, at);
        for (auto [operand, column] : llvm::zip(turned.operands, columns))
          cell.bindValue(op.getMatchingBlockArgument(&op->getOpOperand(operand)), column[number]);
        storeResults(cell, at);
      };
      // A row behind the last one reads nothing, neither what is the same in all of its lanes.
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
      if (width) { // a load of vectors, for its operand depends on the contiguous loop: it may have no active lane
        Value isInside = loops.less(constant(number), width);
        row.setActiveLanes(loops.choose(isInside, loops.min(height, constant(lanes)), constant(0)));
      }
      at[turned.contiguous] = LaneIndex{top, 1, {}, true};
      at[turned.lane] = LaneIndex{loops.add(left, number), 0, {}, true};
      SmallVector<LaneIndex> subscripts;
      for (AffineExpr each : op.getMatchingIndexingMap(&operand).getResults())
        subscripts.push_back(at[cast<AffineDimExpr>(each).getPosition()]);
      rows.push_back(row.broadcast(row.load(operand.get(), subscripts)));
    }
    return rows;
  }

  TurnedLoops turned;
  LoopBuilder loops;
  SmallVector<LaneIndex> at; ///< indices of the loops at the current place
};

} // namespace

KernelCode emitTurned(func::FuncOp kernel, linalg::GenericOp op, const TurnedLoops &turned, const Target &target,
                      ModuleOp code) {
  return TurnedEmission(kernel, op, turned, target, code).run(kernel.getSymName());
}

} // namespace attnc
