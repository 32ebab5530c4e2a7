// Emits a loops kernel that computes: one linalg.generic. (LoopsMove.cpp has those that only move elements.)
#include "compiler/Codegen/CPU/Loops/Loops.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Loops/LoopsGeneric.h"
#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/OpCost.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace attnc {

GenericKernel::GenericKernel(linalg::GenericOp op, KernelFrame given, int64_t lanes)
    : op(op), frame(std::move(given)), b(frame.builder), loc(frame.location), lanes(lanes),
      sizes(loopSizes(op, frame.sizes)) {}

Value GenericKernel::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

void GenericKernel::bindViews(RegionVectoriser &vectoriser) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>())
      if (Value source = frame.buffer(collapse.getSrc()))
        vectoriser.bindBuffer(collapse.getResult(),
                              memref::CollapseShapeOp::create(b, loc, source, collapse.getReassociationIndices()));
}

void GenericKernel::storeResults(RegionVectoriser &vectoriser, ArrayRef<LaneIndex> at) {
  SmallVector<Value> values;
  for (Value yielded : op.getBody()->getTerminator()->getOperands())
    values.push_back(vectoriser.evaluate(yielded));
  for (auto [result, value] : llvm::enumerate(values))
    storeResult(vectoriser, value, result, at);
}

void GenericKernel::storeResult(RegionVectoriser &vectoriser, Value value, unsigned result, ArrayRef<LaneIndex> at) {
  for (OpOperand &returned : op->getParentOfType<func::FuncOp>().front().getTerminator()->getOpOperands()) {
    Value buffer = frame.result(returned.getOperandNumber()), from = returned.get();
    if (auto expand = from.getDefiningOp<tensor::ExpandShapeOp>()) {
      buffer = memref::CollapseShapeOp::create(b, loc, buffer, expand.getReassociationIndices());
      from = expand.getSrc();
    }
    if (from == op.getResult(result))
      vectoriser.store(value, buffer, subscriptsOfResult(result, at));
  }
}

SmallVector<LaneIndex> GenericKernel::subscriptsOfResult(unsigned result, ArrayRef<LaneIndex> at) {
  SmallVector<LaneIndex> subscripts;
  for (AffineExpr each : op.getMatchingIndexingMap(op.getDpsInitOperand(result)).getResults())
    subscripts.push_back(at[cast<AffineDimExpr>(each).getPosition()]);
  return subscripts;
}

KernelCost GenericKernel::cost() {
  SizeExpr points(1);
  for (const SizeExpr &size : sizes)
    points = points * size;
  return {points * SizeExpr(costOf(op.getRegion()).flops), frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
}

//===------------------------------------------ points ------------------------------------------------------------===//

PointwiseKernel::PointwiseKernel(linalg::GenericOp op, KernelFrame given, int64_t lanes, int64_t lanesOfSchedule)
    : GenericKernel(op, std::move(given), lanes), schedule(scheduleLoops(op, frame.sizes, lanesOfSchedule)),
      indices(op.getNumLoops()) {
  bool folds = op.getNumReductionLoops() != 0;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    auto fold = matchFold(op, result);
    folds = folds && fold;
    if (fold)
      reductions.push_back({fold->kind, op.getRegionOutputArgs()[result].getType()});
  }
  if (!folds)
    reductions.clear();
}

void PointwiseKernel::emitTile(const RegionVectoriser &outside, ArrayRef<LanePoint> points) {
  std::vector<RegionVectoriser> tile;
  SmallVector<Subscripts> at;
  for (size_t each = 0; each < std::max<size_t>(points.size(), 1); ++each) {
    tile.push_back(outside);
    at.push_back(indices);
    if (points.empty())
      continue;
    at.back()[*schedule.vector] = points[each].index;
    if (points[each].active)
      tile.back().setActiveLanes(points[each].active);
  }
  SmallVector<Value> carried;
  if (!schedule.sequential.empty()) {
    for (auto [vectoriser, subscripts] : llvm::zip(tile, at))
      for (unsigned result = 0; result < op.getNumResults(); ++result)
        carried.push_back(startOf(vectoriser, result, subscripts, !points.empty()));
    carried = emitSequential(tile, at, 0, carried);
  }
  size_t next = 0;
  for (auto [vectoriser, subscripts] : llvm::zip(tile, at)) {
    vectoriser.bindIterations(op, subscripts);
    if (carried.empty())
      storeResults(vectoriser, subscripts);
    else
      for (unsigned result = 0; result < op.getNumResults(); ++result)
        storeResult(vectoriser, carried[next++], result, subscripts);
  }
}

Value PointwiseKernel::startOf(RegionVectoriser &vectoriser, unsigned result, ArrayRef<LaneIndex> at, bool vector) {
  Value start = vectoriser.load(op.getDpsInitOperand(result)->get(), subscriptsOfResult(result, at));
  return vector ? vectoriser.broadcast(start) : start;
}

SmallVector<Value> PointwiseKernel::emitSequential(ArrayRef<RegionVectoriser> tile, ArrayRef<Subscripts> at,
                                                   unsigned depth, ValueRange carried) {
  if (depth == schedule.sequential.size())
    return evaluateOnce(tile, at, carried);
  unsigned dim = schedule.sequential[depth];
  return loop(b, loc, constant(0), frame.size(schedule.sizes[dim]), 1, carried, [&](Value index, ValueRange inner) {
    SmallVector<Subscripts> deeper(at);
    for (Subscripts &each : deeper)
      each[dim] = {index, 0, {}, true};
    return emitSequential(tile, deeper, depth + 1, inner);
  });
}

