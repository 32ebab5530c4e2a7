// Emits a loops kernel for a device. A linalg.generic is computed in one of two ways. Either each thread computes one
// point of the parallel loops, or four neighbouring points that form one access, and runs the reductions sequentially.
// Or, where the reduction runs along memory, a thread group computes a point together: a warp for each point, or the
// block if there is only one point.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Loops/Computation.h"
#include "compiler/Codegen/Kernels/Loops/PointwiseKernel.h"
#include "compiler/Codegen/Schedule/KernelForms.h"

using namespace mlir;

namespace attnc {

namespace {

//===------------------------------------------ one linalg.generic ------------------------------------------------===//

/// How many neighbouring points along loop `dim` a thread computes: as many as form one access, if they are aligned to
/// it in every tensor that varies with the loop; else 1.
int64_t lanesAlong(linalg::GenericOp op, unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !map.isFunctionOfDim(dim))
      continue;
    if (!map.isProjectedPermutation() || !map.getResults().back().isFunctionOfDim(dim))
      return 1;
    int64_t length = type.getShape().back();
    if (type.getRank() > 1 && (ShapedType::isDynamic(length) || length % deviceLanes != 0))
      return 1;
  }
  return deviceLanes;
}

int64_t lanesOf(linalg::GenericOp op, const LoopSchedule &schedule) {
  if (!schedule.vector)
    return 1;
  const SizeExpr &size = schedule.sizes[*schedule.vector];
  bool isWhole = size.isConstant() && size.constant() % deviceLanes == 0;
  return schedule.vectorReduces && !isWhole ? 1 : lanesAlong(op, *schedule.vector);
}

/// Whether a thread, a warp or a block computes a point.
KernelForm formOf(const LoopSchedule &schedule) {
  if (!schedule.vectorReduces)
    return KernelForm::ThreadPerPoint;
  return schedule.outer.empty() ? KernelForm::BlockPerPoint : KernelForm::WarpPerPoint;
}

class DeviceGeneric : PointwiseKernel {
public:
  DeviceGeneric(linalg::GenericOp op, const DeviceFrame &device, const LoopSchedule &schedule)
      : PointwiseKernel(op, device, lanesOf(op, schedule), warpThreads), position(device.position) {}

  KernelCode run() {
    SizeExpr blocks = schedule.vectorReduces ? emitGroups() : emitThreads();
    return {{{position.symbol, blocks, blockThreads}}, 0, 0, cost()};
  }

private:
  RegionVectoriser openPoint(Value outer) {
    RegionVectoriser vectoriser(b, loc, lanes);
    frame.bindTo(vectoriser);
    bindViews(vectoriser);
    SmallVector<Value> sizes;
    for (unsigned each : schedule.outer)
      sizes.push_back(frame.size(schedule.sizes[each]));
    for (auto [dim, subscript] : llvm::zip(schedule.outer, subscriptsOf(b, loc, outer, sizes)))
      indices[dim] = subscript;
    return vectoriser;
  }

  void when(Value condition, llvm::function_ref<void()> then) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    then();
  }

  /// Thread numbers run along the vectorised loop first, so that accesses coalesce.
  SizeExpr emitThreads() {
    SizeExpr perPoint = schedule.vector ? schedule.sizes[*schedule.vector].ceilDiv(lanes) : SizeExpr(1);
    SizeExpr threads = schedule.outerSize() * perPoint;
    Value first = b.createOrFold<arith::MulIOp>(loc, position.block, constant(blockThreads));
    Value number = b.createOrFold<arith::AddIOp>(loc, first, position.thread);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number, frame.size(threads));
    Value perOuter = frame.size(perPoint);
    when(inside, [&] {
      Value outer = number, along = number;
      if (!schedule.outer.empty()) {
        outer = b.createOrFold<arith::DivUIOp>(loc, number, perOuter);
        along = b.createOrFold<arith::RemUIOp>(loc, number, perOuter);
      }
      RegionVectoriser vectoriser = openPoint(outer);
      emitPoint(vectoriser, along);
    });
    return threads.ceilDiv(blockThreads);
  }

  /// Emits access number `number` of the vectorised loop: one point, or `lanes` neighbouring points.
  void emitPoint(RegionVectoriser &vectoriser, Value number) {
    if (schedule.vector && lanes == 1)
      indices[*schedule.vector] = {number, 0, {}, true};
    if (lanes == 1)
      return emitTile(vectoriser, {});
    Value at = b.createOrFold<arith::MulIOp>(loc, number, constant(lanes));
    LaneIndex index{at, 1, {}, true};
    const SizeExpr &size = schedule.sizes[*schedule.vector];
    if (size.isConstant() && size.constant() % lanes == 0)
      return emitTile(vectoriser, {{index, {}}});
    Value left = b.createOrFold<arith::SubIOp>(loc, frame.size(size), at);
    Value whole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, left, constant(lanes));
    auto branch = scf::IfOp::create(b, loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitTile(vectoriser, {{index, {}}});
    b.setInsertionPointToStart(branch.elseBlock());
    emitTile(vectoriser, {{index, left}});
  }

  SizeExpr emitGroups() {
    bool isBlock = formOf(schedule) == KernelForm::BlockPerPoint;
    auto kind = isBlock ? ThreadGroup::Kind::Block : ThreadGroup::Kind::Warp;
    ThreadGroup group(kind, position, b, loc);
    SizeExpr points = schedule.outerSize();
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, group.number, frame.size(points));
    auto emit = [&] {
      RegionVectoriser vectoriser = openPoint(group.number);
      SmallVector<Value> partial = emitReduction(vectoriser, group, indices, 0, group.neutral(lanes, reductions));
      SmallVector<Value> folded = group.combine(reductions, partial);
      group.onFirstThread([&] {
        for (auto [result, reduction] : llvm::enumerate(reductions)) {
          Value start = startOf(vectoriser, result, indices, /*vector=*/false);
          storeResult(vectoriser, combine(b, loc, reduction.kind, start, folded[result]), result, indices);
        }
      });
    };
    // A block contains a barrier, so all its threads execute the code; all threads of a warp agree on `inside`.
    if (isBlock)
      emit();
    else
      when(inside, emit);
    return points.ceilDiv(group.perBlock());
  }

  SmallVector<Value> emitReduction(RegionVectoriser &outside, ThreadGroup &group, ArrayRef<LaneIndex> at,
                                   unsigned depth, ValueRange carried) {
    if (depth < schedule.sequential.size()) {
      unsigned dim = schedule.sequential[depth];
      return loop(b, loc, constant(0), frame.size(schedule.sizes[dim]), 1, carried, [&](Value index, ValueRange inner) {
        SmallVector<LaneIndex> deeper(at);
        deeper[dim] = {index, 0, {}, true};
        return emitReduction(outside, group, deeper, depth + 1, inner);
      });
    }
    Value end = frame.size(schedule.sizes[*schedule.vector]);
    return group.accumulate(end, lanes, reductions, carried, [&](const LanePoint &point) {
      RegionVectoriser vectoriser = outside;
      SmallVector<LaneIndex> subscripts(at);
      subscripts[*schedule.vector] = point.index;
      vectoriser.bindIterations(op, subscripts);
      return llvm::map_to_vector(llvm::seq(op.getNumResults()),
                                 [&](unsigned result) { return vectoriser.evaluate(matchFold(op, result)->term); });
    });
  }

  ThreadPosition position;
};

