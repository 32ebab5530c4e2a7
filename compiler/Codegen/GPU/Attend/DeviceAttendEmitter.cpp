#include "compiler/Codegen/GPU/Attend/AttendMerge.h"
#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "compiler/Codegen/GPU/Attend/SplitKvTiles.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/KernelForms.h"

using namespace mlir;

namespace attnc {

Verdict supportsDeviceAttend(func::FuncOp kernel) {
  AttendProblem problem;
  Verdict verdict = readAttendProblem(kernel, problem);
  return verdict ? canAttendOnDevice(problem) : verdict;
}

/// Whether wgmma applies: a block has more queries, and values are read with their depth along the columns of a tile.
static Verdict suitsWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices,
                               std::optional<AttendWarpGroups::Tiling> &tiling) {
  if (problem.rows.isConstant() && problem.rows.constant() <= AttendTiles::queries)
    return Verdict::no("it has 64 queries or fewer, half of a block of warp groups");
  if (is32Bit(matrices.type))
    return Verdict::no("its values are f32, which warp groups can't transpose as they multiply");
  return AttendWarpGroups::chooseTiling(problem, matrices, tiling);
}

namespace {

/// Emits the kernel phases of one attention kernel.
class Phases {
public:
  Phases(const AttendProblem &problem, const Target &target, ModuleOp code)
      : problem(problem), target(target), code(code) {
    recordRefusal(problem.kernel, KernelForm::TensorCores, AttendMatrices::match(problem, matrices));
    result.cost = problem.cost();
  }

  KernelCode emit() {
    std::string symbol = func::FuncOp(problem.kernel).getSymName().str();
    if (Verdict verdict = AttendSplitKv::canSplit(problem); !verdict) {
      recordRefusal(problem.kernel, KernelForm::SplitKeys, verdict);
      emitWhole(symbol);
    } else if (AttendSplitKv splitKv(problem, blockSplits()); splitKv.areAlwaysFew()) {
      emitSplitKv(symbol, splitKv);
    } else { // both are emitted; the number of rows decides which one has blocks
      emitWhole(symbol);
      for (KernelPhase &phase : result.phases)
        phase.chunks *= SizeExpr(1) - splitKv.areFew;
      emitSplitKv(symbol + "$few", splitKv);
    }
    return result;
  }

private:
  bool usesTensorCores() const { return matrices && SplitKvTiles::suits(*matrices); }
  int64_t blockSplits() const { return usesTensorCores() ? 1 : blockThreads / warpThreads; }

  /// Each row is computed with all of its keys.
  void emitWhole(const std::string &symbol) {
    if (matrices)
      return emitTiles(symbol);
    DeviceFrame frame(problem.kernel, symbol, code);
    AttendGeneral attend(problem, target, frame);
    result.phases.push_back(attend.emit());
    recordForm(problem.kernel, symbol, KernelForm::F32, {{"tile_q", attend.warpRows()}, {"tile_kv", warpThreads}});
  }

  /// The same by tensor cores, for each device variant of the target.
  void emitTiles(const std::string &symbol) {
    std::optional<AttendWarpGroups::Tiling> tiling;
    Verdict hasGroups = suitsWarpGroups(problem, *matrices, tiling);
    if (target.has(DeviceVariant::WarpGroups)) {
      recordRefusal(problem.kernel, KernelForm::WarpGroups, hasGroups);
      if (hasGroups)
        emitWarpGroups(symbol, *tiling);
    }
    if (!hasGroups || target.has(DeviceVariant::Warps)) {
      AttendTiles attend(problem, *matrices, target, symbol, code);
      result.phases.push_back(attend.emit());
      result.phases.back().form = hasGroups ? DeviceVariant::Warps : DeviceVariant::Any;
      recordForm(problem.kernel, symbol, KernelForm::TensorCores,
                 {{"tile_q", AttendTiles::queries}, {"tile_kv", attend.keys}});
    }
  }

  void emitWarpGroups(const std::string &symbol, const AttendWarpGroups::Tiling &tiling) {
    recordRefusal(problem.kernel, KernelForm::TensorMaps, tiling.hasMaps);
    if (tiling.maps) {
      TensorMaps maps = tiling.maps->all();
      recordForm(problem.kernel, symbol + "$maps", KernelForm::TensorMaps);
      result.phases.push_back(maps.emit(problem.kernel, symbol + "$maps", code));
      result.sharedBytes = maps.bytes();
    }
    result.phases.push_back(AttendWarpGroups(problem, *matrices, tiling, target, symbol + "$groups", code).emit());
    recordForm(problem.kernel, symbol + "$groups", KernelForm::WarpGroups,
               {{"tile_q", AttendWarpGroups::queries},
                {"tile_kv", tiling.keys},
                {"copies", StringRef(tiling.maps ? "tensor-maps" : "threads")}});
  }

  /// Split-KV: partial results, and their merge.
  void emitSplitKv(const std::string &symbol, const AttendSplitKv &splitKv) {
    KernelPhase phase;
    if (matrices)
      recordRefusal(problem.kernel, KernelForm::TensorCores, SplitKvTiles::suits(*matrices));
    if (usesTensorCores()) {
      phase = SplitKvTiles(problem, *matrices, splitKv, target, symbol, code).emit();
    } else {
      DeviceFrame frame(problem.kernel, symbol, code);
      phase = AttendGeneral(problem, target, frame, splitKv.numbers).emitPartials(splitKv);
    }
    recordForm(problem.kernel, symbol, KernelForm::SplitKeys,
               {{"products", nameOf(usesTensorCores() ? KernelForm::TensorCores : KernelForm::F32)},
                {"decode_rows", AttendSplitKv::maxRows / problem.group}});
    std::string merge = symbol + "$merge";
    for (KernelPhase each : {phase, AttendMerge(problem, splitKv, target, merge, code).emit()}) {
      each.chunks *= splitKv.areFew;
      result.phases.push_back(each);
    }
    recordForm(problem.kernel, merge, KernelForm::Merge);
    result.sharedBytes = SizeExpr::max(result.sharedBytes, splitKv.bytes());
  }

  const AttendProblem &problem;
  const Target &target;
  ModuleOp code;
  std::optional<AttendMatrices> matrices; ///< null if tensor cores do not apply
  KernelCode result;
};

} // namespace

FailureOr<KernelCode> emitDeviceAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  return Phases(problem, target, code).emit();
}

} // namespace attnc
