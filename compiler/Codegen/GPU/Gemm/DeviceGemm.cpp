// Emits a gemm kernel for a device: a block of the result a block of threads (GemmTiling.h), or, of a few rows, some
// columns (FewRows.h). Where the number of rows is not known there is a phase for each, and sizes choose.
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

static KernelPhase emitBlocks(const GemmProblem &problem, StringRef symbol, ModuleOp code) {
  func::FuncOp kernel = problem.kernel;
  GemmTiling tiling(problem);
  DeviceFrame frame(kernel, symbol, code, tiling.threads);
  auto block = tiling.matrix ? createMatrixBlock(problem, tiling, frame) : createScalarBlock(problem, tiling, frame);
  int64_t bytes = block->emit();
  recordSchedule(kernel, {{"mc", tiling.rows}, {"nr", tiling.columns}, {"kc", tiling.depth}});
  SizeExpr blocks = problem.extent(LoopGroup::Batch) * tiling.rowBlocks * tiling.columnBlocks;
  return {symbol.str(), blocks, tiling.threads, bytes};
}

KernelCode emitDeviceGemm(func::FuncOp kernel, const Target &, ModuleOp code) {
  std::optional<GemmProblem> problem;
  GemmProblem::match(kernel, problem);
  SizeExpr rows = problem->extent(LoopGroup::Row);
  // 1 where there are more than a few rows: of two phases, one has no blocks.
  SizeExpr isMany = SizeExpr::min(1, rows.floorDiv(mostFewRows + 1));
  std::string symbol = kernel.getSymName().str();
  KernelCode made;
  made.cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  if (!rows.isConstant() || rows.constant() > mostFewRows) {
    made.phases.push_back(emitBlocks(*problem, symbol, code));
    made.phases.back().chunks *= isMany;
  }
  if (!rows.isConstant() || rows.constant() <= mostFewRows) {
    made.phases.push_back(emitFewRows(*problem, symbol + "$few", code));
    made.phases.back().chunks *= SizeExpr::min(1, rows) - isMany;
  }
  return made;
}

} // namespace attnc