//===------------------------------------------ data movement -----------------------------------------------------===//

/// Copies `source` into result `result`, at `offset` along dimension `dimension`, one element for each thread.
KernelPhase emitCopy(func::FuncOp kernel, Value source, unsigned result, unsigned dimension, const SizeExpr &offset,
                     StringRef symbol, ModuleOp code) {
  DeviceFrame frame(kernel, symbol, code);
  OpBuilder &b = frame.builder;
  Location loc = frame.location;
  SizeExpr elements(1);
  SmallVector<Value> sizes;
  for (int64_t each = 0; each < cast<RankedTensorType>(source.getType()).getRank(); ++each) {
    SizeExpr size = frame.sizes.dimension(source, each);
    elements = elements * size;
    sizes.push_back(frame.size(size));
  }
  Value start = frame.size(offset), count = frame.size(elements);
  Value threads = arith::ConstantIndexOp::create(b, loc, blockThreads);
  Value number =
      arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, frame.chunk, threads), frame.position.thread);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number, count);
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  RegionVectoriser vectoriser(b, loc, /*lanes=*/1);
  frame.bindTo(vectoriser);
  SmallVector<LaneIndex> at = subscriptsOf(b, loc, number, sizes);
  Value value = vectoriser.load(source, at);
  if (!at.empty())
    at[dimension].base = b.createOrFold<arith::AddIOp>(loc, at[dimension].base, start);
  vectoriser.store(value, frame.result(result), at);
  return {symbol.str(), elements.ceilDiv(blockThreads), blockThreads};
}

/// One phase for each operand of a concatenation.
KernelCode emitDeviceMoves(func::FuncOp kernel, ModuleOp code) {
  KernelCode result;
  KernelSizes sizes(kernel);
  auto copy = [&](Value source, unsigned number, unsigned dimension, const SizeExpr &offset) {
    std::string symbol = kernel.getSymName().str();
    if (!result.phases.empty())
      symbol += "$" + std::to_string(result.phases.size()); // PTX has no names with points
    recordForm(kernel, symbol, KernelForm::ThreadPerPoint);
    result.phases.push_back(emitCopy(kernel, source, number, dimension, offset, symbol, code));
  };
  for (auto [number, value] : llvm::enumerate(computedResults(kernel))) {
    auto concat = value.getDefiningOp<tensor::ConcatOp>();
    if (!concat) {
      copy(value, number, 0, 0);
      continue;
    }
    SizeExpr offset;
    for (Value input : concat.getInputs()) {
      copy(input, number, concat.getDim(), offset);
      offset = offset + sizes.dimension(input, concat.getDim());
    }
  }
  result.cost = {0, sizes.bytesRead(), sizes.bytesWritten()};
  return result;
}

} // namespace

Verdict supportsDeviceLoops(func::FuncOp kernel) {
  if (computedResults(kernel)[0].getDefiningOp<attn::ScatterAddOp>())
    return Verdict::no("sums into elements at data-dependent subscripts have no device code");
  for (auto op : kernel.getOps<linalg::GenericOp>())
    for (unsigned result = 0; result < op.getNumResults(); ++result)
      if (auto fold = matchFold(op, result);
          fold && !ThreadGroup::canCombine({fold->kind, op.getRegionOutputArgs()[result].getType()}))
        return Verdict::no("it reduces elements of a type that warps can't exchange");
  return canEvaluateLoops(kernel);
}

FailureOr<KernelCode> emitDeviceLoops(func::FuncOp kernel, const Target &, ModuleOp code) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
  auto copy = cast<func::FuncOp>(builder.clone(*kernel));
  linalg::GenericOp op = takeComputation(copy);
  if (!op)
    return emitDeviceMoves(kernel, code);
  LoopSchedule schedule = scheduleLoops(op, KernelSizes(copy), warpThreads);
  recordForm(kernel, kernel.getSymName(), formOf(schedule));
  return DeviceGeneric(op, DeviceFrame(copy, kernel.getSymName(), code), schedule).run();
}

} // namespace attnc
