// Emits a loops kernel that is one linalg.generic. LoopsMove.cpp emits those that only move elements.
#include "compiler/Codegen/CPU/Loops/Loops.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Loops/LoopsTransposed.h"
#include "compiler/Codegen/Kernels/Loops/Computation.h"
#include "compiler/Codegen/Kernels/Loops/PointwiseKernel.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attnc {

namespace {

//===------------------------------------------ one linalg.generic ------------------------------------------------===//

class GenericEmission : PointwiseKernel {
public:
  GenericEmission(func::FuncOp kernel, linalg::GenericOp op, const Target &target, ModuleOp code)
      : PointwiseKernel(op, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes, target.f32Lanes) {
    if (schedule.vector)
      lanes = lanesFor(schedule.sizes[*schedule.vector], lanes);
  }

  KernelCode run(StringRef symbol) {
    SizeExpr outer = schedule.outerSize(), blocks = schedule.vectorBlocks();
    Value numBlocks = frame.size(blocks);
    Value outerChunk = b.createOrFold<arith::DivUIOp>(loc, frame.chunk, numBlocks);
    Value block = b.createOrFold<arith::RemUIOp>(loc, frame.chunk, numBlocks);
    auto [first, end] = range(outerChunk, schedule.outerPerChunk, outer);
    if (schedule.vector && !schedule.vectorReduces && schedule.vectorPerChunk)
      std::tie(vectorFirst, vectorEnd) = range(block, schedule.vectorPerChunk, schedule.sizes[*schedule.vector]);
    else if (schedule.vector)
      std::tie(vectorFirst, vectorEnd) = std::pair(constant(0), frame.size(schedule.sizes[*schedule.vector]));
    SmallVector<Value> sizes;
    for (unsigned each : schedule.outer)
      sizes.push_back(frame.size(schedule.sizes[each]));
    eachElement(b, loc, first, end, sizes, [&](ArrayRef<LaneIndex> subscripts) {
      RegionVectoriser vectoriser(b, loc, lanes);
      frame.bindTo(vectoriser);
      bindViews(vectoriser);
      for (auto [dim, subscript] : llvm::zip(schedule.outer, subscripts))
        indices[dim] = subscript;
      emitPoints(vectoriser);
    });
    return {{{symbol.str(), outer.ceilDiv(schedule.outerPerChunk) * blocks}}, 0, 0, cost()};
  }

  int64_t pointsPerChunk() const { return schedule.pointsPerChunk(); }

private:
  std::pair<Value, Value> range(Value number, int64_t size, const SizeExpr &all) {
    Value first = b.createOrFold<arith::MulIOp>(loc, number, constant(size));
    Value end = b.createOrFold<arith::AddIOp>(loc, first, constant(size));
    return {first, b.createOrFold<arith::MinSIOp>(loc, end, frame.size(all))};
  }

  /// Vectors at a time: sums of columns should read whole cache lines, and dependent additions need others to overlap.
  int64_t unrollFactor() {
    if (schedule.sequential.empty())
      return 2;
    return costOf(op.getRegion()).instructions <= 4 ? 8 : 4;
  }

  void emitPoints(RegionVectoriser &vectoriser) {
    if (!schedule.vector)
      return emitTile(vectoriser, {});
    if (schedule.vectorReduces)
      return emitAcrossLanes(vectoriser);
    const SizeExpr &size = schedule.sizes[*schedule.vector];
    bool whole = size.isConstant() && schedule.vectorPerChunk == 0;
    SweepShape shape{lanes, unrollFactor(), whole ? std::optional(size.constant()) : std::nullopt};
    sweep(b, loc, vectorFirst, vectorEnd, shape, {}, [&](ArrayRef<LanePoint> points) {
      emitTile(vectoriser, points);
      return SmallVector<Value>();
    });
  }

  /// The vectorised loop is a reduction: its partial results in lanes are loop-carried values of the sequential loops.
  void emitAcrossLanes(RegionVectoriser &vectoriser) {
    SmallVector<Value> partial;
    for (const SweepReduction &each : reductions)
      partial.push_back(neutralElement(b, loc, each.kind, VectorType::get({lanes}, each.element)));
    partial = emitSequentialSweeps(vectoriser, indices, 0, partial);
    for (auto [result, reduction] : llvm::enumerate(reductions)) {
      Value start = startOf(vectoriser, result, indices, /*vector=*/false);
      Value folded = combine(b, loc, reduction.kind, start, combineLanes(b, loc, reduction.kind, partial[result]));
      storeResult(vectoriser, folded, result, indices);
    }
  }

  SmallVector<Value> emitSequentialSweeps(RegionVectoriser &outside, ArrayRef<LaneIndex> at, unsigned depth,
                                          ValueRange carried) {
    if (depth < schedule.sequential.size()) {
      unsigned dim = schedule.sequential[depth];
      return loop(b, loc, constant(0), frame.size(schedule.sizes[dim]), 1, carried, [&](Value index, ValueRange inner) {
        SmallVector<LaneIndex> deeper(at);
        deeper[dim] = {index, 0, {}, true};
        return emitSequentialSweeps(outside, deeper, depth + 1, inner);
      });
    }
    const SizeExpr &size = schedule.sizes[*schedule.vector];
    SweepShape shape{lanes, 4, size.isConstant() ? std::optional(size.constant()) : std::nullopt};
    SmallVector<Value> sums = sweep(b, loc, vectorFirst, vectorEnd, shape, reductions, [&](ArrayRef<LanePoint> points) {
      SmallVector<Value> terms;
      for (const LanePoint &point : points) {
        RegionVectoriser vectoriser = outside;
        if (point.active)
          vectoriser.setActiveLanes(point.active);
        SmallVector<LaneIndex> subscripts(at);
        subscripts[*schedule.vector] = point.index;
        vectoriser.bindIterations(op, subscripts);
        for (unsigned result = 0; result < op.getNumResults(); ++result)
          terms.push_back(vectoriser.evaluate(matchFold(op, result)->term));
      }
      return terms;
    });
    if (schedule.sequential.empty())
      return sums;
    for (auto [sum, total, reduction] : llvm::zip(sums, carried, reductions))
      sum = combine(b, loc, reduction.kind, total, sum);
    return sums;
  }

  Value vectorFirst, vectorEnd;
};

} // namespace

Verdict supportsLoops(func::FuncOp kernel, const Target &) { return canEvaluateLoops(kernel); }

FailureOr<KernelCode> emitLoops(func::FuncOp kernel, const Target &target, ModuleOp code) {
  Operation *returned = computedResults(kernel)[0].getDefiningOp();
  if (auto scatter = dyn_cast_or_null<attn::ScatterAddOp>(returned))
    return emitScatter(kernel, scatter, target, code);
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*kernel));
  linalg::GenericOp op = takeComputation(copy);
  std::optional<TransposedLoops> transposed = op ? matchTransposedLoops(op) : std::nullopt;
  if (!op || transposed) {
    recordSchedule(kernel, {});
    return op ? emitTransposed(copy, op, *transposed, target, code) : emitMoves(kernel, target, code);
  }
  GenericEmission emission(copy, op, target, code);
  recordSchedule(kernel, {{"chunk", emission.pointsPerChunk()}});
  return emission.run(kernel.getSymName());
}

} // namespace attnc
