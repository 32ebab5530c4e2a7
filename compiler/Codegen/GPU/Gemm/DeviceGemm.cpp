// Emits a gemm kernel for a device. A thread block computes a block of the result (GemmTiling.h) or, if there are a few
// rows, some columns (FewRows.h). If the number of rows is dynamic, phases for both are emitted, and one more with low
// blocks for medium numbers of rows; the sizes of a call choose. Blocks have two device variants where sm_90a has its
// own.
#include "compiler/Codegen/GPU/Gemm/FewRows.h"
#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/KernelForms.h"
#include <cassert>
#include <limits>

using namespace mlir;

namespace attnc {

/// The largest number of rows that is computed by the lowest blocks.
static constexpr int64_t maxLowRows = 64, anyRows = std::numeric_limits<int64_t>::max();

Verdict supportsDeviceGemm(func::FuncOp kernel) {
  std::optional<GemmProblem> problem;
  if (Verdict v = GemmProblem::match(kernel, problem); !v)
    return v;
  if (problem->packing)
    return Verdict::no("its right operand is packed for a processor");
  if (problem->selector)
    return Verdict::no("data selects the right matrix of a row");
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
                              DeviceVariant form, ModuleOp code, const std::optional<TensorMaps> &maps = std::nullopt) {
  func::FuncOp kernel = problem.kernel;
  DeviceFrame frame(kernel, symbol, code, tiling.threads);
  int64_t bytes = createBlock(problem, tiling, frame, maps)->emit();
  assert(bytes <= (form == DeviceVariant::WarpGroups ? 227 << 10 : 99 << 10) &&
         "shared memory of a block on the smallest such device");
  SmallVector<Choice> choices = {{"mc", tiling.rows}, {"nr", tiling.columns}, {"kc", tiling.depth}};
  if (tiling.groups > 0)
    choices.push_back({"copies", StringRef(maps ? "tensor-maps" : "threads")});
  recordForm(kernel, symbol, formOf(tiling), choices);
  SizeExpr blocks = problem.extent(LoopGroup::Batch) * tiling.rowBlocks * tiling.columnBlocks;
  return {symbol, blocks, tiling.threads, bytes, form};
}

/// Records the algorithms that the target supports and the problem does not.
static void recordRefusals(const GemmProblem &problem, const Target &target) {
  Verdict tensorCores = GemmTiling::suitsTensorCores(problem);
  recordRefusal(problem.kernel, KernelForm::TensorCores, tensorCores);
  if (tensorCores && target.has(DeviceVariant::WarpGroups))
    recordRefusal(problem.kernel, KernelForm::WarpGroups, GemmTiling::suitsWarpGroups(problem));
}

/// Emits a phase for each device variant of the target, preceded by one that writes tensor maps if there are any.
static KernelCode emitForms(const GemmProblem &problem, int64_t maxRows, const std::string &symbol,
                            const Target &target, ModuleOp code) {
  KernelCode result;
  std::optional<GemmTiling> warpGroups = GemmTiling::forWarpGroups(problem, maxRows);
  if (warpGroups && target.has(DeviceVariant::WarpGroups)) {
    std::optional<TensorMaps> maps;
    Verdict hasMaps = readMaps(problem, *warpGroups, maps);
    if (maxRows == anyRows) // with fewer rows they never pay
      recordRefusal(problem.kernel, KernelForm::TensorMaps, hasMaps);
    if (maps) {
      recordForm(problem.kernel, symbol + "$maps", KernelForm::TensorMaps);
      result.phases.push_back(maps->emit(problem.kernel, symbol + "$maps", code));
      result.sharedBytes = maps->bytes();
    }
    result.phases.push_back(
        emitBlocks(problem, *warpGroups, symbol + "$groups", DeviceVariant::WarpGroups, code, maps));
  }
  if (!warpGroups || target.has(DeviceVariant::Warps))
    result.phases.push_back(emitBlocks(problem, GemmTiling::forWarps(problem, maxRows), symbol,
                                       warpGroups ? DeviceVariant::Warps : DeviceVariant::Any, code));
  return result;
}

/// Whether low blocks are the same as those for many rows, in each device variant.
static bool areAllLow(const GemmProblem &problem, const Target &target) {
  auto areSame = [&](auto tilingFor) { return tilingFor(problem, maxLowRows) == tilingFor(problem, anyRows); };
  bool hasGroups = GemmTiling::forWarpGroups(problem, anyRows).has_value();
  return (!target.has(DeviceVariant::WarpGroups) || areSame(GemmTiling::forWarpGroups)) &&
         ((hasGroups && !target.has(DeviceVariant::Warps)) || areSame(GemmTiling::forWarps));
}

FailureOr<KernelCode> emitDeviceGemm(func::FuncOp kernel, const Target &target, ModuleOp code) {
  std::optional<GemmProblem> problem;
  GemmProblem::match(kernel, problem);
  SizeExpr rows = problem->extent(LoopGroup::Row);
  // 1 if there are more rows. Only the phases for the actual range of rows have blocks.
  auto areMoreThan = [&](int64_t number) { return SizeExpr::min(1, rows.floorDiv(number + 1)); };
  SizeExpr areSome = areMoreThan(maxFewRows);
  SizeExpr areMany = areAllLow(*problem, target) ? areSome : areMoreThan(maxLowRows);
  std::string symbol = kernel.getSymName().str();
  recordRefusals(*problem, target);
  KernelCode result;
  result.cost = {problem->flops(), problem->sizes.bytesRead(), problem->sizes.bytesWritten()};
  auto add = [&](const SizeExpr &isChosen, const auto &alternative) {
    for (KernelPhase phase : alternative.phases) {
      phase.chunks *= isChosen;
      result.phases.push_back(phase);
    }
    result.sharedBytes = SizeExpr::max(result.sharedBytes, alternative.sharedBytes); // only one alternative runs
  };
  if (SizeExpr areLow = areSome - areMany; !(areLow == SizeExpr(0)))
    add(areLow, emitForms(*problem, maxLowRows, symbol + "$low", target, code));
  if (!(areMany == SizeExpr(0)))
    add(areMany, emitForms(*problem, anyRows, symbol, target, code));
  if (!(areSome == SizeExpr(1)))
    add(areMoreThan(0) - areSome, emitFewRows(*problem, symbol + "$few", code));
  return result;
}

} // namespace attnc
