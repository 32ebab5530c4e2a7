// Emits a gemm kernel for a device: a block of the result a block of threads (GemmTiling.h), or, of a few rows, some
// columns (FewRows.h). Where the number of rows is not known there is a phase for each, and sizes choose. Blocks have
// two forms where sm_90a has one of its own.
#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/GPU/Gemm/FewRows.h"
#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"

using namespace mlir;

namespace attnc {

Verdict supportsDeviceGemm(func::FuncOp kernel) {
  std::optional<GemmProblem> problem;
  if (Verdict v = GemmProblem::match(kernel, problem); !v)
    return v;
  if (problem->packing)
    return Verdict::no("its right operand is packed for a processor");
  return Verdict::yes();
}

static std::unique_ptr<GemmBlock> createBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame,
                                              const std::optional<TensorMaps> &maps) {
  if (tiling.groups > 0)
    return createWarpGroupBlock(problem, tiling, frame, maps);
  return tiling.matrix ? createMatrixBlock(problem, tiling, frame) : createScalarBlock(problem, tiling, frame);
}

static KernelPhase emitBlocks(const GemmProblem &problem, const GemmTiling &tiling, const std::string &symbol,
                              DeviceForm form, ModuleOp code, const std::optional<TensorMaps> &maps = std::nullopt) {
  func::FuncOp kernel = problem.kernel;
  DeviceFrame frame(kernel, symbol, code, tiling.threads);
  int64_t bytes = createBlock(problem, tiling, frame, maps)->emit();
  recordSchedule(kernel, {{"mc", tiling.rows}, {"nr", tiling.columns}, {"kc", tiling.depth}});
  SizeExpr blocks = problem.extent(LoopGroup::Batch) * tiling.rowBlocks * tiling.columnBlocks;
  return {symbol, blocks, tiling.threads, bytes, form};
}

/// A phase for each form that the target's images have, and one in front that makes tensor maps.
static void emitForms(const GemmProblem &problem, const std::string &symbol, const Target &target, ModuleOp code,
                      KernelCode &made) {
  std::optional<GemmTiling> warpGroups = GemmTiling::forWarpGroups(problem);
  if (warpGroups && target.has(DeviceForm::WarpGroups)) {
    std::optional<TensorMaps> maps = mapsOf(problem, *warpGroups);
    if (maps) {
      made.phases.push_back(maps->emit(problem.kernel, symbol + "$maps", code));
      made.sharedBytes = maps->bytes();
    }
    made.phases.push_back(emitBlocks(problem, *warpGroups, symbol + "$groups", DeviceForm::WarpGroups, code, maps));
  }
  if (!warpGroups || target.has(DeviceForm::Warps))
    made.phases.push_back(emitBlocks(problem, GemmTiling::forWarps(problem), symbol,
                                     warpGroups ? DeviceForm::Warps : DeviceForm::Any, code));
}

KernelCode emitDeviceGemm(func::FuncOp kernel, const Target &target, ModuleOp code) {
  std::optional<GemmProblem> problem;
  GemmProblem::match(kernel, problem);
  SizeExpr rows = problem->extent(LoopGroup::Row);
  // 1 where there are more than a few rows: of two phases, one has no blocks.
  SizeExpr isMany = SizeExpr::min(1, rows.floorDiv(mostFewRows + 1));
  std::string symbol = kernel.getSymName().str();
  KernelCode made;
  made.cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  if (!rows.isConstant() || rows.constant() > mostFewRows) {
    emitForms(*problem, symbol, target, code, made);
    for (KernelPhase &phase : made.phases)
      phase.chunks *= isMany;
  }
  if (!rows.isConstant() || rows.constant() <= mostFewRows) {
    FewRowsCode few = emitFewRows(*problem, symbol + "$few", code);
    for (KernelPhase &phase : few.phases) {
      phase.chunks *= SizeExpr::min(1, rows) - isMany;
      made.phases.push_back(phase);
    }
    made.sharedBytes = SizeExpr::max(made.sharedBytes, few.sharedBytes); // one of them runs
  }
  return made;
}

} // namespace attnc
