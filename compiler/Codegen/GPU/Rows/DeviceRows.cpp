// Emits a rows kernel for a device: a thread group executes the sweeps of its RowPlan. A warp computes a row of
// moderate length, eight rows for each block; a block computes a longer row. A map that a later sweep reads is
// materialised only if it is a result; otherwise it is recomputed, as arithmetic costs less than memory here.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Rows/RowsKernel.h"
#include "compiler/Codegen/Schedule/KernelForms.h"

using namespace mlir;

namespace attnc {

namespace {

/// The longest row of a warp.
constexpr int64_t longestOfWarp = 4096;

class DeviceRows : RowsKernel {
public:
  DeviceRows(func::FuncOp kernel, const DeviceFrame &device)
      : RowsKernel(kernel, device, deviceLanes), position(device.position) {
    // Rows are aligned to an access if their length is a multiple of one.
    if (!length.isConstant() || length.constant() % deviceLanes != 0)
      lanes = 1;
  }

  KernelCode run() {
    bool isLong = length.isConstant() && length.constant() > longestOfWarp;
    auto kind = isLong ? ThreadGroup::Kind::Block : ThreadGroup::Kind::Warp;
    ThreadGroup group(kind, position, b, loc);
    Value rows = frame.size(rowCount);
    if (isLong) {
      emitRow(group);
    } else {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, group.number, rows);
      auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
      emitRow(group);
    }
    recordForm(kernel, position.symbol, isLong ? KernelForm::BlockPerRow : KernelForm::WarpPerRow,
               {{"rows_per_chunk", group.perBlock()}});
    return {{{position.symbol, rowCount.ceilDiv(group.perBlock()), blockThreads}}, 0, 0, cost()};
  }

private:
  void emitRow(ThreadGroup &group) {
    RegionVectoriser row = openRow(group.number);
    SmallVector<Value> buffers;
    for (const RowPlan::Stored &stored : plan.stored())
      buffers.push_back(stored.result ? frame.result(*stored.result) : Value());
    for (unsigned number = 0; number < plan.numSweeps(); ++number) {
      hoistScalars(row, number);
      SweepWork work = workOf(number, buffers);
      SmallVector<Value> folded = group.sweep(frame.size(length), lanes, work.reductions, [&](const LanePoint &point) {
        SmallVector<Value> terms;
        emitPoint(row, work, point, terms);
        return terms;
      });
      bindFolds(row, work, folded);
      bindStored(row, number, buffers);
      // The next sweep may read results that other threads stored.
      if (!work.stores.empty() && number + 1 < plan.numSweeps())
        group.sync();
    }
    group.onFirstThread([&] {
      for (auto [number, value] : plan.rowResults())
        row.store(row.load(value, at), frame.result(number), at);
    });
  }

  ThreadPosition position;
};

} // namespace

Verdict supportsDeviceRows(func::FuncOp kernel) {
  RowPlan plan(kernel);
  if (!plan.verdict())
    return plan.verdict();
  for (linalg::GenericOp op : plan.operations())
    for (unsigned result = 0; plan.role(op) == RowRole::Reduction && result < op.getNumResults(); ++result) {
      auto fold = matchFold(op, result);
      if (!fold || !ThreadGroup::canCombine({fold->kind, op.getRegionOutputArgs()[result].getType()}))
        return Verdict::no("the threads of a warp can't share a reduction of its rows");
    }
  return Verdict::yes();
}

FailureOr<KernelCode> emitDeviceRows(func::FuncOp kernel, const Target &, ModuleOp code) {
  return DeviceRows(kernel, DeviceFrame(kernel, kernel.getSymName(), code)).run();
}

} // namespace attnc