/// The region once for each point, its out arguments being what is carried.
SmallVector<Value> PointwiseKernel::evaluateOnce(ArrayRef<RegionVectoriser> tile, ArrayRef<Subscripts> at,
                                                 ValueRange carried) {
  SmallVector<Value> results;
  for (auto [outside, subscripts] : llvm::zip(tile, at)) {
    RegionVectoriser vectoriser = outside;
    vectoriser.bindIterations(op, subscripts);
    bool vector = false;
    for (BlockArgument argument : op.getRegionOutputArgs()) {
      vectoriser.bindValue(argument, carried.front());
      vector = isa<VectorType>(carried.front().getType());
      carried = carried.drop_front();
    }
    for (Value value : op.getBody()->getTerminator()->getOperands()) {
      Value result = vectoriser.evaluate(value);
      results.push_back(vector ? vectoriser.broadcast(result) : result);
    }
  }
  return results;
}

namespace {

/// The computation whose results `kernel` returns; null where it only moves elements.
linalg::GenericOp computationOf(func::FuncOp kernel) {
  return kernel.front().getTerminator()->getOperand(0).getDefiningOp<linalg::GenericOp>();
}

//===------------------------------------------ one linalg.generic ------------------------------------------------===//

class GenericEmission : PointwiseKernel {
public:
  GenericEmission(func::FuncOp kernel, linalg::GenericOp op, const Target &target, ModuleOp code)
      : PointwiseKernel(op, KernelFrame(kernel, kernel.getSymName(), code), target.f32Lanes, target.f32Lanes) {}

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
    loop(b, loc, first, end, 1, {}, [&](Value number, ValueRange) {
      RegionVectoriser vectoriser(b, loc, lanes);
      frame.bindTo(vectoriser);
      bindViews(vectoriser);
      for (auto [dim, subscript] : llvm::zip(schedule.outer, subscriptsOf(b, loc, number, sizes)))
        indices[dim] = subscript;
      emitPoints(vectoriser);
      return SmallVector<Value>();
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

  /// Vectors side by side: sums of columns want whole cache lines, and chains of additions something to overlap with.
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

  /// The vectorised loop is a reduction: partial results in lanes, carried through the sequential loops.
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

/// Adjacent loops that all operands walk in step become one. Works on a copy of the kernel, in a module of its own.
linalg::GenericOp collapseLoops(linalg::GenericOp op) {
  bool counts = false;
  op.getRegion().walk([&](linalg::IndexOp) { counts = true; });
  // MLIR's types disagree on the product of zero and a size that is not known.
  if (counts || llvm::is_contained(op.getStaticLoopRanges(), 0))
    return op;
  SmallVector<ReassociationIndices> groups;
  auto iterators = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (!groups.empty() && iterators[dim] == iterators[dim - 1]) {
      ReassociationIndices joined = groups.back();
      joined.push_back(dim);
      if (linalg::areDimSequencesPreserved(maps, joined)) {
        groups.back() = joined;
        continue;
      }
    }
    groups.push_back({dim});
  }
  if (groups.size() == op.getNumLoops() || op.getNumLoops() == 0)
    return op;
  IRRewriter rewriter(op);
  auto collapsed = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp);
}

} // namespace

static bool isElementMove(Operation *op) {
  return isa<linalg::TransposeOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::CastOp, tensor::ConcatOp, linalg::FillOp, tensor::EmptyOp, tensor::DimOp, func::ReturnOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

Verdict supportsLoops(func::FuncOp kernel, const Target &) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (Verdict verdict = RegionVectoriser::canEvaluate(generic.getRegion()); !verdict)
        return verdict;
      for (OpOperand &init : generic.getDpsInitsMutable())
        if (!generic.getMatchingIndexingMap(&init).isProjectedPermutation())
          return Verdict::no("a result is written at computed subscripts");
    } else if (auto scatter = dyn_cast<attn::ScatterAddOp>(op)) {
      if (Verdict verdict = RegionVectoriser::canEvaluate(scatter.getBody()); !verdict)
        return verdict;
    } else if (!isElementMove(&op)) {
      return Verdict::no("it holds " + op.getName().getStringRef().str());
    }
  }
  for (Value value : kernel.front().getTerminator()->getOperands())
    if (value.getDefiningOp<linalg::GenericOp>() != computationOf(kernel))
      return Verdict::no("its results come from several operations");
  return Verdict::yes();
}

linalg::GenericOp takeComputation(func::FuncOp kernel) {
  if (auto transpose = kernel.front().getTerminator()->getOperand(0).getDefiningOp<linalg::TransposeOp>();
      transpose && isa<BlockArgument>(transpose.getInput()) && kernel.getNumResults() == 1) {
    IRRewriter rewriter(transpose);
    if (failed(linalg::generalizeNamedOp(rewriter, transpose)))
      return {};
  }
  linalg::GenericOp op = computationOf(kernel);
  return op ? collapseLoops(op) : op;
}

FailureOr<KernelCode> emitLoops(func::FuncOp kernel, const Target &target, ModuleOp code) {
  Operation *returned = kernel.front().getTerminator()->getOperand(0).getDefiningOp();
  if (auto scatter = dyn_cast_or_null<attn::ScatterAddOp>(returned))
    return emitScatter(kernel, scatter, target, code);
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*kernel));
  linalg::GenericOp op = takeComputation(copy);
  std::optional<TurnedLoops> turned = op ? matchTurnedLoops(op) : std::nullopt;
  if (!op || turned) {
    recordSchedule(kernel, {});
    return op ? emitTurned(copy, op, *turned, target, code) : emitMoves(kernel, target, code);
  }
  GenericEmission emission(copy, op, target, code);
  recordSchedule(kernel, {{"chunk", emission.pointsPerChunk()}});
  return emission.run(kernel.getSymName());
}

} // namespace attnc
