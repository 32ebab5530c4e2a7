// Emits a gemm kernel for a device: a block of the result a block of threads (GemmTiling.h), or, of a few rows, some
// columns (FewRows.h). Where the number of rows is not known there is a phase for each, and one for numbers that are
// less than blocks for many are high; sizes choose. Blocks have two forms where sm_90a has one of its own.
#include "compiler/Codegen/GPU/Gemm/FewRows.h"
#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/KernelForms.h"
#include <cassert>
#include <limits>

using namespace mlir;

namespace attnc {

/// The most rows for which blocks are as low as they can be.
static constexpr int64_t mostLowRows = 64, anyRows = std::numeric_limits<int64_t>::max();

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

static KernelForm formOf(const GemmTiling &tiling) {
  if (tiling.groups > 0)
    return KernelForm::WarpGroups;
  return tiling.matrix ? KernelForm::TensorCores : KernelForm::F32;
}

static KernelPhase emitBlocks(const GemmProblem &problem, const GemmTiling &tiling, const std::string &symbol,
                              DeviceForm form, ModuleOp code, const std::optional<TensorMaps> &maps = std::nullopt) {
  func::FuncOp kernel = problem.kernel;
  DeviceFrame frame(kernel, symbol, code, tiling.threads);
  int64_t bytes = createBlock(problem, tiling, frame, maps)->emit();
  assert(bytes <= (form == DeviceForm::WarpGroups ? 227 << 10 : 99 << 10) &&
         "what a block of any such device can have");
  SmallVector<Choice> choices = {{"mc", tiling.rows}, {"nr", tiling.columns}, {"kc", tiling.depth}};
  if (tiling.groups > 0)
    choices.push_back({"copies", StringRef(maps ? "tensor-maps" : "threads")});
  recordForm(kernel, symbol, formOf(tiling), choices);
  SizeExpr blocks = problem.extent(LoopGroup::Batch) * tiling.rowBlocks * tiling.columnBlocks;
  return {symbol, blocks, tiling.threads, bytes, form};
}

/// Better forms that a target has, and the problem not.
static void recordRefusals(const GemmProblem &problem, const Target &target) {
  Verdict tensorCores = GemmTiling::suitsTensorCores(problem);
  recordRefusal(problem.kernel, KernelForm::TensorCores, tensorCores);
  if (tensorCores && target.has(DeviceForm::WarpGroups))
    recordRefusal(problem.kernel, KernelForm::WarpGroups, GemmTiling::suitsWarpGroups(problem));
}

/// A phase for each form that the target's images have, and one in front that makes tensor maps.
static KernelCode emitForms(const GemmProblem &problem, int64_t mostRows, const std::string &symbol,
                            const Target &target, ModuleOp code) {
  KernelCode made;
  std::optional<GemmTiling> warpGroups = GemmTiling::forWarpGroups(problem, mostRows);
  if (warpGroups && target.has(DeviceForm::WarpGroups)) {
    std::optional<TensorMaps> maps;
    Verdict hasMaps = readMaps(problem, *warpGroups, maps);
    if (mostRows == anyRows) // fewer never pay for them
      recordRefusal(problem.kernel, KernelForm::TensorMaps, hasMaps);
    if (maps) {
      recordForm(problem.kernel, symbol + "$maps", KernelForm::TensorMaps);
      made.phases.push_back(maps->emit(problem.kernel, symbol + "$maps", code));
      made.sharedBytes = maps->bytes();
    }
    made.phases.push_back(emitBlocks(problem, *warpGroups, symbol + "$groups", DeviceForm::WarpGroups, code, maps));
  }
  if (!warpGroups || target.has(DeviceForm::Warps))
    made.phases.push_back(emitBlocks(problem, GemmTiling::forWarps(problem, mostRows), symbol,
                                     warpGroups ? DeviceForm::Warps : DeviceForm::Any, code));
  return made;
}

/// Whether low blocks are those that many rows have too, in each form that is emitted.
static bool areAllLow(const GemmProblem &problem, const Target &target) {
  auto areSame = [&](auto tilingFor) { return tilingFor(problem, mostLowRows) == tilingFor(problem, anyRows); };
  bool hasGroups = GemmTiling::forWarpGroups(problem, anyRows).has_value();
  return (!target.has(DeviceForm::WarpGroups) || areSame(GemmTiling::forWarpGroups)) &&
         ((hasGroups && !target.has(DeviceForm::Warps)) || areSame(GemmTiling::forWarps));
}

FailureOr<KernelCode> emitDeviceGemm(func::FuncOp kernel, const Target &target, ModuleOp code) {
  std::optional<GemmProblem> problem;
  GemmProblem::match(kernel, problem);
  SizeExpr rows = problem->extent(LoopGroup::Row);
  // 1 where there are more: of all phases, those for one of the ranges have blocks.
  auto areMoreThan = [&](int64_t number) { return SizeExpr::min(1, rows.floorDiv(number + 1)); };
  SizeExpr areSome = areMoreThan(mostFewRows);
  SizeExpr areMany = areAllLow(*problem, target) ? areSome : areMoreThan(mostLowRows);
  std::string symbol = kernel.getSymName().str();
  recordRefusals(*problem, target);
  KernelCode made;
  made.cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  auto add = [&](const SizeExpr &isChosen, const auto &part) {
    for (KernelPhase phase : part.phases) {
      phase.chunks *= isChosen;
      made.phases.push_back(phase);
    }
    made.sharedBytes = SizeExpr::max(made.sharedBytes, part.sharedBytes); // one of them runs
  };
  if (SizeExpr areLow = areSome - areMany; !(areLow == SizeExpr(0)))
    add(areLow, emitForms(*problem, mostLowRows, symbol + "$low", target, code));
  if (!(areMany == SizeExpr(0)))
    add(areMany, emitForms(*problem, anyRows, symbol, target, code));
  if (!(areSome == SizeExpr(1)))
    add(areMoreThan(0) - areSome, emitFewRows(*problem, symbol + "$few", code));
  return made;
}

} // namespace attnc
