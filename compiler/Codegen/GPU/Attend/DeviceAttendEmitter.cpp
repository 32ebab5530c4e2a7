#include "compiler/Codegen/GPU/Attend/AttendMerge.h"
#include "compiler/Codegen/GPU/Attend/AttendSplits.h"
#include "compiler/Codegen/GPU/Attend/AttendTiles.h"
#include "compiler/Codegen/GPU/Attend/AttendWarpGroups.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/KernelForms.h"

using namespace mlir;

namespace attnc {

Verdict supportsDeviceAttend(func::FuncOp kernel) {
  AttendProblem problem;
  Verdict verdict = readAttendProblem(kernel, problem);
  return verdict ? canAttendOnDevice(problem) : verdict;
}

/// A block of warp groups has more queries, and values whose depth runs along the columns of a tile.
static Verdict suitsWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices,
                               std::optional<AttendWarpGroups::Tiling> &tiling) {
  if (problem.rows.isConstant() && problem.rows.constant() <= AttendTiles::queries)
    return Verdict::no("it has 64 queries or fewer, half of a block of warp groups");
  if (areWords(matrices.type))
    return Verdict::no("its values are f32, which warp groups don't turn around as they multiply");
  return AttendWarpGroups::chooseTiling(problem, matrices, tiling);
}

namespace {

/// The phases of one kernel.
class Phases {
public:
  Phases(const AttendProblem &problem, const Target &target, ModuleOp code)
      : problem(problem), target(target), code(code) {
    recordRefusal(problem.kernel, KernelForm::TensorCores, AttendMatrices::match(problem, matrices));
    made.cost = problem.cost();
  }

  KernelCode emit() {
    std::string symbol = func::FuncOp(problem.kernel).getSymName().str();
    if (Verdict verdict = AttendParts::canSplit(problem); !verdict) {
      recordRefusal(problem.kernel, KernelForm::SplitKeys, verdict);
      emitWhole(symbol);
    } else if (AttendParts parts(problem, splitsOfBlock()); parts.areAlwaysFew()) {
      emitSplits(symbol, parts);
    } else { // of both, one has blocks: which one, the number of rows tells
      emitWhole(symbol);
      for (KernelPhase &phase : made.phases)
        phase.chunks *= SizeExpr(1) - parts.areFew;
      emitSplits(symbol + "$few", parts);
    }
    return made;
  }

private:
  bool splitsByTensorCores() const { return matrices && AttendSplits::suits(*matrices); }
  int64_t splitsOfBlock() const { return splitsByTensorCores() ? 1 : blockThreads / warpThreads; }

  /// Rows with all of their keys.
  void emitWhole(const std::string &symbol) {
    if (matrices)
      return emitTiles(symbol);
    DeviceFrame frame(problem.kernel, symbol, code);
    AttendGeneral attend(problem, target, frame);
    made.phases.push_back(attend.emit());
    recordForm(problem.kernel, symbol, KernelForm::F32, {{"tile_q", attend.rowsOfWarp()}, {"tile_kv", warpThreads}});
  }

  /// The same by tensor cores, in each form that the target has.
  void emitTiles(const std::string &symbol) {
    std::optional<AttendWarpGroups::Tiling> tiling;
    Verdict hasGroups = suitsWarpGroups(problem, *matrices, tiling);
    if (target.has(DeviceForm::WarpGroups)) {
      recordRefusal(problem.kernel, KernelForm::WarpGroups, hasGroups);
      if (hasGroups)
        emitWarpGroups(symbol, *tiling);
    }
    if (!hasGroups || target.has(DeviceForm::Warps)) {
      AttendTiles attend(problem, *matrices, target, symbol, code);
      made.phases.push_back(attend.emit());
      made.phases.back().form = hasGroups ? DeviceForm::Warps : DeviceForm::Any;
      recordForm(problem.kernel, symbol, KernelForm::TensorCores,
                 {{"tile_q", AttendTiles::queries}, {"tile_kv", attend.keys}});
    }
  }

  void emitWarpGroups(const std::string &symbol, const AttendWarpGroups::Tiling &tiling) {
    recordRefusal(problem.kernel, KernelForm::TensorMaps, tiling.hasMaps);
    if (tiling.maps) {
      TensorMaps maps = tiling.maps->all();
      recordForm(problem.kernel, symbol + "$maps", KernelForm::TensorMaps);
      made.phases.push_back(maps.emit(problem.kernel, symbol + "$maps", code));
      made.sharedBytes = maps.bytes();
    }
    made.phases.push_back(AttendWarpGroups(problem, *matrices, tiling, target, symbol + "$groups", code).emit());
    recordForm(problem.kernel, symbol + "$groups", KernelForm::WarpGroups,
               {{"tile_q", AttendWarpGroups::queries},
                {"tile_kv", tiling.keys},
                {"copies", StringRef(tiling.maps ? "tensor-maps" : "threads")}});
  }

  /// Parts of rows, and their results.
  void emitSplits(const std::string &symbol, const AttendParts &parts) {
    KernelPhase phase;
    if (matrices)
      recordRefusal(problem.kernel, KernelForm::TensorCores, AttendSplits::suits(*matrices));
    if (splitsByTensorCores()) {
      phase = AttendSplits(problem, *matrices, parts, target, symbol, code).emit();
    } else {
      DeviceFrame frame(problem.kernel, symbol, code);
      phase = AttendGeneral(problem, target, frame, parts.numbers).emitParts(parts);
    }
    recordForm(problem.kernel, symbol, KernelForm::SplitKeys,
               {{"products", nameOf(splitsByTensorCores() ? KernelForm::TensorCores : KernelForm::F32)},
                {"decode_rows", AttendParts::mostRows / problem.group}});
    std::string merge = symbol + "$merge";
    for (KernelPhase each : {phase, AttendMerge(problem, parts, target, merge, code).emit()}) {
      each.chunks *= parts.areFew;
      made.phases.push_back(each);
    }
    recordForm(problem.kernel, merge, KernelForm::Merge);
    made.sharedBytes = SizeExpr::max(made.sharedBytes, parts.bytes());
  }

  const AttendProblem &problem;
  const Target &target;
  ModuleOp code;
  std::optional<AttendMatrices> matrices; ///< where tensor cores take it
  KernelCode made;
};

} // namespace

FailureOr<KernelCode> emitDeviceAttend(func::FuncOp kernel, const Target &target, ModuleOp code) {
  AttendProblem problem;
  if (!readAttendProblem(kernel, problem))
    return failure();
  return Phases(problem, target, code).emit();
}

} // namespace attnc
